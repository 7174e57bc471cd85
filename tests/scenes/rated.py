"""A study whose outputs were rated."""

from io import BytesIO
from random import Random
from typing import Any

from django.contrib.auth.models import User

from evaluation.instruments.parts import PAIRWISE_CODES
from evaluation.models import Item, Rating, RatingRound
from evaluation.rating.outputs import PEOPLE
from evaluation.rating.sources.runs import outputs_of_runs
from evaluation.result_files.mapping import usual_map
from evaluation.services.importing import Reading, import_results
from evaluation.services.instruments import find_instrument
from studies.models import Assignment, Round, Study
from studies.services.arranging import item_shown
from studies.services.reservation import reserve_task
from studies.services.submission import submit_response
from tests.evaluation.rated import make_item, together
from tests.evaluation.rating_rounds import confirm, launched
from tests.evaluation.result_file import four_items, result_file
from tests.studies.factories import free_slot, make_frame, make_participant

STORY = [
    "Mira set the kettle on the stove.",
    "The rain had not stopped since noon.",
    "She counted the cups on the shelf twice.",
    "A car turned into the yard.",
    "Mira dried her hands and opened the door.",
]
REVISED = [*STORY[:2], "She counted nothing, and hummed.", *STORY[3:]]
SYSTEMS = {"t5-base": 2, "t5-large": 3, "GPT3": 4}
PAIR = {
    "premise": "Mira waited for the ferry.",
    "counterfactual": "The fog was so thick that no boat left.",
    "first": "She walked home along the shore and made tea.",
    "second": "The ferry took her across, and she made tea.",
}
ITEMS = 12
PAIRS = (("t5-base", "GPT3"), ("t5-base", "t5-large"), ("t5-large", "GPT3"))
CHANCES = (3, 5, 3, 1)


def rated_study(researcher: User) -> Study:
    """Made at the first scene that needs it."""
    return Study.objects.filter(slug="ferries").first() or _make()


def _make() -> Study:
    study = Study.objects.create(slug="ferries", title="Ferries in the fog")
    random = Random(7)
    for system, likely in SYSTEMS.items():
        for number in range(ITEMS):
            codes = [tuple(_near(random, likely) for _ in range(3)), (1, 1, random.randint(0, 1))]
            degree = tuple(random.randint(0, 2) for _ in range(3))
            answers = together(inferable=codes[0], logical=codes[1], degree=degree)
            make_item(
                study,
                "story-revision",
                *answers,
                system=system,
                group=f"tuple {number + 1}",
                fields={"story": STORY, "state": "Mira is calm.", "revision": REVISED},
            )
    for system, rival in PAIRS:
        for number in range(ITEMS):
            said = [tuple(random.choices(PAIRWISE_CODES, CHANCES, k=3)) for _ in range(3)]
            make_item(
                study,
                "pairwise",
                *together(**dict(zip(("premise", "plot", "counterfactual"), said, strict=True))),
                system=system,
                rival=rival,
                group=f"tuple {number + 1}",
                fields=PAIR,
            )
    return study


def _near(random: Random, code: int) -> int:
    return min(4, max(0, code + random.choice((-1, 0, 0, 1))))


def an_item(study: Study, slug: str) -> Item:
    return Item.objects.filter(study=study, instrument__slug=slug).latest("pk")


def a_result_file() -> int:
    """Of ratings of people's own tuples, imported as another system's."""
    study = Study.objects.get(slug="ferries")
    if not study.result_files.exists():
        instrument = find_instrument("state-inference")
        columns = usual_map(instrument.declared)
        import_results(
            study=study,
            source=BytesIO(result_file(four_items())),
            name="results.csv",
            reading=Reading(instrument, "people", columns, ("inferable",)),
        )
    return study.result_files.get().pk


def instrument_pk(slug: str) -> int:
    return find_instrument(slug).pk


def outputs() -> list[dict[str, Any]]:
    """Of two systems for each of four stories, as a file brings them."""
    return [
        {
            "system": system,
            "id": f"tuple {number}",
            "story": STORY,
            "state": "Mira is calm.",
            "revision": REVISED,
            "gold": {"logical": number % 2},
        }
        for number in range(1, 5)
        for system in ("t5-base", "t5-large")
    ]


def a_rating_round(study: Study) -> int:
    """Two raters have done two tasks of it."""
    round = launched(study, "story-revision", outputs(), sample=3)
    for worker, sound in (("R0", 1), ("R1", 0)):
        for _task in range(2):
            rate_next(round, worker, {"inferable": 3, "logical": sound, "degree": 1})
    return RatingRound.objects.get(round=round).pk


def rate_next(round: Round, worker: str, said: dict[str, Any]) -> Assignment:
    """The next task of this worker, with the same answers to all its items."""
    frame = make_frame(free_slot(round), worker_id=worker)
    rater = make_participant(round, worker)
    assignment = reserve_task(round=round, participant=rater, frame=frame)
    items = [{"key": one["key"], "answers": said} for one in item_shown(assignment)["items"]]
    submit_response(assignment=assignment, answers={"items": items}, cautions=[])
    return assignment


def a_rating(study: Study, slug: str) -> int:
    """Of an item as `an_item` finds it."""
    return an_item(study, slug).ratings.latest("pk").pk


def a_rating_of_a_run(study: Study) -> int:
    """Beside what people wrote; made once."""
    if not RatingRound.objects.filter(round__study=study).exists():
        run = study.runs.done().latest("pk")
        declared = find_instrument("story-revision").declared
        outputs = outputs_of_runs([run], declared=declared, with_people=True)
        round = launched(study, "story-revision", outputs, sample=1)
        confirm(rate_next(round, "R0", {"inferable": 3, "logical": 1, "degree": 1}))
    return Rating.objects.exclude(item__system=PEOPLE).filter(item__study=study).latest("pk").pk
