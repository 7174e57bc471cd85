"""The instruments for counterfactual rewriting: scores of one ending, and two endings compared."""

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import (
    EQUALLY_BAD,
    EQUALLY_GOOD,
    FIRST,
    SECOND,
    Field,
    Kind,
    Level,
    Option,
    Question,
    Role,
)

THREE_POINTS = (Option(1, "Not at all"), Option(2, "Somewhat"), Option(3, "Very much"))
WHICH = (
    Option(FIRST, "Ending A"),
    Option(SECOND, "Ending B"),
    Option(EQUALLY_GOOD, "Both are equally good"),
    Option(EQUALLY_BAD, "Both are equally bad"),
)
SHOWN = (
    Field("premise", "Premise"),
    Field("counterfactual", "Changed event"),
    Field("initial", "Event before the change", optional=True),
    Field("ending", "Ending before the change", Role.STORY, optional=True),
)

LIKERT = Declaration(
    slug="timetravel-likert",
    title="Counterfactual ending, three points",
    about="How well an ending fits the premise, the plot before the change, and the changed event.",
    fields=(*SHOWN, Field("output", "New ending", Role.OUTPUT)),
    questions=tuple(
        Question(slug, text, Kind.LIKERT, THREE_POINTS, Level.ORDINAL)
        for slug, text in (
            ("premise", "Does the new ending keep to what the premise says?"),
            ("plot", "Does the new ending stay close to the plot of the ending before?"),
            ("counterfactual", "Does the new ending follow from the changed event?"),
        )
    ),
)

PAIRWISE = Declaration(
    slug="pairwise",
    title="Two endings compared",
    about="Which of two endings is the better one, side by side in an order drawn by chance.",
    fields=(
        *SHOWN,
        Field("first", "Ending", Role.OUTPUT),
        Field("second", "Ending", Role.OUTPUT),
    ),
    questions=tuple(
        Question(slug, text, Kind.PAIRWISE, WHICH)
        for slug, text in (
            ("premise", "Which ending keeps better to what the premise says?"),
            ("plot", "Which ending stays closer to the plot of the ending before?"),
            ("counterfactual", "Which ending follows better from the changed event?"),
        )
    ),
)
