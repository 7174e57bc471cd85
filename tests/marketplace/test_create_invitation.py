import io

import pytest
from django.core.management import CommandError, call_command

from marketplace.models import Invitation

pytestmark = pytest.mark.django_db


def test_a_link_is_printed_and_printed_again() -> None:
    first, second = io.StringIO(), io.StringIO()
    call_command("create_invitation", "Friends", "--max-uses", "3", stdout=first)
    call_command("create_invitation", "Friends", "--reuse", stdout=second)

    invitation = Invitation.objects.get()
    assert invitation.max_uses == 3
    assert invitation.token in first.getvalue()
    assert first.getvalue() == second.getvalue()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["x" * 101], "label: .* at most 100 characters"),
        ([""], "label: This field cannot be blank"),
        (["Friends", "--max-uses", "0"], "at least 1"),
        (["Friends", "--max-uses", "9" * 20], "max_uses: .* less than or equal"),
        (["Friends", "--requester", "Nobody"], "There is no requester “Nobody”"),
    ],
)
def test_what_no_invitation_can_have_is_said_in_a_sentence(arguments: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        call_command("create_invitation", *arguments)

    assert not Invitation.objects.exists()
