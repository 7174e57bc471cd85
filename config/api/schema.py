"""The OpenAPI document: what every operation can answer besides what it was asked for."""

from typing import Any

from drf_spectacular.openapi import AutoSchema as SpectacularSchema
from rest_framework import serializers

from studies.api.problems import CONTENT_TYPE

ALWAYS = {
    "400": "Something that was sent is not right.",
    "401": "Nobody is signed in, or the token is not known.",
    "403": "You may not do this.",
    "404": "There is nothing at this address for you.",
    "405": "This address takes other methods.",
    "406": "This is not to be had in the form asked for.",
    "503": "The database does not answer for the moment.",
}
WITH_A_BODY = {
    "413": "This is more than can be sent.",
    "415": "This takes a body of another type.",
}
REFUSED = {"422": "What is asked for is refused; `detail` says why."}


class Problem(serializers.Serializer[Any]):
    """What went wrong, in words (RFC 9457)."""

    type = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()), required=False
    )


class AutoSchema(SpectacularSchema):
    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        problem = self.resolve_serializer(Problem, "response").ref
        described = ALWAYS | ({} if self.method == "GET" else WITH_A_BODY | REFUSED)
        if getattr(self.view, "refuses_reading", False):
            described |= REFUSED
        for status, words in described.items():
            content = {CONTENT_TYPE: {"schema": problem}}
            bodies.setdefault(status, {"content": content, "description": words})
        return bodies
