"""What the views of the API share: who may come in, and whose study it is."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.views import APIView

from studies.access import visible_rows, visible_studies
from studies.api.permission import IsStaffWithPermission
from studies.api.problems import refuse_text
from studies.log_context import AUDIT_DETAIL
from studies.models import Study, StudyRole

M = TypeVar("M", bound=Model)


class ApiView(APIView):
    """`needs`: the permissions by method. Only rows of the person's own studies are found.
    `refuses_reading`: a service may refuse what is asked by GET, too.
    """

    permission_classes = (IsStaffWithPermission,)
    needs: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    refuses_reading: ClassVar[bool] = False

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        view = super().as_view(**initkwargs)
        setattr(view, "dress", refuse_text)  # noqa: B010
        return view

    @property
    def user(self) -> User:
        user = self.request.user
        assert isinstance(user, User), "the permission has seen to it"
        return user

    @property
    def study(self) -> Study:
        return self.found(
            visible_studies(self.user, StudyRole.RESEARCHER), slug=self.kwargs["study"]
        )

    def visible(self, rows: QuerySet[M]) -> QuerySet[M]:
        return visible_rows(self.user, rows, StudyRole.RESEARCHER)

    def found(self, rows: QuerySet[M], **named: Any) -> M:
        row = rows.filter(**named).first()
        if row is None:
            raise Http404
        return row

    def given(
        self, kind: type[serializers.Serializer[Any]], *, partial: bool = False
    ) -> dict[str, Any]:
        """The body, as the serializer reads it."""
        reader = kind(data=self.request.data, partial=partial)
        reader.is_valid(raise_exception=True)
        return dict(reader.validated_data)

    def tell_audit(self, changed: Iterable[str]) -> None:
        """Which fields were sent stands in the audit log's entry for this request."""
        names = _("Changed: %(fields)s") % {"fields": ", ".join(sorted(changed))}
        setattr(self.request._request, AUDIT_DETAIL, [names])

    def asked(self, kind: type[serializers.Serializer[Any]]) -> dict[str, Any]:
        """The query, as the serializer reads it."""
        reader = kind(data=self.request.query_params)
        reader.is_valid(raise_exception=True)
        return dict(reader.validated_data)
