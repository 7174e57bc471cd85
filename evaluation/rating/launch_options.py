"""`manage.py launch_round --task rating`: what is to be rated, and how."""

from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from django.core.management.base import CommandError, CommandParser

from annotation.models import Release, Split
from evaluation.rating.outputs import BadItems
from studies.management.launching import Launch, LaunchOptions
from studies.models import Study

if TYPE_CHECKING:
    from evaluation.services.rating_rounds import RatingPlan
    from modeling.models import Run


class RatingOptions(LaunchOptions):
    def add_arguments(self, parser: CommandParser) -> None:
        asked = parser.add_argument_group("--task rating")
        asked.add_argument("--instrument", metavar="SLUG", help="what is asked")
        asked.add_argument("--items", type=Path, metavar="FILE", help="outputs, JSONL or CSV")
        asked.add_argument("--release", metavar="V", help="state-inference instances of a release")
        marks = asked.add_mutually_exclusive_group()
        marks.add_argument(
            "--marked",
            action="store_const",
            const="marked",
            dest="release_input",
            default="marked",
            help="mark the sentences that support the state (the default)",
        )
        marks.add_argument(
            "--unmarked", action="store_const", const="story", dest="release_input", help="no marks"
        )
        asked.add_argument("--split", choices=Split.values, default="", help="of the release")
        asked.add_argument("--run", action="append", default=[], metavar="R", help="again for more")
        asked.add_argument("--with-people", action="store_true", help="what people wrote, too")
        asked.add_argument("--sample", type=int, metavar="N", help="so many stories or tuples")
        asked.add_argument("--same-raters", action="store_true", help="for all items of a story")
        asked.add_argument("--gold", type=Path, metavar="FILE", help="items with right answers")
        asked.add_argument(
            "--gold-share", type=share, default=Decimal("0.1"), help="of tasks (default: 0.1)"
        )

    def launch(self, study: Study, chosen: dict[str, Any], options: dict[str, Any]) -> Launch:
        # What reads and stores ratings is of no use to launches of other types.
        from evaluation.services.instruments import UnknownInstrument
        from evaluation.services.rating_rounds import launch_ratings

        if options["limit"] is not None:
            raise CommandError("--limit counts stories. Use --sample N.")
        try:
            plan = _plan(study, chosen, options)
        except (BadItems, UnknownInstrument) as refusal:
            raise CommandError(str(refusal)) from refusal
        facts = {
            "instrument": f"{plan.instrument.slug}@{plan.instrument.version}",
            "items": plan.items,
            "systems": dict(plan.systems),
            "left_out": plan.outputs.left_out,
        }
        return Launch(plan.plan, lambda: launch_ratings(plan=plan), facts)


def share(text: str) -> Decimal:
    """Whether it is one that a round can have is the round's to say."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite():
        raise ArgumentTypeError(f"“{text}” is not a share, such as 0.1.")
    return found


def _plan(study: Study, chosen: dict[str, Any], options: dict[str, Any]) -> "RatingPlan":
    from evaluation.services.instruments import find_instrument
    from evaluation.services.rating_rounds import Design, plan_ratings
    from evaluation.services.rating_sources import Source, gold_from, outputs_from

    if options["instrument"] is None:
        raise CommandError("Name the instrument: --instrument SLUG.")
    instrument = find_instrument(options["instrument"])
    with _opened(options["items"]) as items, _opened(options["gold"]) as golden:
        source = Source(
            file=items,
            name=str(options["items"] or ""),
            release=_release(study, options["release"]),
            input=options["release_input"],
            split=options["split"],
            runs=[_run(study, name) for name in options["run"]],
            with_people=options["with_people"],
        )
        outputs = outputs_from(source, study=study, instrument=instrument)
        gold = None
        if golden is not None:
            name = str(options["gold"])
            gold = gold_from(golden, name=name, study=study, instrument=instrument)
    return plan_ratings(
        study=study,
        instrument=instrument,
        outputs=outputs,
        design=Design(options["sample"], options["same_raters"], options["gold_share"]),
        chosen=chosen,
        gold=gold,
    )


@contextmanager
def _opened(path: Path | None) -> Iterator[BinaryIO | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    with file:
        yield file


def _release(study: Study, name: str | None) -> Release | None:
    if name is None:
        return None
    found = study.releases.filter(name=name).first()
    if found is None:
        known = ", ".join(study.releases.values_list("name", flat=True)) or "none"
        raise CommandError(f"Study “{study.slug}” has no release “{name}”. Known: {known}.")
    return found


def _run(study: Study, name: str) -> "Run":
    from evaluation.services.rating_sources import find_run

    found = find_run(study, name)
    if found is None:
        raise CommandError(f"Study “{study.slug}” has no run “{name}”.")
    return found
