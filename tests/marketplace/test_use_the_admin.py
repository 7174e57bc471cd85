from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from marketplace.models import (
    AccessKey,
    Invitation,
    LedgerEntry,
    Notification,
    NotificationDestination,
    Requester,
    Worker,
)
from marketplace.services.notification_settings import send_test_event
from marketplace.services.reviews import approve_assignment
from tests.marketplace.conftest import ENDPOINT, answer_in_process, boto_client
from tests.marketplace.factories import (
    make_hit,
    make_hit_type,
    make_requester,
    make_submitted,
    make_worker,
)

pytestmark = pytest.mark.django_db
LISTS = [
    "accesskey",
    "assignment",
    "hit",
    "hittype",
    "invitation",
    "ledgerentry",
    "notification",
    "notificationdestination",
    "notificationsetting",
    "qualificationgrant",
    "qualificationtype",
    "requester",
    "worker",
]


def list_url(model: str) -> str:
    return reverse(f"admin:marketplace_{model}_changelist")


def run_action(client: Client, model: str, action: str, pk: int) -> Any:
    return client.post(list_url(model), {"action": action, "_selected_action": [pk]}, follow=True)


def fill() -> Requester:
    requester = make_requester()
    hit_type = make_hit_type(requester)
    for _ in range(15):
        make_hit(hit_type)
        submitted = make_submitted(hit_type, make_worker())
        assert submitted.submitted_at is not None
        approve_assignment(assignment=submitted, at=submitted.submitted_at)
        send_test_event(
            requester=requester,
            url="http://127.0.0.1:9/",
            event="Ping",
            at=submitted.submitted_at,
        )
    Invitation.objects.create(label="Reading group", requester=requester)
    return requester


@pytest.mark.parametrize("model", LISTS)
def test_a_list_opens_with_few_queries(
    admin_client: Client, model: str, django_assert_max_num_queries: Any
) -> None:
    fill()

    with django_assert_max_num_queries(12):
        response = admin_client.get(list_url(model))

    assert response.status_code == 200


@pytest.mark.parametrize("model", LISTS)
def test_who_is_not_staff_is_sent_to_sign_in(client: Client, model: str) -> None:
    assert client.get(list_url(model)).status_code == 302


def test_a_key_made_here_signs_calls_and_its_secret_is_shown_once(admin_client: Client) -> None:
    requester = make_requester()

    page = run_action(admin_client, "requester", "make_key", requester.pk)

    key = AccessKey.objects.get()
    assert key.secret_access_key in page.content.decode()
    for url in (list_url("requester"), list_url("accesskey")):
        assert key.secret_access_key not in admin_client.get(url).content.decode()
    client = boto_client(ENDPOINT, key.access_key_id, key.secret_access_key)
    events: Any = client.meta.events
    events.register("before-send", answer_in_process)
    assert client.get_account_balance()["AvailableBalance"] == "10000.00"


def test_adding_a_ledger_entry_credits_the_requester(admin_client: Client) -> None:
    requester = make_requester(funds_usd="10.00")
    url = reverse("admin:marketplace_ledgerentry_add")

    added = admin_client.post(
        url, {"requester": requester.pk, "amount_usd": "25.50", "note": "grant"}
    )
    refused = admin_client.post(
        url, {"requester": requester.pk, "amount_usd": "-35.51", "note": "back"}
    )

    requester.refresh_from_db()
    assert (added.status_code, refused.status_code) == (302, 200)
    assert "Only 35.50 USD are free" in refused.content.decode()
    assert requester.balance_usd == Decimal("35.50")
    assert LedgerEntry.objects.filter(kind="credit").count() == 2


def test_an_invitation_shows_its_link_and_can_be_withdrawn(admin_client: Client) -> None:
    admin_client.post(reverse("admin:marketplace_invitation_add"), {"label": "Reading group"})
    invitation = Invitation.objects.get()

    listed = admin_client.get(list_url("invitation")).content.decode()
    run_action(admin_client, "invitation", "withdraw", invitation.pk)

    assert f"http://localhost:8000/worker/join/{invitation.token}/" in listed
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None


def test_an_earlier_record_needs_its_source(admin_client: Client) -> None:
    worker = make_worker()
    url = reverse("admin:marketplace_worker_change", args=[worker.pk])
    record = {"approved_before": 5000, "rejected_before": 3, "country": "US"}

    refused = admin_client.post(url, record)
    saved = admin_client.post(url, record | {"record_source": "a statement"})

    assert "Say where the earlier record" in refused.content.decode()
    assert saved.status_code == 302
    assert Worker.objects.get().approved_before == 5000


def test_what_the_marketplace_writes_cannot_be_changed_here(admin_client: Client) -> None:
    fill()

    for model in ("hit", "hittype", "assignment", "notification"):
        assert admin_client.get(reverse(f"admin:marketplace_{model}_add")).status_code == 403
    entry = LedgerEntry.objects.latest("pk")
    url = reverse("admin:marketplace_ledgerentry_change", args=[entry.pk])
    assert admin_client.get(url).status_code == 200
    assert admin_client.post(url, {"amount_usd": "1"}).status_code == 403
    delete = reverse("admin:marketplace_ledgerentry_delete", args=[entry.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403


def test_a_stuck_destination_can_be_tried_again(admin_client: Client) -> None:
    fill()
    destination = NotificationDestination.objects.get()
    far = destination.next_attempt_at.replace(year=2999)
    NotificationDestination.objects.update(failures=3, next_attempt_at=far)
    Notification.objects.update(next_attempt_at=far)

    run_action(admin_client, "notificationdestination", "try_again", destination.pk)

    destination.refresh_from_db()
    assert destination.next_attempt_at < far
    assert not Notification.objects.filter(next_attempt_at=far).exists()
