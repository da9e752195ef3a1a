"""The gate of one gateway, opened when it is first needed: its imports take longer than a server's first answer."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.gate import Gate
    from penstock.gate.owners import Owner, Owners
    from penstock.gateway.log import Log
    from penstock.gateway.rules import Rules
    from penstock.protocol.commands import Admit, Fetch
    from penstock.stores import Stats

SWEPT: Final = 100  # results held between two looks for what has expired


class Desk:
    """Lets the gate decide and read; falls back to memory when the store cannot be opened."""

    def __init__(self, rules: Rules, log: Log, server: Sequence[str] = ()) -> None:
        """``server`` is the command or the URL of the server, which has a part in the owner over stdio."""
        self._rules = rules
        self._log = log
        self._server = server
        self._run = os.urandom(16).hex()
        self._gate: Gate | None = None
        self._opening = threading.Lock()
        self._admitted = 0
        self._is_prepared = False

    def prepare(self) -> None:
        """Import what the first large result will need, at a moment when nobody waits for anything else."""
        if self._is_prepared:
            return
        self._is_prepared = True
        from penstock.gateway.memory import give_back_what_is_freed  # noqa: PLC0415

        give_back_what_is_freed()
        import penstock.core.json.long_text  # noqa: PLC0415
        import penstock.gate  # noqa: PLC0415, F401

    def admit(self, admit: Admit, tool_name: str, owner: Owner | None = None) -> bytes:
        """What the client gets for a result. Without an owner it is the one over stdio."""
        from penstock.core.answer.result import parse  # noqa: PLC0415
        from penstock.core.fit import Call  # noqa: PLC0415

        gate = self._opened(tool_name)
        owner = owner or self._local
        call = Call(
            tool=admit.tool,
            owner=owner.name,
            arguments=admit.arguments,
            schema=admit.schema,
            client=admit.client,
            structured=admit.structured,
        )
        inner = admit.view.inner
        self._admitted += 1
        if self._admitted % SWEPT == 0:
            gate.sweep()
        return gate.admit(call, inner if admit.lifted is None else parse(inner, admit.lifted), run=owner.run)

    def fetch(self, fetch: Fetch, tool_name: str, owner: Owner | None = None) -> bytes:
        """The answer of our own tool."""
        return self._opened(tool_name).fetch(owner or self._local, fetch.arguments, client=fetch.client)

    def stats(self) -> Stats:
        """What the store holds now; a ``StoreError`` when it does not say."""
        return self._opened(None).store.stats()

    def close(self, passed: Mapping[str, int]) -> None:
        """Write the counters, and let go of the store."""
        if self._gate is None and (not any(passed.values()) or self._rules.config.store.startswith("memory:")):
            return  # there is nothing to write, or nobody would read it
        gate = self._opened(None)
        for tool, number in passed.items():
            gate.count_call(tool, number)
        gate.close()
        gate.store.close()

    def leave(self, passed: Mapping[str, int]) -> None:
        """The same, as a courtesy: nobody waits for a store that does not answer."""
        try:
            self.close(passed)
        except Exception as error:  # noqa: BLE001
            self._log.note("warning", f"the counters were not written: {error}")

    @property
    def owners(self) -> Owners:
        """Decides whose each request is."""
        from penstock.gate.owners import Owners  # noqa: PLC0415

        return Owners(self._rules.config.owner, run=self._run)

    @property
    def _local(self) -> Owner:
        return self.owners.local(self._server)

    def _opened(self, tool_name: str | None) -> Gate:
        with self._opening:
            if self._gate is None:
                self._gate = self._open()
            if tool_name is not None:
                self._gate.fetch_tool = tool_name
            return self._gate

    def _open(self) -> Gate:
        self.prepare()
        from penstock.gate import Gate  # noqa: PLC0415
        from penstock.stores import open_store  # noqa: PLC0415

        config = self._rules.config
        try:
            store = open_store(config.store, max_bytes=config.max_store_bytes, max_items=config.max_store_items)
        except PenstockError as error:
            self._log.note("error", f"{error}; results are held in memory until this ends")
            store = open_store("memory:", max_bytes=config.max_store_bytes, max_items=config.max_store_items)
        return Gate(store, config, failed=lambda error: self._log.note("error", str(error)))
