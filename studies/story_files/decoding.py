"""Bytes to text: UTF-8 with or without a byte order mark, UTF-16 with one. Nothing is guessed."""

import codecs
import io
from dataclasses import dataclass
from typing import BinaryIO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

CHUNK = 1 << 20
SNIFFED = 4096


class UnreadableText(ValueError):
    """The file is not in an encoding that is read; the text says what to do."""


@dataclass(frozen=True)
class Encoding:
    """A Python codec, the words for it, and the length of the byte order mark before the text."""

    codec: str
    label: str
    mark: int


UTF_8 = Encoding("utf-8", "UTF-8", 0)
MARKED = {
    codecs.BOM_UTF8: Encoding("utf-8", "UTF-8 with byte order mark", 3),
    codecs.BOM_UTF16_LE: Encoding("utf-16-le", "UTF-16", 2),
    codecs.BOM_UTF16_BE: Encoding("utf-16-be", "UTF-16", 2),
}
# How files begin that are no text, though people take them for tables of it.
SPREADSHEET = gettext_lazy(
    "This is a spreadsheet, a document or an archive, not text. Save it as CSV in UTF-8 and try "
    "again."
)
COMPRESSED = gettext_lazy("This file is compressed. Unpack it and try again.")
NO_TEXT = {
    b"PK\x03\x04": SPREADSHEET,
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": SPREADSHEET,
    b"\x1f\x8b": COMPRESSED,
    b"\xfd7zXZ\x00": COMPRESSED,
}


@dataclass(frozen=True)
class BadByte:
    """The first byte that does not decode. Offset counts from 0, line from 1."""

    offset: int
    value: int
    line: int

    def message(self, encoding: Encoding) -> str:
        sentence = _("Byte 0x%(value)02x at offset %(offset)s is not %(encoding)s.") % {
            "value": self.value,
            "offset": self.offset,
            "encoding": encoding.label,
        }
        in_windows = bytes([self.value]).decode("cp1252", errors="ignore")
        if encoding.codec == "utf-8" and in_windows:
            sentence += " " + _(
                "In Windows-1252 it would be “%(character)s”. Save the file as UTF-8 and try again."
            ) % {"character": in_windows}
        return sentence


def detect_encoding(stream: BinaryIO) -> Encoding:
    """Judge by the byte order mark; leave the stream behind it."""
    stream.seek(0)
    start = stream.read(SNIFFED)
    for beginning, refusal in NO_TEXT.items():
        if start.startswith(beginning):
            raise UnreadableText(str(refusal))
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise UnreadableText(_("This file is UTF-32. Save it as UTF-8 and try again."))
    for mark, encoding in MARKED.items():
        if start.startswith(mark):
            stream.seek(encoding.mark)
            return encoding
    if start.count(0) > len(start) // 4:
        raise UnreadableText(
            _(
                "This file holds NUL characters from its start on: it may be UTF-16 without a byte"
                " order mark, or not text. Save it as UTF-8 and try again."
            )
        )
    stream.seek(0)
    return UTF_8


def open_text(stream: BinaryIO, encoding: Encoding, *, errors: str = "strict") -> io.TextIOWrapper:
    """Lines end at LF, CRLF or CR and keep their ends; other separators are text."""
    stream.seek(encoding.mark)
    return io.TextIOWrapper(stream, encoding=encoding.codec, errors=errors, newline="")


def find_bad_byte(stream: BinaryIO, encoding: Encoding) -> BadByte:
    """Decode again from the start, in pieces, up to the byte that stops it."""
    stream.seek(encoding.mark)
    decoder = codecs.getincrementaldecoder(encoding.codec)()
    lines = _LineCounter()
    end = encoding.mark
    while True:
        chunk = stream.read(CHUNK)
        try:
            lines.feed(decoder.decode(chunk, final=not chunk))
        except UnicodeDecodeError as error:
            held_back = len(error.object) - len(chunk)
            lines.feed(error.object[: error.start].decode(encoding.codec))
            return BadByte(
                offset=end - held_back + error.start,
                value=error.object[error.start],
                line=lines.current,
            )
        if not chunk:
            raise ValueError("Every byte decodes.")
        end += len(chunk)


class _LineCounter:
    """Counts lines in pieces of text; CRLF is one end, also across two pieces."""

    def __init__(self) -> None:
        self.current = 1
        self._after_cr = False

    def feed(self, text: str) -> None:
        if not text:
            return
        crlf = text.count("\r\n")
        self.current += text.count("\n") + text.count("\r") - crlf
        if self._after_cr and text[0] == "\n":
            self.current -= 1
        self._after_cr = text[-1] == "\r"
