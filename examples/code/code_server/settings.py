"""The settings file. ``[buffer]`` has the buffer's own names, which are turned into Penstock's; ``[penstock]`` is for
what has no such name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from code_server.language import Limits
from code_server.servers import KNOWN, Server
from penstock import Config, ConfigError
from server_parts.sections import read_sections

SHIPPED: Final = Path(__file__).resolve().parents[1] / "buffer.toml"
TOOLS: Final = ("search_text", "get_document_symbols", "get_references", "get_diagnostics")
LONGEST: Final = 600  # seconds; no client waits longer for an answer

# What Penstock calls each name of [buffer].
BUFFER: Final[dict[str, str]] = {
    "maxTokensPerResponse": "max_tokens",
    "defaultMaxDepth": "max_depth",
    "enableBuffering": "never_hold",
    "bufferTTL": "ttl",
    "autoTruncate": "auto_truncate",
    "truncationIndicator": "depth_indicator",
    "preserveArrayLength": "preserve_array_length",
}
SERVER: Final = ("command", "languages", "install", "settings", "options", "readsFolder")
TOOL: Final[dict[str, str]] = {"maxTokens": "max_tokens", "maxDepth": "max_depth", "alwaysBuffer": "always_hold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a file can say."""

    penstock: Config
    language: Limits


def load_settings(file: Path) -> Settings:
    """Read a settings file, or raise a ``ConfigError`` that names the file and the setting."""
    penstock, table = read_sections(file, SHIPPED, ("buffer", "languageServer"))
    buffer = _table(file, "buffer", table.get("buffer", {}))
    tools = _table(file, "buffer.toolConfigs", buffer.pop("toolConfigs", {}))
    options = {BUFFER[name]: value for name, value in _known(file, "buffer", buffer, BUFFER).items()}
    if "ttl" in options:
        options["ttl"] = _whole(file, "buffer.bufferTTL", options["ttl"], (60_000, 86_400_000), "milliseconds") // 1_000
    if "never_hold" in options:
        options["never_hold"] = not _checked(
            file, "buffer.enableBuffering", options["never_hold"], bool, "true or false"
        )
    rules = {}
    for tool, entry in _known(file, "buffer.toolConfigs", tools, TOOLS).items():
        where = f"buffer.toolConfigs.{tool}"
        known = _known(file, where, _table(file, where, entry), TOOL)
        rules[tool] = {TOOL[name]: value for name, value in known.items()}
    try:
        changed = penstock.with_(**options, **({"rules": rules} if rules else {}))  # type: ignore[arg-type]
    except ConfigError as error:
        raise ConfigError(f"{file}: {_in_our_words(str(error))}") from None
    return Settings(penstock=changed, language=_limits(file, table))


def _in_our_words(complaint: str) -> str:
    """Return what Penstock says about a setting, under the name that it has in the file."""
    name, _, rest = complaint.removeprefix("argument ").partition(":")
    *rule, last = name.split(".")
    ours = {theirs: own for own, theirs in (TOOL if rule else BUFFER).items()}.get(last, last)
    return f"{'.'.join(['buffer', *(['toolConfigs', *rule[1:]] if rule else []), ours])}:{rest}"


def _limits(file: Path, table: dict[str, Any]) -> Limits:
    names = ("startSeconds", "requestSeconds", "servers")
    section = _known(file, "languageServer", _table(file, "languageServer", table.get("languageServer", {})), names)
    start, request = (
        _whole(file, f"languageServer.{name}", section.get(name, default), (1, LONGEST), "seconds")
        for name, default in (("startSeconds", 30), ("requestSeconds", 45))
    )
    servers = {one.name: one for one in KNOWN}
    for name, entry in _table(file, "languageServer.servers", section.get("servers", {})).items():
        servers[name] = _server(file, name, entry, servers.get(name))
    return Limits(servers=tuple(servers.values()), start_seconds=start, request_seconds=request)


def _server(file: Path, name: str, entry: Any, known: Server | None) -> Server:
    where = f"languageServer.servers.{name}"
    section = _known(file, where, _table(file, where, entry), SERVER)
    command = _checked(file, f"{where}.command", section.get("command", []), list, "a list of words")
    if not all(isinstance(word, str) and word for word in command):
        raise ConfigError(f"{file}: {where}.command: expected a list of words, found {command!r}")
    if known is None and not (command and section.get("languages")):
        raise ConfigError(
            f"{file}: {where}: expected a command and languages",
            do='for example command = ["zls"] and languages = { ".zig" = "zig" }',
        )
    languages = _table(file, f"{where}.languages", section.get("languages", {}))
    for suffix, language in languages.items():
        if not suffix.startswith(".") or not isinstance(language, str):
            raise ConfigError(
                f"{file}: {where}.languages: expected a language for a suffix, found {suffix} = {language!r}",
                do='for example languages = { ".zig" = "zig" }',
            )
    reads = known is not None and known.reads_folder
    return replace(
        known or Server(name=name, languages={}),
        command=tuple(command) or (known.command if known else ()),
        languages=languages or (known.languages if known else {}),
        install=_checked(file, f"{where}.install", section.get("install", known.install if known else ""), str, "text"),
        settings=_table(file, f"{where}.settings", section.get("settings", known.settings if known else {})),
        options=_table(file, f"{where}.options", section.get("options", known.options if known else {})),
        reads_folder=_checked(file, f"{where}.readsFolder", section.get("readsFolder", reads), bool, "true or false"),
    )


def _table(file: Path, name: str, value: Any) -> dict[str, Any]:
    return dict(_checked(file, name, value, dict, "a table"))


def _known(file: Path, where: str, section: dict[str, Any], names: Any) -> dict[str, Any]:
    for name in section:
        if name not in names:
            raise ConfigError(f"{file}: {where}.{name}: not a setting", do=f"one of {', '.join(names)}")
    return section


def _whole(file: Path, name: str, value: Any, bounds: tuple[int, int], unit: str) -> int:
    least, most = bounds
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ConfigError(f"{file}: {name}: expected {unit} from {least:,} to {most:,}, found {value!r}")
    return value


def _checked(file: Path, name: str, value: Any, kind: type, expected: str) -> Any:
    if not isinstance(value, kind):
        raise ConfigError(f"{file}: {name}: expected {expected}, found {value!r}")
    return value
