"""The words of the state annotation page: steps, instructions, errors and cautions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise as Words

# Plain strings: they travel to the marketplace as they are.
NAME = gettext_noop("State annotation")
HIT_TITLE = gettext_noop("Read a short story and say what must be true in it")
HIT_DESCRIPTION = gettext_noop(
    "Read a story of about five sentences, write down something that is true but not said, "
    "then edit the story so that it is no longer true."
)
HIT_KEYWORDS = "reading, writing, story, annotation, language, English"

# Labels used on the page, in review and in exports for people.
STORY_LABEL = _("Story")
STATE_LABEL = _("State")
JUSTIFICATION_LABEL = _("Justification")
CHANGED_STATE_LABEL = _("Changed state")
REVISION_LABEL = _("Revised story")


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
    "This is an example. Your own story appears when you accept the task, and nothing you see "
    "here is saved."
)

# --- Errors: they block, in the browser and on the server ----------------------------------------
ASSERTION_EMPTY = _("Step 1 is empty. Write one sentence about someone or something in the story.")
JUSTIFICATION_EMPTY = _("No sentence is ticked in step 2. Tick at least one.")
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
    "This repeats sentence %(number)s of the story. A state is something the story does not say. "
    "You can submit it as it is if you think it is right."
)
LOOKS_LIKE_ACTION = _(
    "This seems to say what someone does. A state says what someone or something is like. "
    "You can submit it as it is if you think it is right."
)
STATED_OUTRIGHT = _(
    "Sentence %(number)s of your revised story states the changed assertion outright. It is "
    "better to let the reader infer it. You can submit it as it is if you think it is right."
)
MORE_THAN_ONE_SENTENCE = _(
    "Sentence %(number)s seems to hold %(count)s sentences. Each box needs one. You can submit it "
    "as it is if you think it is right."
)
NO_WHOLE_SENTENCE = _(
    "Sentence %(number)s does not seem to hold a whole sentence. Each box needs one. You can "
    "submit it as it is if you think it is right."
)
MANY_CHANGED = _(
    "You changed %(count)s sentences. Often one or two are enough. You can submit it as it is if "
    "you think all of them are needed."
)

# --- Labels of the fields, for screen readers and summaries --------------------------------------
ASSERTION_FIELD = _("Your assertion")
JUSTIFICATION_FIELD = _("Sentences that justify your assertion")
CHANGED_FIELD = _("Your changed assertion")
REVISION_FIELD = _("Sentence %(number)s of the revised story")
