"""What a process loads before it can work: only what it may need, and all that it needs."""

import subprocess
import sys

from config.embedded.layout import BASE_DIR

# Each takes as long to load as a tenth of a command's start, or longer.
FOR_PAGES_AND_JOBS = ("celery", "boto3", "redis", "jinja2", "numpy", "studies.admin", "requests")

COMMANDS = ("export_responses", "import_responses", "import_stories")
TASKS = (
    *("studies.tasks", "marketplace.tasks", "annotation.review.tasks"),
    "modeling.runs.tasks",
)


def printed_by(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, django; django.setup()\n{code}"],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    return done.stdout.split()


def test_commands_load_nothing_for_pages_and_jobs() -> None:
    commands = [f"studies.management.commands.{name}" for name in COMMANDS]
    loaded = printed_by(f"import {', '.join(commands)}; print(*sys.modules, sep='\\n')")

    assert {"studies.models", *commands} <= set(loaded)
    assert set(FOR_PAGES_AND_JOBS) & set(loaded) == set()


def test_tasks_go_to_the_broker_that_the_settings_name() -> None:
    """Each module of tasks in a copy of the process that has not loaded the others."""
    sent_by = printed_by(
        f"""
import os
for module in {TASKS}:
    if not os.fork():
        __import__(module)
        from celery import current_app
        print(module, current_app.main, flush=True)
        os._exit(0)
    os.wait()
"""
    )

    assert sent_by == [word for module in TASKS for word in (module, "fabula")]


def test_neither_web_nor_job_workers_load_torch_or_what_calculates() -> None:
    """PyTorch that was used before a fork hangs the child for ever, and the site's image has
    none. What calculates is a fifth of a start, and few requests calculate."""
    everything = """
from django.urls import get_resolver
from config.celery import app
import config.wsgi, modeling.admin, modeling.api.urls, modeling.runs.tasks
import modeling.management.commands.run_model, modeling.runs.supervising
get_resolver().url_patterns
app.loader.import_default_modules()
print(*sys.modules, sep='\\n')
"""
    loaded = set(printed_by(everything))

    assert {"modeling.runs.tasks", "modeling.runs.supervising", "config.urls"} <= loaded
    assert loaded & {"torch", "transformers", "accelerate", "modeling.training"} == set()
    assert loaded & {"numpy", "scipy", "pyarrow", "nltk"} == set()


def test_a_command_knows_every_kind_of_job() -> None:
    kinds = printed_by("from studies import jobs; print(*jobs.kinds())")

    assert {"publish_round", "import_stories", "apply_standings", "build_release"} <= set(kinds)


def test_the_check_of_the_admin_looks_at_its_pages() -> None:
    looked_at = printed_by(
        "from django.core.checks import Tags, run_checks; run_checks(tags=[Tags.admin]);"
        "from django.contrib import admin; print(*(m.__name__ for m in admin.site._registry))"
    )

    assert {"Study", "Release", "Requester"} <= set(looked_at)
