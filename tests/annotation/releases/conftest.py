import pytest

from studies.models import Job
from tests.studies_admin.conftest import admin_user, client, staff_client

__all__ = ["admin_user", "client", "staff_client", "woken"]


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that would have been sent to a worker."""
    seen: list[Job] = []

    def keep(job: Job) -> Job:
        seen.append(job)
        return job

    monkeypatch.setattr("studies.tasks.wake", keep)
    return seen
