"""Other requesters' work in the marketplace, and a worker who has done some of it."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from marketplace.eligibility import APPROVED_COUNT, LOCALE, Requirement
from marketplace.models import Assignment, HITType, Invitation, Requester, Worker
from marketplace.services.assignments import accept_hit, return_assignment, submit_assignment
from marketplace.services.bonuses import send_bonus
from marketplace.services.hits import HITProperties, register_hit_type
from marketplace.services.messages import mark_read, send_messages
from marketplace.services.reviews import (
    approve_assignment,
    reject_assignment,
    reply_to_rejection,
)
from tests.marketplace.factories import make_hit, make_requester, make_submitted, make_worker

EXPERIENCED = Requirement(APPROVED_COUNT, "GreaterThanOrEqualTo", (5000,))
NORTH_AMERICAN = Requirement(LOCALE, "In", locale_values=("US", "CA"))
RATHER_LONG = "Compare two summaries of a chapter and say which of them keeps what matters, and why"
TASKS_ELSEWHERE = "https://tasks.example.org"
PREVIEW = """<!doctype html><html lang="en"><title>Spelling</title>
<body style="margin:2rem;font:1.125rem/1.5 Georgia,serif;color:#222;background:#fff">
<h1>Which words are misspelt?</h1><p>You see a page of a book and mark each word.</p>"""
FEEDBACK = "Step 4 left the story as it was. The instructions show what a revision changes."
# How many days ago, subject and text.
LETTERS = (
    (9, "Thank you", "Your answers to the first stories were a pleasure to read."),
    (2, "A correction", "Sentence 3 of “The ferry” was cut short. It is whole again now."),
    (
        0.1,
        "A second round is open to you",
        "You did careful work in the first round, so the second one is open to you alone and to "
        "eleven others.\n\nIt pays $0.60 a task and closes on Friday:\n"
        "https://tasks.example.org/mturk/preview?groupId=3Q8GYXHFEP2JHAAA9BWTZ5XKWVX5CZ\n\n"
        "Write back through the study’s address if something is unclear.",
    ),
)
ANSWER = "I did change it: in sentence 4 the car now races into the yard.\nPlease look again."


def make_offers() -> None:
    """One with a known pace, one with long words, one for the experienced, one for a place."""
    lab, press = make_requester(name="Dialogue lab"), make_requester(name="Summerfield Press")
    measured = make_type(lab, "Say how a conversation may go on", "0.60", 45)
    for _ in range(9):
        make_hit(measured)
    for minutes in (4, 5, 6, 6, 9):
        taken = make_submitted(measured, make_worker())
        Assignment.objects.filter(pk=taken.pk).update(
            accepted_at=timezone.now() - timedelta(minutes=minutes)
        )
    make_hit(make_type(press, RATHER_LONG, "2.40", 120), max_assignments=9)
    make_hit(make_type(press, "Check the spelling of a page", "0.12", 10, (EXPERIENCED,)))
    make_hit(make_type(lab, "Name what a photo shows", "0.05", 5, (NORTH_AMERICAN, EXPERIENCED)))
    Invitation.objects.create(label="Reading group", max_uses=20, uses=7)
    Invitation.objects.create(label="Students of the autumn term", revoked_at=timezone.now())


def make_type(
    requester: Requester,
    title: str,
    reward: str,
    minutes: int,
    requirements: tuple[Requirement, ...] = (),
    study: str = "",
) -> HITType:
    properties = HITProperties(
        title=title,
        description=f"{study}Read a short text and answer two questions about it.",
        keywords="reading, language",
        reward_usd=Decimal(reward),
        assignment_duration=timedelta(minutes=minutes),
        auto_approval_delay=timedelta(days=3),
        requirements=requirements,
    )
    return register_hit_type(requester=requester, properties=properties)


def make_history(worker: Worker, rows: int = 6) -> None:
    """Assignments in every state, of two rounds: one is being worked on."""
    lab = make_requester(name=f"Kitchen table studies {Requester.objects.count()}")
    title = "Tell what somebody in a story may feel"
    rounds = [
        make_type(lab, title, "0.45", 60, study=f"For the study “Late trains”, round {number}. ")
        for number in (1, 2)
    ]
    for number in range(rows):
        at = timezone.now() - timedelta(hours=3 * number + 1)
        decide(accept_one(worker, rounds[2 * number // rows]), number, at)
    accept_one(worker, rounds[-1])


def write_to(worker: Worker) -> None:
    """A message that they have read, and two that they have not: a short one and a long one."""
    lab = make_requester(name=f"Kitchen table studies {Requester.objects.count()}")
    for days, subject, text in LETTERS:
        at = timezone.now() - timedelta(days=days)
        send_messages(requester=lab, workers=[worker], subject=subject, text=text, at=at)
        if days > 5:
            mark_read(worker=worker, messages=list(worker.messages.all()), at=at)


def accept_one(worker: Worker, hit_type: HITType) -> Assignment:
    make_hit(hit_type)
    return accept_hit(worker=worker, group_id=hit_type.group_id)


def decide(assignment: Assignment, number: int, at: datetime) -> None:
    match number % 6:
        case 3:
            return_assignment(assignment=assignment)
        case 4:
            Assignment.objects.filter(pk=assignment.pk).update(
                status=Assignment.Status.ABANDONED, given_up_at=at
            )
        case kind:
            done = submit_assignment(
                assignment_id=assignment.assignment_id, fields=[("answer", "relieved")]
            )
            if kind == 1:
                approve_assignment(assignment=done, at=at, feedback="A lovely one. Thank you!")
                send_bonus(
                    requester=done.hit.requester,
                    assignment=done,
                    amount_usd=Decimal("0.25"),
                    reason="For the second ending, which nobody else found.",
                    at=at,
                )
            elif kind == 2:
                reject_assignment(assignment=done, at=at, feedback=FEEDBACK)
                if number > kind:
                    reply_to_rejection(assignment=done, at=at, text=ANSWER)
            elif kind == 5:
                approve_assignment(assignment=done, at=at)
    Assignment.objects.filter(pk=assignment.pk).update(accepted_at=at)
