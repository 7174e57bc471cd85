"""What the studies' admin pages share."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib.admin import FieldListFilter, RelatedFieldListFilter
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from database.bounded_lists import BoundedList
from studies import task_types
from studies.access import is_of_a_study, visible_rows
from studies.models import Participant, StudyRole

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as DjangoModelAdmin
    from django.utils.functional import _StrPromise

    UnfoldModelAdmin = DjangoModelAdmin[Any]
else:
    from unfold.admin import ModelAdmin as UnfoldModelAdmin

M = TypeVar("M", bound=Model)
# Takes the admin, the request, and what its address holds.
Page = Callable[..., HttpResponseBase]
# How the page of a study asks for a list of what is in it.
OF_A_STUDY = frozenset({"study", "study__id__exact"})


class ModelAdmin(BoundedList, UnfoldModelAdmin):
    """An unfold ModelAdmin with pages of its own, and words for a list that is empty.

    Rows that belong to a study are there for its researchers alone: in the list, its search and
    actions, on the pages of a row, and where a form or a filter offers rows to choose from. To
    others they are not found. Pages of our own get their rows from `visible` and `find`.

    The empty words are shown when there is no row at all, or none of the study that the list is of;
    "next" is (text, url name) or None.
    `row_page`, where it is set, is the page of a row.
    """

    empty_title: "str | _StrPromise" = ""
    empty_text: "str | _StrPromise" = ""
    empty_next: "tuple[str | _StrPromise, str] | None" = None
    row_page: Any = None
    change_list_template = "admin/studies/change_list.html"

    def own_pages(self) -> dict[str, tuple[str, Page]]:
        """Pages of our own: address below the list's, name, and what shows it."""
        return {}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path(address, view(partial(page, self)), name=name)
            for address, (name, page) in self.own_pages().items()
        ]
        return [*own, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        shown = {
            # Django's own speaks of selecting.
            "title": capfirst(self.opts.verbose_name_plural),
            "narrowed": not OF_A_STUDY.issuperset(request.GET),
        }
        return super().changelist_view(request, shown | (extra_context or {}))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if self.row_page is not None:
            shown: HttpResponse = self.row_page(request, object_id)
            return shown
        return super().change_view(request, object_id, form_url, extra_context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return visible(request, super().get_queryset(request))

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        found = super().get_object(request, object_id, from_field)
        if found is None:
            raise Http404
        return found

    def get_field_queryset(self, db: Any, db_field: Any, request: HttpRequest) -> Any:
        rows = super().get_field_queryset(db, db_field, request)
        if rows is None:
            rows = db_field.remote_field.model._default_manager.all()
        return visible(request, rows)

    def page(
        self, request: HttpRequest, template: str, *, title: str, status: int = 200, **context: Any
    ) -> TemplateResponse:
        """One of our own pages in the admin's frame."""
        request.current_app = self.admin_site.name
        return TemplateResponse(
            request,
            template,
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "model_admin": self,
                "title": title,
                "media": self.media,
                **context,
            },
            status=status,
        )


class ReadOnlyAdmin(ModelAdmin):
    """Rows that only services write: the admin shows them."""

    actions_on_top = True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def require(request: HttpRequest, *permissions: str) -> AbstractUser:
    """The signed-in person, who has these permissions. Raises PermissionDenied."""
    user = request.user
    if not isinstance(user, AbstractUser) or not user.has_perms(permissions):
        raise PermissionDenied
    return user


class VisibleFilter(RelatedFieldListFilter):
    """Offers the rows that the person may see."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        return field.get_choices(
            include_blank=False,
            ordering=self.field_admin_ordering(field, request, model_admin),
            limit_choices_to={"pk__in": visible(request, field.related_model)},
        )


def _leads_to_a_study(field: Any) -> bool:
    return bool(field.is_relation) and is_of_a_study(field.related_model)


FieldListFilter.register(_leads_to_a_study, VisibleFilter, take_priority=True)


def visible(request: HttpRequest, rows: type[M] | QuerySet[M]) -> QuerySet[M]:
    """Those of the rows that this person may see as a researcher; rows of no study are all seen."""
    found = rows if isinstance(rows, QuerySet) else rows._default_manager.all()
    if not is_of_a_study(found.model):
        return found
    return visible_rows(request.user, found, StudyRole.RESEARCHER)


def find(request: HttpRequest, rows: type[M] | QuerySet[M], pk: Any) -> M:
    """The visible row of that id, or 404: also for an address that is no number."""
    if not str(pk).isdecimal():
        raise Http404
    return get_object_or_404(visible(request, rows), pk=int(pk))


def task_name(slug: str) -> str:
    """The task type's name; a type that is not installed any more keeps its slug."""
    try:
        return gettext(task_types.get(slug).name)
    except task_types.UnknownTaskType:
        return slug


def moment(at: datetime | None) -> str:
    """A time that the page shows in the reader's own time zone; UTC where scripts are off."""
    if at is None:
        return "–"
    text = f"{date_format(localtime(at), 'j M Y, H:i')}"
    return format_html('<time class="st-time" datetime="{}">{}</time>', at.isoformat(), text)


def badge(style: str, words: Any) -> str:
    """A state as a coloured word; admin-studies.css has the styles."""
    return format_html('<span class="st-badge st-{}">{}</span>', style, words)


def one_line(text: str) -> str:
    return format_html('<span class="st-time">{}</span>', text)


def name_of(participant: Participant | None) -> str:
    """The worker's pseudonym."""
    return one_line(participant.pseudonym if participant else str(_("unknown")))
