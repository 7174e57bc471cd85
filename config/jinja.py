"""The second template language, for the task page alone.

Every task that a worker opens is a page of its own with some five hundred values on it, and most of
what it costs is filling them in: Jinja does that ten times faster than Django's templates. Most are
opened with nothing written yet: those are rendered once (studies/views/task_page.py). A name that a
template does not know is an error, not an empty place.

Texts are `_("...")`, so that makemessages finds them; a plural comes from Python. A text between
quotes is looked up once in each process and language, when its template is compiled.
"""

import re
from functools import cache
from typing import Any

from django.template.backends.jinja2 import Jinja2
from django.templatetags.static import static
from django.utils import translation
from django.utils.html import json_script
from jinja2 import Environment, StrictUndefined, pass_environment
from jinja2.ext import Extension
from markupsafe import Markup

TEXT = re.compile(r"""\b_\(\s*(?P<quote>["'])(?P<text>(?:(?!(?P=quote))[^\\])+)(?P=quote)\s*\)""")


class Translated(Extension):
    """Puts a text itself where a template asks for it: half of a page's cost was looking them up.

    A text with a backslash is left to be looked up each time.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return TEXT.sub(_translated, source)


def _translated(found: re.Match[str]) -> str:
    return repr(translation.gettext(found["text"]))


class TaskPages(Jinja2):
    """Compiles each template once for each language that somebody reads it in."""

    def __init__(self, params: dict[str, Any]) -> None:
        self._environments: dict[str | None, Environment] = {}
        super().__init__(params)

    @property
    def env(self) -> Environment:
        language = translation.get_language()
        if language not in self._environments:
            made = self._environment.overlay(extensions=[Translated])
            made.extend(parts={})
            self._environments[language] = made
        return self._environments[language]

    @env.setter
    def env(self, made: Environment) -> None:
        self._environment = made


def environment(**options: Any) -> Environment:
    made = Environment(
        **options | {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    )
    made.globals |= {
        "_": lambda text: translation.gettext(text),
        "static": cache(static),
        "language": translation.get_language,
        "is_right_to_left": translation.get_language_bidi,
        "unchanging": unchanging,
    }
    made.filters["json_script"] = json_script
    return made


@pass_environment
def unchanging(made: Environment, template: str, key: str | int, **values: Any) -> Markup:
    """The template, rendered once in each process and language for each `key`.

    While templates are being worked on (`auto_reload`) it is rendered each time.
    """
    parts: dict[tuple[str, str | int], Markup] = made.parts  # type: ignore[attr-defined]
    html = None if made.auto_reload else parts.get((template, key))
    if html is None:
        html = parts[template, key] = Markup(made.get_template(template).render(values))
    return html
