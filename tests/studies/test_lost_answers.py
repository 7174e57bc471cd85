"""How answers of the marketplace are read, those that arrive in part or not at all included."""

from datetime import timedelta
from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from django.conf import settings as site
from django.utils import timezone

from marketplace.models import AccessKey, QualificationType
from marketplace.services.reviews import reply_to_rejection
from studies import mturk
from tests.marketplace.conftest import RawBody, answer_in_process
from tests.marketplace.factories import (
    make_hit,
    make_hit_type,
    make_submitted,
    make_worker,
)


def test_a_qualification_type_whose_answer_was_lost_is_made_under_another_name(boto: Any) -> None:
    lost: list[AWSResponse] = []

    def lose_the_first(request: AWSPreparedRequest, **kwargs: Any) -> AWSResponse:
        answer = answer_in_process(request, **kwargs)
        if lost:
            return answer
        lost.append(answer)
        return AWSResponse(request.url, 502, HTTPHeaders(), RawBody(b"{}"))

    boto.meta.events.register("before-send", lose_the_first)

    made = mturk.create_qualification_type(name="Able", description="Able workers")

    assert lost[0].status_code == 200
    names = dict(QualificationType.objects.values_list("qualification_type_id", "name"))
    assert len(set(names.values())) == 2
    assert names[made].startswith("Able (")


def test_an_answer_that_broke_off_is_not_taken_for_an_empty_one(boto: Any) -> None:
    def break_off(request: AWSPreparedRequest, **kwargs: Any) -> AWSResponse:
        answer = answer_in_process(request, **kwargs)
        promised = HTTPHeaders()
        promised["Content-Length"] = str(len(answer.content))
        return AWSResponse(request.url, 200, promised, RawBody(answer.content[:10]))

    boto.meta.events.register("before-send", break_off)

    with pytest.raises(mturk.MarketplaceUnavailable):
        list(mturk.published_hits())


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"7", b"{}", b'{"Assignment": null}'])
def test_an_answer_that_cannot_be_read_is_asked_for_again(boto: Any, body: bytes) -> None:
    boto.meta.events.register(
        "before-send",
        lambda request, **_: AWSResponse(request.url, 200, HTTPHeaders(), RawBody(body)),
    )

    with pytest.raises(mturk.MarketplaceUnavailable):
        mturk.submitted_assignment("3" * 30)


def test_what_a_worker_said_to_a_rejection_is_read_beside_mturks_own_members(boto: Any) -> None:
    boto.meta.events.register("before-send", answer_in_process)
    requester = AccessKey.objects.get(access_key_id=site.MTURK_ACCESS_KEY_ID).requester
    hit_type = make_hit_type(requester)
    make_hit(hit_type)
    done = make_submitted(hit_type)
    mturk.reject(done.assignment_id, "Copied.")

    silent = mturk.submitted_assignment(done.assignment_id)
    at = timezone.now()
    reply_to_rejection(assignment=done, text="It is mine.", at=at)
    answered = mturk.submitted_assignment(done.assignment_id)
    mturk.approve_after_all(done.assignment_id)
    approved = mturk.submitted_assignment(done.assignment_id)

    assert silent and answered and approved
    assert (silent.feedback, silent.reply, silent.replied_at) == ("Copied.", "", None)
    assert (answered.status, answered.reply) == ("Rejected", "It is mine.")
    assert answered.replied_at is not None
    assert abs(answered.replied_at - at) < timedelta(milliseconds=1)
    assert (approved.status, approved.feedback) == ("Approved", "Copied.")


def test_each_marketplace_has_a_client_of_its_own(boto: Any, settings: Any) -> None:
    settings.MTURK_ENDPOINT_URL = "http://elsewhere.example/mturk/"

    elsewhere = mturk.client()

    assert elsewhere.meta.endpoint_url == settings.MTURK_ENDPOINT_URL
    assert elsewhere is not boto


def test_a_qualification_is_held_until_it_is_revoked_and_revoking_twice_is_no_error(
    boto: Any,
) -> None:
    boto.meta.events.register("before-send", answer_in_process)
    made = mturk.create_qualification_type(name="Able", description="Able workers")
    worker = make_worker().worker_id

    held = [mturk.holds_qualification(made, worker)]
    mturk.grant_qualification(made, worker)
    held.append(mturk.holds_qualification(made, worker))
    for _ in range(2):
        mturk.revoke_qualification(made, worker)
    held.append(mturk.holds_qualification(made, worker))

    assert held == [False, True, False]
