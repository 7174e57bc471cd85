"""JSON is read whole or refused in a sentence, wherever people send some."""

import pytest

from evaluation.strict_json import BadJson, read_json

NOT_READ = [
    ("{", "look at line 1"),
    ('{\n"a": 1,\n}', "look at line 3"),
    ("NaN", "NaN is no value"),
    (b'"\xff"', "not in UTF-8"),
    ("[" * 100_000, "nested too deeply"),
    ("[" * 900 + "]" * 900, "nested too deeply"),
    ("[" * 60 + "]" * 60, "nested too deeply"),
    ("1" * 5000, "a number too long"),
    ("[1e400]", "too large"),
    ('{"a": ["\\u0000"]}', "NUL"),
    ('{"\\ud800": 1}', "surrogate"),
]


@pytest.mark.parametrize(("text", "says"), NOT_READ, ids=[says for _text, says in NOT_READ])
def test_what_cannot_be_read_or_stored_is_refused(text: str | bytes, says: str) -> None:
    with pytest.raises(BadJson, match=says):
        read_json(text)


def test_all_else_is_read_as_it_is() -> None:
    assert read_json('{"a": [1, 2.5, null, "Ä\\n"]}') == {"a": [1, 2.5, None, "Ä\n"]}
    assert read_json(b'"\xc3\x84"') == "Ä"
