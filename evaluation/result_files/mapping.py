"""Which columns of a result file say what: the usual ones, or those that a map names."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from django.utils.translation import gettext as _

from evaluation.instruments.declaration import Declaration
from evaluation.result_files.errors import BadMap

INPUT, ANSWER = "Input.", "Answer."
# Without these nobody knows what a row says, of what, or by whom.
NEEDED = ("item", "rating", "rater", "submitted")
# Of the tuple a state-inference item shows: story and state, original or changed.
TRUE_PARTS = {
    "story_state": 1,
    "mod_story_mod_state": 1,
    "story_mod_state": 0,
    "mod_story_state": 0,
}


@dataclass(frozen=True)
class Gold:
    """The right answer to a question, by the text in a column."""

    question: str
    column: str
    values: Mapping[str, int]


@dataclass(frozen=True)
class ColumnMap:
    """Names of columns. `questions` has what follows “Answer.”, before the number of an option;
    columns of answers that begin with one of `ignore` are of a worked example. `left` and `right`
    hold the name of the system that stood there; options of pairs are of sides then."""

    item: str = "HITId"
    rating: str = "AssignmentId"
    rater: str = "WorkerId"
    accepted: str = "AcceptTime"
    submitted: str = "SubmitTime"
    status: str = "AssignmentStatus"
    group: str = ""
    part: str = ""
    left: str = ""
    right: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    gold: Gold | None = None
    ignore: tuple[str, ...] = ("ex_",)

    def column_of(self, question: str) -> str:
        return self.questions.get(question, question)


_SOURCE = "Input.AssignmentId"
_REVISION = ColumnMap(
    group=_SOURCE,
    questions={"inferable": "sb_entail_a", "logical": "sb_is_logical", "degree": "sb_sim_sa"},
)
# Of the published files.
USUAL = {
    "state-inference": ColumnMap(
        group=_SOURCE,
        part="Input.story_state_flag",
        questions={"inferable": "sb_entail_a"},
        gold=Gold("inferable", "Input.story_state_flag", TRUE_PARTS),
    ),
    "story-revision": _REVISION,
    "story-revision-five": _REVISION,
    "state-change": ColumnMap(
        group=_SOURCE,
        part="Input.state_type",
        questions={
            "attribute": "ass1_is_attr",
            "inferable_s": "sa_entail_a",
            "inferable_s_prime": "sb_entail_a",
            "in_story": "ass_in_story",
        },
    ),
}


def usual_map(declared: Declaration) -> ColumnMap:
    """Where nothing is known of an instrument, columns are named as its questions are."""
    return USUAL.get(declared.slug, ColumnMap())


def read_map(data: Any, declared: Declaration) -> ColumnMap:
    """What a map file says, over what is usual. Raises BadMap."""
    if not isinstance(data, dict):
        raise BadMap(_("The map has to be a JSON object with names and columns."))
    known = {one.name for one in fields(ColumnMap)}
    if unknown := sorted(data.keys() - known):
        raise BadMap(
            _("The map names “%(name)s”, which is unknown. Known: %(known)s.")
            % {"name": unknown[0], "known": ", ".join(sorted(known))}
        )
    usual = usual_map(declared)
    given = dict(data)
    if "questions" in data:
        given["questions"] = {**usual.questions, **_questions(data["questions"], declared)}
    if "gold" in data:
        given["gold"] = _gold(data["gold"], declared)
    if "ignore" in data:
        given["ignore"] = _texts(data["ignore"])
    for name in known - {"questions", "gold", "ignore"}:
        if not isinstance(given.get(name, ""), str):
            raise BadMap(_("“%(name)s” of the map has to be a column.") % {"name": name})
    for name in NEEDED:
        if given.get(name) == "":
            raise BadMap(_("“%(name)s” of the map cannot be empty.") % {"name": name})
    return replace(usual, **given)


def _questions(data: Any, declared: Declaration) -> dict[str, str]:
    if not isinstance(data, dict) or not all(isinstance(one, str) for one in data.values()):
        raise BadMap(_("“questions” of the map has to name a column for each question."))
    for slug in data:
        _known_question(slug, declared)
    return data


def _gold(data: Any, declared: Declaration) -> Gold | None:
    if data is None:
        return None
    whole = isinstance(data, dict) and data.keys() == {"question", "column", "values"}
    if not whole or not data["column"] or not isinstance(data["values"], dict):
        raise BadMap(_("“gold” of the map needs a question, a column and values."))
    _known_question(data["question"], declared)
    if not all(type(one) is int for one in data["values"].values()):
        raise BadMap(_("The values of “gold” are numbers: 1 for yes, 0 for no."))
    return Gold(data["question"], str(data["column"]), data["values"])


def _texts(data: Any) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(one, str) and one for one in data):
        raise BadMap(_("“ignore” of the map has to be a list of beginnings."))
    return tuple(data)


def _known_question(slug: Any, declared: Declaration) -> None:
    try:
        declared.question(slug)
    except LookupError as error:
        raise BadMap(str(error)) from error
