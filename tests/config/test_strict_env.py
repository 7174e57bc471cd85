"""A variable that cannot be meant is refused by its name, and no password is repeated."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.strict_env import StrictEnv

env = StrictEnv()
READERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "whole": (env.whole, 10),
    "seconds": (env.seconds, 60.0),
    "share": (env.share, "0.20"),
    "address": (env.address, "http://localhost:8000"),
    "addresses": (env.addresses, ["http://localhost:8000"]),
    "broker": (env.broker, "redis://localhost:6379/0"),
    "str": (env.str, "text"),
}


def read(monkeypatch: pytest.MonkeyPatch, reader: str, given: str) -> Any:
    monkeypatch.setenv("FABULA_X", given)
    method, default = READERS[reader]
    return method("FABULA_X", default=default)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("given", ["", "  "])
def test_an_empty_variable_is_one_that_is_not_set(
    monkeypatch: pytest.MonkeyPatch, reader: str, given: str
) -> None:
    assert read(monkeypatch, reader, given) == READERS[reader][1]


@pytest.mark.parametrize(
    ("reader", "given", "meant"),
    [
        ("whole", " 5 ", 5),
        ("seconds", " 0.5", 0.5),
        ("share", "0", "0"),
        ("share", "1.0 ", "1.0"),
        ("address", "https://work.example.org/ ", "https://work.example.org/"),
        ("addresses", "https://a.org, https://b.org:81,", ["https://a.org", "https://b.org:81"]),
        ("broker", "unix://:password@/run/valkey.sock?db=3", None),
        ("broker", "rediss://valkey", None),
    ],
)
def test_spaces_around_a_value_are_nobodys_wish(
    monkeypatch: pytest.MonkeyPatch, reader: str, given: str, meant: Any
) -> None:
    assert read(monkeypatch, reader, given) == (given if meant is None else meant)


@pytest.mark.parametrize(
    ("reader", "given"),
    [
        *(("whole", text) for text in ("abc", "-1", "1.5", "nan", "1e3", "9" * 20, "٣")),
        *(("seconds", text) for text in ("abc", "-1", "0", "nan", "inf", "9" * 20)),
        *(("share", text) for text in ("abc", "-0.1", "1.01", "nan", "1e400", "20%")),
        *(
            ("address", text)
            for text in ("work", "work.example.org:443", "ftp://a.org", "http://", "http://[::1")
        ),
        ("address", "http://localhost:eight"),
        ("addresses", "https://a.org,b.org"),
        ("broker", "localhost:6379"),
    ],
)
def test_what_cannot_be_meant_is_named(
    monkeypatch: pytest.MonkeyPatch, reader: str, given: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match="^FABULA_X is ") as refused:
        read(monkeypatch, reader, given)

    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("reader", "given"),
    [
        *(
            ("database", f"{text}")
            for text in (
                "postgresql://fabula:pa/5@s:word@host/fabula",
                "postgresql://fabula:pa55word@host:many/fabula",
                "postgresql://fabula:pa55word@host/",
                "mysql://fabula:pa55word@host/fabula",
                "pa55word",
            )
        ),
        ("broker", "redis://:pa/55word@host:6379/0"),
        ("broker", "redis://:pa55word@host:6379/first"),
        ("broker", "http://:pa55word@host"),
    ],
)
def test_an_address_with_a_password_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch, reader: str, given: str
) -> None:
    monkeypatch.setenv("FABULA_X", given)

    with pytest.raises(ImproperlyConfigured, match="^FABULA_X is not like ") as refused:
        getattr(env, reader)("FABULA_X", default="")

    assert "pa" not in str(refused.value).replace("password", "")


def test_a_database_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABULA_X", "postgresql://fabula:p%40ss%2Fw@host:5433/fabula ")

    parts = env.database("FABULA_X", default="")

    assert (parts["PASSWORD"], parts["PORT"], parts["NAME"]) == ("p@ss/w", 5433, "fabula")
