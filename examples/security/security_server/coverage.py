"""Files with code in them that no engine has examined: a scan that says nothing of them reads as a clean one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from security_server.engines import Engine, Outcome

MOST_NAMED: Final = 5  # suffixes that a reason names
# Suffixes of files that are programs: data and prose have no weaknesses of code.
CODE: Final = frozenset(
    {".py", ".pyi", ".go", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".vue", ".svelte", ".java", ".kt",
     ".kts", ".scala", ".groovy", ".rb", ".php", ".cs", ".vb", ".fs", ".c", ".h", ".cc", ".cpp", ".cxx",
     ".hpp", ".rs", ".swift", ".m", ".mm", ".dart", ".lua", ".pl", ".pm", ".r", ".sh", ".bash", ".zsh", ".ps1",
     ".sql", ".ex", ".exs", ".erl", ".hs", ".clj", ".sol", ".tf"}
)  # fmt: skip


def not_examined(
    files: Sequence[Path], engines: Mapping[str, Engine], outcomes: Sequence[Outcome]
) -> dict[str, dict[str, Any]]:
    """Return, by suffix, how many files of code no engine for weaknesses has examined, and what would. A file that
    every engine failed to read is not examined either."""
    finders = [engine for engine in engines.values() if engine.finds == "weaknesses"]
    done = {one.engine: {*one.unread} for one in outcomes if one.status == "completed"}

    def is_examined(file: Path) -> bool:
        return any(one.name in done and one.takes(file) and str(file) not in done[one.name] for one in finders)

    left = Counter(file.suffix for file in files if file.suffix in CODE and not is_examined(file))
    by_suffix: dict[str, dict[str, Any]] = {}
    for suffix, count in left.most_common():
        by_suffix[suffix] = {"files": count}
        hints = [
            f"{one.name}: {one.missing() if one.version() is None else 'installed'}"
            for one in finders
            if suffix in one.suffixes
        ]
        if hints:
            by_suffix[suffix]["engines"] = "; ".join(hints)
    return by_suffix


def why_partial(left: Mapping[str, Mapping[str, Any]], outcomes: Sequence[Outcome]) -> str:
    """Say what keeps a scan from being a whole one: engines that failed, and files of code that none examined."""
    reasons = [
        f"{one.engine}: {one.reason or one.status}" for one in outcomes if one.reason or one.status != "completed"
    ]
    if left:
        total = sum(one["files"] for one in left.values())
        most = ", ".join(f"{one['files']:,} {suffix}" for suffix, one in [*left.items()][:MOST_NAMED])
        rest = f" and {len(left) - MOST_NAMED} other kinds" if len(left) > MOST_NAMED else ""
        reasons.append(f"no engine examined {total:,} of the files with code ({most}{rest}; see not_examined)")
    return "; ".join(reasons)
