"""What we say a response costs is what the marketplace charges for it."""

from decimal import Decimal

import pytest
from pytest_django import Settings

from marketplace import limits
from studies.models import AssignmentState, Round, Study
from studies.services.estimates import estimate_cost
from studies.services.fees import cost_usd, fee_usd
from studies.services.round_figures import figures_of
from studies.services.study_figures import money_of, with_figures
from tests.studies import factories as make
from tests.studies_admin.responses import make_response

CENTS = [Decimal(cents) / 100 for cents in range(501)]


@pytest.mark.parametrize("share", ["0", "0.07", "0.20", "0.40"])
def test_the_fee_on_each_reward_is_the_marketplaces(settings: Settings, share: str) -> None:
    settings.MARKETPLACE_FEE = share

    ours = [fee_usd(reward, Decimal(share)) for reward in CENTS]

    assert ours == [limits.fee_usd(reward) for reward in CENTS]


@pytest.mark.parametrize("reward", ["0.01", "0.02", "0.03", "0.07", "0.12", "0.35"])
def test_an_estimate_is_what_will_be_charged(reward: str) -> None:
    usd, share = Decimal(reward), Decimal("0.20")

    estimate = estimate_cost(tasks=1000, overlap=3, reward_usd=usd, fee_share=share)

    assert estimate.total_usd == 3000 * (usd + limits.fee_usd(usd))


@pytest.mark.django_db
@pytest.mark.parametrize("reward", ["0.00", "0.01", "0.03", "0.07", "0.35"])
def test_what_was_spent_and_promised_is_what_is_charged(reward: str) -> None:
    study = make.make_study(budget_usd=Decimal(100))
    round = make.make_round(study, stories=10, overlap=2)
    Round.objects.filter(pk=round.pk).update(reward_usd=Decimal(reward))
    round.refresh_from_db()
    for _ in range(7):
        make_response(round, assignment_state=AssignmentState.APPROVED)
    each = round.reward_usd + limits.fee_usd(round.reward_usd)

    money = money_of(study)

    assert cost_usd(round.reward_usd) == each
    assert (money.spent_usd, money.promised_usd) == (7 * each, 20 * each)
    assert with_figures(Study.objects.filter(pk=study.pk)).get().spent_usd == 7 * each  # type: ignore[attr-defined]
    assert figures_of(round).spent_usd == 7 * each
