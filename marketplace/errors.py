"""What the marketplace refuses, each with a sentence that a person can read."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from marketplace.eligibility import Unmet
from marketplace.models import Assignment


class Refused(Exception):
    """Base of every refusal; `message` is shown as it is, `code` is MTurk's where it has one."""

    code = ""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NothingLeft(Refused):
    def __init__(self) -> None:
        super().__init__(_("Nothing is left for you in this group right now."))


class NotQualified(Refused):
    def __init__(self, unmet: Sequence[Unmet]) -> None:
        super().__init__(" ".join(reason.sentence for reason in unmet))
        self.unmet = tuple(unmet)


class AlreadyHolding(Refused):
    """The worker has accepted a HIT of this group and not finished it: `assignment`."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(_("You have already accepted one of these. Finish or return it first."))
        self.assignment = assignment


class HoldingTooMany(Refused):
    def __init__(self, limit: int) -> None:
        super().__init__(
            ngettext(
                "You hold %(limit)d task already. Finish or return it first.",
                "You hold %(limit)d tasks already. Finish or return one first.",
                limit,
            )
            % {"limit": limit}
        )
        self.limit = limit


class AssignmentNotFound(Refused):
    def __init__(self) -> None:
        super().__init__(_("This assignment is not known here."))


class AssignmentReturned(Refused):
    def __init__(self, assignment: Assignment) -> None:
        super().__init__(_("This task was returned, so its answers can no longer be submitted."))
        self.assignment = assignment


class TimeRanOut(Refused):
    def __init__(self, assignment: Assignment) -> None:
        super().__init__(_("The time for this task ran out before the answers arrived."))
        self.assignment = assignment
        self.deadline: datetime = assignment.deadline


class AlreadySubmitted(Refused):
    def __init__(self, assignment: Assignment) -> None:
        super().__init__(_("You have already submitted this task."))
        self.assignment = assignment


class NotRejected(Refused):
    def __init__(self) -> None:
        super().__init__(_("Only a rejection can be answered, and this is none."))


class RepliedAlready(Refused):
    def __init__(self) -> None:
        super().__init__(_("You have answered this rejection already. It can be answered once."))


class InvitationNotUsable(Refused):
    def __init__(self) -> None:
        super().__init__(
            _("This invitation link is no longer valid. Ask whoever sent it for a new one.")
        )


# What only requesters meet: said as MTurk says it, in English, since programs read it.


class InsufficientFunds(Refused):
    code = "InsufficientFunds"

    def __init__(self) -> None:
        super().__init__(
            "This Requester has insufficient funds in their account to complete this transaction."
        )


class InvalidState(Refused):
    """An assignment, a qualification or its type is not in a state that allows the operation."""

    def __init__(self, code: str, *allowed: str) -> None:
        super().__init__(f"This operation can be called with a status of: {','.join(allowed)}")
        self.code = code


class InvalidHITState(Refused):
    code = "InvalidHITState"

    def __init__(self, status: str, rest: str) -> None:
        super().__init__(f"This HIT is currently in the state '{status}'. {rest}")


class WrongHITStatus(InvalidHITState):
    def __init__(self, status: str, *allowed: str) -> None:
        super().__init__(
            status, f"This operation can be called with a status of: {', '.join(allowed)}"
        )


class SubmissionsUndecided(InvalidHITState):
    def __init__(self, status: str, count: int) -> None:
        super().__init__(
            status, f"Submissions that are undecided: {count}. Approve or reject them first."
        )


class HITDeleted(InvalidHITState):
    def __init__(self, status: str) -> None:
        super().__init__(status, "The rejections of its assignments stay.")


class RejectionTooOld(Refused):
    code = "InvalidAssignmentState"

    def __init__(self, days: int) -> None:
        super().__init__(
            f"This assignment was submitted more than {days} days ago, so its rejection stays."
        )


class InvalidMaximumAssignmentsIncrease(Refused):
    code = "InvalidMaximumAssignmentsIncrease"

    def __init__(self) -> None:
        super().__init__(
            "HITs created with fewer than 10 assignments cannot be extended to have 10 or more."
        )


class TokenAlreadyUsed(Refused):
    """The same UniqueRequestToken made `resource_id` less than 24 hours ago."""

    code = "DuplicateRequest"
    words = 'The idempotency token "%(token)s" has already been processed.'

    def __init__(self, token: str, resource_id: str) -> None:
        super().__init__(self.words % {"token": token, "resource_id": resource_id})
        self.resource_id = resource_id


class HITAlreadyExists(TokenAlreadyUsed):
    code = "HitAlreadyExists"
    words = 'The HIT with ID "%(resource_id)s" already exists.'
