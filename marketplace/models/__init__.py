from marketplace.models.assignment import Assignment
from marketplace.models.block import WorkerBlock
from marketplace.models.bonus import Bonus
from marketplace.models.hit import HIT
from marketplace.models.hit_type import HITType, QualificationRequirement
from marketplace.models.ledger import LedgerEntry
from marketplace.models.message import Message
from marketplace.models.notification import (
    Notification,
    NotificationDestination,
    NotificationSetting,
)
from marketplace.models.qualification import QualificationGrant, QualificationType
from marketplace.models.request_token import RequestToken
from marketplace.models.requester import AccessKey, Requester
from marketplace.models.worker import Invitation, Worker

__all__ = [
    "HIT",
    "AccessKey",
    "Assignment",
    "Bonus",
    "HITType",
    "Invitation",
    "LedgerEntry",
    "Message",
    "Notification",
    "NotificationDestination",
    "NotificationSetting",
    "QualificationGrant",
    "QualificationRequirement",
    "QualificationType",
    "RequestToken",
    "Requester",
    "Worker",
    "WorkerBlock",
]
