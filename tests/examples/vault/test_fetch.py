"""fetch: pages of allowed hosts and files of the vault as Markdown, in windows; everything else is refused."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock import CallerError, UpstreamError
from vault_server.vault import Vault
from vault_server.web import Fetcher, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.kit.examples.vault_client import Talk
    from tests.kit.examples.web_site import Site


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault/a note.md").write_text("# A note\n")
    (tmp_path / "secret.md").write_text("secret")
    vault = Vault(tmp_path / "vault", tmp_path / "index.sqlite")
    vault.start()
    yield vault
    vault.close()


def fetch(vault: Vault, url: str, *, reads_on: bool = False, **limits: Any) -> str:
    return asyncio.run(Fetcher(vault=vault, limits=Limits(**limits)).markdown(url, reads_on=reads_on))


def test_a_page_is_read_as_markdown_in_windows(talk: Talk, site: Site) -> None:
    answer = talk.call("fetch", url=site.url("/page"))
    parts = [answer.texts[0]]
    while len(answer.texts) == 3:
        answer = talk.follow(json.loads(answer.texts[2])["next"])
        parts.append(answer.texts[0])
    text = "".join(parts)
    assert text.startswith("# Tides\n\nWater **rises**.\n\nLine 0 of")
    assert text.endswith("Line 399 of the log of the harbour office.\n")
    assert len(parts) > 2


def test_reading_on_reads_the_same_page_even_when_the_server_says_something_else(talk: Talk, site: Site) -> None:
    first = talk.call("fetch", url=site.url("/counted"), maxLength=1_000)
    second = talk.follow(json.loads(first.texts[2])["next"])
    number = first.texts[0].split()[1]
    assert set((first.texts[0] + second.texts[0]).split()) == {"request", number}
    assert talk.call("fetch", url=site.url("/counted"), maxLength=1_000).texts[0].split()[1] != number


def test_texts_of_other_kinds_are_given_as_they_are(talk: Talk, site: Site) -> None:
    assert talk.call("fetch", url=site.url("/json")).texts[0] == '{"tide": 3}'
    assert talk.call("fetch", url=site.url("/latin")).texts[0] == "Größe"


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("/picture", "image/png"),
        ("/large", "more than 2,000,000 bytes"),
        ("/packed", "compressed"),
        ("/missing", "404"),
        ("/to-file", "is no http: or https: address"),
        ("/to-stranger", "localhost.invalid:80 is not allowed"),
        ("/round", "more than 5 redirects"),
    ],
)
def test_a_page_that_is_not_good_is_an_error_with_its_reason(talk: Talk, site: Site, page: str, why: str) -> None:
    assert why in talk.refused("fetch", url=site.url(page))


def test_a_redirect_is_followed_where_it_is_allowed(talk: Talk, site: Site) -> None:
    assert talk.call("fetch", url=site.url("/to-page")).texts[0].startswith("# Tides")


def test_a_host_that_was_not_allowed_is_not_asked(talk: Talk, site: Site) -> None:
    before = len(site.server.asked)
    port = site.host.partition(":")[2]
    hosts = [f"localhost:{port}", "127.0.0.1", f"127.0.0.1.:{port}x", f"user@{site.host}", f"2130706433:{port}"]
    hosts += [f"{site.host}\\@example.org", f"{site.host}@example.org", f"example.org#@{site.host}", f"[{site.host}]"]
    for host in hosts:
        assert "url" in talk.refused("fetch", url=f"http://{host}/page")
    assert len(site.server.asked) == before
    assert "--allow-host" in talk.refused("fetch", url="https://example.org/")


def test_a_slow_page_is_given_up_in_time(vault: Vault, site: Site) -> None:
    with pytest.raises(UpstreamError, match=r"did not answer within 0\.2 seconds"):
        fetch(vault, site.url("/slow"), hosts=(site.host,), seconds=0.2)


def test_a_server_that_is_not_there_is_an_error(vault: Vault) -> None:
    for host in ("127.0.0.1:9", "[::1]:9"):
        with pytest.raises(UpstreamError, match="cannot be fetched"):
            fetch(vault, f"http://{host}/", hosts=(host,))


@pytest.mark.parametrize("url", ["../secret.md", "%2e%2e/../secret.md", "../vault/../secret.md", ".obsidian/x"])
def test_a_file_outside_of_the_vault_is_not_read(vault: Vault, url: str) -> None:
    assert fetch(vault, "a note.md") == "# A note\n"
    with pytest.raises(CallerError, match="url"):
        fetch(vault, url)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "file://server/etc/passwd", "http://[::1", "gopher://x/", "http://a\nb/", "data:,x"]
)
def test_an_address_that_cannot_be_right_is_refused(vault: Vault, url: str) -> None:
    with pytest.raises(CallerError, match="url: expected a path in the vault"):
        fetch(vault, url)
