import json
from decimal import Decimal
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from marketplace.models import AccessKey, Requester
from marketplace.services.funds import credit_requester


class Command(BaseCommand):
    help = (
        "Make a requester with a key and funds, or bring the one of that name to these values. "
        "Prints what its client needs; repeat it safely."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--access-key-id")
        parser.add_argument("--secret-access-key")
        parser.add_argument("--signing-secret")
        parser.add_argument(
            "--balance", type=Decimal, help="US dollars; adds what is missing to reach it"
        )

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> str:
        requester, _ = Requester.objects.get_or_create(name=options["name"])
        if options["signing_secret"]:
            requester.signing_secret = options["signing_secret"]
            requester.save(update_fields=["signing_secret"])
        key = self._key(requester, options["access_key_id"], options["secret_access_key"])
        if options["balance"] is not None and options["balance"] > requester.balance_usd:
            missing = options["balance"] - requester.balance_usd
            credit_requester(requester=requester, amount_usd=missing, note="create_requester")
        return json.dumps(
            {
                "MTURK_ACCESS_KEY_ID": key.access_key_id,
                "MTURK_SECRET_ACCESS_KEY": key.secret_access_key,
                "MTURK_SIGNING_SECRET": requester.signing_secret,
            }
        )

    def _key(self, requester: Requester, key_id: str | None, secret: str | None) -> AccessKey:
        if key_id is None:
            return requester.keys.filter(is_active=True).first() or AccessKey.objects.create(
                requester=requester
            )
        values: dict[str, Any] = {"requester": requester, "is_active": True}
        if secret:
            values["secret_access_key"] = secret
        key, _ = AccessKey.objects.update_or_create(access_key_id=key_id, defaults=values)
        return key
