"""What a worker must be to see a task: QualificationRequirements in MTurk's own terms."""

from typing import Any

APPROVED_HITS = "00000000000000000040"
APPROVAL_RATE = "000000000000000000L0"
LOCALE = "00000000000000000071"
GUARD_ALL = "DiscoverPreviewAndAccept"


def requirement(
    qualification_type_id: str,
    comparator: str,
    *,
    integers: list[int] | None = None,
    countries: list[str] | None = None,
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if integers is not None:
        values["IntegerValues"] = integers
    if countries is not None:
        values["LocaleValues"] = [{"Country": country} for country in countries]
    return {
        "QualificationTypeId": qualification_type_id,
        "Comparator": comparator,
        "ActionsGuarded": GUARD_ALL,
        **values,
    }
