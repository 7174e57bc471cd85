"""The words of the state annotation page: steps, labels, errors and cautions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise as Words

# Plain strings: they travel to the marketplace as they are.
NAME = gettext_noop("State annotation")
HIT_TITLE = gettext_noop("Read a short story and say what is likely true in it")
HIT_DESCRIPTION = gettext_noop(
    "Read a story of about five sentences, write down something that is likely true but not said, "
    "then edit the story so that it is no longer true."
)
HIT_KEYWORDS = "reading, writing, story, annotation, language, English"

# Labels used on the page, in review and in exports for people.
STATE_LABEL = _("State")
JUSTIFICATION_LABEL = _("Justification")
CHANGED_STATE_LABEL = _("Changed state")
REVISION_LABEL = _("Revised story")

ANSWER_NAMES = {
    "assertion": _("Assertion"),
    "justification": _("Justification"),
    "changed_assertion": _("Changed assertion"),
    "revision": _("Revision"),
}


@dataclass(frozen=True)
class Step:
    """One of the four cards. `key` is stable: it names the card in ids, styles and scripts."""

    number: int
    key: str
    title: Words
    question: Words
    do: tuple[Words, ...]
    do_not: tuple[Words, ...]
    example: Words
    label: Words


STEPS: tuple[Step, ...] = (
    Step(
        number=1,
        key="assertion",
        title=_("Write an assertion"),
        question=_("What is someone or something in the story like, without the story saying so?"),
        do=(
            _("Name a property of a person or a thing at some point in the story."),
            _("Pick something that most readers would agree is likely true."),
            _("Write one short sentence."),
        ),
        do_not=(
            _("Do not write what someone does. That is an action."),
            _("Do not repeat what the story already says."),
            _("Do not guess at what only some readers would think."),
        ),
        example=_("“Leyla was angry.” Not: “Leyla slammed the door.”"),
        label=STATE_LABEL,
    ),
    Step(
        number=2,
        key="justification",
        title=_("Tick the sentences that justify it"),
        question=_("Which sentences of the story tell you that your assertion is likely true?"),
        do=(
            _("Tick the fewest sentences that are enough."),
            _("Imagine the other sentences hidden: your assertion should still be clear."),
        ),
        do_not=(
            _("Do not tick a sentence only because it names the same person."),
            _("Do not tick the whole story to be safe."),
        ),
        example=_("“Leyla slammed the door” is enough. What she had for lunch is not needed."),
        label=JUSTIFICATION_LABEL,
    ),
    Step(
        number=3,
        key="changed_assertion",
        title=_("Change the assertion"),
        question=_("How would your assertion have to read to be very unlikely for this story?"),
        do=(
            _("Keep the same person or thing, and the same kind of property."),
            _("Make it something that the story as it stands speaks against."),
        ),
        do_not=(
            _("Do not write something new that has nothing to do with your assertion."),
            _("Do not write something that could be true of the story too."),
        ),
        example=_("“Leyla was angry.” becomes “Leyla was calm.” Not: “Leyla was tired.”"),
        label=CHANGED_STATE_LABEL,
    ),
    Step(
        number=4,
        key="revision",
        title=_("Edit the story so that the changed assertion fits"),
        question=_("What is the smallest edit that makes your changed assertion likely?"),
        do=(
            _("Change as few words as you can."),
            _("Change every sentence that still points to your first assertion."),
            _("Keep one sentence in each box, and a story that makes sense."),
        ),
        do_not=(
            _("Do not state the changed assertion outright. Let the reader infer it."),
            _("Do not add needless or unlikely details."),
            _("Do not edit a sentence that already fits."),
        ),
        example=_("“Leyla slammed the door.” becomes “Leyla closed the door softly.”"),
        label=REVISION_LABEL,
    ),
)

# --- Errors: they block, in the browser and on the server ----------------------------------------
ASSERTION_EMPTY = _("Step 1 is empty. Write one sentence about someone or something in the story.")
JUSTIFICATION_EMPTY = _("No sentence is ticked in step 2. Tick at least one.")
TICK_UNKNOWN = _("A tick does not belong to this story. Tick the sentences again.")
CHANGED_EMPTY = _("Step 3 is empty. Write your changed assertion.")
CHANGED_SAME = _(
    "Your changed assertion is the same as your assertion in step 1. Change it so that it is "
    "very unlikely for this story."
)
TOO_LONG = _("This has %(count)s characters. An assertion can have at most %(limit)s.")
SENTENCE_EMPTY = _("Sentence %(number)s is empty. Each box needs one sentence.")
NOTHING_CHANGED = _(
    "The story is still the same. Edit at least one sentence so that your changed assertion fits."
)
SENTENCE_TOO_LONG = _("Sentence %(number)s is very long. Keep it under %(limit)s characters.")
CANNOT_BE_SAVED = _(
    "This text holds an invisible character that cannot be saved. Type the text again, or paste "
    "it as plain text."
)

# --- Cautions: asked once, then accepted and kept with the response ------------------------------
REPEATS_STORY = _(
    "This repeats sentence %(number)s of the story. A state is something the story does not say."
)
LOOKS_LIKE_ACTION = _(
    "This seems to say what someone does. A state says what someone or something is like."
)
STATED_OUTRIGHT = _(
    "Sentence %(number)s of your revised story states the changed assertion outright. It is "
    "better to let the reader infer it."
)
MORE_THAN_ONE_SENTENCE = _(
    "Sentence %(number)s seems to hold %(count)s sentences. Each box needs one."
)
NO_WHOLE_SENTENCE = _(
    "Sentence %(number)s does not seem to hold a whole sentence. Each box needs one."
)
MANY_CHANGED = _("You changed %(count)s sentences. Often one or two are enough.")

# --- Labels of the fields, for screen readers and summaries --------------------------------------
ASSERTION_FIELD = _("Your assertion")
JUSTIFICATION_FIELD = _("Sentences that justify your assertion")
CHANGED_FIELD = _("Your changed assertion")
REVISION_FIELD = _("Sentence %(number)s of the revised story")
