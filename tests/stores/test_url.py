"""A store URL says where and with which limits; whatever is wrong in it is named, with the nearest right thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.errors import ConfigError
from penstock.stores import StoreLimits, open_store
from penstock.stores.url import parse

# SQLite's own name for a database in memory, however it is spelled.
MEMORY = ("sqlite::memory:", "sqlite:///:memory:", "sqlite://:memory:", "sqlite:./:memory:", "sqlite:%3Amemory%3A")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///var/lib/held.db", "/var/lib/held.db"),
        ("sqlite:/var/lib/held.db", "/var/lib/held.db"),
        ("sqlite:held.db", "held.db"),
        ("sqlite:./a/held.db?max_items=5", "a/held.db"),
        ("sqlite:~/held.db", str(Path.home() / "held.db")),
        ("sqlite:///a%20b/%3F%23.db", "/a b/?#.db"),
        ("sqlite:///with#hash.db", "/with#hash.db"),
        ("sqlite:///C:/held.db", "C:/held.db"),
    ],
)
def test_a_sqlite_url_names_a_file(url: str, path: str) -> None:
    assert parse(url).file() == Path(path)


@pytest.mark.parametrize("url", ["sqlite:", "sqlite://", "sqlite:///", "sqlite:?max_items=4"])
def test_a_sqlite_url_without_a_path_is_the_default_file(url: str) -> None:
    assert parse(url).file() is None


def test_options_in_the_url_count_more_than_arguments() -> None:
    store = open_store("memory:?max_bytes=5000", max_bytes=7, max_items=8)
    assert store.limits == StoreLimits(max_bytes=5_000, max_items=8)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "there is no such store; start the URL with memory:, sqlite:, redis:, rediss:, unix:, redis+cluster:"),
        ("memory", "there is no such store; start the URL with memory:"),
        ("sqllite:///x", "there is no such store; start the URL with sqlite:"),
        ("/var/lib/held.db", "there is no such store; start the URL with memory:, sqlite:"),
        ("redis://[::1", "the store's URL cannot be read"),
        ("memory:?max_byte=5", "a memory store has no option 'max_byte'; there is max_bytes"),
        ("memory:?prefix=x", "a memory store has no option 'prefix'; there is max_bytes or max_items"),
        ("redis://h?ssl_certfile=x", "a redis store has no option 'ssl_certfile'; there is"),
        ("memory:?max_bytes=", "the store's max_bytes is ''; give a whole number above 0"),
        ("memory:?max_bytes=0", "the store's max_bytes is '0'"),
        ("memory:?max_items=-5", "the store's max_items is '-5'"),
        ("memory:?max_items=" + "9" * 500, "the store's max_items is '999"),
        ("memory:?max_items=٣", "the store's max_items is '٣'"),
        ("sqlite://host/held.db", "names a host, but SQLite is a file; write three slashes: sqlite:///path"),
        *((url, "names no file; write memory:") for url in MEMORY),
        ("sqlite:///a\ud800b", "the store's URL cannot be read"),
        ("redis://h?prefix=\ud800", "the store's URL cannot be read"),
        (f"redis://{'a' * 64}.org", "the store's URL cannot be read"),
        ("redis://a..b", "the store's URL cannot be read"),
        ("sqlite:///a%00b", "the store's path has a NUL in it"),
        (
            "sqlite:~nobody-of-this-name/held.db",
            "there is no home directory for the store's file; write sqlite:///path",
        ),
    ],
)
def test_a_wrong_url_is_refused_with_what_to_write(url: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_store(url)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_no_message_shows_the_password() -> None:
    for url in ("reddis://me:s3cret@host", "redis://me:s3cret@host:port/0", "redis://me:s3cret@host/0?max_itmes=1"):
        with pytest.raises(ConfigError) as caught:
            open_store(url)
        assert "s3cret" not in str(caught.value)
