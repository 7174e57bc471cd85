"""Bounds that MTurk documents in words only; the service model does not carry them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """Of a number's value, a text's characters, or a list's members."""

    least: int
    most: int


YEAR = 365 * 24 * 3600
ANY = Bounds(-(2**63), 2**63)

BOUNDS: dict[str, Bounds] = {
    "MaxAssignments": Bounds(1, 1_000_000_000),
    "NumberOfAdditionalAssignments": Bounds(1, 1_000_000_000),
    "LifetimeInSeconds": Bounds(30, YEAR),
    "AssignmentDurationInSeconds": Bounds(30, YEAR),
    "AutoApprovalDelayInSeconds": Bounds(0, 30 * 24 * 3600),
    "RetryDelayInSeconds": Bounds(0, YEAR),
    "Title": Bounds(1, 128),
    "Description": Bounds(1, 2000),
    "Keywords": Bounds(0, 1000),
    "Name": Bounds(1, 200),
    "RequesterAnnotation": Bounds(0, 255),
    "RequesterFeedback": Bounds(0, 1024),
    "Reason": Bounds(0, 1024),
    "Subject": Bounds(1, 200),
    "MessageText": Bounds(1, 4096),
    "WorkerIds": Bounds(1, 100),
    "Destination": Bounds(1, 1000),
    "Version": Bounds(1, 20),
    "QualificationTypeId": Bounds(1, 64),
    "QualificationRequirements": Bounds(0, 10),
    "IntegerValues": Bounds(0, 15),
    "LocaleValues": Bounds(0, 30),
    "EventTypes": Bounds(1, 12),
}
