"""How notifications and assignments stand, as figures for Prometheus; read when it asks."""

from collections.abc import Iterator

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from marketplace.models import Assignment, Notification


def families() -> Iterator[Metric]:
    waiting = Notification.objects.filter(delivered_at=None, given_up_at=None).aggregate(
        n=Count("pk"), oldest=Min("event_at")
    )
    age = (timezone.now() - waiting["oldest"]).total_seconds() if waiting["oldest"] else 0.0
    yield GaugeMetricFamily(
        "fabula_notifications_waiting", "Notifications not delivered yet.", value=waiting["n"]
    )
    yield GaugeMetricFamily(
        "fabula_notification_oldest_waiting_seconds",
        "Age of the oldest notification not delivered yet.",
        value=age,
    )
    yield GaugeMetricFamily(
        "fabula_assignments_held",
        "Assignments that workers have accepted and not ended.",
        value=Assignment.objects.filter(status=Assignment.Status.ACCEPTED).count(),
    )
