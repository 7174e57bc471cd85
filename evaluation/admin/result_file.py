from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from evaluation.admin import result_page, result_upload
from evaluation.models import Rating, ResultFile
from studies.admin.base import Page, ReadOnlyAdmin, badge, moment

RATINGS_OF_FILE = (
    Rating.objects.filter(item__result_file=OuterRef("pk"))
    .order_by()
    .values("item__result_file")
    .annotate(n=Count("pk"))
    .values("n")
)


@admin.register(ResultFile)
class ResultFileAdmin(ReadOnlyAdmin):
    """Files of ratings made elsewhere, and how their columns were read."""

    list_display = ["name", "study", "instrument", "system", "brought", "state"]
    list_display += ["imported_by", "when"]
    list_filter = ["study", "instrument"]
    list_select_related = ["study", "instrument", "imported_by"]
    search_fields = ["name", "system", "sha256"]
    search_help_text = _("File, system or hash")
    ordering = ["-pk"]
    row_page = result_page.show
    empty_title = _("No ratings imported yet")
    empty_text = _("Ratings that were made on MTurk come in from its batch result files.")
    empty_next = (_("Import ratings"), "admin:evaluation_results_upload")
    change_list_template = "admin/evaluation/result_file/change_list.html"

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "upload/": ("evaluation_results_upload", result_upload.upload),
            "preview/<str:kept>/": ("evaluation_results_preview", result_upload.preview),
            "import/<str:kept>/": ("evaluation_results_import", result_upload.start_import),
            "<int:object_id>/withdraw/": ("evaluation_results_withdraw", result_page.withdraw),
        }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: Any = super().get_queryset(request)
        counted: QuerySet[Any] = rows.annotate(n_ratings=Subquery(RATINGS_OF_FILE))
        return counted

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_import = request.user.has_perm(result_upload.IMPORT)
        context = {**(extra_context or {}), "may_import": may_import}
        return super().changelist_view(request, context)

    @admin.display(description=_("ratings"))
    def brought(self, file: Any) -> Any:
        return file.n_ratings or 0

    @admin.display(description=_("state"))
    def state(self, file: ResultFile) -> str:
        return (
            badge("good", _("counts")) if file.withdrawn_at is None else badge("", _("withdrawn"))
        )

    @admin.display(description=_("imported"), ordering="imported_at")
    def when(self, file: ResultFile) -> str:
        return moment(file.imported_at)
