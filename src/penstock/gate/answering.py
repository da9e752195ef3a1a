"""Answers calls of Penstock's own tools from what is held: ``fetch`` reads, ``act`` exports, fetches more and drops.

What goes wrong is a tool error, cause first; an unforeseen error says that it is Penstock's. Every held result that a
call opens is noted as read by it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.core.act import receipts
from penstock.errors import PenstockError
from penstock.gate import actions
from penstock.gate.actions.request import FetchRequest
from penstock.gate.arguments import FetchArguments
from penstock.gate.data_style import data_answer, data_error
from penstock.gate.tool_results import error_result, less_note, with_note
from penstock.unforeseen import failed_action

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.config.model import Config
    from penstock.core import fit as core
    from penstock.gate.acts.more import PageRun
    from penstock.gate.acts.request import ActTerms
    from penstock.gate.held import HeldReader
    from penstock.gate.keeping import Keeper
    from penstock.gate.owners import Owner
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.stores import Entry
    from penstock.unforeseen import Incidents

T = TypeVar("T")

NAMED: Final = 60  # characters of an action's name in the log


class Answerer:
    """Runs the actions of the fetch tool and of the act tool."""

    def __init__(
        self,
        config: Config,
        keeper: Keeper,
        *,
        tool_names: Callable[[], tuple[str, str]],
        budget: Callable[[str, str], core.Budget],
        workers: Callable[[], Sandbox],
        forget: Callable[[str, str], None],
        now: Callable[[], float],
        acted: Callable[[str], None],
        incidents: Incidents,
    ) -> None:
        """Take the settings and what keeps results. ``tool_names`` are those of the fetch tool and the act tool, which
        a clash with an upstream's tools may change; ``budget`` is that of a tool for a client; ``forget`` drops the
        copies of an owner's handle that workers have; ``acted`` is called with what the act tool did."""
        self._config = config
        self._keeper = keeper
        self._tool_names = tool_names
        self._budget = budget
        self._workers = workers
        self._forget = forget
        self._now = now
        self._acted = acted
        self._incidents = incidents

    def fetch(self, caller: Owner, arguments: Mapping[str, Any], client: str) -> bytes:
        """Answer a call of the fetch tool."""
        return self.refused(self._netted(arguments, "fetch", lambda: self._fetched(caller, arguments, client)))

    def refused(self, answer: bytes) -> bytes:
        """Return an answer of the fetch tool with its error in the style of the other answers, if it is one."""
        return data_error(answer) if self._config.notice == "data" else answer

    def _netted(self, arguments: Mapping[str, Any], tool: str, answer: Callable[[], T]) -> bytes | T:
        """Return the answer of one of our tools; for an unforeseen error, a tool error that says so."""
        try:
            return answer()
        except Exception as error:  # noqa: BLE001
            action = str(arguments.get("action") or "without a name")[:NAMED]
            self._incidents.note(
                error, f"the action {action!a} of the {tool} tool", "the call is answered with an error"
            )
            return error_result(failed_action(action, error, acts=tool == "act"))

    def _fetched(self, caller: Owner, arguments: Mapping[str, Any], client: str) -> bytes:
        fetch_arguments = self._with_handle(caller, FetchArguments.read(arguments))
        opened: list[HeldReader] = []
        request = self._request(caller, fetch_arguments, client, opened)
        held: list[bytes] = []  # stand-ins for what is held again, which have the style of answers already
        keep = request.hold
        request = replace(request, hold=lambda hold, origin: listed(keep(hold, origin), held))

        def run() -> bytes:
            action = fetch_arguments.action(actions.TABLE)
            answer = actions.TABLE[action].run(request)
            if self._config.notice != "data" or answer in held:
                return answer
            return data_answer(answer, action, page_size=fetch_arguments.page_size())

        return self._answer(request, opened, run, client)

    def _with_handle(self, caller: Owner, arguments: FetchArguments) -> FetchArguments:
        """Return the arguments with the handle of the only result that this run holds, if the call names none."""
        if arguments.ignored or not arguments.lacks_handle:
            return arguments
        own = [one for one in self._held_by(caller) if caller.made(one)]
        return arguments.with_handle(own[0].handle) if len(own) == 1 else arguments

    def begin_act(
        self, caller: Owner, arguments: Mapping[str, Any], client: str, terms: ActTerms | None
    ) -> bytes | PageRun:
        """Answer a call of the act tool, or return the run of calls that it needs first."""
        from penstock.gate import acts  # noqa: PLC0415  (most gates only read)
        from penstock.gate.acts.request import KNOWN, ActRequest, ActTerms  # noqa: PLC0415

        terms = terms or ActTerms()
        fetch_arguments = FetchArguments.read(arguments, KNOWN)
        opened: list[HeldReader] = []
        request = ActRequest(
            fetch=self._request(caller, fetch_arguments, client, opened),
            act_tool=self._tool_names()[1],
            drop=partial(self._drop, caller),
            terms=terms,
            folder=self._config.export_folder if terms.is_local else None,
            clock=self._now,
            rule_for=self._config.rule_for,
            note=self._acted,
        )

        def run() -> bytes | PageRun:
            return acts.TABLE[fetch_arguments.action(self._config.act)].run(request)

        return self._netted(arguments, "act", lambda: self._answer(request.fetch, opened, run, client))

    def _request(self, caller: Owner, arguments: FetchArguments, client: str, opened: list[HeldReader]) -> FetchRequest:
        """Return what an action is given. ``opened`` gets the held results that it opens."""
        _, note = arguments.remark
        return FetchRequest(
            arguments=arguments,
            now=self._now(),
            fetch_tool=self._tool_names()[0],
            open_handle=lambda handle: listed(self._keeper.open_tables(caller, handle), opened),
            open_text=lambda handle: listed(self._keeper.open(caller, handle), opened),
            budget_for=lambda tool: less_note(self._budget(tool, client), note),
            owner=caller,
            list_held=partial(self._held_by, caller),
            hold=lambda hold, origin: self._keeper.keep(hold, origin, caller).raw,
            keep=lambda raw, origin: self._keeper.keep_document(raw, origin, caller),
            max_bytes=self._config.max_result_bytes,
            sandbox=self._workers,
        )

    def _answer(self, request: FetchRequest, opened: list[HeldReader], run: Callable[[], T], client: str) -> bytes | T:
        """Run an action, and return its result or its error. What it opened counts as read."""
        name, note = request.arguments.remark
        answer: bytes | T = b""
        failed = True
        try:
            answer = run()
            failed = False
        except PenstockError as error:
            answer = error_result(error, hint=f"{name}, as {note}" if name == "ignored" and note else "")
        finally:
            size = len(answer) if isinstance(answer, bytes) else 0
            call = receipts.ReadCall(time=self._now(), words=request.arguments.words, size=size, failed=failed)
            for one in opened:
                self._keeper.touch(one, call)
        if failed or not isinstance(answer, bytes):
            return answer
        return with_note(answer, name, note, self._budget(self._tool_names()[0], client))

    def read_export(self, caller: Owner, uri: str, client: str) -> bytes:
        """Return the result of ``resources/read`` for an export, or the part of it that fits. Raises a ``CallerError``
        when the owner has no export of this address."""
        from penstock.gate.acts.read_export import read_export  # noqa: PLC0415

        opened: list[HeldReader] = []
        try:
            return read_export(
                uri,
                lambda handle: listed(self._keeper.open(caller, handle), opened),
                self._budget("resources/read", client),
            )
        finally:
            call = receipts.ReadCall(time=self._now(), words="resources/read of an export")
            for one in opened:
                self._keeper.touch(one, call)

    def _drop(self, caller: Owner, handle: str) -> bool:
        """Delete what the caller holds under a handle, in the store and in the workers that may have a copy of it."""
        self._keeper.forget(caller.name, handle)
        self._forget(caller.name, handle)
        return self._keeper.store.drop(caller.name, handle)

    def _held_by(self, caller: Owner) -> list[Entry]:
        """Return the entries that ``list`` may show to the caller. Without a run of its own there are none."""
        return caller.listed(self._keeper.store.list(caller.name)) if caller.run or caller.lists == "all" else []


def listed(one: T, all_of_them: list[T]) -> T:
    """Add what was opened or made to a list, and return it."""
    all_of_them.append(one)
    return one
