"""What is decided on a worker in a world."""

from django.contrib.auth.models import User

from annotation.models import Decision
from studies.models import Participant, Study


def decide(study: Study, staff: User) -> None:
    Decision.objects.create(
        participant=Participant.objects.filter(study=study).earliest("pk"),
        standing="undecided",
        rule={"min_responses": 50, "max_rejected_share": "0.2"},
        evidence={"submitted": 1, "required": 1, "reviewed": 0, "rejected": 0},
        decided_by=staff,
    )
