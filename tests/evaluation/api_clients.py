"""Programs that ask the API for somebody."""

from django.test import Client

from config.tokens import make_token
from studies.models import Study, StudyRole
from tests.studies.members import make_member

API = "/api/v1"


def client_of(study: Study, name: str, role: StudyRole = StudyRole.RESEARCHER) -> Client:
    _token, secret = make_token(user=make_member(study, role=role, name=name), label="test")
    return Client(headers={"Authorization": f"Bearer {secret}"})
