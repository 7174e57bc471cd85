from typing import Any

from marketplace.models import Requester
from marketplace.protocol.registry import Answer, Call, operation


@operation("GetAccountBalance")
def get_account_balance(call: Call[dict[str, Any]]) -> Answer:
    """What is free to be spent; funds that published HITs may cost are on hold."""
    requester = Requester.objects.get(pk=call.requester.pk)
    return {
        "AvailableBalance": requester.available_usd,
        "OnHoldBalance": requester.on_hold_usd,
    }
