"""A result through ``Gate.admit``, then every action of the fetch tool on what was held."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from penstock.config.budget import budget_for
from penstock.config.model import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.query.parse.convert import Converter
from penstock.query.sandbox.sandbox import Sandbox
from penstock.stores import open_store
from tests.fuzz import made, oracles

if TYPE_CHECKING:
    from random import Random

    from tests.fuzz.target import Case

OWNER: Final = "ann"
SIZES: Final = (100, 3_000, 10_000, 30_000, 30_000, 100_000)
WINDOWS: Final = 6  # windows that are read of each held result; the rest of it is compared in the store
LONGEST_ERROR: Final = 1_024  # bytes of an answer that is an error

PATHS: Final = (".", ".items", ".items[0]", "[0]", ".[0].id", ".data.items", "[-1]", "..", "[", '["a.b"]', ".a[0]", "é")
PROGRAMS: Final = (".", ".[0]", "length", "keys", "..", "[.. | numbers]", ".items[]", "{", "tostring", "map(.id)")
QUERIES: Final = (
    *(
        "SELECT * FROM items",
        "SELECT count(*) FROM items",
        "SELECT count(*) FROM lines",
        "SELECT n, text FROM lines LIMIT 3",
    ),
    *(
        "SELECT * FROM items LIMIT 2",
        "SELECT * FROM nothing",
        "DELETE FROM items",
        "SELECT '",
        "PRAGMA table_info(items)",
    ),
)
PATTERNS: Final = ("a", "id", "\n", "🙂", "0", "a+", "(a|b)*c", ".*", "^$", "\\d{1,20}", "(", "error")
ODD: Final[tuple[Any, ...]] = (
    None,
    "",
    "2",
    -1,
    0,
    1.0,
    1.5,
    10**18,
    10**400,
    True,
    [],
    ["id"],
    {"a": 1},
    "\ud83d",
    "x" * 3_000,
)


def _fetches(random: Random) -> list[dict[str, Any]]:
    """Draw calls of the fetch tool: each action once as it is meant, and some with an argument that is not."""
    number = random.choice((1, 2, 3, 1_000))
    meant: list[dict[str, Any]] = [
        {"action": "info"},
        {"action": "list"},
        {"action": "get", "start_line": number, "lines": random.choice((1, 7, 5_000))},
        {"action": "get", "path": random.choice(PATHS)},
        {"action": "get_page", "page": number},
        {
            "action": "get_page",
            "page": 1,
            "path": random.choice(PATHS),
            "page_tokens": random.choice((250, 900, 90_000)),
        },
        {"action": "get_page", "fields": random.choice((["id"], ["id", "name"], "id,name", [""]))},
        {"action": "outline", "depth": number},
        {"action": "outline", "path": random.choice(PATHS)},
        {"action": "search", "pattern": random.choice(PATTERNS), "context": random.choice((0, 2))},
        {"action": "search", "pattern": random.choice(PATTERNS), "regex": True, "path": random.choice(PATHS)},
        {"action": "filter", "jq_filter": random.choice(PROGRAMS), "cache_filtered_result": random.random() < 0.5},
        {"action": "sql", "sql": random.choice(QUERIES)},
    ]
    drawn = random.sample(meant, 6)
    names = [*drawn[0], "page", "depth", "max_length", "path", "pattern", "fields", "cache_id"]
    return [*drawn, {**random.choice(meant), random.choice(names): random.choice(ODD)}]


class GateTarget:
    """The worker processes of queries are shared by all cases."""

    def __init__(self) -> None:
        self._sandbox = Sandbox()
        self._converter = Converter()

    def make(self, random: Random) -> Case:
        style = random.choice(("brief", "full", "data"))
        config = {
            "max_tokens": random.choice((500, 600, 1_000, 5_000) if style == "data" else (250, 400, 1_000, 5_000)),
            "notice": style,
            "profile": random.choice(("o200k", "o200k", "o200k", "claude")),
            "auto_truncate": random.random() < 0.1,
            "always_hold": random.random() < 0.2,
        }
        call = {
            "tool": random.choice(("list_issues", "a", made.text(random, 20), "x" * 500)),
            "client": random.choice(("", "claude-code", "Visual Studio Code", "cursor")),
            "arguments": random.choice(({}, {"limit": 10}, {made.text(random, 5): made.text(random, 20)})),
            "structured": random.random() < 0.1,
        }
        result = made.result(random, random.choice(SIZES))
        return {"result": result, "config": config, "call": call, "fetches": _fetches(random)}

    def check(self, case: Case) -> str:
        store = open_store("memory:")
        try:
            config = Config(store="memory:", **case["config"])
            gate = Gate(store, config, sandbox=self._sandbox, converter=self._converter)
            return _Checked(gate, case).run()
        finally:
            store.close()

    def close(self) -> None:
        self._sandbox.close()
        self._converter.close()


class _Checked:
    """One case on its way."""

    def __init__(self, gate: Gate, case: Case) -> None:
        self._gate = gate
        self._parts = case["result"]
        self._fetches = case["fetches"]
        self._call = Call(owner=OWNER, **case["call"])

    def run(self) -> str:
        raw = made.written_result(self._parts)
        answer = self._gate.admit(self._call, raw)
        limit = self._limit(self._call.tool, structured=self._call.structured)
        cost = self._cost(answer)
        assert cost <= limit, f"the answer costs {cost:,} tokens of {limit:,}"
        if answer == raw:
            return "passed"
        notice = oracles.notice_of(answer)
        if notice is None:
            self._is_compacted(answer)
            return "compacted"
        assert "cache_id" in notice, "the result was not kept"
        self._reads_back(answer)
        for arguments in self._fetches:
            named = {} if arguments["action"] == "list" else {"cache_id": notice["cache_id"]}
            self._fetch({**named, **arguments})
        return "held"

    def _limit(self, tool: str, *, structured: bool = False) -> int:
        return budget_for(self._gate.config, tool, self._call.client, structured=structured).max_tokens

    def _cost(self, answer: bytes) -> int:
        """Count by the vocabulary that the budget is in; that of Claude is not known."""
        return oracles.cost(answer) if self._gate.config.profile == "o200k" else 0

    def _fetch(self, arguments: dict[str, Any]) -> bytes:
        answer = self._gate.fetch(OWNER, arguments, client=self._call.client)
        limit = self._limit(self._gate.fetch_tool if arguments["action"] == "list" else self._call.tool)
        cost = self._cost(answer)
        assert cost <= limit, f"{arguments} costs {cost:,} tokens of {limit:,}"
        told = oracles.read(answer)
        assert not told.get("isError") or len(answer) <= LONGEST_ERROR, f"an error of {len(answer):,} bytes"
        return answer

    def _is_compacted(self, answer: bytes) -> None:
        """The same JSON, less only the blanks."""
        [before] = [one["text"] for one in self._parts["blocks"] if one["text"] is not None]
        [after] = [one["text"] for one in oracles.read(answer)["content"] if one["type"] in ("text",)] or [None]
        if after is not None:
            assert oracles.pairs(after) == oracles.pairs(before), "the compacted text says something else"
            is_quoted = before.lstrip()[:1] == '"'  # JSON in a JSON string is what it says
            assert is_quoted or "".join(after.split()) == "".join(before.split()), "more than blanks was left out"

    def _reads_back(self, answer: bytes) -> None:
        held: list[bytes] = []
        for handle in oracles.handles(answer):
            found = self._gate.store.get(OWNER, handle)
            assert found is not None, f"{handle} is named, and not held"
            held.append(found.read(0, found.size()))
            if found.meta.kind not in ("image", "audio", "resource"):
                length = max(1, len(held[-1]) // (WINDOWS - 1))
                part, whole = oracles.windows(self._fetch, handle, length, WINDOWS)
                assert held[-1].startswith(part), f"the windows of {handle} differ from what is held"
                assert part == held[-1] or not whole, f"the windows of {handle} end early"
        self._is_all_there(held, answer)

    def _is_all_there(self, held: list[bytes], answer: bytes) -> None:
        texts = [one["text"] for one in self._parts["blocks"] if one["text"] is not None]
        for block in self._parts["blocks"]:
            if any(block["raw"].encode() in one for one in (*held, answer)):
                continue
            assert block["text"] is not None, f"a block of {len(block['raw']):,} bytes was lost or spelled anew"
            is_there = oracles.is_kept(block["text"], held)
            assert is_there, f"a text of {len(block['text']):,} characters was lost or spelled anew"
        structured = self._parts["structured"]
        if structured is None or structured == "null":
            return
        raw = structured.encode("utf-8", "surrogatepass")
        if not any(raw in one for one in held):
            same = oracles.pairs(structured)
            said = [*texts, json.dumps({"result": texts})]
            is_said = same is not None and any(oracles.pairs(text) == same for text in said)
            assert is_said, "structuredContent was lost or spelled anew"
