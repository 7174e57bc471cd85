"""What a page says and offers, as a reader would find it."""

from html import unescape
from html.parser import HTMLParser
from typing import Protocol


class Response(Protocol):
    @property
    def content(self) -> bytes: ...


class _Reader(HTMLParser):
    SILENT = ("script", "style", "template")

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self.SILENT
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self.SILENT

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words.append(data)


def read(response: Response) -> _Reader:
    reader = _Reader()
    reader.feed(response.content.decode())
    return reader


def text_of(response: Response) -> str:
    return " ".join(unescape(" ".join(read(response).words)).split())


def tags_of(response: Response, tag: str) -> list[dict[str, str]]:
    return [attributes for name, attributes in read(response).tags if name == tag]


def focused_of(response: Response) -> str:
    """The name of the only field that has the focus as the page comes."""
    (name,) = [tag["name"] for _tag, tag in read(response).tags if "autofocus" in tag]
    return name


def links_of(response: Response) -> list[str]:
    return [link.get("href", "") for link in tags_of(response, "a")]


def posts_of(response: Response) -> list[str]:
    return [f.get("action", "") for f in tags_of(response, "form") if f.get("method") == "post"]
