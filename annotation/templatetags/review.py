"""Two texts side by side, with the words marked that differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.word_difference import Part, word_difference

register = template.Library()


@dataclass(frozen=True)
class Pair:
    before: SafeString
    after: SafeString
    changed: bool


@register.simple_tag
def difference(before: str, after: str) -> Pair:
    """The old text with its deletions, the new one with its insertions."""
    parts = word_difference(before, after)
    return Pair(
        before=_marked("del", [(part, part.old) for part in parts]),
        after=_marked("ins", [(part, part.new) for part in parts]),
        changed=before != after,
    )


@register.simple_tag
def differences(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """The same sentence by sentence."""
    return [difference(old, new) for old, new in zip_longest(before, after, fillvalue="")]


def _marked(tag: str, parts: list[tuple[Part, str]]) -> SafeString:
    return format_html_join(
        "",
        "{}",
        (
            (text if part.same else format_html("<{0}>{1}</{0}>", tag, text),)
            for part, text in parts
            if text
        ),
    )
