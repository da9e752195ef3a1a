"""Files with code in them that no engine has examined: a scan that says nothing of them reads as a clean one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from security_server.engines import Engine, Outcome

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
    """Return, by suffix, how many files of code no engine for weaknesses has examined, and what would."""
    done = [engines[one.engine] for one in outcomes if one.status == "completed"]
    looked = [engine for engine in done if engine.finds == "weaknesses"]
    left = Counter(
        file.suffix for file in files if file.suffix in CODE and not any(engine.takes(file) for engine in looked)
    )
    by_suffix: dict[str, dict[str, Any]] = {}
    for suffix, count in left.most_common():
        by_suffix[suffix] = {"files": count}
        able = [one for one in engines.values() if one.finds == "weaknesses" and suffix in one.suffixes]
        if able:
            hints = (f"{one.name}: {one.missing() if one.version() is None else 'installed'}" for one in able)
            by_suffix[suffix]["engines"] = "; ".join(hints)
    return by_suffix
