"""One page or file for ``fetch``: from the vault, from hosts that the user has allowed, and from nowhere else.

Every address is checked anew, also one that a server redirects to. The size and the time of an answer are limited while
it is read, whatever the server said about them before.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urljoin, urlsplit

import httpx2
from msgspec import Meta

from penstock import CallerError, UpstreamError
from vault_server.notes import decode

if TYPE_CHECKING:
    import ssl

    from vault_server.vault import Vault

MAX_REDIRECTS: Final = 5  # A page is reached by at most 5 redirects; browsers allow 20.
HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s/:@\[\]]+)(?::[0-9]{1,5})?"
EXAMPLE: Final = "https://example.org/page.html"
PORTS: Final = {"http": 80, "https": 443}
HTML: Final = ("text/html", "application/xhtml+xml")
TEXTS: Final = ("text/", "application/json", "application/xml", "application/javascript", "application/yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The pages that may be fetched. ``hosts`` are names, with a port if it is not the usual one."""

    hosts: Annotated[
        tuple[Annotated[str, Meta(pattern=f"^{HOST}$")], ...],
        Meta(description="a list of hosts such as docs.python.org or 127.0.0.1:8080"),
    ] = ()
    max_bytes: Annotated[int, Meta(ge=1, le=100_000_000)] = 2_000_000
    seconds: Annotated[int, Meta(ge=1, le=600)] = 20


@dataclass(slots=True, kw_only=True)
class Fetcher:
    """Reads pages as Markdown, and keeps the last one for a caller that reads on: its windows are of one page."""

    vault: Vault
    limits: Limits
    _last: tuple[str, str] = ("", "")

    async def markdown(self, url: str, *, reads_on: bool) -> str:
        """Fetch the whole page as Markdown. A caller that reads on gets the page that was read last."""
        if not reads_on or self._last[0] != url:
            self._last = (url, await self._read(url))
        return self._last[1]

    async def _read(self, url: str) -> str:
        if not _scheme(url):
            content = await asyncio.to_thread(self.vault.content, url, "url")
            is_page = content.path.lower().endswith((".html", ".htm"))
            return _markdown(content.text) if is_page else content.text
        try:
            async with asyncio.timeout(self.limits.seconds):
                kind, charset, data = await self._get(url)
        except TimeoutError:
            raise UpstreamError(f"url: {url} did not answer within {self.limits.seconds:g} seconds") from None
        return await asyncio.to_thread(_text, url, kind, charset, data)

    async def _get(self, url: str) -> tuple[str, str | None, bytes]:
        # No proxy and no password of the environment: only the allowed host is asked. No compression either: the bytes
        # that are counted are the bytes that are kept.
        async with httpx2.AsyncClient(verify=_certificates(), trust_env=False, timeout=self.limits.seconds) as client:
            for _ in range(MAX_REDIRECTS + 1):
                allowed = self._allowed(url)
                try:
                    async with client.stream("GET", allowed, headers={"accept-encoding": "identity"}) as response:
                        if not response.has_redirect_location:
                            return await self._body(url, response)
                        url = urljoin(url, response.headers["location"])
                except httpx2.HTTPError as error:
                    raise UpstreamError(f"url: {url} cannot be fetched: {str(error) or type(error).__name__}") from None
        raise UpstreamError(f"url: more than {MAX_REDIRECTS} redirects, the last one to {url[:200]}")

    async def _body(self, url: str, response: httpx2.Response) -> tuple[str, str | None, bytes]:
        if response.status_code >= 400:
            raise UpstreamError(f"url: {url} answered {response.status_code} {response.reason_phrase}")
        if response.headers.get("content-encoding", "identity") != "identity":
            raise UpstreamError(f"url: {url} answered with compressed data, which was not asked for")
        data = bytearray()
        async for part in response.aiter_raw():
            data += part
            if len(data) > self.limits.max_bytes:
                raise UpstreamError(
                    f"url: {url} has more than {self.limits.max_bytes:,} bytes", do="fetch a smaller page"
                )
        kind = response.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
        return kind, response.charset_encoding, bytes(data)

    def _allowed(self, url: str) -> httpx2.URL:
        """Return the address as the client reads it, which is what has to be allowed."""
        if _scheme(url) not in PORTS:
            raise _unfit(url, "is no http: or https: address")
        try:
            address = httpx2.URL(url)
        except httpx2.InvalidURL as error:
            raise _unfit(url, f"cannot be read ({error})") from None
        if address.userinfo:
            raise _unfit(url, "has a user name in it")
        host, port = address.host.lower(), address.port or PORTS[address.scheme]
        names = {f"{host}:{port}"} | ({host} if port == PORTS[address.scheme] else set())
        if not names & {name.lower().replace("[", "").replace("]", "") for name in self.limits.hosts}:
            known = ", ".join(self.limits.hosts) or "none"
            raise CallerError(
                f"url: the host {host}:{port} is not allowed; allowed are: {known}",
                do=f"ask the user to start the server with --allow-host {host}:{port}",
            )
        return address


@cache
def _certificates() -> ssl.SSLContext:
    """Load the certificates that https: trusts; reading the list takes longer than most pages."""
    return httpx2.create_ssl_context(trust_env=False)


def _scheme(url: str) -> str:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise _unfit(url, f"cannot be read ({error})") from None
    if any((char.isspace() and char != " ") or ord(char) < 32 for char in url):
        raise _unfit(url, "has line breaks or control characters in it")
    return parts.scheme


def _text(url: str, kind: str, charset: str | None, data: bytes) -> str:
    if kind in HTML:
        return _markdown(data, charset)
    if not kind.startswith(TEXTS) and not kind.endswith(("+json", "+xml")):
        raise UpstreamError(f"url: expected a text, got {kind} ({len(data):,} bytes) from {url}")
    try:
        return data.decode(charset) if charset else decode(data)
    except (LookupError, UnicodeDecodeError):
        return decode(data)


def _unfit(url: str, why: str) -> CallerError:
    return CallerError(
        f"url: expected a path in the vault, or an http: or https: address, got {url[:200]!a}, which {why}",
        do=f'for example "{EXAMPLE}" or "Clippings/tide tables.html"',
    )


def _markdown(html: bytes | str, charset: str | None = None) -> str:
    """Convert a page to Markdown. The parser, 7 MB, is loaded with the first page: most servers never read one."""
    from vault_server.markdown import to_markdown  # noqa: PLC0415

    return to_markdown(html, charset)
