"""The settings file: ``mcp`` limits an answer, ``scan`` limits a scan, ``penstock`` has Penstock's own settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from penstock import Config, ConfigError, load
from security_server.engines import ENGINES, Engine, sarif
from security_server.truncation import STRATEGIES
from server_parts.complaints import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from security_server.truncation import Strategy

SECTIONS: Final = ("mcp", "scan", "engines", "penstock")
ENGINE_KEYS: Final = ("command", "suffixes", "finds", "install", "exit_codes", "environment")
ENGINE: Final = "engines: {gosec: {command: [gosec, -fmt=sarif, ./...], suffixes: [.go]}}"
PROJECT: Final = Path(".verdict") / "config.yaml"  # of a scanned project, found by itself
SHIPPED: Final = Path(__file__).resolve().parents[1] / "security.yaml"
MOST_BYTES: Final = 1_000_000  # of a settings file; a real one has a few hundred


@dataclass(frozen=True, slots=True, kw_only=True)
class MCPConfig:
    """The limits of one answer."""

    max_findings: int = 50
    max_output_bytes: int = 50_000
    truncate_strategy: Strategy = "priority"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSettings:
    """The limits of one scan."""

    engine_seconds: int = 300
    max_files: int = 20_000
    max_file_bytes: int = 2_000_000
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    mcp: MCPConfig
    scan: ScanSettings
    penstock: Config
    engines: Mapping[str, Engine] = field(default_factory=lambda: dict(ENGINES))


# The smallest and the largest value. Below 8,000 bytes an answer has no room for its counts, for the reasons of three
# engines that have failed, and for one finding with a long path.
RANGES: Final[dict[str, dict[str, tuple[int, int]]]] = {
    "mcp": {"max_findings": (1, 10_000), "max_output_bytes": (8_000, 10_000_000)},
    "scan": {"engine_seconds": (1, 3_600), "max_files": (1, 1_000_000), "max_file_bytes": (1_000, 100_000_000)},
}
DEFAULTS: Final = {"mcp": MCPConfig(), "scan": ScanSettings()}


def load_settings(file: Path, project: Path | None = None) -> Settings:
    """Read a settings file; a ``ConfigError`` names the key, what was expected, and an example. Of the file that the
    scanned project has itself, the section ``mcp`` counts, and nothing that could start a program."""
    table = _table(file)
    for name in table:
        if name not in SECTIONS:
            raise ConfigError(f"{file}: {name}: not a section", do=f"expected {', '.join(SECTIONS)}")
    whole = file
    if project is not None:
        file, table = project, {**table, "mcp": _table(project).get("mcp")}
    mcp = _section(file, table, "mcp", also=("truncate_strategy",))
    strategy = mcp.get("truncate_strategy", STRATEGIES[0])
    if strategy not in STRATEGIES:
        raise _wrong(
            file, "mcp.truncate_strategy", f"one of {', '.join(STRATEGIES)}", strategy, "truncate_strategy: priority"
        )
    scan = _section(file, table, "scan", also=("exclude",))
    exclude = scan.pop("exclude", [])
    if not _is_words(exclude):
        raise _wrong(file, "scan.exclude", "globs as in .gitignore", exclude, 'exclude: ["vendor/**"]')
    # A file with the section mcp alone is a whole one: the rest is as shipped.
    source = whole if "penstock" in table else SHIPPED
    limits = MCPConfig(**mcp)
    # A bill of materials cannot be cut, so one above the limit in bytes is held. It has two bytes to a token.
    most = min(load(source).rule_for("generate_sbom").max_tokens, limits.max_output_bytes // 4)
    penstock = load(source, rules={"generate_sbom": {"max_tokens": most}})
    return Settings(
        mcp=limits, scan=ScanSettings(**scan, exclude=tuple(exclude)), penstock=penstock, engines=_engines(file, table)
    )


def _table(file: Path) -> dict[Any, Any]:
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ConfigError(f"{file}: larger than {MOST_BYTES:,} bytes, which no settings file is")
        table = yaml.safe_load(data.decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f":{where.line + 1}" if where else ""
        raise ConfigError(f"{file}{line}: not valid YAML", do="for example\nmcp:\n  max_findings: 50") from error
    if table is not None and not isinstance(table, dict):
        raise _wrong(file, "the file", "sections", table, "mcp: {max_findings: 50}")
    return table or {}


def _section(file: Path, table: dict[Any, Any], name: str, also: tuple[str, ...] = ()) -> dict[str, Any]:
    ranges = RANGES[name]
    known = (*ranges, *also)
    first = f"{known[0]}: {getattr(DEFAULTS[name], known[0])}"
    section = table.get(name)
    if section is not None and not isinstance(section, dict):
        raise _wrong(file, name, f"a section with {', '.join(known)}", section, f"{name}: {{{first}}}")
    for key, value in (section or {}).items():
        if key not in known:
            do = f"expected {', '.join(known)}, for example {first}"
            raise ConfigError(f"{file}: {name}.{key}: not a setting", do=do)
        if key in ranges:
            low, high = ranges[key]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                example = f"{key}: {getattr(DEFAULTS[name], key)}"
                raise _wrong(file, f"{name}.{key}", f"a whole number from {low:,} to {high:,}", value, example)
    return dict(section or {})


def _engines(file: Path, table: dict[Any, Any]) -> dict[str, Engine]:
    """Return the built-in engines, and those of the settings, which write SARIF."""
    engines = dict(ENGINES)
    section = (table if "engines" in table else _table(SHIPPED)).get("engines") or {}
    if not isinstance(section, dict):
        raise _wrong(file, "engines", "a section for each engine", section, ENGINE)
    for name, entry in section.items():
        key = f"engines.{name}"
        if name in ENGINES or not isinstance(name, str) or not isinstance(entry, dict):
            raise _wrong(file, key, "a section with the name of no built-in engine", entry, ENGINE)
        for setting in entry:
            if setting not in ENGINE_KEYS:
                raise ConfigError(f"{file}: {key}.{setting}: not a setting", do=f"expected {', '.join(ENGINE_KEYS)}")
        words = {one: entry.get(one, []) for one in ("command", "suffixes", "environment")}
        for setting, value in words.items():
            if not _is_words(value) or (setting == "command" and not value):
                raise _wrong(file, f"{key}.{setting}", "a list of words", value, ENGINE)
        codes = entry.get("exit_codes", [0])
        if not isinstance(codes, list) or not all(isinstance(one, int) for one in codes):
            raise _wrong(file, f"{key}.exit_codes", "a list of numbers", codes, "exit_codes: [0, 1]")
        finds = entry.get("finds", "weaknesses")
        if finds not in ("weaknesses", "secrets"):
            raise _wrong(file, f"{key}.finds", "weaknesses or secrets", finds, "finds: secrets")
        engines[name] = Engine(
            name=name,
            command=tuple(words["command"]),
            read=sarif.read,
            install=str(entry.get("install", "")),
            suffixes=tuple(words["suffixes"]),
            finds=finds,
            on_folder=True,
            exit_codes=tuple(codes),
            environment=tuple(words["environment"]),
        )
    return engines


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word for word in value)


def _wrong(file: Path, key: str, expected: str, value: object, example: str) -> ConfigError:
    # A list may be a bomb of aliases, which is small until it is written out.
    kind = "a list or a section" if isinstance(value, list | dict) else quoted(value)
    return ConfigError(f"{file}: {key}: expected {expected}, found {kind}", do=f"for example {example}")
