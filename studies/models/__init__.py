from studies.models.assignment import Assignment, AssignmentState
from studies.models.job import Job, JobState
from studies.models.payment import Payment, PaymentKind, PaymentState
from studies.models.response import Contribution, ContributionStatus, Response, ResponseState
from studies.models.round import Eligibility, Hold, Round, RoundState, Slot, Task
from studies.models.story import Story
from studies.models.study import Study
from studies.models.worker import Participant, Worker

__all__ = [
    "Assignment",
    "AssignmentState",
    "Contribution",
    "ContributionStatus",
    "Eligibility",
    "Hold",
    "Job",
    "JobState",
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
    "Task",
    "Worker",
]
