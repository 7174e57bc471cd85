"""The second template language, for the task page alone.

Every task that a worker opens is a page of its own with some five hundred values on it, and most of
what it costs is filling them in: Jinja does that ten times faster than Django's templates. A name
that a template does not know is an error, not an empty place.

Texts are `_("...")`, so that makemessages finds them; a plural comes from Python.
"""

from datetime import datetime
from typing import Any

from django.core.cache import caches
from django.templatetags.static import static
from django.utils import formats, timezone, translation
from django.utils.html import json_script
from jinja2 import Environment, StrictUndefined, pass_environment
from markupsafe import Markup


def environment(**options: Any) -> Environment:
    made = Environment(
        **options | {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    )
    made.globals |= {
        "_": lambda text: translation.gettext(text),
        "static": static,
        "language": translation.get_language,
        "is_right_to_left": translation.get_language_bidi,
        "now": timezone.now,
        "unchanging": unchanging,
    }
    made.filters |= {"json_script": json_script, "iso": iso, "clock": clock, "dollars": dollars}
    return made


@pass_environment
def unchanging(made: Environment, template: str, key: str | int, **values: Any) -> Markup:
    """The template, rendered once in each process and language for each `key`."""
    name = f"{template}:{key}:{translation.get_language()}"
    html = caches["parts"].get_or_set(name, lambda: made.get_template(template).render(values))
    return Markup(html)


def iso(moment: datetime) -> str:
    return timezone.localtime(moment).isoformat()


def clock(moment: datetime) -> str:
    return formats.date_format(timezone.localtime(moment), "H:i T")


def dollars(amount: Any) -> str:
    return f"${formats.number_format(amount, 2)}"
