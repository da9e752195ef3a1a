"""The settings file: ``mcp`` limits an answer, ``scan`` limits a scan, ``penstock`` has Penstock's own settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from penstock import Config, ConfigError, load
from security_server.truncation import STRATEGIES
from server_parts.complaints import shown

if TYPE_CHECKING:
    from security_server.truncation import Strategy

SHIPPED: Final = Path(__file__).resolve().parents[1] / "security.yaml"
MOST_BYTES: Final = 1_000_000  # of a settings file; a real one has a few hundred


@dataclass(frozen=True, slots=True, kw_only=True)
class MCPConfig:
    """What one answer may hold."""

    max_findings: int = 50
    max_output_bytes: int = 50_000
    truncate_strategy: Strategy = "priority"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSettings:
    """What one scan may take."""

    engine_seconds: int = 120
    max_files: int = 20_000
    max_file_bytes: int = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    mcp: MCPConfig
    scan: ScanSettings
    penstock: Config


# The smallest and the largest value. Below 8,000 bytes an answer has no room for its counts, for the reasons of three
# engines that have failed, and for one finding with a long path.
RANGES: Final[dict[str, dict[str, tuple[int, int]]]] = {
    "mcp": {"max_findings": (1, 10_000), "max_output_bytes": (8_000, 10_000_000)},
    "scan": {"engine_seconds": (1, 3_600), "max_files": (1, 1_000_000), "max_file_bytes": (1_000, 100_000_000)},
}
DEFAULTS: Final = {"mcp": MCPConfig(), "scan": ScanSettings()}


def load_settings(file: Path) -> Settings:
    """Read a settings file; a ``ConfigError`` names the key, what was expected, and an example."""
    table = _table(file)
    for name in table:
        if name not in ("mcp", "scan", "penstock"):
            raise ConfigError(f"{file}: {name}: not a section", do="expected mcp, scan or penstock")
    mcp = _section(file, table, "mcp", also=("truncate_strategy",))
    strategy = mcp.get("truncate_strategy", STRATEGIES[0])
    if strategy not in STRATEGIES:
        raise _wrong(
            file, "mcp.truncate_strategy", f"one of {', '.join(STRATEGIES)}", strategy, "truncate_strategy: priority"
        )
    scan = _section(file, table, "scan")
    # A file with the section mcp alone is a whole one: the rest is as shipped.
    source = file if "penstock" in table else SHIPPED
    limits = MCPConfig(**mcp)
    # A bill of materials cannot be cut, so one above the limit in bytes is held. It has two bytes to a token.
    most = min(load(source).rule_for("generate_sbom").max_tokens, limits.max_output_bytes // 4)
    penstock = load(source, rules={"generate_sbom": {"max_tokens": most}})
    return Settings(mcp=limits, scan=ScanSettings(**scan), penstock=penstock)


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
    given = table.get(name)
    if given is not None and not isinstance(given, dict):
        raise _wrong(file, name, f"a section with {', '.join(known)}", given, f"{name}: {{{first}}}")
    for key, value in (given or {}).items():
        if key not in known:
            do = f"expected {', '.join(known)}, for example {first}"
            raise ConfigError(f"{file}: {name}.{key}: not a setting", do=do)
        if key in ranges:
            low, high = ranges[key]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                example = f"{key}: {getattr(DEFAULTS[name], key)}"
                raise _wrong(file, f"{name}.{key}", f"a whole number from {low:,} to {high:,}", value, example)
    return given or {}


def _wrong(file: Path, key: str, expected: str, found: object, example: str) -> ConfigError:
    # A list may be a bomb of aliases, which is small until it is written out.
    kind = "a list or a section" if isinstance(found, list | dict) else shown(found)
    return ConfigError(f"{file}: {key}: expected {expected}, found {kind}", do=f"for example {example}")
