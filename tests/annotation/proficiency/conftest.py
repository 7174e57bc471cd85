"""The marketplace as a study sees it, and people who are signed in."""

import pytest

from studies import mturk
from tests.studies_admin.conftest import (  # noqa: F401  # fixtures
    admin_user,
    client,
    staff_client,
    woken,
)


class Marketplace:
    """Remembers every call, and who holds the qualification."""

    def __init__(self) -> None:
        self.holders: set[str] = set()
        self.approved: list[str] = []
        self.is_down = False

    def create(self, *, name: str, description: str) -> str:
        self._answer()
        return "Q1"

    def grant(self, kind: str, worker: str) -> None:
        self._answer()
        self.holders.add(worker)

    def revoke(self, kind: str, worker: str) -> None:
        self._answer()
        self.holders.discard(worker)

    def approve(self, assignment: str, feedback: str) -> None:
        self._answer()
        self.approved.append(assignment)

    def _answer(self) -> None:
        if self.is_down:
            raise mturk.MarketplaceUnavailable("The marketplace does not answer.")


@pytest.fixture
def marketplace(monkeypatch: pytest.MonkeyPatch) -> Marketplace:
    market = Marketplace()
    monkeypatch.setattr(mturk, "create_qualification_type", market.create)
    monkeypatch.setattr(mturk, "grant_qualification", market.grant)
    monkeypatch.setattr(mturk, "revoke_qualification", market.revoke)
    monkeypatch.setattr(mturk, "approve", market.approve)
    return market
