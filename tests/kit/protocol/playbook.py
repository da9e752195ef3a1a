"""Transcripts as tests: what the client and the upstream say, and what each of them hears.

    with Playbook() as play:
        play.client(call(1, "search", q="x"))
        play.upstream_hears_the_same()
        play.upstream(answer(1, text("found")))
        play.client_hears_the_same()

Results that are too large for ``floor`` and calls to our own tool go to ``gate``, a function of the test; without one
they wait in ``admissions`` and ``fetches`` until the test answers them. At the end nothing may be left unheard.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from tests.kit.answers import split

from penstock.core.answer.stand_in import StandIn
from penstock.protocol.commands import Act, Admit, Command, Fetch, Noise, Note, Resolve, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.gate.outcome import Admission
    from penstock.protocol.own_requests import OwnCall
    from penstock.protocol.rules import ExchangeRules

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "a modern client", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
OURS = "fetch_cached_response"
LONG = "x" * 500  # goes to the gate
HUGE = "y" * 20_000


@dataclass(kw_only=True)
class PlainRules:
    """The same for all tools, but for those that are named."""

    tool_name: str = OURS
    acts: tuple[str, ...] = ()
    act_tool_name: str = "act_on_cached_response"
    output_schema: str = "strip"
    lists_briefly: bool = False
    mark: str = ""
    by_handle: bool = True
    takes_questions: bool = False
    instructs_questions: bool = False
    asked: tuple[str, ...] = ()
    warms: tuple[str, ...] = ()
    bytes_unread: int = 300
    floors: dict[str, int] = field(default_factory=dict)
    ttl: int | None = 1_800_000
    patience: float | None = 60.0

    def floor(self, tool: str) -> int:
        return self.floors.get(tool, self.bytes_unread)

    @property
    def lists_questions(self) -> bool:
        return bool(self.asked)

    def lists_question(self, tool: str) -> bool:
        return tool in self.asked

    def ttl_ms(self, tool: str) -> int | None:
        return self.ttl

    def timeout(self, tool: str) -> float | None:
        return self.patience


class Playbook:
    """Drives an exchange, one line after the other, and keeps what each side hears."""

    def __init__(
        self, rules: ExchangeRules | None = None, gate: Callable[[Admit | Fetch], Admission] | None = None
    ) -> None:
        self.time = 0.0
        self.exchange = Exchange(rules or PlainRules(), now=lambda: self.time)
        self.admissions: deque[Admit] = deque()
        self.fetches: deque[Fetch] = deque()
        self.resolutions: deque[Resolve] = deque()
        self.acts: deque[Act] = deque()
        self.noise: deque[bytes] = deque()
        self.notes: deque[str] = deque()
        self.to_client: deque[bytes] = deque()
        self.to_upstream: deque[bytes] = deque()
        self._gate = gate
        self._said = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            left = (self.to_client, self.to_upstream, self.noise, self.notes)
            at_the_gate = (self.admissions, self.fetches, self.resolutions, self.acts)
            assert not any((*left, *at_the_gate)), (left, at_the_gate)

    # What is said

    def client(self, line: bytes) -> None:
        self._said = line
        self._carry_out(self.exchange.client_sent(line))

    def upstream(self, line: bytes) -> None:
        self._said = line
        self._carry_out(self.exchange.upstream_sent(line))

    def wait(self, seconds: float) -> None:
        """Time passes, and someone looks for requests that were never answered."""
        self.time += seconds
        self._carry_out(self.exchange.overdue())

    def upstream_ends(self, how: str = "exited with code 1") -> None:
        self._carry_out(self.exchange.upstream_ended(how))

    def decide(self, result: bytes | None = None) -> None:
        """The gate has decided on the oldest admission: for this result, or for the one that came."""
        admit = self.admissions.popleft()
        self._carry_out(self.exchange.admitted(admit, bytes(admit.view.inner) if result is None else result))

    def hold(self) -> None:
        """The gate holds what the oldest admission shows it, and gives a stand-in."""
        parts = stand_in_of(NOTICE)
        self._carry_out(self.exchange.admitted(self.admissions.popleft(), parts.raw, parts))

    def _decide(self, admission: Admission) -> None:
        admit = self.admissions.popleft()
        self._carry_out(self.exchange.admitted(admit, admission.answer, admission.stand_in))

    def read(self, result: bytes) -> None:
        """The gate has read what the oldest call to our tool asked for."""
        self._carry_out(self.exchange.fetched(self.fetches.popleft(), result))

    def fill(self, arguments: bytes) -> None:
        """The gate has put held results into the arguments of the oldest call that names some."""
        self._carry_out(self.exchange.resolved(self.resolutions.popleft(), arguments))

    def act(self, result: bytes) -> None:
        """The gate has done what the oldest call to our second tool asked for."""
        self._carry_out(self.exchange.fetched(self.acts.popleft(), result))

    def call_on(self, call: OwnCall, work: Any = None) -> Act:
        """The gate needs a call of its own to do what the oldest call to our second tool asked for."""
        act = self.acts.popleft()
        self._carry_out(self.exchange.called(act, call, work))
        return act

    def refuse(self, result: bytes) -> None:
        """The gate refuses the oldest call that names held results."""
        self._carry_out(self.exchange.fetched(self.resolutions.popleft(), result))

    # What is heard

    def client_hears(self, expected: bytes | dict[str, Any]) -> None:
        _same(self.to_client, expected)

    def upstream_hears(self, expected: bytes | dict[str, Any]) -> None:
        _same(self.to_upstream, expected)

    def client_hears_the_same(self) -> None:
        """The same bytes object: nothing was copied on the way."""
        assert self.to_client, self
        assert self.to_client.popleft() is self._said

    def upstream_hears_the_same(self) -> None:
        assert self.to_upstream, self
        assert self.to_upstream.popleft() is self._said

    def client_hears_failure(self, key: Any, *words: str, code: int = -32_603) -> None:
        heard = self.heard()
        assert heard["id"] == key
        assert heard["error"]["code"] == code
        for word in words:
            assert word in heard["error"]["message"]

    def nobody_hears(self) -> None:
        assert not self.to_client, self.to_client
        assert not self.to_upstream, self.to_upstream

    def heard(self) -> Any:
        """The next message that the client hears."""
        return json.loads(self.to_client.popleft())

    def is_noted(self, *words: str) -> None:
        note = self.notes.popleft()
        assert all(word in note for word in words), note

    def asks(self, line: bytes) -> None:
        """The client says something that goes to the upstream as it is."""
        self.client(line)
        self.upstream_hears_the_same()

    def answers(self, line: bytes) -> None:
        """The upstream says something that goes to the client as it is."""
        self.upstream(line)
        self.client_hears_the_same()

    def _carry_out(self, commands: Iterable[Command]) -> None:
        for command in commands:
            match command:
                case ToClient(line=line):
                    assert line.endswith(b"\n")
                    self.to_client.append(line)
                case ToUpstream(line=line):
                    self.to_upstream.append(line)
                case Noise(line=line):
                    self.noise.append(line)
                case Note(text=text):
                    self.notes.append(text)
                case Admit():
                    self.admissions.append(command)
                    if self._gate is not None:
                        self._decide(self._gate(command))
                case Fetch():
                    self.fetches.append(command)
                    if self._gate is not None:
                        self.read(self._gate(command).answer)
                case Resolve():
                    self.resolutions.append(command)
                case Act():
                    self.acts.append(command)


def _same(heard: deque[bytes], expected: bytes | dict[str, Any]) -> None:
    assert heard, f"nothing was heard, but should have been: {expected!r}"
    line = heard.popleft()
    assert (line if isinstance(expected, bytes) else json.loads(line)) == expected


# Messages


def packed(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def line(message: Any) -> bytes:
    return packed(message) + b"\n"


def request(key: Any, method: str, **params: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": key, "method": method, "params": params})


def modern(key: Any, method: str, **params: Any) -> bytes:
    return request(key, method, **params, _meta=MODERN)


def call(key: Any, tool: str, /, **arguments: Any) -> bytes:
    return request(key, "tools/call", name=tool, arguments=arguments)


def notification(method: str, **params: Any) -> bytes:
    return line({"jsonrpc": "2.0", "method": method, "params": params})


def cancel(key: Any) -> bytes:
    return notification("notifications/cancelled", requestId=key, reason="no longer needed")


def answer(key: Any, result: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": key, "result": result})


def error(key: Any, code: int, message: str, **more: Any) -> bytes:
    return line({"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": message, **more}})


def text(words: str, **members: Any) -> dict[str, Any]:
    """A tool's result of one text."""
    return {"content": [{"type": "text", "text": words}], **members}


NOTICE = text(
    '{"type":"buffered_response","cache_id":"r_1","message":"held","metadata":{"token_limit":2000},"shown":{}}\n'
    + "preview " * 100
)


def stand_in_of(result: dict[str, Any], token_limit: int = 2_000) -> StandIn:
    """A result with a notice and a preview in its first block, in the parts that the core would give."""
    _, *blocks = result["content"]
    members = tuple((key, packed(value)) for key, value in result.items() if key != "content")
    notice, preview = split(result)
    others = tuple(map(packed, blocks))
    return StandIn(notice=notice, preview=preview, blocks=others, members=members, token_limit=token_limit)


def tool(name: str, /, **members: Any) -> dict[str, Any]:
    """A tool as it is listed."""
    return {"name": name, "inputSchema": {"type": "object"}, **members}


def names(listed: Mapping[str, Any]) -> list[str]:
    return [one["name"] for one in listed["result"]["tools"]]
