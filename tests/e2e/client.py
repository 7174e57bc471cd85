"""A browser without a screen: cookies, redirects and forms over real HTTP."""

import re
from dataclasses import dataclass
from html import unescape
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, Request, build_opener

TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Page:
    status: int
    url: str
    text: str

    def field(self, name: str) -> str:
        """The value of the first hidden input of that name."""
        tag = re.search(rf'<input[^>]*name="{re.escape(name)}"[^>]*>', self.text)
        value = tag and re.search(r'value="([^"]*)"', tag.group())
        assert value, f"no field {name} on {self.url}:\n{self.text[:2000]}"
        return unescape(value.group(1))

    @property
    def frame(self) -> str:
        """The address that the page frames."""
        found = re.search(r'<iframe[^>]*\bsrc="([^"]+)"', self.text)
        assert found, f"no frame on {self.url} ({self.status}):\n{self.text[:2000]}"
        return unescape(found.group(1))


class Client:
    """One person's session. Without a base address for pages in a frame, which need no cookies."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.jar = CookieJar()
        self.opener = build_opener(HTTPCookieProcessor(self.jar))

    def get(self, address: str) -> Page:
        return self._open(Request(urljoin(self.base, address)))

    def post(self, address: str, fields: dict[str, Any]) -> Page:
        body = urlencode(fields, doseq=True).encode()
        url = urljoin(self.base, address)
        return self._open(Request(url, body, headers={"Referer": url}))

    def _open(self, request: Request) -> Page:
        try:
            with self.opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                return Page(response.status, response.url, response.read().decode())
        except HTTPError as error:
            with error:
                return Page(error.code, error.url, error.read().decode())

    def join(self, invitation: str, name: str) -> None:
        """Follow an invitation and become a worker."""
        page = self.get(invitation)
        fields = {
            "csrfmiddlewaretoken": page.field("csrfmiddlewaretoken"),
            "attempt": page.field("attempt"),
            "display_name": name,
        }
        joined = self.post(invitation, fields)
        assert joined.status == 200, joined.text[:2000]
        self.csrf = page.field("csrfmiddlewaretoken")

    def accept(self, group_id: str, token: str) -> Page:
        return self.post(
            f"/worker/groups/{group_id}/accept/",
            {"csrfmiddlewaretoken": token, "accepts_next_shown": "1"},
        )
