"""The instruments of the three tasks on participant states, as studies after PASTA ask them."""

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import Example, Field, Kind, Level, Option, Question, Role

LIKELIHOOD = (
    Option(0, "Extremely unlikely"),
    Option(1, "Unlikely"),
    Option(2, "Cannot say"),
    Option(3, "Likely"),
    Option(4, "Extremely likely"),
)
LIKELY = 3
YES_NO = (Option(1, "Yes"), Option(0, "No"))
STORY = Field("story", "Story", Role.STORY)
REVISED = Field("revision", "Revised story", Role.REVISION)
STATE = Field("state", "State", Role.STATE)


def _likely(
    slug: str, text: str, *, help: str = "", examples: tuple[Example, ...] = ()
) -> Question:
    return Question(
        slug,
        text,
        Kind.LIKERT,
        LIKELIHOOD,
        Level.ORDINAL,
        threshold=LIKELY,
        help=help,
        examples=examples,
    )


STATE_INFERENCE = Declaration(
    slug="state-inference",
    title="State inference",
    about="Whether a state can be inferred from a story; sentences may be marked as its reason.",
    fields=(STORY, STATE, Field("marked", "Sentences marked", optional=True)),
    questions=(
        _likely(
            "inferable",
            "You have read the story. How likely is it that this state holds?",
            help="Judge by the story and by what everybody knows. Where nothing in the story "
            "speaks for or against the state, choose “Cannot say”.",
            examples=(
                Example(
                    "Omar yawned at his desk all morning. State: Omar is tired.", 4, "He yawns."
                ),
                Example("Omar yawned at his desk all morning. State: Omar is tall.", 2, "Untold."),
            ),
        ),
    ),
)

_REVISION_START = (
    _likely(
        "inferable",
        "How likely is it that the state is true at any point in the revised story?",
        help="It is enough that the state holds somewhere in the revised story, not throughout.",
    ),
    Question(
        "logical",
        "Is the revised story logically correct?",
        Kind.YES_NO,
        YES_NO,
        threshold=1,
        help="Nothing in it contradicts the rest, and each event can follow the one before.",
    ),
)
_DEGREE = "How much was the story changed?"
_DEGREE_HELP = "Compare the words marked as added and removed; the fewest that do are best."
REVISION_FIELDS = (STORY, STATE, REVISED)

STORY_REVISION = Declaration(
    slug="story-revision",
    title="Story revision",
    about="A story revised to fit a state: does it fit, is it sound, how much was changed.",
    fields=REVISION_FIELDS,
    questions=(
        *_REVISION_START,
        Question(
            "degree",
            _DEGREE,
            Kind.LIKERT,
            (
                Option(0, "Minimally"),
                Option(1, "Somewhat"),
                Option(2, "A lot"),
                Option(3, "It is an entirely new story"),
            ),
            Level.ORDINAL,
            help=_DEGREE_HELP,
        ),
    ),
)

STORY_REVISION_FIVE = Declaration(
    slug="story-revision-five",
    title="Story revision, five points of change",
    about="As story revision, with a finer scale for how much was changed.",
    fields=REVISION_FIELDS,
    questions=(
        *_REVISION_START,
        Question(
            "degree",
            _DEGREE,
            Kind.LIKERT,
            (
                Option(0, "Minimally"),
                Option(1, "A little"),
                Option(2, "In about half of it"),
                Option(3, "In most of it"),
                Option(4, "It is an entirely new story"),
            ),
            Level.ORDINAL,
            help=_DEGREE_HELP,
        ),
    ),
)

STATE_CHANGE = Declaration(
    slug="state-change",
    title="State change",
    about="One state of an output at a time: what changed between two stories.",
    fields=(
        Field("story", "Story 1", Role.STORY),
        Field("revision", "Story 2", Role.REVISION),
        STATE,
    ),
    questions=(
        Question(
            "attribute",
            "Does it describe an attribute of a participant or an object?",
            Kind.YES_NO,
            YES_NO,
            threshold=1,
            help="An attribute is what somebody or something is like; an action is none.",
            examples=(
                Example("The lamp is broken.", 1, "It says what the lamp is like."),
                Example("Omar walked home.", 0, "It tells what he did."),
            ),
        ),
        _likely("inferable_s", "How likely is it to be true in story 1?"),
        _likely("inferable_s_prime", "How likely is it to be true in story 2?"),
        Question(
            "in_story",
            "Is it stated in one of the stories?",
            Kind.CHOICE,
            (
                Option(0, "In neither"),
                Option(1, "In story 1"),
                Option(2, "In story 2"),
                Option(3, "In both"),
            ),
            help="Stated means said in so many words, or in words that mean the same.",
        ),
    ),
)
