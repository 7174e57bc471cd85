"""Reads the Question document of a HIT. ExternalQuestion is the kind that is shown here."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree import ElementTree

EXTERNAL = (
    "{http://mechanicalturk.amazonaws.com/"
    "AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd}"
)
MEMBERS = ("ExternalURL", "FrameHeight")
MAX_BYTES = 65535
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
# It stands before the root element: within CDATA, as in an HTMLQuestion, it declares nothing.
DOCUMENT_TYPE = re.compile(r"(?>\s+|\ufeff|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL)


class QuestionNotUsable(Exception):
    """Says what is wrong with the document."""


class QuestionNotValid(QuestionNotUsable):
    """It is no XML, or not of the schema."""


@dataclass(frozen=True)
class ExternalQuestion:
    url: str
    frame_height: int


def check_new_question(xml: str) -> None:
    """Raises QuestionNotUsable with what is wrong, also with what was taken once."""
    question = read_question(xml)
    given = [element.tag.removeprefix(EXTERNAL) for element in _parse(xml)]
    for name in given:
        if name not in MEMBERS:
            raise QuestionNotValid(f"An ExternalQuestion has no {name[:60]}.")
    if len(given) > len(MEMBERS):
        raise QuestionNotValid(f"An ExternalQuestion has one {' and one '.join(MEMBERS)}.")
    if any(character.isspace() for character in question.url):
        raise QuestionNotValid("ExternalURL has a space in it.")


def read_question(xml: str) -> ExternalQuestion:
    """Raises QuestionNotUsable with what is wrong."""
    root = _parse(xml)
    kind = root.tag.rpartition("}")[2]
    if kind in ("HTMLQuestion", "QuestionForm"):
        raise QuestionNotUsable(f"{kind} is not available yet. Use an ExternalQuestion.")
    if root.tag != f"{EXTERNAL}ExternalQuestion":
        raise QuestionNotValid("The document is not an ExternalQuestion of schema 2006-07-14.")
    height = (root.findtext(f"{EXTERNAL}FrameHeight") or "").strip()
    if not (height.isascii() and height.isdigit() and len(height) < 6):
        raise QuestionNotValid("FrameHeight must be a whole number of pixels.")
    return ExternalQuestion(_checked_url(root), int(height))


def _parse(xml: str) -> ElementTree.Element:
    if len(xml.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise QuestionNotUsable(f"The document is longer than {MAX_BYTES} bytes.")
    if DOCUMENT_TYPE.match(xml):
        raise QuestionNotValid("The document must not declare a document type.")
    try:
        return ElementTree.fromstring(xml.strip())
    except (ElementTree.ParseError, ValueError) as error:
        raise QuestionNotValid(f"The document is not well-formed XML: {error}.") from error


def _checked_url(root: ElementTree.Element) -> str:
    url = (root.findtext(f"{EXTERNAL}ExternalURL") or "").strip()
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise QuestionNotValid("ExternalURL is not a web address.") from error
    if not host or parts.scheme not in ("https", "http"):
        raise QuestionNotValid("ExternalURL is not a web address.")
    if parts.scheme == "http" and host not in LOOPBACK:
        raise QuestionNotUsable("ExternalURL must use https.")
    return url
