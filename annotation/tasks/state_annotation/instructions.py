"""The instructions of the state annotation: what a state is, the steps, two worked examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise as Words


@dataclass(frozen=True)
class ExampleRow:
    """One sentence of a worked example, before and after."""

    number: int
    original: Words
    revised: Words
    changed: bool
    ticked: bool


@dataclass(frozen=True)
class WorkedExample:
    """A story taken through all four steps, with the reasons."""

    title: Words
    sentences: tuple[Words, ...]
    assertion: Words
    why_assertion: Words
    justification: tuple[int, ...]
    why_justification: Words
    changed_assertion: Words
    why_changed: Words
    edits: tuple[tuple[int, Words], ...]
    why_minimal: Words
    wrong: tuple[tuple[Words, Words], ...]
    """What would not do, and why."""

    @property
    def rows(self) -> tuple[ExampleRow, ...]:
        edits = dict(self.edits)
        return tuple(
            ExampleRow(
                number=number,
                original=text,
                revised=edits.get(number, text),
                changed=number in edits,
                ticked=number in self.justification,
            )
            for number, text in enumerate(self.sentences, 1)
        )

    @property
    def justification_words(self) -> str:
        numbers = ", ".join(map(str, self.justification))
        words = ngettext("Sentence %(numbers)s", "Sentences %(numbers)s", len(self.justification))
        return words % {"numbers": numbers}

    @property
    def revision(self) -> tuple[Words, ...]:
        return tuple(row.revised for row in self.rows)


WORKED_EXAMPLES: tuple[WorkedExample, ...] = (
    WorkedExample(
        title=_("A letter for Ivo"),
        sentences=(
            _("Mirela found a letter for her neighbour Ivo in her own box."),
            _("She climbed four flights of stairs to bring it to him."),
            _("Ivo tore it open in the doorway and read it twice."),
            _("Then he laughed out loud and hugged her."),
            _("They shared a pot of tea before she went back down."),
        ),
        assertion=_("Ivo was glad about the letter."),
        why_assertion=_(
            "It is about what Ivo is like after reading, not about what he does. The story never "
            "says that he was glad, yet most readers would agree."
        ),
        justification=(3, 4),
        why_justification=_(
            "Sentence 3 shows that he read the letter, and sentence 4 how he took it. The tea in "
            "sentence 5 would fit any mood, so it is not ticked."
        ),
        changed_assertion=_("Ivo was upset about the letter."),
        why_changed=_(
            "It is still about Ivo and the letter, and a man who laughs and hugs his neighbour is "
            "very unlikely to be upset."
        ),
        edits=((4, _("Then he went pale and sat down on the step.")),),
        why_minimal=_(
            "One sentence is enough. People drink tea together after bad news too, so sentence 5 "
            "already fits and stays as it is."
        ),
        wrong=(
            (
                _("Then he felt upset about the letter."),
                _("It states the changed assertion outright. Nothing is left to infer."),
            ),
            (
                _("Then he went pale, because his boat had burned down in Naples that night."),
                _("The boat, Naples and the fire are details that the story does not need."),
            ),
            (
                _("Then he put the letter in his pocket."),
                _("It removes the first assertion, but the changed one does not follow from it."),
            ),
        ),
    ),
    WorkedExample(
        title=_("Soup on Thursday"),
        sentences=(
            _("On Thursday Anjali ordered the lentil soup at the new café."),
            _("She took one spoonful and reached for her glass of water."),
            _("Her eyes were watering when the waiter came by."),
            _("He asked whether everything was all right."),
            _("Anjali nodded and finished every drop."),
        ),
        assertion=_("The soup was spicy."),
        why_assertion=_(
            "A thing can have a state too. The story never says how the soup tastes, but water and "
            "watering eyes make it clear."
        ),
        justification=(2, 3),
        why_justification=_(
            "Sentence 2 shows that the soup made her reach for water, sentence 3 what it did to "
            "her eyes. The question in sentence 4 could follow any dish."
        ),
        changed_assertion=_("The soup was mild."),
        why_changed=_(
            "It is still about the taste of the soup, and mild soup would not make her eyes water."
        ),
        edits=(
            (2, _("She took one spoonful and reached for the chilli flakes.")),
            (3, _("She was still shaking the jar when the waiter came by.")),
        ),
        why_minimal=_(
            "Two sentences pointed to a spicy soup, so both had to change. The beginning and the "
            "end fit a mild soup just as well and stay as they are."
        ),
        wrong=(
            (
                _("Changing sentence 2 and leaving the watering eyes in sentence 3"),
                _("A reader could still think that the soup was spicy."),
            ),
            (
                _("She took one spoonful and noticed that the soup was mild."),
                _("It states the changed assertion outright. Nothing is left to infer."),
            ),
            (
                _("On Thursday Anjali ordered the tomato soup. It came with bread."),
                _("It edits a sentence that already fits and puts two sentences in one box."),
            ),
        ),
    ),
)


@dataclass(frozen=True)
class Instructions:
    """The panel shown on the first visit and one key away later."""

    title: Words
    intro: tuple[Words, ...]
    state_title: Words
    state_rules: tuple[Words, ...]
    state_examples: tuple[tuple[Words, bool, Words], ...]
    """A sentence, whether it is a state, and why."""
    steps_title: Words
    steps: tuple[Words, ...]
    examples_title: Words
    good_to_know_title: Words
    good_to_know: tuple[Words, ...]


INSTRUCTIONS = Instructions(
    title=_("How this task works"),
    intro=(
        _(
            "A story tells you more than it says. If someone slams a door, you know how they feel, "
            "even though nobody wrote it down."
        ),
        _(
            "You find one such thing, show where it comes from, and then edit the story so that "
            "the opposite comes to mind. There are four steps, on one page."
        ),
    ),
    state_title=_("What counts as a state"),
    state_rules=(
        _("It says what a person or a thing is like at some point in the story."),
        _("It is not something that somebody does."),
        _("The story does not say it."),
        _("Almost any reader would think it is likely true."),
    ),
    state_examples=(
        (_("The road was icy."), True, _("It says what a thing is like.")),
        (_("Tom loves dogs."), True, _("It says what a person is like.")),
        (_("The cake tastes awful."), True, _("It says what a thing is like.")),
        (_("Tom fed the dog."), False, _("It is something that Tom does.")),
        (
            _("Tom had a sad childhood."),
            False,
            _("The story gives no reason to think so. Few readers would."),
        ),
    ),
    steps_title=_("The four steps"),
    steps=(
        _("Write an assertion: one sentence about a state that the story does not mention."),
        _("Tick the fewest sentences from which a reader can tell that it is likely true."),
        _("Change the assertion so that it is very unlikely to be true of this story."),
        _(
            "Edit the story, as little as possible, so that a reader now infers the changed "
            "assertion and no longer the first one."
        ),
    ),
    examples_title=_("Two examples, step by step"),
    good_to_know_title=_("Good to know"),
    good_to_know=(
        _("Your work is saved while you type. You can come back to it until the time is up."),
        _("You can go back to an earlier step at any time."),
        _("There is more than one good answer. Write what seems clearest to you."),
        _("Each box in step 4 holds exactly one sentence of the story."),
    ),
)

# --- Shown in the preview, before a worker accepts -----------------------------------------------
PREVIEW_EXAMPLE = WORKED_EXAMPLES[0]
PREVIEW_STORY_ID = "example"
PREVIEW_NOTE = _(
    "This is a preview with an example. Your own story appears when you accept the task; nothing "
    "is saved here."
)
