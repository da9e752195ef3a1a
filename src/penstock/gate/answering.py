"""Answers calls of Penstock's own tools from what is held: ``fetch`` reads, ``act`` exports, fetches more and drops.

What goes wrong is a tool error, cause first; an unforeseen error says that it is Penstock's. Every held result that a
call opens is noted as read by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.core.act import receipts
from penstock.errors import PenstockError
from penstock.gate import actions, acts
from penstock.gate.actions.request import FetchRequest
from penstock.gate.acts.read_export import read_export
from penstock.gate.acts.request import KNOWN, ActRequest, ActTerms
from penstock.gate.arguments import FetchArguments
from penstock.gate.data_style import data_answer, data_error
from penstock.gate.tool_results import error_result, less_note, with_note
from penstock.unforeseen import failed_action

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.config.model import Config
    from penstock.core import fit as core
    from penstock.gate.acts.more import PageRun
    from penstock.gate.held import HeldReader
    from penstock.gate.keeping import Keeper
    from penstock.gate.owners import Owner
    from penstock.gate.records import Origin
    from penstock.query.sandbox.sandbox import Sandbox
    from penstock.stores import Entry
    from penstock.unforeseen import Incidents

T = TypeVar("T")

NAMED: Final = 60  # characters of an action's name in the log
HANDLE_BESIDE: Final = "the handle, which the answer to a question begins with"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersRequest(FetchRequest):
    """A call of a client for its owner. ``read`` has the held results that it opened, ``held_again`` the stand-ins for
    what it held, which have the style of answers already."""

    client: str
    keeper: Keeper
    budget_of: Callable[[str, str], core.Budget]
    workers: Callable[[], Sandbox]
    beside: str = ""  # words that the answer leaves room for
    read: list[HeldReader] = field(default_factory=list)
    held_again: list[bytes] = field(default_factory=list)

    def open_handle(self, handle: str) -> HeldReader:
        return listed(self.keeper.open_tables(self.owner, handle), self.read)

    def open_text(self, handle: str) -> HeldReader:
        return listed(self.keeper.open(self.owner, handle), self.read)

    def budget_for(self, tool: str) -> core.Budget:
        budget = less_note(self.budget_of(tool, self.client), self.arguments.remark[1])
        return less_note(budget, self.beside)

    def list_held(self) -> Sequence[Entry]:
        """Return the entries that ``list`` may show to the caller. Without a run of its own there are none."""
        owner = self.owner
        return owner.listed(self.keeper.store.list(owner.name)) if owner.run or owner.lists == "all" else ()

    def hold(self, hold: core.Hold, origin: Origin) -> bytes:
        return listed(self.keeper.keep(hold, origin, self.owner).raw, self.held_again)

    def keep(self, raw: bytes, origin: Origin) -> Entry:
        return self.keeper.keep_document(raw, origin, self.owner)

    def sandbox(self) -> Sandbox:
        return self.workers()


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

    def ask(self, caller: Owner, arguments: Mapping[str, Any], client: str) -> bytes:
        """Answer the question of a call from its stored result. The answer leaves room for the handle."""
        return self._netted(arguments, "fetch", lambda: self._fetched(caller, arguments, client, beside=HANDLE_BESIDE))

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

    def _fetched(self, caller: Owner, arguments: Mapping[str, Any], client: str, beside: str = "") -> bytes:
        fetch_arguments = self._with_handle(caller, FetchArguments.read(arguments))
        request = self._request(caller, fetch_arguments, client, beside)

        def run() -> bytes:
            action = request.arguments.action(actions.TABLE)
            answer = actions.TABLE[action].run(request)
            if self._config.notice != "data" or answer in request.held_again:
                return answer
            return data_answer(answer, action, page_size=request.arguments.page_size())

        return self._answer(request, run)

    def _with_handle(self, caller: Owner, arguments: FetchArguments) -> FetchArguments:
        """Return the arguments with the handle of the only result that this run holds, if the call names none."""
        if arguments.ignored or not arguments.lacks_handle:
            return arguments
        own = [one for one in self._keeper.store.list(caller.name) if caller.made(one)]
        return arguments.with_handle(own[0].handle) if len(own) == 1 else arguments

    def begin_act(
        self, caller: Owner, arguments: Mapping[str, Any], client: str, terms: ActTerms | None
    ) -> bytes | PageRun:
        """Answer a call of the act tool, or return the run of calls that it needs first."""
        terms = terms or ActTerms()
        fetch = self._request(caller, FetchArguments.read(arguments, KNOWN), client)
        request = ActRequest(
            fetch=fetch,
            act_tool=self._tool_names()[1],
            drop=partial(self._drop, caller),
            terms=terms,
            folder=self._config.export_folder if terms.is_local else None,
            clock=self._now,
            rule_for=self._config.rule_for,
            note=self._acted,
        )

        def run() -> bytes | PageRun:
            return acts.TABLE[fetch.arguments.action(self._config.act)].run(request)

        return self._netted(arguments, "act", lambda: self._answer(fetch, run))

    def _request(self, caller: Owner, arguments: FetchArguments, client: str, beside: str = "") -> OwnersRequest:
        """Return what an action is given. The budget leaves room for the words ``beside`` the answer."""
        return OwnersRequest(
            arguments=arguments,
            now=self._now(),
            fetch_tool=self._tool_names()[0],
            owner=caller,
            max_bytes=self._config.max_result_bytes,
            client=client,
            keeper=self._keeper,
            budget_of=self._budget,
            workers=self._workers,
            beside=beside,
        )

    def _answer(self, request: OwnersRequest, run: Callable[[], T]) -> bytes | T:
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
            for one in request.read:
                self._keeper.touch(one, call)
        if failed or not isinstance(answer, bytes):
            return answer
        return with_note(answer, name, note, self._budget(self._tool_names()[0], request.client))

    def read_export(self, caller: Owner, uri: str, client: str) -> bytes:
        """Return the result of ``resources/read`` for an export, or the part of it that fits. Raises a ``CallerError``
        when the owner has no export of this address."""
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


def listed(one: T, all_of_them: list[T]) -> T:
    """Add what was opened or made to a list, and return it."""
    all_of_them.append(one)
    return one
