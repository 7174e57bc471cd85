from decimal import Decimal

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from marketplace import ids
from marketplace.models.requester import Requester


class HITType(models.Model):
    """The properties that a group of HITs shares; workers find HITs by it.

    `fingerprint` is a hash of all properties, so that registering the same ones again gives the
    same HIT type. Its row is the lock of the group: whatever changes a HIT's counters takes it
    first, then the HIT, the assignment and the requester, in this order.
    """

    hit_type_id = models.CharField(
        _("HIT type id"), max_length=30, unique=True, default=ids.new_entity_id
    )
    group_id = models.CharField(
        _("group id"), max_length=30, unique=True, default=ids.new_entity_id
    )
    requester = models.ForeignKey(
        Requester,
        on_delete=models.PROTECT,
        related_name="hit_types",
        verbose_name=_("requester"),
        db_index=False,  # hit_type_unique_properties begins with it.
    )
    fingerprint = models.CharField(max_length=64, editable=False)
    title = models.CharField(_("title"), max_length=128)
    description = models.CharField(_("description"), max_length=2000)
    keywords = models.CharField(_("keywords"), max_length=1000, blank=True)
    reward_usd = models.DecimalField(
        _("reward"), max_digits=8, decimal_places=2, help_text=_("US dollars")
    )
    fee_usd = models.DecimalField(
        _("fee"),
        max_digits=8,
        decimal_places=2,
        help_text=_("US dollars, charged on top of each reward; fixed when the type is made."),
    )
    assignment_duration = models.DurationField(_("time allowed"))
    auto_approval_delay = models.DurationField(_("approved at the latest after"))
    # Counted with every acceptance: an index of it would have all others of the row written anew.
    available_count = models.PositiveBigIntegerField(
        _("open"), default=0, help_text=_("Assignments that can be accepted now, kept by counting.")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = _("HIT type")
        verbose_name_plural = _("HIT types")
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "fingerprint"], name="hit_type_unique_properties"
            ),
            models.CheckConstraint(
                condition=Q(reward_usd__gte=Decimal(0)), name="hit_type_reward_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(available_count__gte=0), name="hit_type_available_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def cost_usd(self) -> Decimal:
        """What one approved assignment costs the requester."""
        return self.reward_usd + self.fee_usd


class Comparator(models.TextChoices):
    LESS_THAN = "LessThan", _("less than")
    LESS_THAN_OR_EQUAL_TO = "LessThanOrEqualTo", _("at most")
    GREATER_THAN = "GreaterThan", _("more than")
    GREATER_THAN_OR_EQUAL_TO = "GreaterThanOrEqualTo", _("at least")
    EQUAL_TO = "EqualTo", _("exactly")
    NOT_EQUAL_TO = "NotEqualTo", _("anything but")
    EXISTS = "Exists", _("has it")
    DOES_NOT_EXIST = "DoesNotExist", _("does not have it")
    IN = "In", _("one of")
    NOT_IN = "NotIn", _("none of")


class ActionsGuarded(models.TextChoices):
    ACCEPT = "Accept", _("accepting")
    PREVIEW_AND_ACCEPT = "PreviewAndAccept", _("previewing and accepting")
    DISCOVER_PREVIEW_AND_ACCEPT = (
        "DiscoverPreviewAndAccept",
        _("finding, previewing and accepting"),
    )


class QualificationRequirement(models.Model):
    """What a worker must have, and for which actions, before HITs of the type are open to them."""

    hit_type = models.ForeignKey(HITType, on_delete=models.CASCADE, related_name="requirements")
    position = models.PositiveSmallIntegerField()
    # Not a foreign key: system qualifications have fixed ids and no row.
    qualification_type_id = models.CharField(max_length=64)
    comparator = models.CharField(max_length=24, choices=Comparator)
    integer_values = ArrayField(models.IntegerField(), default=list, blank=True)
    # "US" or "US-CA".
    locale_values = ArrayField(models.CharField(max_length=6), default=list, blank=True)
    actions_guarded = models.CharField(
        max_length=24, choices=ActionsGuarded, default=ActionsGuarded.ACCEPT
    )

    class Meta:
        ordering = ["hit_type", "position"]
        verbose_name = _("qualification requirement")
        verbose_name_plural = _("qualification requirements")
        constraints = [
            models.UniqueConstraint(
                fields=["hit_type", "position"], name="requirement_unique_position"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.qualification_type_id} {self.comparator}"
