"""Every word of ours on a page went through Django's translation system.

Each message is set in brackets on its way; what stands outside them is data, or was forgotten.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test.utils import override_settings
from django.utils.translation import _trans, trans_real  # type: ignore[attr-defined]

from config.embedded.layout import BASE_DIR
from studies.views import task_page
from tests.everywhere.conftest import OWN_CACHE
from tests.everywhere.routes import ONE_OF_A_KIND, Route
from tests.everywhere.visits import NOBODY, STAFF, WORKER, Visit, visit_everything
from tests.everywhere.world import make_world

OPEN, CLOSE = "⟦", "⟧"
INNERMOST = re.compile(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
# What a person wrote, everywhere on this site.
DATUM = "datum"
SPOKEN = {"aria-label", "title", "placeholder", "alt", "data-tooltip"}
# What a person typed is theirs.
SILENT = {"script", "style", "code", "template", "textarea"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
ICONS = "material-symbols-outlined"
SENTENCE = re.compile(r"[^\W\d_]{2,}[ ,.]+[^\W\d_]{2,}")
WORDS = re.compile(r"[^\W\d_]{2,}")
# Not words of ours: what was written on this site, ids and codes, the names of the house.
DATA = re.compile(
    r"""(?x) \b[Dd]atum\b | \bFabula\b | \bUTC\b | \b[Aa]da\b | \b[Ii]nes\b | \bevenings\b | \bUS\b
    | \b[Ww]-[0-9a-f]{10}\b | \b[A-Z0-9]{12,} | [Hh]ttps?://\S+ | \butf-8\b | \bSNS\b
    | \bAssignmentSubmitted\b | \bPing\b | \bfor\ tests\b | \bKim\b
    | <(\?xml|ExternalQuestion)\b.* | \bThe\ visitor\ is\ (far\ from\ )?calm\.
    | Mira\ walks\.\ She\ sings\. | \bCan\ (add|change|delete|view)\ [\w' ]+ | ^:\ \S+$ | ^esc$
    | \bbertrand\b | \bottilie\b | \b[0-9a-f]{12}\b | \bjsonl\b | \b(datum){9,}
    | \b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b | \b(mod_)?story_(mod_)?state\b
    | \b(state-inference|story-revision|state-change)\b | ^(marked|both|copy|cpu|gpu)$
    | ^(story|justification|original|revised)$ | ^(t5|bert|roberta)-(base|large)$ | ^few-shot-\w+$
    | \bResearcher\b | \bReviewer\b | ^Group[-_]permission.* | ^\{"name":\ "\#memberships".*
    """
)
SCRIPTS = BASE_DIR / "static" / "js"
TEXT_IN_CODE = re.compile(r""""([^"\n]*)"|'([^'\n]*)'|`([^`]*)`""")
# Two words in a row that are no selector, class list or address.
SAID_BY_CODE = re.compile(r"^[A-Z][a-z]+ [a-z]+|[a-z]{2,} [a-z]{2,}[.!?]$")


_pages: list[Visit] = []


def bracketed(gettext: Callable[..., str]) -> Callable[..., str]:
    def translate(*message: Any) -> str:
        text = gettext(*message)
        return f"{OPEN}{text}{CLOSE}" if text else text

    return translate


@pytest.fixture
def pages(db: None, monkeypatch: pytest.MonkeyPatch) -> list[Visit]:
    """Gone to once for all tests."""
    if _pages:
        return _pages
    for name in ("gettext", "ngettext", "pgettext", "npgettext"):
        monkeypatch.setattr(_trans, name, bracketed(getattr(trans_real, name)), raising=False)
    monkeypatch.setattr("studies.mturk.grant_qualification", lambda *ids: None)
    nothing_kept = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    caches = settings.CACHES | {"default": OWN_CACHE, "parts": nothing_kept}
    # Templates that were compiled before hold the words as they are, and so do pages.
    compiled_anew = {"TEMPLATES": list(settings.TEMPLATES)}
    monkeypatch.setattr(task_page, "blank_page", lru_cache(task_page.blank_page.__wrapped__))
    with override_settings(CACHES=caches, **compiled_anew):
        found = visit_everything(make_world(DATUM), readers_of=readers_of)
    _pages.extend(visit for visit in found if visit.is_page)
    return _pages


def readers_of(route: Route) -> tuple[str, ...]:
    if ONE_OF_A_KIND.search(route.pattern):
        return ()
    if route.is_admin:
        return (STAFF,)
    return (NOBODY,) if route.is_framed else (WORKER, NOBODY)


class Reader(HTMLParser):
    """What of a page is read or spoken."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        for name, value in given.items():
            if name in SPOKEN or (name.startswith("data-") and SENTENCE.search(value)):
                self.said.append(value)
        if tag == "input" and given.get("type") in {"submit", "button"}:
            self.said.append(given.get("value", ""))
        if tag not in VOID:
            silent = tag in SILENT or ICONS in given.get("class", "")
            self._open.append((tag, silent or self._is_silent()))

    def handle_endtag(self, tag: str) -> None:
        while self._open and tag in {name for name, _silent in self._open}:
            name, _silent = self._open.pop()
            if name == tag:
                break

    def handle_data(self, data: str) -> None:
        if not self._is_silent():
            self.said.append(data)

    def _is_silent(self) -> bool:
        return bool(self._open) and self._open[-1][1]


def left_outside(html: str) -> list[str]:
    """The pieces of text with words that stand in no bracket and are no data."""
    text = "\0".join(Reader(html).said)
    while INNERMOST.search(text):
        text = INNERMOST.sub(" ", text)
    pieces = (" ".join(piece.split()) for piece in text.split("\0"))
    return [piece for piece in pieces if WORDS.search(DATA.sub(" ", piece))]


def test_no_word_of_ours_stands_outside_the_brackets(pages: list[Visit]) -> None:
    against: dict[str, str] = {}
    for visit in pages:
        for piece in left_outside(visit.body):
            against.setdefault(piece[:120], str(visit))

    assert len(pages) > 200
    assert not against, "\n".join(f"{piece!r} on {visit}" for piece, visit in against.items())


def test_texts_for_scripts_are_among_them(pages: list[Visit]) -> None:
    """What a script says stands in data attributes of its page, translated like the rest."""
    timers = [visit for visit in pages if "data-left=" in visit.body]
    forms = [visit for visit in pages if 'type="application/json"' in visit.body]

    assert timers and all(f'data-left="{OPEN}' in visit.body for visit in timers)
    assert forms and any(r"\u27e6" in visit.body for visit in forms)


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.js")), ids=lambda path: path.stem)
def test_no_script_has_words_of_its_own(path: Path) -> None:
    code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.S)
    texts = [part for groups in TEXT_IN_CODE.findall(code) for part in groups if part]

    assert not [text for text in texts if SAID_BY_CODE.search(text)]


@pytest.mark.parametrize(
    "html",
    [
        "<p>Forgotten</p>",
        "<p>⟦Said⟧ and forgotten</p>",
        "<a aria-label='Forgotten'>⟦x⟧</a>",
        "<b data-late='It is late.'></b>",
        "<input type=submit value=Send>",
        "<p>⟦It took ⟦3 minutes⟧⟧ about</p>",
    ],
)
def test_a_forgotten_word_is_found(html: str) -> None:
    assert left_outside(html)


def test_bracketed_words_and_data_are_not_found() -> None:
    assert not left_outside("<p>⟦It took ⟦3 minutes⟧⟧ <b>datum</b> w-0ddc3189bf, 04:24 UTC</p>")
