"""The page at /metrics, read as Prometheus would."""

from typing import Any

from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

TOKEN = "a-token-that-nobody-guesses"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}


class Figures:
    def __init__(self, text: str) -> None:
        self.families = list(text_string_to_metric_families(text))
        self.samples = [sample for family in self.families for sample in family.samples]

    def value(self, name: str, **labels: str) -> float:
        """The one sample of this name with these labels; 0 where nothing was counted yet."""
        found = [s.value for s in self.samples if s.name == name and s.labels == labels]
        assert len(found) < 2, found
        return found[0] if found else 0.0

    def names(self) -> set[str]:
        return {sample.name for sample in self.samples}

    def labels(self, name: str) -> set[str]:
        return {value for s in self.samples if s.name == name for value in s.labels.values()}


def scrape(client: Client, **more: Any) -> Figures:
    response = client.get("/metrics", headers=AUTHORIZED, **more)
    assert response.status_code == 200
    return Figures(response.content.decode())
