from typing import Any

from django.core.management.base import CommandError, CommandParser

from config.models import ApiToken
from config.tokens import make_token, revoke_tokens
from studies.management.base import ReportCommand
from studies.services.members import NoSuchAccount, find_account


class Command(ReportCommand):
    help = "Make a token for the API, shown once; or, with --revoke, end those of this label."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("username", metavar="USERNAME", help="whose token it is")
        parser.add_argument("label", metavar="LABEL", help="what it is for")
        parser.add_argument("--revoke", action="store_true", help="end the tokens of this label")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            user = find_account(options["username"])
        except NoSuchAccount as error:
            raise CommandError(str(error)) from error
        label = options["label"]
        if options["revoke"]:
            count = revoke_tokens(tokens=ApiToken.objects.filter(user=user, label=label))
            text = f"{count} tokens revoked." if count != 1 else "The token is revoked."
            self.report({"revoked": count}, text, options)
            return
        _made, secret = make_token(user=user, label=label)
        text = f"The token is shown this once:\n{secret}"
        self.report({"account": user.get_username(), "token": secret}, text, options)
