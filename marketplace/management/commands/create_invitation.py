from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from marketplace.management.base import checked
from marketplace.models import Invitation, Requester


class Command(BaseCommand):
    help = "Print an invitation link with which people become workers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("label", help="for whom it is meant")
        parser.add_argument("--requester", help="the name of the requester who invites")
        parser.add_argument("--max-uses", type=int)
        parser.add_argument(
            "--reuse", action="store_true", help="print the link of that label if there is one"
        )

    def handle(self, *args: Any, **options: Any) -> str:
        requester = None
        if options["requester"]:
            requester = Requester.objects.filter(name=options["requester"]).first()
            if requester is None:
                raise CommandError(f"There is no requester “{options['requester']}”.")
        if options["max_uses"] is not None and options["max_uses"] < 1:
            raise CommandError("--max-uses is at least 1.")
        label = options["label"]
        invitation = (
            Invitation.objects.filter(label=label, revoked_at=None).first()
            if options["reuse"]
            else None
        )
        if invitation is None:
            invitation = Invitation(label=label, requester=requester, max_uses=options["max_uses"])
            checked(invitation).save()
        return f"{settings.WORKER_SITE_URL}{reverse('worker-join', args=[invitation.token])}"
