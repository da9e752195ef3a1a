"""The settings file. ``[buffer]`` has the buffer's own names, which are turned into Penstock's; ``[penstock]`` is for
what has no such name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta

from code_server.language import Limits
from code_server.servers import KNOWN, Server
from penstock import Config, ConfigError
from server_parts.settings import read_sections, section, values

SHIPPED: Final = Path(__file__).resolve().parents[1] / "buffer.toml"
TOOLS: Final = ("search_text", "get_document_symbols", "get_references", "get_diagnostics")

# What Penstock calls each name of [buffer] and of [buffer.toolConfigs].
BUFFER: Final[dict[str, str]] = {
    "maxTokensPerResponse": "max_tokens",
    "defaultMaxDepth": "max_depth",
    "enableBuffering": "never_hold",
    "bufferTTL": "ttl",
    "autoTruncate": "auto_truncate",
    "truncationIndicator": "depth_indicator",
    "preserveArrayLength": "preserve_array_length",
}
TOOL: Final[dict[str, str]] = {"maxTokens": "max_tokens", "maxDepth": "max_depth", "alwaysBuffer": "always_hold"}

Milliseconds = Annotated[int, Meta(ge=1_000, le=86_400_000, description="milliseconds from 1,000 to 86,400,000")]
Seconds = Annotated[int, Meta(ge=1, le=600, description="seconds from 1 to 600")]
Command = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(description="a list of words")]
Languages = Annotated[
    dict[Annotated[str, Meta(pattern=r"^\.")], str],
    Meta(description='a language for a suffix, as { ".zig" = "zig" }'),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffer:
    """The section ``[buffer]``. Penstock says what the others may be."""

    maxTokensPerResponse: Any = None  # noqa: N815
    defaultMaxDepth: Any = None  # noqa: N815
    enableBuffering: bool = True  # noqa: N815
    bufferTTL: Milliseconds = 60_000  # noqa: N815
    autoTruncate: Any = None  # noqa: N815
    truncationIndicator: Any = None  # noqa: N815
    preserveArrayLength: Any = None  # noqa: N815
    toolConfigs: dict[str, Any] = field(default_factory=dict)  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of ``[buffer.toolConfigs]``."""

    maxTokens: Any = None  # noqa: N815
    maxDepth: Any = None  # noqa: N815
    alwaysBuffer: Any = None  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageServer:
    """The section ``[languageServer]``."""

    startSeconds: Seconds = 30  # noqa: N815
    requestSeconds: Seconds = 45  # noqa: N815
    servers: dict[str, dict[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneServer:
    """One table of ``[languageServer.servers]``."""

    command: Command = ()
    languages: Languages = field(default_factory=dict)
    install: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    readsFolder: bool = False  # noqa: N815


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    penstock: Config
    language: Limits


def load_settings(file: Path) -> Settings:
    """Read a settings file, or raise a ``ConfigError`` that names the file and the setting."""
    penstock, table = read_sections(file, SHIPPED, ("buffer", "languageServer"))
    buffer = values(file, "buffer", table.get("buffer"), Buffer)
    tools = buffer.pop("toolConfigs", {})
    options = {BUFFER[name]: value for name, value in buffer.items()}
    options |= {"ttl": buffer["bufferTTL"] // 1_000, "never_hold": not buffer["enableBuffering"]}
    options["ask"] = "off"  # The tools have the arguments that this server documents, and no others.
    rules = {}
    for tool, entry in tools.items():
        if tool not in TOOLS:
            raise ConfigError(f"{file}: buffer.toolConfigs.{tool}: not a setting", do=f"one of {', '.join(TOOLS)}")
        known = values(file, f"buffer.toolConfigs.{tool}", entry, Tool)
        rules[tool] = {TOOL[name]: value for name, value in known.items()}
    try:
        changed = penstock.with_(**options, rules=rules)  # type: ignore[arg-type]
    except ConfigError as error:
        raise ConfigError(f"{file}: {_in_our_words(str(error))}") from None
    known_servers = {one.name: one for one in KNOWN}
    language = section(file, "languageServer", table.get("languageServer"), LanguageServer)
    for name, entry in language.servers.items():
        known_servers[name] = _server(file, name, entry, known_servers.get(name))
    limits = Limits(
        servers=tuple(known_servers.values()),
        start_seconds=language.startSeconds,
        request_seconds=language.requestSeconds,
    )
    return Settings(penstock=changed, language=limits)


def _in_our_words(complaint: str) -> str:
    """Return what Penstock says about a setting, under the name that it has in the file."""
    name, _, rest = complaint.removeprefix("argument ").partition(":")
    *rule, last = name.split(".")
    ours = {theirs: own for own, theirs in (TOOL if rule else BUFFER).items()}.get(last, last)
    return f"{'.'.join(['buffer', *(['toolConfigs', *rule[1:]] if rule else []), ours])}:{rest}"


def _server(file: Path, name: str, entry: dict[str, Any], known: Server | None) -> Server:
    where = f"languageServer.servers.{name}"
    named = values(file, where, entry, OneServer)
    if known is None and not (named.get("command") and named.get("languages")):
        raise ConfigError(
            f"{file}: {where}: expected a command and languages",
            do='for example command = ["zls"] and languages = { ".zig" = "zig" }',
        )
    if "readsFolder" in named:
        named["reads_folder"] = named.pop("readsFolder")
    return replace(known or Server(name=name, languages={}), **named)
