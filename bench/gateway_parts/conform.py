"""Whether the protocol's features come through: the client's checks, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.gateway_parts.runs import Figures, run
from bench.gateway_parts.table import markdown, remarks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.gateway_parts.kit import Kit
    from bench.gateway_parts.targets import Target

SECONDS = 240  # two dozen checks, some of which wait 30 s for an answer that does not come
# Where an answer differs from direct's on purpose. The client cannot know that; a reader of the table should.
BY_DESIGN = {
    "tools/list": "output schemas are taken out, as a held result cannot keep them",
    "structured 1MB": "held: no structuredContent beside a preview",
    "multi 500KB": "held: a notice and a preview come first",
}


def conform(kit: Kit, targets: Mapping[str, Target]) -> None:
    seen = {name: _checks(run(kit, target, "conform", seconds=SECONDS)) for name, target in targets.items()}
    checks = list(dict.fromkeys(check for lines in seen.values() for check in lines))
    rows = [[check, *(_word(lines.get(check)) for lines in seen.values()), _note(check, seen)] for check in checks]
    passed = [str(sum(line.get("ok") is True for line in lines.values())) for lines in seen.values()]
    print("\n### The protocol's features\n")
    print(markdown(["", *targets, "penstock beside direct"], [*rows, [f"ok, of {len(checks)}", *passed, ""]]))
    wrong = [
        f"{name}, {check}: {_why(line)}"
        for name, lines in seen.items()
        for check, line in lines.items()
        if not line.get("ok")
    ]
    remarks(wrong)


def _checks(lines: list[Figures]) -> dict[str, Figures]:
    """By the check's name; ``initialize`` only describes and has no verdict."""
    return {line.get("check", "the whole run"): line for line in lines if "ok" in line or "failed" in line}


def _word(line: Figures | None) -> str:
    if line is None:
        return "-"
    tokens = line.get("tokens", line.get("text_tokens", 0) + line.get("sc_tokens", 0))
    return ("ok" if line.get("ok") else "not ok") + (f", {tokens:,} tokens" if tokens else "")


def _note(check: str, seen: Mapping[str, Mapping[str, Figures]]) -> str:
    if not {"direct", "penstock"} <= set(seen):
        return ""
    base, ours = seen["direct"].get(check, {}).get("ok"), seen["penstock"].get(check, {}).get("ok")
    if base == ours or ours:
        return "same" if base == ours else "better"
    return BY_DESIGN.get(check, "WORSE")


def _why(line: Figures) -> str:
    told = {key: value for key, value in line.items() if key not in ("target", "what", "check", "ok") and value}
    return str(told.get("failed") or told.get("error") or told)[:160]
