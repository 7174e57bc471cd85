"""What the rating task says, instrument apart."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

# Plain strings: they travel to the marketplace as they are.
NAME = gettext_noop("Rating")
HIT_TITLE = gettext_noop("Judge short texts")
HIT_DESCRIPTION = gettext_noop("Read short texts and answer a few questions about each of them.")
HIT_KEYWORDS = "reading, judging, rating, story, text, English"
PREVIEW_NOTE = _("This is an example. Accept the task to judge texts yourself.")
SHOWN_NAME = _("Text")
START_WORDS = _("Start")
BACK_WORDS = _("Back to the questions")
ANSWER_NAMES = {"items": _("Items")}


@dataclass(frozen=True)
class Instructions:
    title: Any
    paragraphs: tuple[Any, ...]


INSTRUCTIONS = Instructions(
    _("How to judge"),
    (
        _("Read each text as a whole, then answer every question about it."),
        _("Judge each text by itself. There is no right number of good or bad ones."),
        _("You can change every answer until you submit."),
    ),
)
