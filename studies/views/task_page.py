"""How the task page is rendered: with what somebody wrote, or, as most are opened, with nothing
written, which is done once for all items of a shape."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import formats, timezone
from django.utils.translation import get_language

from studies import task_types
from studies.gaps import Blank, Gap, shape_of, texts_of, with_gaps
from studies.services.evidence import NOTE_LENGTH
from studies.task_types import TaskForm, TaskType
from studies.views.addresses import address

TEMPLATE = "task/page.html"
BLANKS_KEPT = 100
NOTHING_WRITTEN = {"saved_at": "", "saved_at_clock": "", "cautions": (), "confirmed_cautions": ""}


@dataclass(frozen=True)
class Texts:
    """What the page shows and looks at no further."""

    study_title: str
    reward: str
    token: str = ""
    participant_key: str = ""
    submit_origin: str = ""
    now: str = ""
    deadline: str = ""
    deadline_clock: str = ""
    recording_address: str = ""


@dataclass(frozen=True)
class Recording:
    """Whether it is recorded how the text comes to be, and the worker's line about it."""

    on: bool
    note: str = ""
    note_length: int = NOTE_LENGTH


@dataclass(frozen=True)
class Look:
    """What else tells one page of a task type from another, before anything is written on it."""

    first_visit: bool = False
    recording: Recording | None = None
    timed: bool = False
    preview: bool = False


def iso(moment: datetime) -> str:
    return timezone.localtime(moment).isoformat()


def clock(moment: datetime) -> str:
    return formats.date_format(timezone.localtime(moment), "H:i T")


def dollars(amount: Decimal) -> str:
    return f"${formats.number_format(amount, 2)}"


def render_page(
    task_type: TaskType,
    item: Mapping[str, Any],
    form: TaskForm,
    texts: Mapping[str, Any],
    look: Look,
    written: Mapping[str, Any],
) -> str:
    context = {
        "task_type": task_type,
        "item": item,
        "form": form,
        "draft_url": "" if look.preview else address("task-draft"),
        "submit_url": "" if look.preview else address("task-submit"),
        "first_visit": look.first_visit,
        "recording": look.recording,
        "timed": look.timed,
        "preview": look.preview,
        **texts,
        **written,
    }
    return render_to_string(TEMPLATE, context)


def filled_page(task_type: TaskType, item: dict[str, Any], texts: Texts, look: Look) -> str:
    # Templates that are being worked on are rendered each time.
    make = blank_page.__wrapped__ if settings.DEBUG else blank_page
    blank = make(get_language(), task_type.slug, shape_of(item), look)
    return blank.filled(vars(texts) | texts_of(item, "item"))


@lru_cache(BLANKS_KEPT)
def blank_page(language: str | None, slug: str, shape: Hashable, look: Look) -> Blank:
    """The page with nothing written on it, all its texts left open."""
    task_type = task_types.get(slug)
    item = with_gaps(shape, "item")
    texts = {name: Gap(name) for name in Texts.__dataclass_fields__}
    form = task_type.form_class(item=item)
    return Blank(render_page(task_type, item, form, texts, look, NOTHING_WRITTEN))
