"""On a Redis Cluster all keys of a result lie in one slot, and so do the books; no script names keys of two slots."""

from __future__ import annotations

import re

import pytest
from redis.crc import key_slot

from penstock.errors import ConfigError
from penstock.stores import new_handle, open_store, redis_scripts
from penstock.stores.handle import Key, owner_key
from penstock.stores.redis_keys import Keys, key_of_member, member

BOOKS = ("sizes", "stored", "items", "bytes", "expiry", "doomed", "replicated", "of:" + "a" * 32, "used:" + "b" * 32)


def slot(name: str) -> int:
    return int(key_slot(name.encode()))


@pytest.mark.parametrize("prefix", ["penstock", "", "a:b", "*"])
def test_a_record_lies_where_its_handle_says_and_all_books_together(prefix: str) -> None:
    keys, handle = Keys(prefix), new_handle()
    assert slot(keys.record(Key(owner_key("me"), handle))) == slot(handle) == slot(f"anything:{{{handle}}}:more")
    assert len({slot(keys.book(name)) for name in BOOKS} | {slot(keys.books)}) == 1


def test_results_are_spread_and_installations_are_apart() -> None:
    names = {slot(Keys("penstock").record(Key("o", new_handle()))) for _ in range(200)}
    assert len(names) > 150
    assert slot(Keys("one").books) != slot(Keys("two").books)


def test_what_the_books_call_a_record_says_which_it_is() -> None:
    key = Key(owner_key("me"), new_handle())
    assert key_of_member(member(key).encode()) == key
    assert key_of_member(b"\xff").handle == ""


def test_a_script_works_on_one_key_or_below_one() -> None:
    each = {name: text for name, text in vars(redis_scripts).items() if name.isupper() and isinstance(text, str)}
    assert len(each) > 8
    for name, text in each.items():
        assert set(re.findall(r"KEYS\[(\d+)\]", text)) == {"1"}, name
        if "local function book" not in text:
            assert re.findall(r"redis\.call\('\w+', (?!KEYS\[1\])", text) == [], name


@pytest.mark.parametrize("prefix", ["{a}", "a{", "a%7D"])
def test_a_prefix_with_braces_is_refused(prefix: str) -> None:
    with pytest.raises(ConfigError, match="the store's prefix has a brace in it, which would place all keys on one"):
        open_store(f"redis://localhost?prefix={prefix}")
