"""The settings as type checkers see them: keyword arguments, and attributes of ``Config`` and ``Rule``.

Made by python -m scripts.settings_types from the table in settings.py. Edit the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.config.resolve import ClientEntry, RuleEntry


class RuleArguments(TypedDict, total=False):
    """The settings in one entry of ``rules``."""

    max_tokens: int
    preview_tokens: int
    preview_bytes: int
    page_tokens: int
    max_depth: int
    auto_truncate: bool
    strategy: str
    priority_field: str | None
    always_hold: bool
    never_hold: bool
    filter: str | None
    ttl: int | str | None
    by_handle: str
    ask: str
    max_argument_bytes: int
    more: str
    max_pages: int
    more_timeout: int | str | None
    call_timeout: int | str | None


class ClientArguments(TypedDict, total=False):
    """The settings in one of ``clients``."""

    names: str | Sequence[str]
    profile: str
    max_tokens: int
    max_text_bytes: int
    max_media_bytes: int
    max_lines: int


class ConfigArguments(RuleArguments, total=False):
    """The keyword arguments of ``Config`` and ``load``."""

    turn_tokens: int | str | None
    depth_indicator: str
    preserve_array_length: bool
    max_suggestions: int
    profile: str
    refresh_on_read: bool
    store: str
    max_store_bytes: int
    max_store_items: int
    daily_sizes: bool
    price: float | str | None
    max_result_bytes: int
    tool_name: str
    notice: str
    act: Sequence[str] | str
    act_tool_name: str
    export_folder: str | None
    warm: Sequence[Mapping[str, object] | str] | str
    owner: str
    output_schema: str
    tools: str
    log_level: str
    rules: Mapping[str, RuleArguments] | Sequence[RuleEntry]
    clients: Mapping[str, ClientArguments] | Sequence[ClientEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """The settings that a rule can change for one tool."""

    max_tokens: int
    preview_tokens: int
    preview_bytes: int
    page_tokens: int
    max_depth: int
    auto_truncate: bool
    strategy: Literal["auto", "priority", "newest", "oldest"]
    priority_field: str | None
    always_hold: bool
    never_hold: bool
    filter: str | None
    ttl: int | None  # seconds; None: forever
    by_handle: Literal["off", "same", "any", "same-read-only", "any-read-only"]
    ask: Literal["auto", "all", "off"]
    max_argument_bytes: int
    more: Literal["read-only", "any", "off"]
    max_pages: int
    more_timeout: int | None  # seconds; None: forever
    call_timeout: int | None  # seconds; None: forever


@dataclass(frozen=True, slots=True, kw_only=True)
class AllSettings(ToolSettings):
    """Every setting."""

    turn_tokens: int | None  # None: off
    depth_indicator: str
    preserve_array_length: bool
    max_suggestions: int
    profile: Literal["auto", "claude", "claude-4.6", "o200k", "cl100k"]
    refresh_on_read: bool
    store: str = field(repr=False)  # the URL may hold a password, and a repr ends up in logs
    max_store_bytes: int
    max_store_items: int
    daily_sizes: bool
    price: float | None
    max_result_bytes: int
    tool_name: str
    notice: Literal["brief", "full", "data"]
    act: tuple[str, ...]
    act_tool_name: str
    export_folder: str | None
    warm: tuple[str, ...]
    owner: str
    output_schema: Literal["strip", "wrap"]
    tools: Literal["full", "brief"]
    log_level: Literal["debug", "info", "warning", "error"]
