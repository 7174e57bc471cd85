"""A lineage as the steps of its page: what is known of each, and why the rest is not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from evaluation.admin.answer_words import naming
from evaluation.admin.lineage_origin import steps_of_origin
from evaluation.admin.lineage_step import Fact, Step, known
from evaluation.lineage.chain import CameFrom, Lineage
from evaluation.models import Item, Rating
from studies.admin.base import moment


@dataclass(frozen=True)
class Branch:
    """The steps below an output. Of a pair there are two, each named by its system."""

    name: str
    steps: list[Step]


def steps_above(lineage: Lineage) -> list[Step]:
    return list(_above(lineage))


def branches_of(lineage: Lineage) -> list[Branch]:
    why = _why_unknown(lineage)
    return [Branch(one.system, list(steps_of_origin(one, why))) for one in lineage.origins]


def _above(lineage: Lineage) -> Iterator[Step]:
    rating, item = lineage.rating, lineage.item
    if item is None:
        return
    if rating is not None:
        yield _rating(lineage, rating, item)
        yield _round(lineage)
        yield Step(
            _("Worker"),
            known(
                Fact(
                    _("Pseudonym"),
                    rating.rater.pseudonym,
                    reverse("admin:studies_participant_change", args=[rating.rater_id]),
                )
            ),
        )
    yield _item(lineage, item)


def _rating(lineage: Lineage, rating: Rating, item: Item) -> Step:
    declared = naming(item.instrument.declared, system=item.system, rival=item.rival)
    answers = [
        Fact(question.text, _said(rating.answers[question.slug], question))
        for question in declared.questions
        if question.slug in rating.answers
    ]
    place = ""
    if rating.place is not None:
        shown = {"place": rating.place, "all": lineage.shown_together}
        place = _("%(place)s of %(all)s on the page") % shown
    made_here = rating.response_id is not None
    return Step(
        _("Rating"),
        [
            *answers,
            *known(
                Fact(_("Accepted"), rating.accepted_at and moment(rating.accepted_at)),
                Fact(_("Submitted"), moment(rating.submitted_at)),
                Fact(_("Shown"), place),
                Fact(_("On the left"), lineage.on_the_left),
                Fact(_("Rating id of its file"), "" if made_here else rating.label),
            ),
        ],
    )


def _said(code: Any, question: Any) -> str:
    words = str(question.label_of(code))
    return words if words == str(code) else f"{code} · {words}"


def _round(lineage: Lineage) -> Step:
    assignment, made = lineage.assignment, lineage.made_for
    if assignment is None or made is None:
        return _made_elsewhere(lineage)
    slot = assignment.slot
    return Step(
        _("Round, slot and assignment"),
        known(
            Fact(
                _("Evaluation round"),
                str(made),
                reverse("admin:evaluation_ratinground_change", args=[made.pk]),
            ),
            Fact(_("Task"), str(assignment.task_id)),
            Fact(_("Slot"), slot and slot.hit_id, is_code=True),
            Fact(_("Assignment"), assignment.marketplace_id, is_code=True),
            Fact(_("State"), assignment.get_state_display()),
            Fact(
                _("Response"),
                str(lineage.rating and lineage.rating.response_id),
                reverse(
                    "admin:studies_response_change",
                    args=[lineage.rating and lineage.rating.response_id],
                ),
            ),
        ),
    )


def _made_elsewhere(lineage: Lineage) -> Step:
    title = _("Round, slot and assignment")
    file = lineage.item.result_file if lineage.item else None
    if file is None:
        return Step(title, why_unknown=_("Not known: this rating was not made in a round of ours."))
    return Step(
        title,
        known(
            Fact(
                _("Came with"),
                file.name,
                reverse("admin:evaluation_resultfile_change", args=[file.pk]),
            ),
            Fact(_("Hash"), file.sha256, is_code=True),
            Fact(_("Withdrawn because"), file.withdrawn_why),
        ),
        why_unknown=_("The rest is not known: the rating was made elsewhere."),
    )


def _item(lineage: Lineage, item: Item) -> Step:
    source = " · ".join(filter(None, [item.group, item.part]))
    return Step(
        _("Item"),
        known(
            Fact(
                _("Item id"),
                item.key,
                reverse("admin:evaluation_item_change", args=[item.pk]),
            ),
            Fact(_("System"), item.system),
            Fact(_("Compared with"), item.rival),
            Fact(
                _("Instrument"),
                str(item.instrument),
                reverse("admin:evaluation_instrument_change", args=[item.instrument_id]),
            ),
            Fact(_("Source"), source),
            Fact(_("Gold item"), _("yes, in no report on systems") if item.is_gold else ""),
        ),
    )


def _why_unknown(lineage: Lineage) -> str:
    match lineage.came_from:
        case CameFrom.RESULTS:
            return _(
                "Not known: the ratings were made elsewhere, and their file names the system alone."
            )
        case CameFrom.FILE:
            return _("Not known: the output came with a file that names its system alone.")
        case CameFrom.RELEASE:
            return _("Not known: the release has no row of this source.")
        case CameFrom.RUNS:
            return _("Not known: no run of the round has an output of this name.")
    return _("Not known: nothing says where the item came from.")
