from functools import cache
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst

from studies.models import Membership
from studies.services.members import accounts_with_a_role

if TYPE_CHECKING:
    from django.contrib.admin import TabularInline as DjangoTabularInline
    from django.forms.models import BaseInlineFormSet

    TabularInline = DjangoTabularInline[Any, Any]
    InlineFormSet = BaseInlineFormSet[Any, Any, Any]
else:
    from unfold.admin import TabularInline
    from unfold.forms import PaginationInlineFormSet as InlineFormSet


class MembershipFormSet(InlineFormSet):
    """A row that somebody else has removed since the page was opened stays removed."""

    def _existing_object(self, pk: Any) -> Any:
        """Of a removed row a new one, which is never saved: Django would take another row."""
        return super()._existing_object(pk) or self.model()  # type: ignore[misc]

    def _should_delete_form(self, form: Any) -> bool:
        is_gone = form in self.initial_forms and form.instance.pk is None
        return is_gone or super()._should_delete_form(form)  # type: ignore[misc]


class MembershipInline(TabularInline):
    """On a study's page: its researchers add members, whoever may change memberships all else."""

    model = Membership
    formset = MembershipFormSet
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return super().get_queryset(request).select_related("user")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """With a name for those who do not see the head of the column."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            field.widget.attrs["aria-label"] = capfirst(db_field.verbose_name)
        return field

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Workers have accounts, too: nobody has to learn of them to choose a colleague."""
        colleagues = _colleagues(request)
        field: Any = super().formfield_for_foreignkey(
            db_field, request, **kwargs | {"queryset": colleagues}
        )
        # Read once for all rows.
        field.choices = cache(lambda: [("", "–"), *((one.pk, one.username) for one in colleagues)])
        return field


def _colleagues(request: Any) -> QuerySet[User]:
    """Found once for a page, which asks for its form several times."""
    if not hasattr(request, "fabula_colleagues"):
        request.fabula_colleagues = accounts_with_a_role()
    found: QuerySet[User] = request.fabula_colleagues
    return found
