"""``Looking``: what is held, and each held result as its owner's model could read it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from penstock.config.budget import budget_for
from penstock.errors import CallerError, PenstockError
from penstock.gate import actions
from penstock.gate.actions.request import FetchRequest
from penstock.gate.arguments import FetchArguments
from penstock.gate.layouts import Layouts
from penstock.gate.looking.summaries import HeldSummary, summaries
from penstock.gate.owners import Owner
from penstock.gate.tool_results import error_result
from penstock.query.parse.convert import Converter
from penstock.query.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.config.model import Config
    from penstock.core.budget import Budget
    from penstock.core.fit import Hold
    from penstock.core.forms.converted import Conversion, Language
    from penstock.gate.held import HeldReader
    from penstock.gate.records import Origin
    from penstock.stores import Entry, Stats, Store

READING: Final = ("info", "get", "get_page", "outline", "filter", "search", "sql")  # actions that change nothing


class Looking:
    """Look at a store. Threads may share it; ``close`` ends its workers, and the caller closes the store."""

    def __init__(
        self,
        store: Store,
        config: Config,
        *,
        now: Callable[[], float] = time.time,
        sandbox: Sandbox | None = None,
        converter: Converter | None = None,
    ) -> None:
        self.store = store
        self.config = config
        self.now = now
        self._sandbox = sandbox
        self._converter = converter
        self._lock = threading.Lock()
        self._layouts = Layouts(self.convert)

    def results(self) -> list[HeldSummary]:
        """Return what is held of all owners, the newest first."""
        return summaries(self.store)

    def open(self, handle: str) -> HeldReader:
        """Return a held result of whichever owner, with its tables. Raises a ``CallerError`` if there is none."""
        return self._layouts.with_tables(self.open_text(handle))

    def open_text(self, handle: str) -> HeldReader:
        """Open it without the tables that the first query on a text in another language makes."""
        held = self.store.look(handle)
        if held is None:
            raise CallerError(
                f"there is no held result {handle[:40]!r}", do="it may have expired, been evicted, or been removed"
            )
        return self._layouts.open(held, held.owner_key)

    def answer(self, handle: str, arguments: Mapping[str, Any]) -> bytes:
        """Answer as the fetch tool answers the model, errors included. What the model would get held under a new handle
        comes by pages."""
        read = FetchArguments.read({**arguments, "cache_id": handle, "cache_filtered_result": False})
        request = LookingRequest(
            arguments=read,
            now=self.now(),
            fetch_tool=self.config.tool_name,
            owner=Owner(name=""),
            max_bytes=self.config.max_result_bytes,
            looking=self,
        )
        try:
            return actions.TABLE[read.action(READING)].run(request)
        except PenstockError as error:
            return error_result(error, hint=read.ignored_text)

    def remove(self, handle: str) -> bool:
        """Delete a held result. False if there is none."""
        return self.store.remove(handle)

    def remove_all(self) -> Stats:
        """Delete all that is held, and return how much that was."""
        return self.store.purge()

    def budget(self, tool: str) -> Budget:
        """Return the budget of answers about results of a tool, as a client without limits of its own has it."""
        return replace(budget_for(self.config, tool, "", structured=False), fetch_tool=self.config.tool_name)

    def workers(self) -> Sandbox:
        """Return the workers that run SQL and jq; the first call starts none yet."""
        with self._lock:
            if self._sandbox is None:
                self._sandbox = Sandbox(now=self.now)
            return self._sandbox

    def convert(self, language: Language, text: bytes) -> Conversion | None:
        """Turn YAML, XML or HTML into JSON, in a worker process that the first such text starts."""
        with self._lock:
            if self._converter is None:
                self._converter = Converter()
        return self._converter(language, text)

    def close(self) -> None:
        """End the workers."""
        if self._sandbox is not None:
            self._sandbox.close()
        if self._converter is not None:
            self._converter.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class LookingRequest(FetchRequest):
    """A call of a user who looks at what all owners hold."""

    looking: Looking

    def open_handle(self, handle: str) -> HeldReader:
        return self.looking.open(handle)

    def open_text(self, handle: str) -> HeldReader:
        return self.looking.open_text(handle)

    def budget_for(self, tool: str) -> Budget:
        return self.looking.budget(tool)

    def list_held(self) -> Sequence[Entry]:
        return ()

    def hold(self, hold: Hold, origin: Origin) -> NoReturn:  # noqa: ARG002
        raise _holds_nothing()

    def keep(self, raw: bytes, origin: Origin) -> NoReturn:  # noqa: ARG002
        raise _holds_nothing()

    def sandbox(self) -> Sandbox:
        return self.looking.workers()


def _holds_nothing() -> CallerError:
    return CallerError("looking at a result holds nothing new", do="ask for a page of it")
