"""What was rated in a world, and with which instruments."""

from django.contrib.auth.models import User
from django.utils import timezone

from evaluation.instruments.declaration import Declaration
from evaluation.instruments.parts import (
    Condition,
    Example,
    Field,
    Kind,
    Level,
    Option,
    Question,
    Role,
)
from evaluation.models import Instrument, Item, Rating, RatingRound, ResultFile
from evaluation.services.instruments import make_instrument
from studies.models import Participant, Study


def fill_ratings(study: Study, text: str, staff: User) -> None:
    """An instrument with every kind of question, and an item with two ratings from a file."""
    # Those of the house are in their own words.
    Instrument.objects.all().delete()
    instrument = make_instrument(declared=declared(text), user=staff)
    file = ResultFile.objects.create(
        study=study,
        instrument=instrument,
        system=text[:100],
        name=text,
        sha256="0" * 64,
        columns={"datum": {"columns": [text, text], "reversed": True}},
        imported_by=staff,
    )
    item = Item.objects.create(
        study=study,
        instrument=instrument,
        result_file=file,
        system=text[:100],
        key=text,
        group=text,
        part=text[:100],
        fields={text: [text, text]},
        gold={"datum": 1},
    )
    RatingRound.objects.create(
        round=study.rounds.order_by("pk")[0],
        instrument=instrument,
        source={"kind": "file", "name": text, "sha256": "0" * 64},
        seed=7,
    )
    for place, rater in enumerate(Participant.objects.filter(study=study).order_by("pk")[:2]):
        Rating.objects.create(
            item=item,
            rater=rater,
            label=f"{place} {text}",
            answers={"datum": place + 1, "q2": text},
            submitted_at=timezone.now(),
        )


def declared(text: str) -> Declaration:
    points = (Option(1, text), Option(2, text))
    return Declaration(
        slug="datum",
        title=text,
        about=text,
        fields=(Field("datum", text, Role.STORY, optional=True),),
        questions=(
            Question(
                "datum",
                text,
                Kind.LIKERT,
                points,
                Level.ORDINAL,
                threshold=2,
                help=text,
                examples=(Example(text, 2, text),),
            ),
            Question("q2", text, Kind.TEXT, condition=Condition("datum", (1,))),
        ),
    )
