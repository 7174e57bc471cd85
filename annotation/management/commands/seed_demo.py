import os
from decimal import Decimal
from io import StringIO
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from annotation.demo import study as demo
from annotation.tasks.state_annotation.task_type import StateAnnotation
from studies.jobs import run
from studies.management.base import ReportCommand
from studies.models import Job, JobState, Study

REQUESTER = "Fabula demo"
ADMIN = "admin"
# How a round of each kind of task is launched. A demo whose budget is spent starts, too.
ASKED = ("--overlap=3", "--seed=1", "--above-budget")
ITEMS = (f"--instrument={demo.INSTRUMENT}", f"--items={demo.OUTPUTS_FILE}")
ROUNDS = {
    StateAnnotation.slug: (*ASKED, "--reward=0.35"),
    "rating": (*ASKED, "--reward=0.20", *ITEMS),
}


class Command(ReportCommand):
    help = "Fill an empty installation for `make demo`; repeat it safely."

    def handle(self, *args: Any, **options: Any) -> None:
        password = os.environ.get("FABULA_DEMO_ADMIN_PASSWORD")
        if not password:
            raise CommandError("FABULA_DEMO_ADMIN_PASSWORD is not set; `make demo` sets it.")
        seed_admin(password)
        seed_requester()
        study = seed_study()
        seed_rounds(study)
        seeded = {
            "admin_username": ADMIN,
            "admin_password": password,
            "invitation_url": said("create_invitation", "Demo workers", "--reuse"),
            "study_url": settings.TASK_SITE_URL
            + reverse("admin:studies_study_change", args=[study.pk]),
        }
        self.report(
            seeded, "\n".join(f"{name}: {value}" for name, value in seeded.items()), options
        )


def said(command: str, *arguments: str) -> str:
    """What another command printed."""
    output = StringIO()
    call_command(command, *arguments, stdout=output, stderr=StringIO())
    return output.getvalue().strip()


def seed_admin(password: str) -> None:
    user, made = get_user_model().objects.get_or_create(
        username=ADMIN, defaults={"is_staff": True, "is_superuser": True}
    )
    if made or not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])


def seed_rounds(study: Study) -> None:
    """One of each kind, and go on publishing what an earlier start left unfinished."""
    for task, asked in ROUNDS.items():
        if not study.rounds.filter(task_type=task).exists():
            said("launch_round", study.slug, f"--task={task}", *asked)
    for job in Job.objects.filter(study=study, kind="publish_round", state=JobState.QUEUED):
        finished = run(job.pk)
        if finished is not None and finished.state == JobState.FAILED:
            raise CommandError(finished.error)


def seed_requester() -> None:
    said(
        "create_requester",
        REQUESTER,
        # In one word each: a secret may begin with a dash.
        f"--access-key-id={settings.MTURK_ACCESS_KEY_ID}",
        f"--secret-access-key={settings.MTURK_SECRET_ACCESS_KEY}",
        f"--signing-secret={settings.MTURK_SIGNING_SECRET}",
        "--balance=10000",
    )


def seed_study() -> Study:
    study, _ = Study.objects.get_or_create(
        slug=demo.STUDY_SLUG,
        defaults={
            "title": demo.STUDY_TITLE,
            "consent_text": demo.CONSENT_TEXT,
            "budget_usd": Decimal("500"),
        },
    )
    if not study.stories.exists():
        said(
            "import_stories",
            study.slug,
            str(demo.STORIES_FILE),
            "--format",
            demo.STORIES_FORMAT,
        )
    return study
