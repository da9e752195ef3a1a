"""The settings file: ``mcp`` limits an answer, ``scan`` limits a scan, ``penstock`` has Penstock's own settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import yaml
from msgspec import Meta

from penstock import Config, ConfigError, load
from security_server.engines import ENGINES, Engine, sarif
from security_server.truncation import Strategy  # noqa: TC001  (the types of a section are looked at)
from server_parts.settings import section

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTIONS: Final = ("mcp", "scan", "engines", "penstock")
PROJECT: Final = Path(".verdict") / "config.yaml"  # of a scanned project, found by itself
SHIPPED: Final = Path(__file__).resolve().parents[1] / "security.yaml"
MOST_BYTES: Final = 1_000_000  # of a settings file; a real one has a few hundred

Words = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(description="a list of words")]


@dataclass(frozen=True, slots=True, kw_only=True)
class MCPConfig:
    """The limits of one answer. Below 8,000 bytes it has no room for its counts, for the reasons of three engines that
    have failed, and for one finding with a long path."""

    max_findings: Annotated[int, Meta(ge=1, le=10_000)] = 50
    max_output_bytes: Annotated[int, Meta(ge=8_000, le=10_000_000)] = 50_000
    truncate_strategy: Strategy = "priority"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanSettings:
    """The limits of one scan."""

    engine_seconds: Annotated[int, Meta(ge=1, le=3_600)] = 300
    max_files: Annotated[int, Meta(ge=1, le=1_000_000)] = 20_000
    max_file_bytes: Annotated[int, Meta(ge=1_000, le=100_000_000)] = 2_000_000
    exclude: Annotated[tuple[str, ...], Meta(description="globs as in .gitignore")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that writes SARIF."""

    command: Words
    suffixes: Words = ()
    finds: Literal["weaknesses", "secrets"] = "weaknesses"
    install: str = ""
    exit_codes: Annotated[tuple[int, ...], Meta(description="a list of numbers")] = (0,)
    environment: Words = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    mcp: MCPConfig
    scan: ScanSettings
    penstock: Config
    engines: Mapping[str, Engine] = field(default_factory=lambda: dict(ENGINES))


def load_settings(file: Path, project: Path | None = None) -> Settings:
    """Read a settings file; a ``ConfigError`` names the key, what was expected and what was found. Of the file that
    the scanned project has itself, the section ``mcp`` counts, and nothing that could start a program."""
    table = _table(file)
    for name in table:
        if name not in SECTIONS:
            raise ConfigError(f"{file}: {name}: not a section", do=f"expected {', '.join(SECTIONS)}")
    of_limits, where = (table, file) if project is None else (_table(project), project)
    limits = section(where, "mcp", of_limits.get("mcp"), MCPConfig)
    # A file with the section mcp alone is a whole one: the rest is as shipped.
    source = file if "penstock" in table else SHIPPED
    # A bill of materials cannot be cut, so one above the limit in bytes is held. It has two bytes to a token.
    most = min(load(source).rule_for("generate_sbom").max_tokens, limits.max_output_bytes // 4)
    penstock = load(source, rules={"generate_sbom": {"max_tokens": most}})
    scan = section(file, "scan", table.get("scan"), ScanSettings)
    return Settings(mcp=limits, scan=scan, penstock=penstock, engines=_engines(file, table))


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
        raise ConfigError(f"{file}: expected sections", do="for example mcp: {max_findings: 50}")
    return table or {}


def _engines(file: Path, table: dict[Any, Any]) -> dict[str, Engine]:
    """Return the built-in engines, and those of the settings, which write SARIF."""
    engines = dict(ENGINES)
    entries = (table if "engines" in table else _table(SHIPPED)).get("engines") or {}
    if not isinstance(entries, dict):
        raise ConfigError(f"{file}: engines: expected a section for each engine")
    for name, entry in entries.items():
        where = f"engines.{name}"
        if name in ENGINES or not isinstance(name, str) or not isinstance(entry, dict):
            raise ConfigError(f"{file}: {where}: expected a section with the name of no built-in engine")
        if not entry.get("command"):
            example = "command: [gosec, -fmt=sarif, ./...]"
            raise ConfigError(f"{file}: {where}.command: expected a list of words", do=f"for example {example}")
        program = section(file, where, entry, Program)
        engines[name] = Engine(
            name=name,
            command=program.command,
            read=sarif.read,
            install=program.install,
            suffixes=program.suffixes,
            finds=program.finds,
            on_folder=True,
            exit_codes=program.exit_codes,
            environment=program.environment,
        )
    return engines
