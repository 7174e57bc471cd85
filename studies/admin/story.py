from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from studies.admin import story_import, story_page
from studies.admin.base import Page, ReadOnlyAdmin
from studies.models import Story, Task


class LengthFilter(admin.SimpleListFilter):
    """Finds the stories whose sentences may need a split or a merge."""

    title = _("number of sentences")
    parameter_name = "sentences"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("-3", _("3 or fewer")),
            ("4", _("4")),
            ("5", _("5")),
            ("6", _("6")),
            ("7-", _("7 or more")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Story]) -> QuerySet[Story]:
        match self.value():
            case "-3":
                return queryset.filter(sentences__len__lte=3)
            case "7-":
                return queryset.filter(sentences__len__gte=7)
            case "4" | "5" | "6" as exact:
                return queryset.filter(sentences__len=int(exact))
        return queryset


class UseFilter(admin.SimpleListFilter):
    title = _("use")
    parameter_name = "used"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("in a round")), ("no", _("not used yet"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Story]) -> QuerySet[Story]:
        used = Exists(Task.objects.filter(story=OuterRef("pk")))
        match self.value():
            case "yes":
                return queryset.filter(used)
            case "no":
                return queryset.filter(~used)
        return queryset


@admin.register(Story)
class StoryAdmin(ReadOnlyAdmin):
    """Stories come from files; only the ends of their sentences are changed here."""

    list_display = ["name", "external_id", "begins", "length", "study", "source"]
    list_filter = ["study", LengthFilter, UseFilter]
    list_select_related = ["study"]
    search_fields = ["external_id", "title"]
    search_help_text = _("Story id or title")
    ordering = ["pk"]
    row_page = story_page.show
    change_list_template = "admin/studies/story/change_list.html"
    empty_title = _("No story yet")
    empty_text = _("Import a file; nothing is stored before you have seen what would happen.")
    empty_next = (_("Import stories"), "admin:studies_story_import")

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        return {
            "import/": ("studies_story_import", story_import.upload),
            "import/<int:job_id>/": ("studies_story_import_checked", story_import.import_checked),
            "<int:object_id>/split/": ("studies_story_split", story_page.split),
            "<int:object_id>/merge/": ("studies_story_merge", story_page.merge),
        }

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_import = request.user.has_perm(story_import.PERMISSION)
        return super().changelist_view(request, {**(extra_context or {}), "may_import": may_import})

    @admin.display(description=_("story"), ordering="title")
    def name(self, story: Story) -> str:
        return str(story)

    @admin.display(description=_("begins"))
    def begins(self, story: Story) -> str:
        return story.sentences[0]

    @admin.display(description=_("sentences"), ordering="sentences__len")
    def length(self, story: Story) -> str:
        return str(len(story.sentences))
