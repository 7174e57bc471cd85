"""Who works on a study."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from studies.api.base import ApiView
from studies.api.paging import PageQuery, page_of, page_schema
from studies.api.problems import Refused
from studies.models import Membership, StudyRole
from studies.services.members import accounts_with_a_role, add_member

TAGS = ["Members"]


class MemberSerializer(serializers.ModelSerializer[Membership]):
    account = serializers.CharField(source="user.username", max_length=150)

    class Meta:
        model = Membership
        fields = ("account", "role")


class NewMemberSerializer(serializers.Serializer[Any]):
    account = serializers.CharField(max_length=150, help_text="What they sign in as.")
    role = serializers.ChoiceField(StudyRole.choices)


class MembersView(ApiView):
    """Security: researchers of the study who may see members; by POST those who may add some. To
    change a member's role takes that permission, too."""

    needs = {"GET": ("studies.view_membership",), "POST": ("studies.add_membership",)}

    @extend_schema(
        operation_id="list_members",
        summary="Who works on a study",
        tags=TAGS,
        parameters=[PageQuery],
        responses={200: page_schema(MemberSerializer)},
    )
    def get(self, request: Request, study: str) -> Response:
        rows = self.study.memberships.select_related("user")
        return page_of(request, rows, MemberSerializer, self.asked(PageQuery))

    @extend_schema(
        operation_id="add_member",
        summary="Let a colleague work on the study",
        tags=TAGS,
        request=NewMemberSerializer,
        responses={200: MemberSerializer},
        examples=[
            OpenApiExample(
                "A reviewer", value={"account": "kim", "role": "reviewer"}, request_only=True
            )
        ],
    )
    def post(self, request: Request, study: str) -> Response:
        found, given = self.study, self.given(NewMemberSerializer)
        # Workers have accounts, too: nobody learns of them here.
        colleague = accounts_with_a_role().filter(username=given["account"], is_active=True).first()
        if colleague is None:
            raise Refused(_("There is no colleague “%(name)s”.") % {"name": given["account"]})
        others = found.memberships.filter(user=colleague).exclude(role=given["role"])
        if others.exists() and not self.user.has_perm("studies.change_membership"):
            raise PermissionDenied
        member = add_member(study=found, user=colleague, role=StudyRole(given["role"]))
        return Response(MemberSerializer(member).data)
