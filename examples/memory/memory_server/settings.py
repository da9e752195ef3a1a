"""The settings file: ``[penstock]`` is Penstock's, ``[memory]`` is read here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from memory_server.answer import Limits
from penstock import Config, ConfigError
from server_parts.sections import read_sections

SHIPPED: Final = Path(__file__).resolve().parents[1] / "penstock.toml"
LEAST_TOKENS, MOST_TOKENS = 1_000, 24_000  # below, the header is most of an answer; above, clients refuse it
LEAST_ON_A_PAGE: Final = 3  # one item of each section

_RANGES: Final = {
    "max_tokens": (LEAST_TOKENS, MOST_TOKENS),
    "page_size": (LEAST_ON_A_PAGE, 1_000),
    "max_bytes": (4_000, 1_000_000),
    "refresh_seconds": (0, 86_400),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """The values for a call that does not name its own."""

    max_tokens: int = 20_000
    enable_paging: bool = True
    page_size: int = 0
    truncate_content: bool = True
    strict: bool = True
    max_bytes: int = 48_000
    refresh_seconds: int = 10

    @property
    def limits(self) -> Limits:
        """Return the limits that answers are made by."""
        return Limits(
            max_bytes=self.max_bytes,
            page_size=self.page_size,
            truncate_content=self.truncate_content,
            strict=self.strict,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    penstock: Config
    defaults: Defaults


def load_settings(file: Path) -> Settings:
    """Read a settings file, or raise a ``ConfigError`` that names the file and the setting."""
    penstock, table = read_sections(file, SHIPPED, ("memory",))
    section = table.get("memory", {})
    if not isinstance(section, dict):
        raise ConfigError(f"{file}: memory: expected a table")
    for name, value in section.items():
        _check(file, name, value)
    return Settings(penstock=penstock, defaults=Defaults(**section))


def _check(file: Path, name: str, value: Any) -> None:
    usual = asdict(Defaults()).get(name)
    if usual is None:
        raise ConfigError(f"{file}: memory.{name}: not a setting", do=f"one of {', '.join(asdict(Defaults()))}")
    if isinstance(usual, bool):
        if not isinstance(value, bool):
            raise ConfigError(f"{file}: memory.{name}: expected true or false, found {value!r}")
        return
    low, high = _RANGES[name]
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or not (low <= value <= high or value == usual):
        raise ConfigError(f"{file}: memory.{name}: expected a whole number from {low:,} to {high:,}, found {value!r}")
