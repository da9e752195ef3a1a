"""Configuration files in three formats: a file is read, or refused with a ``ConfigError`` that can be printed."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.config import SETTINGS, Config, load
from penstock.config.budget import budget_for
from penstock.errors import ConfigError
from tests.fuzz import made

if TYPE_CHECKING:
    from random import Random

    from tests.fuzz.target import Case

NAMES: Final = tuple(setting.name for setting in SETTINGS)
SECTIONS: Final = ("penstock", "rules", "clients", "tools", "", "rule", "a.b")
VALUES: Final[tuple[Any, ...]] = (
    0,
    1,
    -1,
    250,
    20_000,
    10**30,
    1.5,
    float("inf"),
    True,
    False,
    None,
    "",
    "auto",
    "30m",
    "1h",
    "a*",
    [],
    {},
    [1],
)
SUFFIXES: Final = (".toml", ".yaml", ".yml", ".json", ".txt")


class ConfigFilesTarget:
    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pen"))

    def make(self, random: Random) -> Case:
        table = _table(random, 0)
        suffix = random.choice(SUFFIXES)
        spelled = json.dumps(table, indent=random.choice((None, 1))) if suffix == ".json" else _spelled(table, suffix)
        data = spelled.encode("utf-8", "surrogatepass")
        for _ in range(random.choice((0, 0, 1, 3))):
            at = random.randrange(len(data) + 1)
            data = (
                data[:at]
                + random.choice(made.SIGNS).encode("utf-8", "surrogatepass")
                + data[at + random.randrange(3) :]
            )
        return {"suffix": suffix, "data": data}

    def check(self, case: Case) -> str:
        path = self._folder / f"penstock{case['suffix']}"
        path.write_bytes(case["data"])
        try:
            config = load(path, env={})
        except ConfigError as error:
            text = str(error)
            assert text, "an error without words"
            text.encode()
            return "refused"
        assert isinstance(config, Config)
        budget_for(config, "a", "claude-code")
        return "read"

    def close(self) -> None:
        shutil.rmtree(self._folder)


def _table(random: Random, depth: int) -> dict[str, Any]:
    table: dict[str, Any] = {random.choice(NAMES): _value(random) for _ in range(random.randrange(4))}
    if random.random() < 0.2:
        table[made.text(random, 6)] = _value(random)
    if depth < 2 and random.random() < 0.6:
        table[random.choice(SECTIONS)] = _table(random, depth + 1)
    return table


def _value(random: Random) -> Any:
    return made.text(random, 20) if random.random() < 0.2 else random.choice(VALUES)


def _spelled(table: dict[str, Any], suffix: str, above: tuple[str, ...] = ()) -> str:
    """Write a table as TOML or as YAML: values in JSON, which both take for the most part."""
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    if suffix in (".yaml", ".yml"):
        indent = "  " * len(above)
        lines = [f"{indent}{json.dumps(key)}: {json.dumps(value)}\n" for key, value in plain.items()]
        for key, value in table.items():
            if isinstance(value, dict):
                lines.append(f"{indent}{json.dumps(key)}:\n{_spelled(value, suffix, (*above, key))}")
        return "".join(lines)
    head = f"[{'.'.join(map(json.dumps, above))}]\n" if above else ""
    lines = [f"{json.dumps(key)} = {json.dumps(value)}\n" for key, value in plain.items()]
    lines += [_spelled(value, suffix, (*above, key)) for key, value in table.items() if isinstance(value, dict)]
    return head + "".join(lines)
