"""Decisions on standings: their list, the latest one on a worker's page, a study's standings."""

from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.admin import standing_page
from annotation.admin.standing_table import BADGES
from annotation.models import Decision, Standing
from annotation.proficiency.rule import ProficiencyRule
from annotation.proficiency.words import say_rule
from studies.admin import participant_facts, study_parts
from studies.admin.base import Page, ReadOnlyAdmin, badge, moment, name_of
from studies.admin.study_parts import StudyPart
from studies.models import Participant


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    """What was decided on workers, on which evidence, by whom; rows are only ever added."""

    list_per_page = 50
    list_display = ["worker", "study", "stands", "evidence_in_words", "decided_by", "when"]
    list_filter = ["standing", "participant__study"]
    list_select_related = ["participant__study", "decided_by"]
    search_fields = ["participant__pseudonym"]
    search_help_text = _("Pseudonym")
    ordering = ["-pk"]
    fields = ["worker", "study", "stands", "evidence_in_words", "rule_in_words"]
    fields += ["decided_by", "when"]
    empty_title = _("No decision yet")
    empty_text = _("Who is proficient is decided on the page of a study’s standings.")
    empty_next = (_("See the studies"), "admin:studies_study_changelist")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fields

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "study/<int:study_pk>/": ("annotation_standings", standing_page.show),
            "study/<int:study_pk>/apply/": ("annotation_standings_apply", standing_page.apply),
        }

    @admin.display(description=_("worker"), ordering="participant__pseudonym")
    def worker(self, decision: Decision) -> str:
        return name_of(decision.participant)

    @admin.display(description=_("study"), ordering="participant__study")
    def study(self, decision: Decision) -> str:
        return str(decision.participant.study)

    @admin.display(description=_("standing"), ordering="standing")
    def stands(self, decision: Decision) -> str:
        return _badge(decision.standing)

    @admin.display(description=_("evidence"))
    def evidence_in_words(self, decision: Decision) -> str:
        words = ngettext(
            "%(submitted)s response, %(reviewed)s of %(required)s reviewed, %(rejected)s rejected",
            "%(submitted)s responses, %(reviewed)s of %(required)s reviewed, %(rejected)s rejected",
            decision.evidence["submitted"],
        )
        numbers = {name: number_format(number) for name, number in decision.evidence.items()}
        return str(words % numbers)

    @admin.display(description=_("rule"))
    def rule_in_words(self, decision: Decision) -> str:
        return say_rule(
            ProficiencyRule(
                min_responses=decision.rule["min_responses"],
                max_rejected_share=Decimal(decision.rule["max_rejected_share"]),
            )
        )

    @admin.display(description=_("decided"), ordering="decided_at")
    def when(self, decision: Decision) -> str:
        return moment(decision.decided_at)


def with_latest_decision(participants: QuerySet[Participant]) -> QuerySet[Participant]:
    latest = Decision.objects.filter(participant=OuterRef("pk")).order_by("-pk")
    return participants.annotate(
        decided_standing=Subquery(latest.values("standing")[:1]),
        decided_at=Subquery(latest.values("decided_at")[:1]),
    )


@admin.display(description=_("standing"), ordering="decided_standing")
def standing(participant: Any) -> str:
    if participant.decided_standing is None:
        return "–"
    return format_html(
        "{} {}", _badge(participant.decided_standing), moment(participant.decided_at)
    )


def _badge(standing: str) -> str:
    known = Standing(standing)
    return badge(BADGES[known], known.label)


participant_facts.register(annotate=with_latest_decision, show=standing)
study_parts.register(
    StudyPart(_("Standings"), "admin:annotation_standings", standing_page.SEE),
)
