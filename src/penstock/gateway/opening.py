"""The gate of a gateway, opened when it is first needed: its imports take longer than a server's first response."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.gate import Gate
    from penstock.gateway.config_rules import ConfigRules
    from penstock.gateway.log import Log
    from penstock.protocol.exchange import Exchange


class LazyGate:
    """Opens a gate once. It falls back to memory when the store cannot be opened."""

    def __init__(self, rules: ConfigRules, log: Log) -> None:
        self._rules = rules
        self._log = log
        self._lock = threading.Lock()
        self._is_prepared = False
        self.gate: Gate | None = None

    def prepare(self) -> None:
        """Import what the first large result will need; called at a moment when the client waits for nothing else."""
        if self._is_prepared:
            return
        self._is_prepared = True
        import penstock.gate  # noqa: PLC0415, F401

    def opened(self, exchange: Exchange | None) -> Gate:
        """Return the gate, which calls our tools as the exchange does."""
        with self._lock:
            if self.gate is None:
                self.gate = self._open()
            if exchange is not None:
                self.gate.fetch_tool, self.gate.act_tool = exchange.tool_name, exchange.act_tool
            return self.gate

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
        self._log.note("info", f"results are held in {store.place}{f' ({store.engine})' if store.engine else ''}")
        return Gate(
            store,
            config,
            failed=lambda error: self._log.note("error", str(error)),
            passed=lambda passed: self._log.note("info", str(passed)),
            acted=lambda words: self._log.note("info", words),
            mark=self._rules.mark,
        )
