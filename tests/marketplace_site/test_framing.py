import pytest

from marketplace.site.framing import origin_of


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://tasks.example.org/open?x=1", "https://tasks.example.org"),
        ("https://Tasks.Example.org:8443/", "https://tasks.example.org:8443"),
        ("http://127.0.0.1:8000/task/", "http://127.0.0.1:8000"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("https://someone:secret@example.org/", "https://example.org"),
        ("https://bücher.example/", "https://xn--bcher-kva.example"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org;script-src */",
        "https://example.org script-src/",
        "https://example.org,*/",
        "https://*.example.org/",
        "https://example.org:port/",
        "javascript:alert(1)",
        "https:///nowhere",
        "https://" + "a" * 70 + ".example/",
    ],
)
def test_what_could_change_the_policy_has_no_origin(url: str) -> None:
    assert origin_of(url) == ""
