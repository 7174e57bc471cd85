"""A standing in words: what is still needed, what more reviews could change."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Standing
from annotation.proficiency.rule import Evidence, Outlook, ProficiencyRule


def say_rule(rule: ProficiencyRule) -> str:
    return _(
        "At least %(least)s responses, and at most %(share)s rejected of a complete sample."
    ) % {
        "least": number_format(rule.min_responses),
        "share": say_share(float(rule.max_rejected_share)),
    }


def say_share(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def say_interval(low: float, high: float) -> str:
    return f"{say_share(low).removesuffix('%')}–{say_share(high)}"


def say_needed(evidence: Evidence, rule: ProficiencyRule) -> str:
    """What keeps the worker from being proficient; empty where nothing does, or they withdrew."""
    if evidence.withdrew:
        return ""
    needed = [_more_responses(rule.min_responses - evidence.submitted)]
    to_settle = min(evidence.disputed, evidence.missing)
    needed += [_more_reviews(evidence.missing - to_settle), _disputes(to_settle)]
    if not evidence.missing:
        needed += [_too_many(evidence, rule)]
    return _(", ").join(part for part in needed if part)


def say_outlook(outlook: Outlook) -> str:
    """What more reviews could change; empty of a worker who withdrew: there is nothing to judge."""
    if outlook.possible == {Standing.WITHDREW}:
        return ""
    if not outlook.more:
        return _("nothing is left to review")
    if outlook.possible == {Standing.UNDECIDED}:
        return _("still undecided")
    if outlook.possible == {Standing.PROFICIENT}:
        return _("proficient, whatever they find")
    if outlook.most_rejected is None:
        return _("not proficient, whatever they find")
    if outlook.most_rejected == 0:
        return _("proficient if none of the %(more)s is rejected") % {
            "more": number_format(outlook.more)
        }
    return _("proficient with at most %(most)s of the %(more)s rejected") % {
        "most": number_format(outlook.most_rejected),
        "more": number_format(outlook.more),
    }


def _more_responses(count: int) -> str:
    if count <= 0:
        return ""
    return ngettext("%(n)s more response", "%(n)s more responses", count) % {
        "n": number_format(count)
    }


def _more_reviews(count: int) -> str:
    if count <= 0:
        return ""
    return ngettext("%(n)s more review", "%(n)s more reviews", count) % {"n": number_format(count)}


def _disputes(count: int) -> str:
    if count <= 0:
        return ""
    return ngettext("%(n)s dispute to settle", "%(n)s disputes to settle", count) % {
        "n": number_format(count)
    }


def _too_many(evidence: Evidence, rule: ProficiencyRule) -> str:
    allowed = int(rule.max_rejected_share * evidence.reviewed)
    if evidence.rejected <= allowed:
        return ""
    return _("%(rejected)s rejected, %(allowed)s allowed") % {
        "rejected": number_format(evidence.rejected),
        "allowed": number_format(allowed),
    }
