"""Lines of client and upstream through an exchange and the carrier, as ``run`` drives them, but without processes.

A case is a list of steps: who sends, and the bytes of the line. Some cases have lines with changed bytes in them; of
these nothing can be told but that no exception comes and that every line is one line.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.config.model import Config
from penstock.gateway.carry import Carrier
from penstock.gateway.config_rules import ConfigRules
from penstock.gateway.log import Log
from penstock.protocol.commands import Act, Admit, Command, Fetch, Resolve, ToClient, ToUpstream
from penstock.protocol.exchange import Exchange
from penstock.protocol.wire.lines import TooLong
from tests.fuzz import made, oracles

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from tests.fuzz.target import Case

LIMIT: Final = 1_000  # tokens of an answer
STEPS: Final = (1, 2, 5, 10)
IDS: Final = (0, 1, 2, 3, -7, 2**60, "a", "", "1", "é", "\n", '"', "\ud83d", "x" * 200)
METHODS: Final = (
    "tools/call",
    "tools/call",
    "tools/call",
    "tools/list",
    "initialize",
    "ping",
    "resources/read",
    "prompts/get",
)
# Words of the log for an exception that was caught.
CAUGHT: Final = ("relayed unread", "could not be made", "dropped", "unforeseen")
OWN: Final = "fetch_cached_response"
ACTING: Final = "act_on_cached_response"
LISTED: Final[list[tuple[str, bytes]]] = [
    ("client", b'{"jsonrpc":"2.0","id":"listed","method":"tools/list"}\n'),
    (
        "upstream",
        b'{"id":"listed","result":{"tools":[{"name":"list","inputSchema":{"properties":{"cursor":{"type":"string"}}}}]}}\n',
    ),
]
MODERN: Final = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}


class _Strict(Log):
    """A log in which the words of a caught exception are a failure."""

    def write(self, text: str) -> None:
        assert not any(words in text for words in CAUGHT), text


class ExchangeTarget:
    def make(self, random: Random) -> Case:
        steps = LISTED if random.random() < 0.5 else []
        steps = [*steps, *(step for _ in range(random.choice(STEPS)) for step in _exchanged(random))]
        if random.random() < 0.2:
            random.shuffle(steps)
        changed = random.random() < 0.3
        if changed:
            steps = [(who, _changed(random, line) if random.random() < 0.4 else line) for who, line in steps]
        return {"steps": steps, "changed": changed}

    def check(self, case: Case) -> str:
        config = Config(
            store="memory:",
            max_tokens=LIMIT,
            preview_tokens=500,
            page_tokens=800,
            profile="o200k",
            act=("export", "more", "drop"),
            rules={"list": {"more": "any"}},
        )
        carrier = Carrier(ConfigRules(config), _Strict("error"))
        played = _Played(carrier, judged=not case["changed"])
        try:
            for who, line in case["steps"]:
                played.step(who, line)
            played.end()
        finally:
            carrier.close()
        return "changed" if case["changed"] else "held" if played.held else "relayed"

    def close(self) -> None:
        """Nothing outlives a case."""


class _Played:
    """One case on its way: which requests were opened, and which responses came."""

    def __init__(self, carrier: Carrier, *, judged: bool) -> None:
        self._carrier = carrier
        self._exchange = Exchange(carrier.rules, now=lambda: 0.0)
        self._judged = judged
        self._requests: Counter[str] = Counter()
        self._responses: Counter[str] = Counter()
        self._cancelled: set[str] = set()
        self._pages = 0
        self.held = 0

    def step(self, who: str, line: bytes) -> None:
        if who == "client":
            self._note(line)
            self._carry(self._exchange.client_sent(line))
        elif who == "upstream":
            self._carry(self._carrier.classify(self._exchange, line))
        else:
            self._carry(self._exchange.upstream_overflowed(TooLong(head=line[:200], tail=line[-200:], size=10**9)))

    def end(self) -> None:
        """The upstream ends: from now on every request has its one response."""
        self._carry(self._exchange.upstream_ended("exited with code 1"))
        if not self._judged:
            return
        assert self._exchange.open_count == 0, "requests stay open behind the end of the upstream"
        for key, number in self._requests.items():
            if key not in self._cancelled:
                assert self._responses[key] == number, f"{number} requests {key}, {self._responses[key]} responses"

    def _note(self, line: bytes) -> None:
        message = oracles.read(line) if self._judged else {}
        if "id" in message:
            self._requests[json.dumps(message["id"])] += 1
        elif message.get("method") == "notifications/cancelled":
            self._cancelled.add(json.dumps(message["params"]["requestId"]))

    def _carry(self, commands: Iterable[Command]) -> None:
        for command in commands:
            if isinstance(command, Admit):
                self._carry(self._carrier.admit(self._exchange, command).commands)
            elif isinstance(command, Fetch | Act | Resolve):
                self._carry(self._carrier.carry(self._exchange, command).commands)
            elif isinstance(command, ToUpstream) and command.requests and command.requests[0].parent is not None:
                self._answer_own(command.requests[0].key)
            elif isinstance(command, ToClient):
                self._told(command)

    def _answer_own(self, key: bytes) -> None:
        """The upstream answers a call of our own: with pages that never end, and now and then with none."""
        self._pages += 1
        page = json.dumps({"rows": [{"id": self._pages}], "next_cursor": f"c{self._pages}"})
        text = page if self._pages % 5 else "no page"
        result = json.dumps({"content": [{"type": "text", "text": text}]}).encode()
        self._carry(self._carrier.classify(self._exchange, b'{"id":' + key + b',"result":' + result + b"}\n"))

    def _told(self, command: ToClient) -> None:
        line = command.line
        assert line.find(b"\n") == len(line) - 1, f"not one line: {line[:80]!r}"
        if not self._judged:
            return
        message: Any = oracles.loaded(line)
        if "method" in message:
            return
        self._responses[json.dumps(oracles.read(line)["id"])] += 1
        if command.request is not None and command.request.method == "tools/call" and "result" in message:
            cost = oracles.cost(_result_in(line))
            assert cost <= LIMIT, f"the result costs {cost:,} tokens of {LIMIT:,}"
            self.held += b"buffered_response" in line


def _result_in(line: bytes) -> bytes:
    """Return the result of a response as JSON, written as short as it can be."""
    result = oracles.read(line)["result"]
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _exchanged(random: Random) -> list[tuple[str, bytes]]:
    """Draw a request and what the upstream sends for it: a response mostly, or two, or none."""
    key = random.choice(IDS)
    method = random.choice(METHODS)
    request = ("client", _line({"jsonrpc": "2.0", "id": key, "method": method, "params": _params(random, method)}))
    kind = random.random()
    steps = [request]
    if kind < 0.1:
        steps.append(("client", _line(_cancelled(key))))
    if kind < 0.85:
        steps.append(("upstream", _response(random, key)))
    if kind < 0.15:
        steps.append(("upstream", _response(random, key)))
    elif kind > 0.95:
        steps.append(("upstream overflows", _response(random, key)))
    elif kind > 0.9:
        steps.append(("upstream", b"a line of a log\n"))
    return steps


def _params(random: Random, method: str) -> dict[str, Any]:
    meta = {"_meta": {**MODERN, "progressToken": 1}} if random.random() < 0.2 else {}
    if method != "tools/call":
        return {"name": "a", "uri": "a:b", **meta}
    name = random.choice(("search", "list", OWN, ACTING))
    arguments = random.choice(
        (
            {},
            {"action": "list"},
            {"cache_id": "r_" + "x" * 22},
            {made.text(random, 5): [1, None]},
            {"action": "more", "tool": "list", "pages": random.choice((1, 3, 30))},
            {"action": random.choice(("export", "more", "drop")), "all": True, "format": "csv"},
        )
    )
    return {"name": name, "arguments": arguments, **meta}


def _response(random: Random, key: Any) -> bytes:
    spelled = made.quoted(random, key) if isinstance(key, str) else str(key)
    if random.random() < 0.15:
        error = f'{{"code":{random.choice((-32601, -32000, 0))},"message":{made.quoted(random, made.text(random))}}}'
        body = f'"error":{error}'
    else:
        drawn = made.written_result(made.result(random, random.choice((100, 3_000, 3_000, 10_000)))).decode()
        body = f'"result":{drawn}'
    members = [f'"id":{spelled}', '"jsonrpc":"2.0"', body]
    random.shuffle(members)
    # A line break between the parts of JSON would end the line; in a string it is an escape.
    return ("{" + ", ".join(members) + "}").replace("\r", " ").replace("\n", " ").encode() + b"\n"


def _cancelled(key: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": key}}


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _changed(random: Random, line: bytes) -> bytes:
    """Cut a line, or change some bytes of it."""
    data = bytearray(line[:-1])
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(data) + 1)
        data[at : at + random.choice((0, 1, 8, 200))] = random.choice(
            (
                b"",
                b"\xff",
                b'"',
                b"{",
                b"}",
                b"[",
                b"\\",
                b"\xed\xa0\xbd",
                b"\x00",
                b'"id":1,',
                b"1e999",
                random.randbytes(3),
            )
        )
    return bytes(data).replace(b"\n", b" ") + b"\n"
