"""What systems wrote in the items that were rated, and what people wrote for the same source."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.models import Item
from evaluation.reports.rows import RatedItem, Texts
from evaluation.reports.scores import ReportRefused
from modeling.instances import Tuple
from modeling.metrics.texts import on_lines

REVISIONS = ("story-revision", "story-revision-five")
CHANGE = "state-change"
COMPARED = (*REVISIONS, CHANGE)
# Where an output stands: in a field of the instrument, or in a column of a published file.
REVISION_FIELDS = ("revision", "Mod_Story_gpt3")
REVISION_COLUMNS = tuple(f"mod_line{number}" for number in range(1, 6))
STATE_FIELDS = ("state", "query_state")


def with_texts(
    items: Sequence[RatedItem],
    declared: Declaration,
    tuples: Mapping[str, Tuple],
    references: Mapping[int, str],
) -> list[RatedItem]:
    """`references` are those of some items; of the others the tuple says what people wrote.

    Raises ReportRefused where an item has no output, or its source no tuple.
    """
    fields = dict(Item.objects.filter(pk__in=[i.pk for i in items]).values_list("pk", "fields"))
    found = []
    for item in items:
        shown = fields[item.pk]
        known = references.get(item.pk)
        reference = _written(item, shown, declared, tuples) if known is None else known
        found.append(replace(item, texts=Texts(_output(item, shown, declared), reference)))
    return found


def absent(
    items: Sequence[RatedItem],
    known: Iterable[tuple[str, str]],
    declared: Declaration,
    tuples: Mapping[str, Tuple],
) -> Iterator[RatedItem]:
    """What each system would have had to write for the other sources, as if it had left the story
    as it was, or named no state."""
    for system in dict.fromkeys(item.system for item in items):
        written = {(item.group, item.part) for item in items if item.system == system}
        for group, part in known:
            if (group, part) not in written:
                side = _tuple(group, tuples, system)
                output = on_lines(side.story) if declared.slug in REVISIONS else ""
                texts = Texts(output, _reference(side, part, declared))
                yield RatedItem(0, system, (), group=group, part=part, texts=texts)


def _written(
    item: RatedItem,
    fields: Mapping[str, Any],
    declared: Declaration,
    tuples: Mapping[str, Tuple],
) -> str:
    side = _tuple(item.group, tuples, item.system)
    if fields.get("story") == [*side.revised]:
        side = side.turned
    return _reference(side, item.part, declared)


def _output(item: RatedItem, fields: Mapping[str, Any], declared: Declaration) -> str:
    names = REVISION_FIELDS if declared.slug in REVISIONS else STATE_FIELDS
    for name in names:
        if name in fields:
            found = fields[name]
            return found if isinstance(found, str) else on_lines(found)
    if declared.slug in REVISIONS and REVISION_COLUMNS[0] in fields:
        return on_lines([fields[column] for column in REVISION_COLUMNS])
    raise ReportRefused(
        _("Item %(item)s has no output in %(names)s.")
        % {"item": item.pk, "names": ", ".join(names)}
    )


def _reference(side: Tuple, part: str, declared: Declaration) -> str:
    if declared.slug in REVISIONS:
        return on_lines(side.revised)
    return side.state if part == "state" else side.changed_state


def _tuple(group: str, tuples: Mapping[str, Tuple], system: str) -> Tuple:
    if group not in tuples:
        raise ReportRefused(
            _(
                "What people wrote for “%(source)s”, which %(system)s answered, is not in the "
                "release or file. Choose systems of whose sources all are in it."
            )
            % {"source": group, "system": system}
        )
    return tuples[group]
