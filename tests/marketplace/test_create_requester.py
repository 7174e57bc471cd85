import io
import json

import pytest
from django.core.management import CommandError, call_command

from marketplace.models import Requester

pytestmark = pytest.mark.django_db


def create(*arguments: str) -> dict[str, str]:
    out = io.StringIO()
    call_command("create_requester", *arguments, stdout=out)
    made: dict[str, str] = json.loads(out.getvalue())
    return made


def test_made_again_it_has_the_same_key_and_what_is_missing_of_the_funds() -> None:
    made = create("My lab", "--balance", "100")

    assert create("My lab", "--balance", "150.50") == made
    assert create("My lab", "--balance", "20") == made
    assert str(Requester.objects.get().balance_usd) == "150.50"


def test_a_given_key_moves_to_the_requester_named_last() -> None:
    given = ("--access-key-id", "FABULAKEY", "--secret-access-key", "a secret")
    create("One", *given)

    made = create("Two", *given, "--signing-secret", "signs")

    assert made == {
        "MTURK_ACCESS_KEY_ID": "FABULAKEY",
        "MTURK_SECRET_ACCESS_KEY": "a secret",
        "MTURK_SIGNING_SECRET": "signs",
    }
    assert [key.requester.name for key in Requester.objects.get(name="Two").keys.all()] == ["Two"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("x" * 101,), "name: "),
        (("",), "name: "),
        (("Lab", "--signing-secret", "x" * 65), "signing_secret: "),
        (("Lab", "--access-key-id", "x" * 129), "access_key_id: "),
        (("Lab", "--access-key-id", "x", "--secret-access-key", "x" * 129), "secret_access_key: "),
        *((("Lab", "--balance", amount), "amount in US dollars") for amount in ("ten", "NaN")),
        *((("Lab", "--balance", amount), "amount in US dollars") for amount in ("1e15", "0.001")),
        (("Lab", "--balance", "1e400"), "amount in US dollars"),
        (("Lab", "--secret-access-key", "x"), "name it with --access-key-id"),
    ],
)
def test_what_cannot_be_kept_is_named_and_nothing_is_made(
    arguments: tuple[str, ...], named: str
) -> None:
    with pytest.raises(CommandError, match=named):
        create(*arguments)

    assert not Requester.objects.exists()
