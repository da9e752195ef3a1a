"""The settings file: ``[penstock]`` is Penstock's, ``[memory]`` is read here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from memory_server.answer import Limits
from server_parts.settings import read_sections, section

if TYPE_CHECKING:
    from penstock import Config

SHIPPED: Final = Path(__file__).resolve().parents[1] / "penstock.toml"
LEAST_TOKENS, MOST_TOKENS = 1_000, 24_000  # below, the header is most of an answer; above, clients refuse it


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """The values for a call that does not name its own. A page size of 0 is as many items as the budget takes."""

    max_tokens: Annotated[int, Meta(ge=LEAST_TOKENS, le=MOST_TOKENS)] = 20_000
    enable_paging: bool = True
    page_size: Annotated[int, Meta(ge=0, le=1_000)] = 0
    truncate_content: bool = True
    max_bytes: Annotated[int, Meta(ge=4_000, le=1_000_000)] = 48_000
    refresh_seconds: Annotated[int, Meta(ge=0, le=86_400)] = 10

    @property
    def limits(self) -> Limits:
        """Return the limits that answers are made by."""
        return Limits(
            max_bytes=self.max_bytes,
            page_size=self.page_size,
            truncate_content=self.truncate_content,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    penstock: Config
    defaults: Defaults


def load_settings(file: Path) -> Settings:
    """Read a settings file, or raise a ``ConfigError`` that names the file and the setting."""
    penstock, table = read_sections(file, SHIPPED, ("memory",))
    return Settings(penstock=penstock, defaults=section(file, "memory", table.get("memory"), Defaults))
