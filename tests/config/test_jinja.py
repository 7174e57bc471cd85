"""The task page's template language: unknown names fail, text is escaped, parts are kept."""

from pathlib import Path

import jinja2
import pytest
from django.utils import translation

from config.jinja import TaskPages, environment


@pytest.fixture
def made(tmp_path: Path) -> jinja2.Environment:
    return environment(autoescape=True, loader=jinja2.FileSystemLoader(tmp_path))


def test_a_name_that_is_not_known_is_an_error(made: jinja2.Environment) -> None:
    with pytest.raises(jinja2.UndefinedError):
        made.from_string("{{ nobody }}").render()


def test_text_is_escaped_also_where_it_is_translated(made: jinja2.Environment) -> None:
    template = made.from_string('<p title="{{ text }}">{{ _(text) }}</p>')

    html = template.render(text='"<script>')

    assert html == '<p title="&#34;&lt;script&gt;">&#34;&lt;script&gt;</p>'


def test_a_text_is_looked_up_when_its_template_is_compiled_once_for_each_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def gettext(text: str) -> str:
        asked.append(text)
        return f"<{translation.get_language()} {text} \"}}}}' \u00fc\n>"

    monkeypatch.setattr(translation, "gettext", gettext)
    (tmp_path / "page.html").write_text(
        """<p title="{{ _('One') }}">{{ _( "Two %(n)s" )|format(n=n) }}{{ a_("x") }}</p>"""
    )
    pages = task_pages(tmp_path)

    def page(n: int) -> str:
        return pages.get_template("page.html").render({"n": n, "a_": str})

    def expected(language: str, n: int) -> str:
        return (
            f'<p title="&lt;{language} One &#34;}}}}&#39; \u00fc\n&gt;">'
            f"&lt;{language} Two {n} &#34;}}}}&#39; \u00fc\n&gt;x</p>"
        )

    assert [page(1), page(2)] == [expected("en", 1), expected("en", 2)]
    with translation.override("de"):
        assert page(3) == expected("de", 3)
    assert page(4) == expected("en", 4)
    assert asked == ["One", "Two %(n)s"] * 2


def test_an_unchanging_part_is_made_once_for_each_language_and_key(tmp_path: Path) -> None:
    (tmp_path / "part.html").write_text("{{ language() }}:{{ value }}")
    (tmp_path / "page.html").write_text('{{ unchanging("part.html", key, value=value) }}')
    pages = task_pages(tmp_path)

    def page(pages: TaskPages, key: int, value: str) -> str:
        return pages.get_template("page.html").render({"key": key, "value": value})

    assert page(pages, 1, "<one>") == "en:&lt;one&gt;"
    assert page(pages, 1, "<two>") == "en:&lt;one&gt;"
    assert page(pages, 2, "<two>") == "en:&lt;two&gt;"
    with translation.override("de"):
        assert page(pages, 1, "<drei>") == "de:&lt;drei&gt;"
    in_the_making = task_pages(tmp_path, auto_reload=True)
    assert [page(in_the_making, 1, "a"), page(in_the_making, 1, "b")] == ["en:a", "en:b"]


def task_pages(folder: Path, **options: bool) -> TaskPages:
    options_of = {"environment": "config.jinja.environment", **options}
    return TaskPages({"NAME": "pages", "DIRS": [folder], "APP_DIRS": False, "OPTIONS": options_of})
