"""What a number of a report rests on: items, what each adds, what their raters said."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from evaluation.admin.report_table import percent
from evaluation.instruments.parts import FIRST, SECOND, Kind, Question
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
    metric = next(metric for metric in made.metrics if metric.slug == cell.metric)
    items, digits = _items(made), metric.digits(2)
    rows = []
    for score in scores:
        adds = rounded(metric.scale * score.alone, digits)
        shown = percent(adds) if metric.is_percent else adds
        rows.append(BehindRow([items[pk] for pk in score.items], shown))
    names = filter(None, [str(metric.title), cell.question, cell.system, cell.rival])
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
    asked = [one for one in made.instrument.declared.questions if question in {None, one.slug}]
    return {
        item.pk: BehindItem(item.pk, keys[item.pk], item.part, _said(item, asked))
        for item in made.items
    }


def _said(item: RatedItem, asked: list[Question]) -> list[tuple[str, str]]:
    said = ((one.slug, ", ".join(_codes(item, one))) for one in asked)
    return [(slug, codes) for slug, codes in said if codes]


def _codes(item: RatedItem, question: Question) -> list[str]:
    """Of a pair, the systems by their names: a list may hold several pairs."""
    pairs = question.kind is Kind.PAIRWISE
    named = {FIRST: item.system, SECOND: item.rival} if pairs else {}
    codes = map(str, item.codes(question.slug))
    return [named.get(code) or code for code in codes]
