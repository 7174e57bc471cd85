"""The experts' agreement as rows of a table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from annotation.models import Pool, ReviewPlan
from annotation.review.agreement import ExpertAgreement, expert_agreement, pool_agreement
from studies.numbers import rounded

if TYPE_CHECKING:
    from stats.agreement import Agreement

NONE = "–"


@dataclass(frozen=True)
class AgreementRow:
    """`undefined` says why there is no number."""

    about: str
    items: int
    percent: str = NONE
    ac1: str = NONE
    se: str = NONE
    undefined: str = ""


def sample_rows(plan: ReviewPlan) -> list[AgreementRow]:
    return _rows(expert_agreement(plan=plan))


def pool_rows(pool: Pool) -> list[AgreementRow]:
    return _rows(pool_agreement(pool=pool))


def _rows(found: ExpertAgreement) -> list[AgreementRow]:
    items = found.contributions
    return [
        _row(_("correct or reject"), items, found.percent, found.ac1),
        _row(_("grade or step at fault"), items, found.detail_percent, found.detail_ac1),
    ]


def _row(about: str, items: int, percent: "Agreement", ac1: "Agreement") -> AgreementRow:
    if not items:
        return AgreementRow(about, 0, undefined=_("No response has two verdicts yet."))
    if percent.value is None:
        return AgreementRow(about, items, undefined=percent.undefined_reason)
    return AgreementRow(
        about,
        items,
        percent=f"{rounded(100 * percent.value, 1)}%",
        ac1=_number(ac1.value, ac1.undefined_reason),
        se=_number(ac1.se),
    )


def _number(value: float | None, instead: str = NONE) -> str:
    return instead if value is None else rounded(value, 3)
