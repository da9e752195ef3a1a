"""What is known of one connection: who waits for what, and what was learned on the way. No clock and no lock is here.

A request is answered once, by whoever takes it out of ``waiting``: the upstream, the gate, a timeout, or its death.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol

from penstock.protocol.commands import Command, Note, ToClient, Waiting
from penstock.protocol.upstream_facts import Known
from penstock.protocol.wire import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

META: Final = "io.modelcontextprotocol/"
SUBSCRIPTION: Final = f"{META}subscriptionId"  # is the id of the request that asked for it
NAMES: Final = 1_000  # tools whose calls are counted; more, or longer names, are what nobody has
LONGEST_NAME: Final = 128  # characters
UNASKED: Final = b"notification "  # before the number of one that is with the gate: no JSON, and so nobody's id
QUOTED: Final = 2_000  # bytes of a line that is no message
SHOWN: Final = 60  # characters of a method or an id in a log line


class Rules(Protocol):
    """What an exchange asks of the configuration."""

    @property
    def tool_name(self) -> str: ...

    @property
    def output_schema(self) -> str: ...

    def floor(self, tool: str) -> int:
        """How many bytes a tool's result may have to pass unread."""
        ...

    def ttl_ms(self, tool: str) -> int | None:
        """How long, in milliseconds, what is held for a tool can be read."""
        ...

    def timeout(self, tool: str) -> float | None:
        """How long, in seconds, a request may stay unanswered."""
        ...


class State:
    """One client, one upstream. ``rules`` are asked for nothing before the first tool is listed or called."""

    def __init__(self, rules: Rules, *, now: Callable[[], float]) -> None:
        self.client = ""
        self.server = ""
        self.waiting: dict[bytes, Waiting] = {}
        self.passed: Counter[str] = Counter()
        self.spoke = False  # the client has asked something
        self.refused = 0  # requests that came when the upstream had ended
        self.ended = ""  # why the upstream answers no more
        self.asked: set[bytes] = set()  # what the upstream waits for the client to answer
        self.asked_at = 0.0  # when it asked last
        self.known = Known()
        self.rules = rules
        self.now = now

    @property
    def tool_name(self) -> str:
        """The name of our tool."""
        return self.known.name or self.rules.tool_name

    @property
    def definition(self) -> bytes:
        """Our tool as it stands in ``tools/list``."""
        from penstock.protocol.tools import definition  # noqa: PLC0415  (one list is all that most clients ask for)

        return definition(self.tool_name)

    @property
    def who(self) -> str:
        return f"the server {self.server[:SHOWN]!r}" if self.server else "the server"

    def quoted(self, noise: bytes) -> str:
        """What the upstream said beside the protocol, as a line of a log."""
        return f"{self.server or 'server'}: {noise[:QUOTED].decode('utf-8', 'replace').rstrip()}"

    def take(self, waiting: Waiting) -> bool:
        """Whether it falls to the caller to answer this request; it does to one caller only. Another request may have
        its id by now."""
        if self.waiting.get(waiting.key) is not waiting:
            return False
        return self.waiting.pop(waiting.key, None) is waiting

    def failed(self, waiting: Waiting, words: str) -> Sequence[Command]:
        """An answer that could not be made."""
        if not self.take(waiting):
            return ()
        if waiting.key.startswith(UNASKED):
            return (Note("error", f"{waiting.method[:SHOWN]} was dropped: {words}"),)
        return (ToClient(jsonrpc.failure(waiting.key, jsonrpc.INTERNAL_ERROR, words)),)

    def count(self, waiting: Waiting) -> None:
        """Count an answer that passed unread."""
        if waiting.name in self.passed or (len(self.passed) < NAMES and len(waiting.name) <= LONGEST_NAME):
            self.passed[waiting.name] += 1

    def refresh(self) -> None:
        """Start all waits anew."""
        now = self.now()
        for waiting in list(self.waiting.values()):
            waiting.since = now

    def client_of(self, waiting: Waiting) -> str:
        """The name of the client, which in the modern era stands in each request."""
        if waiting.modern:
            return jsonrpc.text_at(waiting.params, "_meta", f"{META}clientInfo", "name") or self.client
        return self.client

    def call_behind(self, waiting: Waiting) -> Waiting:
        """The tool call that a task's result belongs to."""
        if waiting.method in ("tasks/get", "tasks/result"):
            return self.known.call_of(jsonrpc.text_at(waiting.params, "taskId")) or waiting
        return waiting
