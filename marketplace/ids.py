"""Identifiers and secrets, in the shapes that MTurk's clients expect."""

import secrets
import string

CAPITALS_AND_DIGITS = string.ascii_uppercase + string.digits


def random_id(length: int) -> str:
    """So many letters and digits, from one draw: a draw for each would cost more than the rest."""
    base = len(CAPITALS_AND_DIGITS)
    number = secrets.randbelow(base**length)
    drawn = ""
    for _ in range(length):
        number, place = divmod(number, base)
        drawn += CAPITALS_AND_DIGITS[place]
    return drawn


def new_entity_id() -> str:
    """30 characters, for HITs, HIT types, groups, qualification types and assignments.

    An assignment's id is also what allows its answers to be submitted: it must not be guessable.
    """
    return "3" + random_id(29)


def new_worker_id() -> str:
    return "A" + random_id(13)


def new_requester_id() -> str:
    return "A" + random_id(13)


def new_access_key_id() -> str:
    return "FABULA" + random_id(14)


def new_secret() -> str:
    # No dash: where it is an argument of a command, it is not taken for an option.
    return secrets.token_hex(20)


def new_invitation_token() -> str:
    return secrets.token_urlsafe(24)
