"""What reading a held result costs: a conversation about 1 MB of records through the gateway, checked as it goes."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.gateway_parts.table import markdown

from penstock.core.tokens.count import count

if TYPE_CHECKING:
    from bench.gateway_parts.kit import Kit
    from bench.gateway_parts.targets import Target

SIZE = 1_000_000
NEEDLE = "NEEDLE-7f3a91"
FETCH = "fetch_cached_response"
WHOLE = 16_000  # characters counted at a time: at four bytes each they are still counted, not sampled
SQL = "SELECT status, count(*) AS n FROM items GROUP BY status ORDER BY status"
JQ = f'.[] | select(.code == "{NEEDLE}")'


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something asked of the gateway: what the answers cost, for two ways of counting, and whether they are right."""

    what: str
    texts: list[str]
    limit: float
    right: bool
    base: list[str] | None = None

    def row(self) -> list[str]:
        costs: list[float] = [tokens(self.texts, profile) for profile in ("claude", "o200k")]
        if self.base is None:
            shown, unit = [f"{cost:,}" for cost in costs], " tokens"
        else:
            bases = [tokens(self.base, profile) for profile in ("claude", "o200k")]
            costs_and_bases = list(zip(costs, bases, strict=True))
            shown = [f"{cost:,} of {base:,} ({cost / base:.3f}x)" for cost, base in costs_and_bases]
            costs, unit = [cost / base for cost, base in costs_and_bases], "x the original"
        kept = "yes" if self.right and max(costs) <= self.limit else "NO"
        return [self.what, *shown, "yes" if self.right else "NO", f"<= {self.limit:,g}{unit}", kept]


def tokens(texts: list[str], profile: str) -> int:
    return sum(count(text[at : at + WHOLE], profile).tokens for text in texts for at in range(0, len(text), WHOLE))


def reading(kit: Kit, direct: Target, gateway: Target) -> None:
    print(f"\n### Reading {SIZE / 1e6:g} MB of records\n")
    module = kit.module()
    upstream, client = module.Client(direct.command), module.Client(gateway.command)
    try:
        upstream.initialize()
        client.initialize()
        steps = conversation(upstream, client)
    except (module.Gone, TimeoutError, AskedInVainError) as error:
        print(f"failed: {type(error).__name__}: {error}")
        return
    finally:
        upstream.close()
        client.close()
    exact = count("a few words", "o200k").method
    head = ["", "Claude tokens", f"o200k tokens ({exact})", "right", "wanted", "kept"]
    print(markdown(head, [step.row() for step in steps]))


class AskedInVainError(Exception):
    """The gateway answered with an error, or not as it should."""


def conversation(upstream: Any, client: Any) -> list[Step]:
    asked = {"shape": "rows", "size": SIZE}
    original = texts(call(upstream, "gen", asked))[0]
    rows = json.loads(original)
    needle = next(row for row in rows if row.get("code") == NEEDLE)

    answer = call(client, "gen", asked)
    shown = texts(answer)
    notice = json.loads(shown[0].partition("\n")[0])
    handle = notice.get("cache_id")
    if handle is None:
        raise AskedInVainError(f"the result was not held: {shown[0][:200]}")
    structured = answer.get("structuredContent")
    steps = [
        Step(
            what="the answer in its place",
            texts=[*shown, *([json.dumps(structured)] if structured else [])],
            limit=2_000,
            right=notice["type"] == "buffered_response",
        )
    ]

    answers, whole = all_windows(client, handle)
    steps.append(
        Step(
            what=f"the whole by `get`, {len(answers)} calls",
            texts=answers,
            limit=1.05,
            right=whole.encode() == original.encode(),
            base=[original],
        )
    )

    def ask(**arguments: str) -> list[str]:
        return texts(call(client, FETCH, {"cache_id": handle, **arguments}))

    got = ask(action="search", pattern=NEEDLE)
    found = got[0].partition("\n")[2]
    right = NEEDLE in found and f"id {needle['id']} " in found
    steps.append(Step(what="one row by `search`", texts=got, limit=400, right=right))
    got = ask(action="filter", jq_filter=JQ)
    right = json.loads(got[0])["result"] == needle
    steps.append(Step(what="one row by `filter`", texts=got, limit=400, right=right))
    got = ask(action="sql", sql=SQL)
    sums = [{"status": state, "n": number} for state, number in sorted(Counter(row["status"] for row in rows).items())]
    right = json.loads(got[0])["result"] == sums
    steps.append(Step(what="an aggregate by `sql`", texts=got, limit=400, right=right))

    theirs = {tool["name"] for tool in listed(upstream)}
    added = [json.dumps(tool, separators=(",", ":")) for tool in listed(client) if tool["name"] not in theirs]
    steps.append(Step(what="the added tool's definition", texts=added, limit=900, right=len(added) == 1))
    return steps


def all_windows(client: Any, handle: str) -> tuple[list[str], str]:
    """The texts of every answer, and what their windows put together give."""
    answers: list[str] = []
    parts: list[str] = []
    at: int | None = 0
    while at is not None:
        (answer,) = texts(call(client, FETCH, {"cache_id": handle, "action": "get", "start_index": at}))
        head, _, part = answer.partition("\n")
        answers.append(answer)
        parts.append(part)
        place = json.loads(head)
        at = place["next_index"] if place["has_more"] else None
    return answers, "".join(parts)


def call(client: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    answer = client.request("tools/call", {"name": tool, "arguments": arguments})
    result: dict[str, Any] = answer.get("result") or {}
    if "result" not in answer or result.get("isError"):
        raise AskedInVainError(f"{tool} {json.dumps(arguments)}: {json.dumps(answer)[:300]}")
    return result


def texts(result: dict[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"] if block["type"] == "text"]


def listed(client: Any) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = client.request("tools/list")["result"]["tools"]
    return tools
