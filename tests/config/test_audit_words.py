import pytest

from config.audit_words import action_words


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("studies_round_pause", "Round paused"),
        ("studies_study_change", "Study changed"),
        ("auth_user_delete", "User deleted"),
        (
            "marketplace_requester_changelist make_key",
            "Requesters: Make a key (its secret is shown once)",
        ),
        ("auth_user_changelist delete_selected", "Users: Delete selected users"),
        ("signed in", "Signed in"),
    ],
)
def test_an_action_is_said_in_words(action: str, words: str) -> None:
    assert action_words(action) == words


@pytest.mark.parametrize(
    "action", ["manage.py launch_round", "Studies_round_melt", "Gone_model_change"]
)
def test_a_command_and_what_is_not_known_stay_as_they_are(action: str) -> None:
    assert action_words(action).lower() == action.lower()
