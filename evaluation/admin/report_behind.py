"""What a number of a report rests on: items, what each adds, what their raters said."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from evaluation.models import Item
from evaluation.reports.making import Made
from evaluation.reports.rows import RatedItem
from evaluation.reports.scores import Cell
from evaluation.reports.strengths import STRENGTH
from studies.numbers import rounded


@dataclass(frozen=True)
class BehindItem:
    """`said` has the raters' codes for each question."""

    pk: int
    key: str
    part: str
    said: list[tuple[str, str]]


@dataclass(frozen=True)
class BehindRow:
    """Items that are scored together. Without a score they are only listed."""

    items: list[BehindItem]
    score: str


@dataclass(frozen=True)
class Behind:
    title: str
    rows: list[BehindRow]


def behind_of(made: Made, cell: Cell) -> Behind | None:
    """None where the report has no such number."""
    if made.agreement:
        return _of_question(made, cell.question)
    return _of_strength(made, cell) if cell.metric == STRENGTH else _of_metric(made, cell)


def _of_metric(made: Made, cell: Cell) -> Behind | None:
    scores = [score for score in made.scores if score.cell == cell]
    if not scores:
        return None
    scale = next(metric for metric in made.metrics if metric.slug == cell.metric)
    items = _items(made)
    rows = [
        BehindRow([items[pk] for pk in score.items], rounded(scale.scale * score.alone, 2))
        for score in scores
    ]
    names = filter(None, [str(scale.title), cell.question, cell.system, cell.rival])
    return Behind(" · ".join(names), rows)


def _of_strength(made: Made, cell: Cell) -> Behind | None:
    """Every pair with the system, whichever it was compared with."""
    named = {(line.question, line.system) for line in made.strengths if line.value is not None}
    if (cell.question, cell.system) not in named:
        return None
    items = _items(made, cell.question)
    pairs = [item for item in made.items if cell.system in {item.system, item.rival}]
    rows = [BehindRow([items[one.pk]], "") for one in pairs if one.codes(cell.question)]
    return Behind(" · ".join([_("Strength"), cell.question, cell.system]), rows)


def _of_question(made: Made, question: str) -> Behind | None:
    if question not in {line.question for line in made.agreement if line.found}:
        return None
    items = _items(made, question)
    differing = sorted(
        (item for item in made.items if item.codes(question)),
        key=lambda item: -len(set(item.codes(question))),
    )
    title = _("Agreement on %(question)s, items on which raters differ most first")
    rows = [BehindRow([items[item.pk]], "") for item in differing]
    return Behind(title % {"question": question}, rows)


def _items(made: Made, question: str | None = None) -> dict[int, BehindItem]:
    pks = [item.pk for item in made.items]
    keys = dict(Item.objects.filter(pk__in=pks).values_list("pk", "key"))
    slugs = [question] if question else [q.slug for q in made.instrument.declared.questions]
    return {
        item.pk: BehindItem(item.pk, keys[item.pk], item.part, _said(item, slugs))
        for item in made.items
    }


def _said(item: RatedItem, slugs: list[str]) -> list[tuple[str, str]]:
    said = ((slug, ", ".join(map(str, item.codes(slug)))) for slug in slugs)
    return [(slug, codes) for slug, codes in said if codes]
