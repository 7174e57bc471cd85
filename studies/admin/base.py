"""What the studies' admin pages share."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from database.bounded_lists import BoundedList
from studies import task_types
from studies.models import Participant

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin as DjangoModelAdmin
    from django.utils.functional import _StrPromise

    UnfoldModelAdmin = DjangoModelAdmin[Any]
else:
    from unfold.admin import ModelAdmin as UnfoldModelAdmin

M = TypeVar("M", bound=Model)


class ModelAdmin(BoundedList, UnfoldModelAdmin):
    """An unfold ModelAdmin with pages of its own, and words for a list that is empty.

    The empty words are shown when there is no row at all; "next" is (text, url name) or None.
    """

    empty_title: "str | _StrPromise" = ""
    empty_text: "str | _StrPromise" = ""
    empty_next: "tuple[str | _StrPromise, str] | None" = None

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


def find(rows: type[M] | QuerySet[M], pk: Any) -> M:
    """The row of that id, or 404: also for an address that is no number."""
    if not str(pk).isdecimal():
        raise Http404
    return get_object_or_404(rows, pk=int(pk))


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
