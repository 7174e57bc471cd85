"""What our commands share: a STUDY argument, reports as text or JSON, a progress bar on stderr."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from studies import jobs
from studies.models import Job, JobState, Round, Study


class ReportCommand(BaseCommand):
    """Prints a report: JSON alone on standard output, messages and progress on standard error."""

    format_option = "--format"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            self.format_option,
            dest="report_format",
            choices=["text", "json"],
            default="text",
            help="how to print the report (default: text)",
        )

    def report(self, data: Any, text: str, options: dict[str, Any]) -> None:
        if options["report_format"] == "json":
            self.stdout.write(json.dumps(data, ensure_ascii=False, indent=2, default=str))
        else:
            self.stdout.write(text)

    def say(self, sentence: str) -> None:
        self.stderr.write(sentence, ending="\n")


class StudyCommand(ReportCommand):
    """Takes the slug of a study as its first argument."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="the study's short name")
        super().add_arguments(parser)

    def find_study(self, slug: str) -> Study:
        study = Study.objects.filter(slug=slug).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("slug").values_list("slug", flat=True)[:20])
            raise CommandError(
                f"There is no study “{slug}”. "
                + (f"Known: {known}." if known else "Make one: manage.py create_study SLUG")
            )
        return study

    def find_round(self, study: Study, number: int) -> Round:
        round = Round.objects.filter(study=study, number=number).first()
        if round is None:
            raise CommandError(f"Study “{study.slug}” has no round {number}.")
        return round

    def run_job(self, job: Job, *, unit: str) -> Job:
        """Work the job off in this process with a progress bar; CommandError when it fails."""
        with progress_bar(unit) as show:
            finished = jobs.run(job.pk, watcher=show) or watch(job, show)
        if finished.state == JobState.QUEUED:
            raise CommandError(f"{finished.message} Job {job.pk} goes on when it can.")
        if finished.state != JobState.DONE:
            raise CommandError(finished.error or f"Job {job.pk} was stopped.")
        return finished


def watch(job: Job, show: jobs.Watcher) -> Job:
    """Follow a job that a Celery worker has taken, to its end."""
    while True:
        job.refresh_from_db()
        show(job.done, job.total, job.message)
        if job.state != JobState.RUNNING:
            return job
        time.sleep(0.5)


@contextmanager
def progress_bar(unit: str) -> Iterator[jobs.Watcher]:
    with tqdm(unit=f" {unit}", leave=False, disable=None) as bar:

        def show(done: int, total: int | None, message: str) -> None:
            if total is not None and bar.total != total:
                bar.reset(total)
            bar.set_description_str(message, refresh=False)
            bar.n = done
            bar.refresh() if total == done else bar.update(0)

        yield show
