import json
from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from marketplace.limits import MOST_USD
from marketplace.management.base import checked
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
            "--balance", type=usd, help="US dollars; adds what is missing to reach it"
        )

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> str:
        if options["secret_access_key"] and options["access_key_id"] is None:
            raise CommandError("--secret-access-key is of a key: name it with --access-key-id.")
        requester = Requester.objects.filter(name=options["name"]).first()
        if requester is None:
            requester = Requester(name=options["name"])
            checked(requester).save()
        if options["signing_secret"]:
            requester.signing_secret = options["signing_secret"]
            checked(requester).save(update_fields=["signing_secret"])
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
        key = AccessKey.objects.filter(access_key_id=key_id).first() or AccessKey(
            access_key_id=key_id
        )
        key.requester, key.is_active = requester, True
        if secret:
            key.secret_access_key = secret
        checked(key).save()
        return key


def usd(text: str) -> Decimal:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount <= MOST_USD or amount != round(amount, 2):
        raise ArgumentTypeError(f"“{text}” is not an amount in US dollars, such as 100 or 0.35.")
    return amount
