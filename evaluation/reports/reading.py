"""The rated items of a study, as reports want them."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.models import Instrument, Item, Rating
from evaluation.reports.pairs import one_way_round
from evaluation.reports.registry import REPORTS, Report
from evaluation.reports.rows import Given, RatedItem
from evaluation.reports.scores import ReportRefused
from studies.models import AssignmentState, ResponseState, Study
from studies.withdrawn import is_withdrawn

# Ratings made elsewhere, and those of responses that stand: confirmed, not rejected, of no pilot,
# and not taken back by their worker.
COUNTS = Q(response=None) | Q(
    ~is_withdrawn("response"),
    response__state=ResponseState.CONFIRMED,
    response__assignment__state__in=[AssignmentState.SUBMITTED, AssignmentState.APPROVED],
    response__assignment__task__round__pilot=False,
)


def rated_instruments(study: Study) -> list[Instrument]:
    """Every version with which something was rated."""
    used = Instrument.objects.filter(pk__in=rated(counted_items(study)).values("instrument"))
    return list(used.order_by("slug", "-version"))


def reports_for(study: Study) -> list[Report]:
    """Those that some of its ratings suit."""
    declared = [one.declared for one in rated_instruments(study)]
    return [report for report in REPORTS.values() if any(map(report.suits, declared))]


def choose_instrument(
    study: Study, report: Report, *, systems: Sequence[str] = (), slug: str | None = None
) -> list[Instrument]:
    """The versions of the instrument that the report is about, the newest first.

    Raises ReportRefused where there are no ratings, several instruments, or versions whose scales
    differ.
    """
    used = Instrument.objects.filter(pk__in=rated(_items(study, systems)).values("instrument"))
    suiting = [one for one in used.order_by("slug", "-version") if report.suits(one.declared)]
    chosen = [one for one in suiting if slug in {None, one.slug, f"{one.slug}@{one.version}"}]
    slugs = sorted({one.slug for one in chosen})
    if not chosen:
        raise _none_suits(report, suiting, slug)
    if len(slugs) > 1:
        raise ReportRefused(
            _("Ratings of several instruments suit this report: %(slugs)s. Choose one.")
            % {"slugs": ", ".join(slugs)}
        )
    if any(_scales(one.declared) != _scales(chosen[0].declared) for one in chosen):
        names = ", ".join(f"{one.slug}@{one.version}" for one in chosen)
        raise ReportRefused(
            _("The scales of these versions differ: %(names)s. Choose one.") % {"names": names}
        )
    return chosen


def _none_suits(report: Report, suiting: Sequence[Instrument], slug: str | None) -> ReportRefused:
    if slug is None or not suiting:
        said = _("There are no ratings for “%(report)s” in this study yet.")
        return ReportRefused(said % {"report": report.name})
    said = _("There are no ratings with “%(slug)s” for this report. There are some with %(known)s.")
    known = ", ".join(sorted({one.slug for one in suiting}))
    return ReportRefused(said % {"slug": slug, "known": known})


def rated_items(
    study: Study, instruments: Sequence[Instrument], *, systems: Sequence[str] = ()
) -> list[RatedItem]:
    """Items with a rating at least, systems in the order of their names; a pair of systems is the
    same pair whichever of the two an item names first."""
    items = _items(study, systems).filter(instrument__in=instruments)
    given: dict[int, list[Given]] = defaultdict(list)
    ratings = Rating.objects.filter(COUNTS, item__in=items).order_by("pk")
    columns = ("item_id", "pk", "rater_id", "answers", "submitted_at")
    for item, *values in ratings.values_list(*columns).iterator():
        given[item].append(Given(*values))
    rows = items.order_by("system", "rival", "pk").values_list(
        "pk", "system", "rival", "group", "part", "gold", "task__round"
    )
    found = [
        RatedItem(pk, system, tuple(given[pk]), rival, group, part, gold, round=round or 0)
        for pk, system, rival, group, part, gold, round in rows
        if pk in given
    ]
    return one_way_round(found, instruments[0].declared)


def counted_items(study: Study) -> QuerySet[Item]:
    """Those of the study, without those of withdrawn files and gold items."""
    return Item.objects.filter(study=study, is_gold=False, result_file__withdrawn_at=None)


def rated(items: QuerySet[Item]) -> QuerySet[Item]:
    """Those of them with a rating that counts: what was only launched, or tried out, has none."""
    return items.filter(Exists(Rating.objects.filter(COUNTS, item=OuterRef("pk"))))


def rated_systems(study: Study) -> list[tuple[str, int]]:
    """Every system of the study and how many items it has, as either one of a pair."""
    found: Counter[str] = Counter()
    for pair in counted_items(study).values_list("system", "rival").annotate(n=Count("pk")):
        found.update(dict.fromkeys(filter(None, pair[:2]), pair[2]))
    return sorted(found.items())


def _items(study: Study, systems: Sequence[str]) -> QuerySet[Item]:
    items = counted_items(study)
    if not systems:
        return items
    known = [name for name, _count in rated_systems(study)]
    for name in systems:
        if name not in known:
            raise ReportRefused(
                _("There is no system “%(name)s” in this study. Known: %(known)s.")
                % {"name": name, "known": ", ".join(known) or _("none")}
            )
    return items.filter(Q(system__in=systems) | Q(rival__in=systems))


def _scales(declared: Declaration) -> list[tuple[object, ...]]:
    return [(one.slug, one.kind, one.codes, one.level, one.threshold) for one in declared.questions]
