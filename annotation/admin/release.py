from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from annotation.admin import release_build, release_page, release_withdrawal
from annotation.models import Release
from studies.admin import study_parts
from studies.admin.base import Page, ReadOnlyAdmin, moment
from studies.admin.study_parts import StudyPart


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    """Frozen datasets: what each holds, by which rule, and its files."""

    list_display = ["name", "study", "rows", "stories", "withheld", "digest", "made_by", "when"]
    list_filter = ["study"]
    list_select_related = ["study", "made_by"]
    search_fields = ["name", "sha256"]
    search_help_text = _("Name or hash")
    ordering = ["-pk"]
    row_page = release_page.show
    empty_title = _("No release yet")
    empty_text = _("A release freezes a study’s accepted responses as a dataset with its splits.")
    empty_next = (_("Build a release"), "admin:annotation_release_build")
    change_list_template = "admin/annotation/release/change_list.html"

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "build/": ("annotation_release_build", release_build.build),
            "withdraw/": ("annotation_release_withdraw", release_withdrawal.withdraw),
            "study/<int:study_pk>/": ("annotation_release_of_study", release_page.of_study),
            "<int:object_id>/pack/": ("annotation_release_pack", release_page.pack),
            "<int:object_id>/verify/": ("annotation_release_verify", release_page.verify),
            "<int:object_id>/download/": ("annotation_release_download", release_page.download),
        }

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_build = request.user.has_perm(release_build.BUILD_PERMISSION)
        return super().changelist_view(request, {**(extra_context or {}), "may_build": may_build})

    @admin.display(description=_("rows"))
    def rows(self, release: Release) -> str:
        return number_format(release.statistics["tuples"], force_grouping=True)

    @admin.display(description=_("stories"))
    def stories(self, release: Release) -> str:
        return number_format(release.statistics["stories"], force_grouping=True)

    @admin.display(description=_("withheld"))
    def withheld(self, release: Release) -> str:
        return number_format(release.statistics["withheld"], force_grouping=True)

    @admin.display(description=_("hash"))
    def digest(self, release: Release) -> str:
        return release.sha256[:12]

    @admin.display(description=_("made"), ordering="made_at")
    def when(self, release: Release) -> str:
        return moment(release.made_at)


study_parts.register(
    StudyPart(_("Releases"), "admin:annotation_release_of_study", release_page.SEE)
)
