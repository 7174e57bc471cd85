"""Personal sign-in links: a signed value that names the worker and the link's version."""

from django.core import signing
from django.db.models import F
from django.urls import reverse
from django.utils.translation import gettext as _

from marketplace.frames import submit_origin
from marketplace.models import Worker

SALT = "marketplace.personal-link"


class LinkNotUsable(Exception):
    """Says to the person who opened the link why it does not sign them in."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def personal_link(worker: Worker) -> str:
    token = signing.dumps([worker.worker_id, worker.link_version], salt=SALT)
    return submit_origin() + reverse("worker-enter", args=[token])


def worker_of_link(token: str) -> Worker:
    """The worker whose link it is. Raises LinkNotUsable."""
    try:
        worker_id, version = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise LinkNotUsable(
            _("The link is not complete, or no longer valid. Copy all of it, from http to its end.")
        ) from error
    worker = Worker.objects.select_related("user").filter(worker_id=worker_id).first()
    if worker is None or worker.link_version != version:
        raise LinkNotUsable(_("A newer link has replaced this one. Use the newest."))
    if worker.user is None or not worker.user.is_active:
        raise LinkNotUsable(_("This account is closed."))
    if worker.user.is_staff or worker.user.is_superuser:
        raise LinkNotUsable(
            _("This account may open the admin pages, so it needs its user name and password.")
        )
    return worker


def replace_link(*, worker: Worker) -> None:
    """Make a new personal link; the one before stops working."""
    Worker.objects.filter(pk=worker.pk).update(link_version=F("link_version") + 1)
    worker.refresh_from_db(fields=["link_version"])
