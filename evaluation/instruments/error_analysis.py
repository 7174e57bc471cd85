"""What experts say of single outputs: what is wrong with it most of all; of what type a state is.

The categories are those of the published analysis; their definitions stand beside the choice.
"""

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Field, Kind, Option, Question, Role
from evaluation.instruments.pasta import REVISION_FIELDS, STATE, STORY

ERROR, CORRECT = "error", "correct"
STATE_TYPE = "state_type"


def _error(*categories: tuple[str, str]) -> Question:
    return Question(
        ERROR,
        "What is wrong with this output?",
        Kind.CHOICE,
        (
            Option(CORRECT, "Correct: nothing is wrong"),
            *(Option(code, words) for code, words in categories),
        ),
        help="Choose one: the error that matters most, or “Correct”.",
    )


STORY_REVISION_ERRORS = Declaration(
    slug="story-revision-errors",
    title="Errors of story revision",
    about="What is most wrong with a revised story, for experts.",
    fields=REVISION_FIELDS,
    questions=(
        _error(
            ("illogical", "Illogical revised story: its events cannot follow one another"),
            ("irrelevant", "Irrelevant change: what was changed has nothing to do with the state"),
            ("contradiction", "Contradiction: a changed sentence contradicts another sentence"),
            ("not_entailed", "Input state not entailed: the state does not follow from the story"),
            ("explicit", "State explicit in the revision: the state is said in so many words"),
        ),
    ),
)

STATE_CHANGE_ERRORS = Declaration(
    slug="state-change-errors",
    title="Errors of state change",
    about="What is most wrong with a pair of states, for experts.",
    fields=(
        Field("story", "Story 1", Role.STORY),
        Field("revision", "Story 2", Role.REVISION),
        Field("state", "State in story 1", Role.OUTPUT),
        Field("mod_state", "State in story 2", Role.OUTPUT),
    ),
    questions=(
        _error(
            ("contradiction", "Contradiction: a state contradicts its own story"),
            ("irrelevant", "Irrelevant states: they have nothing to do with what was changed"),
            ("illogical", "Illogical state change: the one state cannot become the other"),
            ("reversed", "States reversed: each belongs to the other story"),
            ("no_change", "No change in state: both say the same"),
            ("stated", "State directly stated: a story says it in so many words"),
            ("actions", "Actions instead of states: they tell what somebody does"),
        ),
    ),
)

STATE_TYPES = Declaration(
    slug="state-type",
    title="Type of a state",
    about="Of what type a state is, for experts.",
    fields=(STORY, STATE),
    questions=(
        Question(
            STATE_TYPE,
            "Of what type is this state?",
            Kind.CHOICE,
            (
                Option("societal", "Societal: relations, roles, customs, possessions"),
                Option("emotional", "Emotional: feelings, wishes, beliefs, character"),
                Option("physical", "Physical: bodies, things, places, what can be seen"),
            ),
            help="Where it is of several types, choose the one that matters most.",
        ),
    ),
)
