"""An outage of the server is a ``StoreError``, never "not there"; when the server is back, so is the store."""

from __future__ import annotations

import signal

import pytest

from penstock.errors import StoreError
from penstock.stores import new_handle, open_store
from tests.kit.stores.support import every_call, record, running
from tests.kit.waiting import until


def test_an_outage_is_an_error_and_what_was_acknowledged_comes_back_with_the_server() -> None:
    with running("--appendonly", "yes", "--appendfsync", "always") as server, open_store(server.url) as store:
        kept = record(b"line\n" * 50_000)
        store.put(kept)
        found = store.get("me", kept.handle)
        assert found is not None
        server.stop()
        calls = every_call(store, kept.handle)
        calls += [lambda: store.get("me", new_handle()), lambda: found.read(0, 10)]
        for call in calls:
            with pytest.raises(StoreError, match=r"the store at unix:.* cannot be reached: .*is Redis running"):
                call()
        server.start()
        assert found.read(0, 10) == b"line\nline\n"
        again = store.get("me", kept.handle)
        assert again is not None
        assert again.read(0, 10**6) == kept.raw
        assert store.stats().items == 1


def test_a_server_that_restarted_between_two_calls_is_not_even_noticed() -> None:
    with running("--appendonly", "yes", "--appendfsync", "always") as server, open_store(server.url) as store:
        kept = record()
        store.put(kept)
        server.stop()
        server.start()
        store.put(record())
        assert store.touch("me", kept.handle)
        assert len(store.list("me")) == 2


def test_a_server_that_hangs_is_waited_for_once_and_used_again_when_it_answers() -> None:
    with running() as server, open_store(f"{server.url}?timeout=1") as store:
        kept = record()
        store.put(kept)
        assert server.process is not None
        server.process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(StoreError, match="cannot be reached: Timeout"):
                store.put(record())
            for call in (store.stats, lambda: store.put(record()), lambda: store.get("me", kept.handle)):
                with pytest.raises(StoreError, match="cannot be reached: it did not answer in time just now"):
                    call()
        finally:
            server.process.send_signal(signal.SIGCONT)

        def answers() -> bool:
            try:
                return store.get("me", kept.handle) is not None
            except StoreError:
                return False

        assert until(answers)
        store.put(record())


def test_no_server_at_all_is_an_error_on_first_use() -> None:
    with open_store("redis://user:secret@127.0.0.1:1/0") as store:
        with pytest.raises(StoreError, match=r"the store at redis://127\.0\.0\.1:1/0 cannot be reached") as caught:
            store.get("me", new_handle())
        assert "secret" not in str(caught.value)
