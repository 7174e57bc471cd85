"""What the name that the audit log keeps of an action says to a person."""

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import model_format_dict
from django.db.models import Model
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

OWN = {
    "signed in": gettext_lazy("signed in"),
    "signed out": gettext_lazy("signed out"),
    "password_change": gettext_lazy("own password changed"),
    "auth_user_password_change": gettext_lazy("password changed"),
    "annotation_review_turn": gettext_lazy("verdict given"),
    "annotation_review_later": gettext_lazy("review put off"),
    "annotation_review_undo": gettext_lazy("verdict taken back"),
    "annotation_review_one": gettext_lazy("response outside the sample opened for review"),
    "annotation_review_adjudicate": gettext_lazy("disputed response settled"),
    "annotation_reviewplan_top_up": gettext_lazy("sample topped up"),
    "annotation_reviewplan_draw_pool": gettext_lazy("agreement pool drawn"),
    "annotation_release_build": gettext_lazy("release built"),
    "annotation_release_pack": gettext_lazy("files of a release written"),
    "annotation_release_verify": gettext_lazy("release verified"),
    "modeling_run_start": gettext_lazy("model run asked for"),
    "modeling_run_cancel": gettext_lazy("model run asked to stop"),
    "modeling_run_resume": gettext_lazy("model run resumed"),
    "annotation_release_withdraw": gettext_lazy("what a worker gave withdrawn"),
    "annotation_standings_apply": gettext_lazy("standings applied"),
    "evaluation_instrument_make": gettext_lazy("instrument made"),
    "evaluation_launch": gettext_lazy("items for an evaluation round uploaded"),
    "evaluation_launch_review": gettext_lazy("evaluation round launched"),
    "evaluation_report_score": gettext_lazy("outputs to be scored"),
    "evaluation_results_upload": gettext_lazy("result file uploaded"),
    "evaluation_results_import": gettext_lazy("ratings imported"),
    "evaluation_results_withdraw": gettext_lazy("result file withdrawn"),
    "studies_approve": gettext_lazy("response approved"),
    "studies_approve_after_all": gettext_lazy("response approved after all"),
    "studies_reject": gettext_lazy("response rejected"),
    "studies_job_cancel": gettext_lazy("job stopped"),
    "studies_round_pause": gettext_lazy("round paused"),
    "studies_round_resume": gettext_lazy("round resumed"),
    "studies_round_extend": gettext_lazy("round extended"),
    "studies_round_limit": gettext_lazy("limits of a round changed"),
    "studies_round_close": gettext_lazy("round closed"),
    "studies_story_import": gettext_lazy("story file uploaded"),
    "studies_story_import_checked": gettext_lazy("checked stories imported"),
    "studies_story_merge": gettext_lazy("sentences merged"),
    "studies_story_split": gettext_lazy("sentence split"),
    "studies_study_launch": gettext_lazy("round launched"),
}
GENERIC = {
    "add": gettext_lazy("%(noun)s added"),
    "change": gettext_lazy("%(noun)s changed"),
    "delete": gettext_lazy("%(noun)s deleted"),
}


def action_words(action: str) -> str:
    """In words; a command, and what this version does not know, as it was written down."""
    return capfirst(str(OWN.get(action) or _of_a_model(action) or action))


def _of_a_model(action: str) -> str:
    name, _space, chosen = action.partition(" ")
    app, _line, rest = name.partition("_")
    model_name, _line, kind = rest.partition("_")
    try:
        model = apps.get_model(app, model_name)
    except (LookupError, ValueError):
        return ""
    if kind == "changelist":
        return _of_a_list(model, chosen)
    return str(GENERIC[kind]) % {"noun": model._meta.verbose_name} if kind in GENERIC else ""


def _of_a_list(model: type[Model], chosen: str) -> str:
    known = admin.site.is_registered(model) and admin.site.get_model_admin(model).get_action(chosen)
    if not known:
        return ""
    words = str(known[2]) % model_format_dict(model._meta)
    return _("%(nouns)s: %(action)s") % {"nouns": model._meta.verbose_name_plural, "action": words}
