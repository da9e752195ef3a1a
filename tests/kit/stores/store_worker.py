"""Run by ``test_store_processes``: one of several processes that use one SQLite file at once, with every call."""

from __future__ import annotations

import random
import sys
import time

from penstock.stores import Metadata, NewRecord, new_handle, open_store

ROUNDS = 40


def main(url: str, owner: str) -> None:
    dice = random.Random(owner)
    print("ready", flush=True)
    sys.stdin.readline()  # all begin together, on a file that is not there yet
    with open_store(url) as store:
        for at in range(ROUNDS):
            handle, raw = new_handle(), dice.randbytes(dice.randrange(300_000))
            meta = Metadata(created=time.time(), expires=None if at % 3 else time.time() + 600, size=len(raw))
            store.put(NewRecord(handle=handle, owner=owner, raw=raw, meta=meta))
            found = store.get(owner, handle)
            assert found is not None
            assert found.read(0, len(raw)) == raw
            assert store.touch(owner, handle)
            assert handle in {entry.handle for entry in store.list(owner)}
            store.add_counts("tool", calls=1, held=1, tokens_saved=5)
            if at % 2:
                assert store.drop(owner, handle)
            if at % 5 == 0:
                store.sweep()
        assert len(store.list(owner)) == ROUNDS // 2


if __name__ == "__main__":
    main(*sys.argv[1:])
