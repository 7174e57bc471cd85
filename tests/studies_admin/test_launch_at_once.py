import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from django.db import connection

from studies import task_types
from studies.models import Round
from studies.services.plans import Plan
from studies.services.rounds import AlreadyLaunched, launch_round
from tests.studies.factories import make_stories, make_study


@pytest.mark.django_db(transaction=True)
def test_a_launch_sent_eight_times_at_once_makes_one_round() -> None:
    study = make_study()
    make_stories(study, 3)
    plan = Plan(
        study=study,
        task_type=task_types.get("state_annotation"),
        overlap=2,
        reward_usd=Decimal("0.35"),
    )
    key = uuid.uuid4()

    def send(_number: int) -> int:
        try:
            return launch_round(plan=plan, launch_key=key)[0].pk
        except AlreadyLaunched as already:
            return already.round.pk
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(send, range(8)))

    assert made == {Round.objects.get().pk}
