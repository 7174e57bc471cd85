"""Seeing a list is not changing it: what staff with few permissions cannot do."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from marketplace.models import AccessKey, Invitation, NotificationDestination, Requester
from marketplace.services.notification_settings import send_test_event
from marketplace.site.links import personal_link
from tests.marketplace.factories import make_requester, make_worker

pytestmark = pytest.mark.django_db


def staff(*permissions: str) -> Client:
    user = User.objects.create_user("staff", is_staff=True)
    found = Permission.objects.filter(
        content_type__app_label="marketplace", codename__in=permissions
    )
    user.user_permissions.set(found)
    client = Client()
    client.force_login(user)
    return client


def run(client: Client, model: str, action: str, pk: int) -> Any:
    address = reverse(f"admin:marketplace_{model}_changelist")
    return client.post(address, {"action": action, "_selected_action": [pk]}, follow=True)


def test_who_only_sees_requesters_makes_no_key_for_them() -> None:
    requester = make_requester()

    run(staff("view_requester"), "requester", "make_key", requester.pk)
    assert not AccessKey.objects.exists()


def test_who_may_add_keys_makes_one() -> None:
    requester = make_requester()

    run(staff("view_requester", "add_accesskey"), "requester", "make_key", requester.pk)
    assert AccessKey.objects.get().requester == requester


def test_who_only_sees_requesters_does_not_read_their_signing_secret() -> None:
    requester = make_requester(signing_secret="the-secret-that-signs")
    address = reverse("admin:marketplace_requester_change", args=[requester.pk])

    assert b"the-secret-that-signs" not in staff("view_requester").get(address).content


def test_who_may_change_requesters_reads_their_signing_secret() -> None:
    requester = make_requester(signing_secret="the-secret-that-signs")
    address = reverse("admin:marketplace_requester_change", args=[requester.pk])

    page = staff("view_requester", "change_requester").get(address)
    assert b"the-secret-that-signs" in page.content


def test_who_only_sees_invitations_withdraws_none_and_reads_no_link() -> None:
    invitation = Invitation.objects.create(label="Our first workers")
    client = staff("view_invitation")

    run(client, "invitation", "withdraw", invitation.pk)

    invitation.refresh_from_db()
    assert invitation.revoked_at is None
    page = client.get(reverse("admin:marketplace_invitation_changelist"))
    assert invitation.token not in page.content.decode()


def test_who_may_change_workers_gives_a_link_to_one_who_lost_every_way_in() -> None:
    worker = make_worker(user=User.objects.create_user("lost"))
    address = reverse("admin:marketplace_worker_change", args=[worker.pk])

    page = staff("view_worker", "change_worker").get(address)

    assert personal_link(worker) in page.content.decode()


def test_who_only_sees_workers_reads_no_link_and_replaces_none() -> None:
    worker = make_worker(user=User.objects.create_user("lost"))
    client = staff("view_worker")

    run(client, "worker", "replace_links", worker.pk)

    page = client.get(reverse("admin:marketplace_worker_change", args=[worker.pk]))
    assert page.status_code == 200
    assert "/worker/enter/" not in page.content.decode()
    worker.refresh_from_db()
    assert worker.link_version == 1


def test_a_new_link_ends_the_old_one() -> None:
    worker = make_worker(user=User.objects.create_user("lost"))
    old = personal_link(worker)

    run(staff("view_worker", "change_worker"), "worker", "replace_links", worker.pk)

    worker.refresh_from_db()
    assert personal_link(worker) != old


def test_who_only_sees_destinations_sends_nothing_again() -> None:
    requester = make_requester()
    send_test_event(
        requester=requester, url="https://example.org/", event="Ping", at=timezone.now()
    )
    later = timezone.now() + timedelta(hours=1)
    NotificationDestination.objects.update(failures=3, next_attempt_at=later)
    destination = NotificationDestination.objects.get()

    run(
        staff("view_notificationdestination"),
        "notificationdestination",
        "try_again",
        destination.pk,
    )

    destination.refresh_from_db()
    assert destination.next_attempt_at == later


def test_a_credit_larger_than_an_account_can_hold_is_refused_in_words(admin_client: Client) -> None:
    requester = make_requester(funds_usd="900000000000.00")
    address = reverse("admin:marketplace_ledgerentry_add")
    given = {"requester": requester.pk, "amount_usd": "900000000000.00", "note": ""}

    page = admin_client.post(address, given)

    assert page.status_code == 200
    assert "999,999,999,999.99" in page.content.decode()
    assert Requester.objects.get().balance_usd < 10**12
