from datetime import timedelta

import pytest
from django.utils import timezone

from marketplace.errors import InvitationNotUsable
from marketplace.models import Invitation, Worker
from marketplace.services.workers import sign_in_by_invitation, worker_for_user

pytestmark = pytest.mark.django_db


def make_invitation(**fields: object) -> Invitation:
    return Invitation.objects.create(label="Reading group", **fields)


def test_a_link_makes_a_worker_with_an_account_that_has_no_password() -> None:
    invitation = make_invitation()

    worker = sign_in_by_invitation(token=invitation.token, display_name="Ada")

    assert worker.worker_id.startswith("A")
    assert len(worker.worker_id) == 14
    assert worker.user is not None
    assert not worker.user.has_usable_password()
    invitation.refresh_from_db()
    assert invitation.uses == 1


def test_a_link_serves_as_many_people_as_it_is_for() -> None:
    invitation = make_invitation(max_uses=2)
    workers = {sign_in_by_invitation(token=invitation.token).pk for _ in range(2)}

    with pytest.raises(InvitationNotUsable):
        sign_in_by_invitation(token=invitation.token)

    assert len(workers) == Worker.objects.count() == 2


@pytest.mark.parametrize("field", ["expires_at", "revoked_at"])
def test_a_link_past_its_end_or_withdrawn_serves_nobody(field: str) -> None:
    invitation = make_invitation(**{field: timezone.now() - timedelta(seconds=1)})

    with pytest.raises(InvitationNotUsable):
        sign_in_by_invitation(token=invitation.token)


def test_an_unknown_link_serves_nobody() -> None:
    with pytest.raises(InvitationNotUsable):
        sign_in_by_invitation(token="nonsense")


def test_an_account_is_the_same_worker_on_every_visit() -> None:
    worker = sign_in_by_invitation(token=make_invitation().token)
    assert worker.user is not None

    assert worker_for_user(worker.user) == worker
