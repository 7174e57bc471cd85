from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from marketplace.errors import NotQualified
from marketplace.models import AccessKey, HITType, QualificationType, Worker
from marketplace.operations import qualifications
from marketplace.operations.owned import owned_qualification_type
from marketplace.services.assignments import accept_hit
from marketplace.services.groups import facts_of, hit_group, hit_groups_open_to
from marketplace.services.reviews import approve_assignment, reject_assignment
from tests.marketplace.conftest import ClientFor
from tests.marketplace.factories import (
    make_hit,
    make_hit_type,
    make_key,
    make_submitted,
    make_worker,
)
from tests.marketplace.refusals import error_code, message, turk_code
from tests.marketplace.test_create_hits import HIT_FIELDS, PROPERTIES

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

COUNT, RATE, LOCALE = "00000000000000000040", "000000000000000000L0", "00000000000000000071"
NEW_TYPE: dict[str, Any] = {
    "Name": "Careful reader",
    "Description": "Given after three reviewed HITs.",
    "QualificationTypeStatus": "Active",
}


def requirement(type_id: str, comparator: str, **values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": type_id, "Comparator": comparator, **values}


def publish(mturk: "MTurkClient", *requirements: Any) -> HITType:
    made = mturk.create_hit(
        **PROPERTIES, **HIT_FIELDS, QualificationRequirements=list(requirements)
    )
    return HITType.objects.get(hit_type_id=made["HIT"]["HITTypeId"])


def test_requirements_come_back_as_they_were_given(mturk: "MTurkClient") -> None:
    given: list[Any] = [
        requirement(COUNT, "GreaterThanOrEqualTo", IntegerValues=[5000], ActionsGuarded="Accept"),
        requirement(
            LOCALE,
            "In",
            LocaleValues=[{"Country": "US", "Subdivision": "CA"}, {"Country": "CA"}],
            ActionsGuarded="DiscoverPreviewAndAccept",
        ),
    ]

    made = mturk.create_hit(**PROPERTIES, **HIT_FIELDS, QualificationRequirements=given)["HIT"]

    answered = made["QualificationRequirements"]
    assert [{k: v for k, v in a.items() if k != "RequiredToPreview"} for a in answered] == given
    assert [a["RequiredToPreview"] for a in answered] == [False, True]


@pytest.mark.parametrize("guarded", ["Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"])
def test_requirements_can_be_sent_as_they_came_back(mturk: "MTurkClient", guarded: str) -> None:
    given: Any = [requirement(COUNT, "GreaterThan", IntegerValues=[9], ActionsGuarded=guarded)]
    first = mturk.create_hit(**PROPERTIES, **HIT_FIELDS, QualificationRequirements=given)["HIT"]
    answered: Any = first["QualificationRequirements"]

    again = mturk.create_hit(**PROPERTIES, **HIT_FIELDS, QualificationRequirements=answered)["HIT"]

    assert again["HITTypeId"] == first["HITTypeId"]


def test_the_deprecated_required_to_preview_guards_previewing(mturk: "MTurkClient") -> None:
    hit_type = publish(
        mturk, requirement(COUNT, "GreaterThan", IntegerValues=[0], RequiredToPreview=True)
    )

    group = hit_group(make_worker(), group_id=hit_type.group_id)

    assert hit_type.requirements.get().actions_guarded == "PreviewAndAccept"
    assert (group.can_accept, group.can_preview, group.is_hidden) == (False, False, False)


@pytest.mark.parametrize(
    "wrong",
    [
        requirement(COUNT, "AtLeast", IntegerValues=[1]),
        requirement(COUNT, "EqualTo"),
        requirement(COUNT, "EqualTo", IntegerValues=[1, 2]),
        requirement(COUNT, "In", IntegerValues=[]),
        requirement(COUNT, "In", IntegerValues=list(range(16))),
        requirement(COUNT, "Exists", IntegerValues=[1]),
        requirement(COUNT, "EqualTo", IntegerValues=[2**31]),
        requirement(COUNT, "EqualTo", LocaleValues=[{"Country": "US"}]),
        requirement(LOCALE, "GreaterThan", LocaleValues=[{"Country": "US"}]),
        requirement(LOCALE, "Exists"),
        requirement(LOCALE, "DoesNotExist"),
        requirement(LOCALE, "EqualTo", IntegerValues=[1]),
        requirement(LOCALE, "EqualTo", LocaleValues=[{"Country": "US"}, {"Country": "CA"}]),
        requirement(LOCALE, "In", LocaleValues=[{"Country": "US"}] * 31),
        requirement(LOCALE, "In", LocaleValues=[{"Country": "us"}]),
        requirement(LOCALE, "In", LocaleValues=[{"Country": "USA"}]),
        requirement(LOCALE, "In", LocaleValues=[{"Country": "UK"}]),
        requirement(LOCALE, "In", LocaleValues=[{"Country": "GB"}, {"Country": "ZZ"}]),
        requirement(LOCALE, "In", LocaleValues=[{"Country": "US", "Subdivision": "CALI"}]),
        requirement(LOCALE, "In", LocaleValues=[{"Country": "US", "Subdivision": "\u00dcB"}]),
        requirement(COUNT, "Exists", ActionsGuarded="Everything"),
        requirement(COUNT, "Exists", ActionsGuarded="Accept", RequiredToPreview=True),
        requirement(COUNT, "Exists", ActionsGuarded="PreviewAndAccept", RequiredToPreview=False),
    ],
)
def test_a_requirement_against_the_rules_is_refused(
    mturk: "MTurkClient", wrong: dict[str, Any]
) -> None:
    with pytest.raises(ClientError, match="ParameterValidationError|ValidationException"):
        publish(mturk, wrong)

    assert HITType.objects.count() == 0


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (requirement("3NOSUCHTYPE", "Exists"), "RequestError"),
        (requirement(LOCALE, "In", LocaleValues=[{"Subdivision": "CA"}]), "ValidationException"),
        ({"Comparator": "Exists"}, "ValidationException"),
    ],
)
def test_a_requirement_of_an_unknown_type_or_without_one_is_refused(
    mturk: "MTurkClient", wrong: dict[str, Any], code: str
) -> None:
    with pytest.raises(ClientError) as refused:
        publish(mturk, wrong)

    assert error_code(refused.value) == code
    assert HITType.objects.count() == 0


def test_an_inactive_qualification_type_cannot_be_required_anew(mturk: "MTurkClient") -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    type_id = made["QualificationTypeId"]
    hit_type = publish(mturk, requirement(type_id, "Exists"))
    QualificationType.objects.update(status="Inactive")

    with pytest.raises(mturk.exceptions.RequestError, match="with a status of: Active") as refused:
        publish(mturk, requirement(type_id, "Exists"))

    assert turk_code(refused.value) == "AWS.MechanicalTurk.InvalidQualificationTypeState"
    assert mturk.create_hit_with_hit_type(HITTypeId=hit_type.hit_type_id, **HIT_FIELDS)["HIT"]


def test_eleven_requirements_are_too_many(mturk: "MTurkClient") -> None:
    with pytest.raises(ClientError, match="ParameterValidationError.*QualificationRequirements"):
        publish(mturk, *[requirement(COUNT, "Exists")] * 11)


def test_an_unknown_comparator_is_named_with_the_known_ones(mturk: "MTurkClient") -> None:
    with pytest.raises(ClientError, match=r"comparator' failed.*: \[LessThan, "):
        publish(mturk, requirement(COUNT, "AtLeast", IntegerValues=[1]))


def test_a_worker_counts_with_work_done_here_and_before(key: AccessKey) -> None:
    worker = make_worker(
        approved_before=4999, rejected_before=1, country="US", record_source="a screenshot"
    )
    hit_type = make_hit_type(key.requester)
    for _ in range(2):
        make_hit(hit_type)
    now = timezone.now()

    approve_assignment(assignment=make_submitted(hit_type, worker), at=now)
    reject_assignment(assignment=make_submitted(hit_type, worker), feedback="Copied.", at=now)

    facts = facts_of(worker)
    assert (facts.approved, facts.rejected, facts.approval_rate) == (5000, 2, 99)
    assert facts.locales == ("US",)


def test_who_is_not_qualified_is_told_why_and_gets_nothing(mturk: "MTurkClient") -> None:
    hit_type = publish(mturk, requirement(COUNT, "GreaterThanOrEqualTo", IntegerValues=[5000]))
    newcomer = make_worker()

    with pytest.raises(NotQualified) as refused:
        accept_hit(worker=newcomer, group_id=hit_type.group_id)

    assert refused.value.message == "For workers with at least 5,000 approved tasks; you have 0."
    (group,) = hit_groups_open_to(newcomer)
    assert (group.can_accept, group.can_preview) == (False, True)
    assert group.unmet == refused.value.unmet


def test_an_own_qualification_opens_a_group_until_it_is_withdrawn(mturk: "MTurkClient") -> None:
    type_id = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"][
        "QualificationTypeId"
    ]
    hit_type = publish(
        mturk,
        requirement(type_id, "Exists", ActionsGuarded="DiscoverPreviewAndAccept"),
    )
    worker = make_worker()
    assert hit_groups_open_to(worker) == []
    assert hit_group(worker, group_id=hit_type.group_id).is_hidden

    ids: dict[str, Any] = {"QualificationTypeId": type_id, "WorkerId": worker.worker_id}
    mturk.associate_qualification_with_worker(**ids, IntegerValue=90)
    (group,) = hit_groups_open_to(worker)
    assert group.can_accept

    mturk.disassociate_qualification_from_worker(**ids, Reason="The round is over.")
    assert hit_groups_open_to(worker) == []


def test_a_qualification_is_read_changed_and_listed_by_its_owner(
    mturk: "MTurkClient", client_for: ClientFor
) -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    type_id = made["QualificationTypeId"]
    assert mturk.get_qualification_type(QualificationTypeId=type_id)["QualificationType"] == made
    workers = [make_worker() for _ in range(3)]
    for value, worker in enumerate(workers):
        mturk.associate_qualification_with_worker(
            QualificationTypeId=type_id, WorkerId=worker.worker_id, IntegerValue=value
        )
    mturk.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=workers[0].worker_id
    )
    mturk.disassociate_qualification_from_worker(
        QualificationTypeId=type_id, WorkerId=workers[1].worker_id
    )

    score = mturk.get_qualification_score(
        QualificationTypeId=type_id, WorkerId=workers[0].worker_id
    )["Qualification"]
    pages = list(
        mturk.get_paginator("list_workers_with_qualification_type").paginate(
            QualificationTypeId=type_id, Status="Granted", PaginationConfig={"PageSize": 1}
        )
    )

    assert (score["IntegerValue"], score["Status"]) == (1, "Granted")
    listed = {q["WorkerId"]: q["IntegerValue"] for page in pages for q in page["Qualifications"]}
    assert listed == {workers[0].worker_id: 1, workers[2].worker_id: 2}
    unasked = mturk.list_workers_with_qualification_type(QualificationTypeId=type_id)
    assert {q["WorkerId"]: q["IntegerValue"] for q in unasked["Qualifications"]} == listed
    revoked = mturk.list_workers_with_qualification_type(
        QualificationTypeId=type_id, Status="Revoked"
    )
    assert [q["WorkerId"] for q in revoked["Qualifications"]] == [workers[1].worker_id]
    stranger = client_for(make_key())
    with pytest.raises(stranger.exceptions.RequestError) as refused:
        stranger.get_qualification_score(QualificationTypeId=type_id, WorkerId=workers[0].worker_id)
    assert turk_code(refused.value) == "AWS.MechanicalTurk.QualificationTypeDoesNotExist"


@pytest.mark.parametrize("type_id", [COUNT, RATE, LOCALE])
def test_the_system_qualifications_can_be_looked_at(mturk: "MTurkClient", type_id: str) -> None:
    found = mturk.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]

    assert (found["QualificationTypeId"], found["QualificationTypeStatus"]) == (type_id, "Active")
    assert found["Name"].startswith("Worker_")
    with pytest.raises(mturk.exceptions.RequestError, match="does not exist"):
        mturk.associate_qualification_with_worker(
            QualificationTypeId=type_id, WorkerId=make_worker().worker_id
        )


def test_another_requesters_qualification_type_can_be_looked_at(
    mturk: "MTurkClient", client_for: ClientFor
) -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    type_id = made["QualificationTypeId"]
    stranger = client_for(make_key())

    found = stranger.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]

    assert found == made
    with pytest.raises(stranger.exceptions.RequestError, match="does not exist"):
        stranger.get_qualification_type(QualificationTypeId="3UNKNOWN")
    with pytest.raises(stranger.exceptions.RequestError, match="does not exist"):
        stranger.associate_qualification_with_worker(
            QualificationTypeId=type_id, WorkerId=make_worker().worker_id
        )


def test_what_is_not_there_cannot_be_read_or_withdrawn(mturk: "MTurkClient") -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    ids: dict[str, Any] = {
        "QualificationTypeId": made["QualificationTypeId"],
        "WorkerId": make_worker().worker_id,
    }

    with pytest.raises(mturk.exceptions.RequestError) as unread:
        mturk.get_qualification_score(**ids)
    with pytest.raises(mturk.exceptions.RequestError) as not_withdrawn:
        mturk.disassociate_qualification_from_worker(**ids)
    with pytest.raises(mturk.exceptions.RequestError) as unknown:
        mturk.associate_qualification_with_worker(**ids | {"WorkerId": "ANOBODY"})

    assert turk_code(unread.value).endswith("QualificationDoesNotExist")
    assert message(unread.value) == "You requested a Qualification that does not exist."
    assert turk_code(not_withdrawn.value).endswith("InvalidQualificationState")
    assert turk_code(unknown.value).endswith("WorkerDoesNotExist")


def test_a_withdrawn_qualification_has_no_score(mturk: "MTurkClient") -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    ids: dict[str, Any] = {
        "QualificationTypeId": made["QualificationTypeId"],
        "WorkerId": make_worker().worker_id,
    }
    mturk.associate_qualification_with_worker(**ids)
    mturk.disassociate_qualification_from_worker(**ids)

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.get_qualification_score(**ids)

    assert message(refused.value) == "This operation can be called with a status of: Granted"
    assert turk_code(refused.value) == "AWS.MechanicalTurk.InvalidQualificationState"


def test_a_name_is_used_for_one_qualification_type(mturk: "MTurkClient") -> None:
    mturk.create_qualification_type(**NEW_TYPE)

    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.create_qualification_type(**NEW_TYPE)

    assert turk_code(refused.value) == "AWS.MechanicalTurk.QualificationTypeAlreadyExists"


@pytest.mark.parametrize("requestable", [True, False])
@pytest.mark.parametrize("owned", [{}, {"MustBeOwnedByCaller": True}])
def test_scripts_find_their_own_qualification_type_by_its_name(
    mturk: "MTurkClient", client_for: ClientFor, requestable: bool, owned: Any
) -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    mturk.create_qualification_type(**NEW_TYPE | {"Name": "Careful writer"})
    client_for(make_key()).create_qualification_type(**NEW_TYPE)

    found = mturk.list_qualification_types(
        Query="reader careful", MustBeRequestable=requestable, **owned
    )

    assert found["QualificationTypes"] == [made]
    assert found["NumResults"] == 1


@pytest.mark.parametrize(
    ("query", "names"),
    [({}, ["Fourth", "Third", "Second", "First"]), ({"Query": "th of"}, ["Fourth"])],
)
def test_qualification_types_are_paged_newest_first_and_found_by_all_words(
    mturk: "MTurkClient", query: Any, names: list[str]
) -> None:
    for name, keywords in [("First", "a"), ("Second", ""), ("Third", "b, c"), ("Fourth", "of all")]:
        more = {"Keywords": keywords} if keywords else {}
        mturk.create_qualification_type(**NEW_TYPE | {"Name": name} | more)

    pages = mturk.get_paginator("list_qualification_types").paginate(
        MustBeRequestable=True, PaginationConfig={"PageSize": 2}, **query
    )

    assert [one["Name"] for page in pages for one in page["QualificationTypes"]] == names


@pytest.mark.parametrize(
    "change",
    [
        {"Test": "<QuestionForm/>"},
        {"AutoGranted": True},
        {"AutoGrantedValue": 1, "RetryDelayInSeconds": 60},
    ],
)
def test_what_only_matters_when_workers_ask_is_not_available(
    mturk: "MTurkClient", change: dict[str, Any]
) -> None:
    with pytest.raises(ClientError, match="ParameterValidationError.*not available yet"):
        mturk.create_qualification_type(**NEW_TYPE | change)


def test_a_delay_between_requests_is_taken_and_has_no_effect(mturk: "MTurkClient") -> None:
    made = mturk.create_qualification_type(**NEW_TYPE, RetryDelayInSeconds=60)

    assert not made["QualificationType"]["IsRequestable"]


def test_the_list_of_groups_takes_few_queries(
    key: AccessKey, django_assert_max_num_queries: Any
) -> None:
    for _ in range(20):
        make_hit(make_hit_type(key.requester))
    worker: Worker = make_worker()

    with django_assert_max_num_queries(7):
        assert len(hit_groups_open_to(worker)) == 20


def test_a_qualification_type_is_changed_by_its_owner(
    mturk: "MTurkClient", client_for: ClientFor
) -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    given: Any = {"QualificationTypeId": made["QualificationTypeId"]}

    mturk.update_qualification_type(**given, Description="Given after five.")
    changed = mturk.update_qualification_type(**given, QualificationTypeStatus="Inactive")

    expected = made | {"Description": "Given after five.", "QualificationTypeStatus": "Inactive"}
    assert changed["QualificationType"] == expected
    assert mturk.get_qualification_type(**given)["QualificationType"] == expected
    with pytest.raises(ClientError, match="does not exist"):
        client_for(make_key()).update_qualification_type(**given, Description="Mine")
    with pytest.raises(ClientError, match="AutoGranted is not available yet"):
        mturk.update_qualification_type(**given, AutoGranted=True)


def test_two_changes_of_a_qualification_type_at_once_both_stay(
    mturk: "MTurkClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    given: Any = {"QualificationTypeId": made["QualificationTypeId"]}

    def found_before_it_changed(*of: Any) -> QualificationType:
        before = owned_qualification_type(*of)
        QualificationType.objects.filter(pk=before.pk).update(status="Inactive")
        return before

    monkeypatch.setattr(qualifications, "owned_qualification_type", found_before_it_changed)
    mturk.update_qualification_type(**given, Description="Given after five.")

    now = mturk.get_qualification_type(**given)["QualificationType"]
    assert (now["Description"], now["QualificationTypeStatus"]) == ("Given after five.", "Inactive")


def test_a_deleted_qualification_type_leaves_what_was_published_with_it(
    mturk: "MTurkClient",
) -> None:
    made = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    given: Any = {"QualificationTypeId": made["QualificationTypeId"]}
    asking = requirement(made["QualificationTypeId"], "Exists")
    hit_type = publish(mturk, asking)
    qualified = make_worker()
    mturk.associate_qualification_with_worker(**given, WorkerId=qualified.worker_id)

    mturk.delete_qualification_type(**given)

    with pytest.raises(ClientError, match="does not exist"):
        mturk.get_qualification_type(**given)
    with pytest.raises(ClientError, match="does not exist"):
        mturk.associate_qualification_with_worker(**given, WorkerId=qualified.worker_id)
    with pytest.raises(ClientError, match="does not exist"):
        publish(mturk, requirement(made["QualificationTypeId"], "DoesNotExist"))
    listed = mturk.list_qualification_types(MustBeRequestable=False)
    assert listed["QualificationTypes"] == []
    with pytest.raises(NotQualified, match="Careful reader"):
        accept_hit(worker=make_worker(), group_id=hit_type.group_id)
    assert accept_hit(worker=qualified, group_id=hit_type.group_id).worker == qualified
    mturk.create_hit_with_hit_type(HITTypeId=hit_type.hit_type_id, **HIT_FIELDS)
    again = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"]
    assert again["QualificationTypeId"] != made["QualificationTypeId"]


def test_hits_are_found_by_the_qualification_that_they_ask_for(
    mturk: "MTurkClient", client_for: ClientFor
) -> None:
    type_id = mturk.create_qualification_type(**NEW_TYPE)["QualificationType"][
        "QualificationTypeId"
    ]
    asking: Any = [requirement(type_id, "Exists"), requirement(COUNT, "Exists")]
    nothing: Any = []
    made = [
        mturk.create_hit(**PROPERTIES, **HIT_FIELDS, QualificationRequirements=wanted)["HIT"]
        for wanted in (asking, asking, nothing)
    ]

    found = mturk.list_hits_for_qualification_type(QualificationTypeId=type_id)

    assert [one["HITId"] for one in found["HITs"]] == [made[1]["HITId"], made[0]["HITId"]]
    system = mturk.list_hits_for_qualification_type(QualificationTypeId=COUNT)
    assert system["NumResults"] == 2
    stranger = client_for(make_key())
    assert stranger.list_hits_for_qualification_type(QualificationTypeId=type_id)["HITs"] == []
    with pytest.raises(ClientError, match="does not exist"):
        mturk.list_hits_for_qualification_type(QualificationTypeId="NOSUCHTYPE")
