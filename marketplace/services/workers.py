"""How people become workers."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from marketplace import ids
from marketplace.errors import InvitationNotUsable
from marketplace.models import Invitation, Worker


@transaction.atomic
def sign_in_by_invitation(*, token: str, display_name: str = "") -> Worker:
    """Make a worker (and an account without a password) for someone who followed a link.

    Raises InvitationNotUsable when it is unknown, withdrawn, past its end or used up.
    """
    invitation = (
        Invitation.objects.usable(timezone.now())
        .select_for_update(no_key=True)
        .filter(token=token)
        .first()
    )
    if invitation is None:
        raise InvitationNotUsable
    Invitation.objects.filter(pk=invitation.pk).update(uses=F("uses") + 1)
    worker_id = ids.new_worker_id()
    user = get_user_model().objects.create_user(username=worker_id)
    return Worker.objects.create(worker_id=worker_id, user=user, display_name=display_name)


def worker_for_user(user: User) -> Worker:
    """The worker of someone who signed in with an account, made on the first visit."""
    worker, _ = Worker.objects.get_or_create(
        user=user, defaults={"display_name": user.get_full_name()[:60]}
    )
    return worker
