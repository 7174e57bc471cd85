"""From a rating, an item or a generation back to what it rests on, in a few statements."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from annotation.models import Release, ReleaseRow
from evaluation.lineage.chain import CameFrom, Lineage, Origin
from evaluation.models import Item, Rating, RatingRound
from evaluation.rating.outputs import PEOPLE, instance_names
from modeling.models import Generation
from studies.models import Bar
from studies.services.response_layout import OpaqueLabels

_ROUND = ("task__round__study", "task__round__rating_round__release")
ITEMS = Item.objects.select_related("study", "instrument", "result_file", *_ROUND)
RATINGS = Rating.objects.select_related(
    *("rater", "response__assignment__slot", "response__assignment__task__round"),
    *("item__study", "item__instrument", "item__result_file"),
    *(f"item__{name}" for name in _ROUND),
)
_WRITTEN = "contribution__response__assignment"
_ROWS = ("release__study", f"{_WRITTEN}__participant", f"{_WRITTEN}__task__story")
GENERATIONS = Generation.objects.select_related(
    "run__study", "run__release__study", *(f"release_row__{name}" for name in _ROWS)
)
# Of an item or a generation; more than a few are rare.
MOST_RATINGS = 100


def lineage_of_rating(rating: Rating) -> Lineage:
    together = None
    if rating.response_id is not None:
        together = Rating.objects.filter(response=rating.response_id).count()
    return _lineage(rating.item, rating=rating, shown_together=together)


def lineage_of_item(item: Item) -> Lineage:
    return _lineage(item, ratings=_newest(Rating.objects.filter(item=item)))


def lineage_of_generation(generation: Generation) -> Lineage:
    """With the ratings of every item that shows it."""
    run = generation.run
    origin = Origin(str(run), generation=generation, row=generation.release_row)
    ratings = _newest(Rating.objects.filter(item__in=_items_of(generation)))
    return Lineage(run.study, CameFrom.RUNS, (origin,), ratings=ratings)


def _items_of(generation: Generation) -> QuerySet[Item]:
    run = str(generation.run.public_id)
    rounds = RatingRound.objects.filter(
        round__study=generation.run.study_id, source__kind="runs", source__runs__has_key=run
    )
    named = Q(pk=None)
    for made in rounds:
        system = made.source["runs"][run]
        named |= Q(task__round=made.round_id) & (Q(system=system) | Q(rival=system))
    key = generation.instance_key
    # Where an item shows a part of an output, the output is what its parts have in common.
    return Item.objects.filter(named, Q(key=key) | Q(group=key), is_gold=False)


def _newest(ratings: QuerySet[Rating]) -> Sequence[Rating]:
    found = ratings.select_related("rater", "item").order_by("-submitted_at", "-pk")
    return list(found[:MOST_RATINGS])


def _lineage(item: Item, **more: Any) -> Lineage:
    made = getattr(item.task.round, "rating_round", None) if item.task else None
    return Lineage(
        study=item.study,
        came_from=_came_from(item, made),
        origins=tuple(_origins(item, made)),
        item=item,
        made_for=made,
        **more,
    )


def _came_from(item: Item, made: RatingRound | None) -> CameFrom:
    if item.result_file_id is not None:
        return CameFrom.RESULTS
    if made is None:
        return CameFrom.UNKNOWN
    return CameFrom.FILE if item.is_gold else CameFrom(made.source["kind"])


def _origins(item: Item, made: RatingRound | None) -> Iterator[Origin]:
    came_from = _came_from(item, made)
    outputs: Mapping[str, Generation] = {}
    row = None
    if made is not None and came_from is CameFrom.RUNS:
        outputs = _outputs(item, made.source["runs"])
        row = next((one.release_row for one in outputs.values()), None)
    elif made is not None and came_from is CameFrom.RELEASE and made.release is not None:
        row = _row_of_release(item, made.release)
    for system in filter(None, (item.system, item.rival)):
        output = outputs.get(system)
        if output is not None:
            yield Origin(system, generation=output, row=output.release_row)
        else:
            people = came_from in {CameFrom.RUNS, CameFrom.RELEASE} and system == PEOPLE
            yield Origin(system, is_people=people, row=row if people else None)


def _outputs(item: Item, runs: Mapping[str, str]) -> dict[str, Generation]:
    """What each run answered to the item's input, by the system's name."""
    names = instance_names(item.key, item.part)
    found = GENERATIONS.filter(run__public_id__in=runs, instance_key__in=names)
    # The whole key first: what is left of it without the part may be another instance's.
    best = sorted(found, key=lambda one: names.index(one.instance_key), reverse=True)
    return {runs[str(one.run.public_id)]: one for one in best}


def _row_of_release(item: Item, release: Release) -> ReleaseRow | None:
    """An item's source is a row's label. Labels cannot be turned back; but who wrote the row is
    barred from the task, or came with a file whose ids are the labels."""
    labels = OpaqueLabels(release.salt)
    authors = Bar.objects.filter(task=item.task_id).values("participant")
    rows = release.rows.filter(
        Q(**{f"{_WRITTEN}__marketplace_id": item.group})
        | Q(**{f"{_WRITTEN}__participant__in": authors})
    )
    for row in rows.select_related(*_ROWS, f"{_WRITTEN}__task__round"):
        written = row.contribution.response.assignment
        past = written.task.round.past
        if item.group == (written.marketplace_id if past else labels.of(written.pk)):
            return row
    return None
