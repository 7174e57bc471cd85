"""A page with gaps, filled in, is the page that a template makes of the same texts."""

from typing import Any

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.gaps import Blank, Gap, GapTouched, shape_of, texts_of, with_gaps

ENVIRONMENT = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
TEMPLATE = ENVIRONMENT.from_string(
    '<h1 title="{{ item.title }}">{{ item.title }}</h1>{{ item.count }}'
    "{% for line in item.lines %}<p>{{ loop.index }}: {{ line }}</p>{% endfor %}{{ token }}"
)
texts = st.text(max_size=20) | st.sampled_from(
    ["<script>", "&amp;", "'\"", "gap", "", "{{ item }}"]
)
items = st.fixed_dictionaries(
    {
        "title": texts,
        "lines": st.lists(texts, max_size=4),
        "count": st.integers() | st.booleans() | st.none(),
    }
)


@given(items, texts)
@settings(max_examples=60)
def test_it_is_the_page_that_was_not_filled_in(item: dict[str, Any], token: str) -> None:
    opened = with_gaps(shape_of(item), "item")
    blank = Blank(TEMPLATE.render(item=opened, token=Gap("token")))

    page = blank.filled({"token": token, **texts_of(item, "item")})

    assert page == TEMPLATE.render(item=item, token=token)


@given(items, items)
@settings(max_examples=60)
def test_items_have_one_shape_when_they_differ_in_their_texts_alone(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    def bare(item: dict[str, Any]) -> tuple[list[str], int, str]:
        return list(item), len(item["lines"]), repr(item["count"])

    assert (shape_of(one) == shape_of(other)) == (bare(one) == bare(other))


@pytest.mark.parametrize(
    "template",
    [
        "{% if gap %}x{% endif %}",
        "{{ gap ~ 'x' }}",
        "{{ gap or 'x' }}",
        "{{ gap|upper }}",
        "{{ gap|length }}",
        "{{ gap|urlencode }}",
        "{{ '%s'|format(gap) }}",
        "{{ gap == 'x' }}",
        "{{ 'x' in gap }}",
        "{{ gap[0] }}",
        "{{ gap.title }}",
        "{% for letter in gap %}x{% endfor %}",
    ],
)
def test_a_template_that_looks_at_a_gap_fails(template: str) -> None:
    with pytest.raises((GapTouched, TypeError, jinja2.UndefinedError)):
        ENVIRONMENT.from_string(template).render(gap=Gap("story"))
