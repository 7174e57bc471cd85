from studies.models.assignment import Assignment, AssignmentState
from studies.models.job import Job, JobState
from studies.models.membership import Membership, StudyRole
from studies.models.payment import Payment, PaymentKind, PaymentState
from studies.models.response import Contribution, ContributionStatus, Response, ResponseState
from studies.models.round import Bar, Eligibility, Hold, Round, RoundState, Slot, Task
from studies.models.story import Story
from studies.models.study import Study
from studies.models.worker import Participant, Worker

__all__ = [
    "Assignment",
    "AssignmentState",
    "Bar",
    "Contribution",
    "ContributionStatus",
    "Eligibility",
    "Hold",
    "Job",
    "JobState",
    "Membership",
    "Participant",
    "Payment",
    "PaymentKind",
    "PaymentState",
    "Response",
    "ResponseState",
    "Round",
    "RoundState",
    "Slot",
    "Story",
    "Study",
    "StudyRole",
    "Task",
    "Worker",
]
