"""A site with something of everything on it, on a running stack: what the scenes show."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from typing import Any, ParamSpec, TypeVar

import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import override_settings

from annotation.demo import study as demo
from config.models import AuditEntry, Origin
from marketplace.frames import frame_of
from marketplace.models import Assignment, HITType, Requester, Worker
from marketplace.services.assignments import accept_hit
from studies import jobs
from studies.models import Job, Participant, Round, Study
from studies.services import recording, reservation, submission
from tests.scenes import offers, research
from tests.stack import Stack

P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Ground:
    """A site that has its accounts and nothing else."""

    stack: Stack
    researcher: User

    def do(self, action: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a service on the site's database."""
        with self.stack.django():
            return action(*args, **kwargs)

    def make_worker(self, name: str, **fields: Any) -> Worker:
        return self.do(make_worker, name, **fields)


@dataclass
class World(Ground):
    requester: Requester
    evenings: Study
    # A round that workers find, published over the real API, and one with a single story.
    round: Round
    small_round: Round
    moods: research.Moods
    empty: Study

    def accept(
        self, worker: Worker, round: Round | None = None, *, ready: bool = True
    ) -> Assignment:
        """Take a task of the round; a worker who is `ready` was asked everything before."""
        round = round or self.round
        with self.stack.django():
            assignment = accept_hit(worker=worker, group_id=hit_type_of(round).group_id)
            if ready:
                make_ready(round, worker)
            return assignment

    def frame_of(self, assignment: Assignment) -> str:
        return self.do(frame_of, assignment).url

    def lapse(self, assignment: Assignment) -> None:
        """The time of the assignment runs out, on both sides."""
        for table, column in (
            ("marketplace_assignment", "assignment_id"),
            ("studies_assignment", "marketplace_id"),
        ):
            self.stack.query(
                f"UPDATE {table} SET deadline = now() - interval '70 seconds' WHERE {column} = %s",
                assignment.assignment_id,
            )

    def forget_tries(self) -> None:
        """Whoever signs in next has not been counted."""
        redis.Redis.from_url(self.stack.redis_url).flushdb()

    def run_newest_job(self) -> Job:
        """Work the job off that the site has just been asked for."""
        files = self.stack.folder / "files"
        with self.stack.django(), override_settings(MEDIA_ROOT=files):
            job = jobs.run(Job.objects.latest("pk").pk)
            assert job is not None
            return job


def make_worker(name: str, **fields: Any) -> Worker:
    """A worker as an invitation makes them: an account without a password."""
    user = User.objects.create_user(username=f"worker-{User.objects.count()}")
    return Worker.objects.create(user=user, display_name=name, **fields)


def make_ready(round: Round, worker: Worker) -> None:
    """The worker has agreed to the study and to the recording, and has read the instructions."""
    participant = reservation.register_participant(round=round, worker_id=worker.worker_id)
    submission.give_consent(participant=participant)
    recording.decide_recording(participant=participant, agreed=True)
    Participant.objects.filter(pk=participant.pk).update(instructions_seen=[round.task_type])


def hit_type_of(round: Round) -> HITType:
    return HITType.objects.get(hit_type_id=round.hit_type_id)


def prepare(stack: Stack) -> Ground:
    """An empty site. Its clock and its job worker rest, so that every state lasts."""
    stack.empty()
    for name in ("beat", "worker"):
        stack.stop(name)
    with stack.django():
        return Ground(stack, User.objects.create_superuser("helena", "", "a long enough password"))


def seed(stack: Stack) -> World:
    ground = prepare(stack)
    with stack.django():
        requester = make_requester()
        evenings = make_study()
        round = publish(evenings, limit=11, overlap=3)
        small_round = publish(evenings, limit=1, overlap=2)
        offers.make_offers()
        AuditEntry.objects.create(
            origin=Origin.ADMIN,
            actor="helena",
            action="studies_round_pause",
            target=str(round),
            address="192.0.2.7",
        )
        return World(
            stack=stack,
            researcher=ground.researcher,
            requester=requester,
            evenings=evenings,
            round=round,
            small_round=small_round,
            moods=research.make_moods(ground.researcher),
            empty=Study.objects.create(slug="new", title="A study that begins"),
        )


def make_requester() -> Requester:
    call_command(
        "create_requester",
        "Harbour reading lab",
        f"--access-key-id={settings.MTURK_ACCESS_KEY_ID}",
        f"--secret-access-key={settings.MTURK_SECRET_ACCESS_KEY}",
        f"--signing-secret={settings.MTURK_SIGNING_SECRET}",
        "--balance=5000",
        stdout=StringIO(),
    )
    return Requester.objects.get()


def make_study() -> Study:
    study = Study.objects.create(
        slug="evenings",
        title="Quiet evenings",
        consent_text=demo.CONSENT_TEXT,
        contact="evenings@example.org",
        budget_usd=Decimal(500),
    )
    research.make_stories(study)
    return study


def publish(study: Study, *, limit: int, overlap: int) -> Round:
    """A round in the marketplace, by way of its requester API."""
    round, job = research.launch(study, None, limit=limit, overlap=overlap)
    jobs.run(job.pk)
    round.refresh_from_db()
    return round
