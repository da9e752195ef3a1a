"""Servers that are reached by URL: which of them can be put behind the gateway, and the least change that does it.

``url`` becomes ``command`` and ``args`` with the URL's own literal at their end; the headers become ``env``, with a
prefix before each name, and their values stay what they are: secrets do not get onto a command line, where everybody
could see them, and what the client puts in for ``${TOKEN}`` it puts into ``env`` as well. All of it can be read back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from penstock.client_config.edits import Edit
from penstock.client_config.servers import Span, tight

if TYPE_CHECKING:
    from penstock.client_config.command_line import Words
    from penstock.client_config.servers import Dialect, EntrySpans, KeyedValue, Line, ServerEntry

PREFIX: Final = "PENSTOCK_HEADER_"  # of a variable of the environment that holds a header
TYPES: Final = ("http", "sse", "streamable-http", "streamableHttp", "ws")
ADDRESSES: Final = ("url", "serverUrl", "httpUrl")
TYPE: Final = "http"  # the one that is taken: another spelling could not be told from it when it is to come back
LOCAL_TYPE: Final = "stdio"
LOCAL: Final = ("localhost", "127.0.0.1", "::1")
OAUTH: Final = ("oauth", "auth", "authorization", "authProviderType", "oauth_resource", "scopes")
FROM_ENVIRONMENT: Final = ("bearer_token_env_var", "env_http_headers")
LOGIN: Final = "may want you to log in (OAuth), which only the client can; name it to wrap it all the same"


def is_remote(given: dict[str, Any]) -> bool:
    """Return True if a server is reached by URL."""
    return given.get("type") in TYPES or ("command" not in given and any(key in given for key in ADDRESSES))


def is_server_url(text: str) -> bool:
    """Return True if a text can be the URL of a server over HTTP."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def unfit(server: ServerEntry, given: dict[str, Any], dialect: Dialect, *, is_named: bool) -> str:
    """Say why a server cannot be wrapped; empty if it can."""
    url, headers = given.get("url"), given.get(dialect.headers, {})
    checks = {
        "has a command and a type for URLs; remove one": "command" in given,
        f"is of type {given.get('type')}; only {TYPE} can be wrapped": given.get("type", TYPE) != TYPE,
        "has no url": not isinstance(url, str) or not url.startswith(("http://", "https://", "${")),
        "has a url that ends in /sse: that transport is too old to be wrapped": str(url).rstrip("/").endswith("/sse"),
        "logs in by OAuth, which only the client can": any(key in given for key in OAUTH),
        "gets its headers from a command of its own": "headersHelper" in given,
        "takes headers from variables that the client hands to no command": any(
            key in given for key in FROM_ENVIRONMENT
        ),
        "has headers that are not text": not are_texts(headers),
        "has headers in a table of their own; write them in one line to wrap it": bool(headers)
        and dialect.headers not in server.entries,
        "has headers and env; remove one": bool(headers) and "env" in given,
        LOGIN: not (is_named or headers or _needs_no_login(str(url))),
    }
    return next((why for why, holds in checks.items() if holds), "")


def are_texts(headers: object) -> bool:
    """Return True for an object whose values are all texts."""
    return isinstance(headers, dict) and all(isinstance(value, str) for value in headers.values())


def _needs_no_login(url: str) -> bool:
    """Return True if a server is on this machine, or its key stands in the URL."""
    try:
        parts = urlsplit(url)
        return parts.hostname in LOCAL or bool(parts.query or parts.username)
    except ValueError:
        return False


def put_in(text: str, server: ServerEntry, words: Words, dialect: Dialect) -> list[Edit]:
    """Replace the URL by ``words`` with the URL at their end."""
    url = server.entries["url"]
    before, after = url.around
    program, *front = map(dialect.quote, words)
    comma = "," if tight(text, url.name, url.value) else ", "
    array = comma.join([*front, text[url.value.start : url.value.end]])
    edits = [_renamed(text, url.name, "command"), Edit(span=url.value, text=f"{program}{after}{before}[{array}]")]
    if "type" in server.entries:
        edits.append(Edit(span=server.entries["type"].value, text=dialect.quote(LOCAL_TYPE)))
    headers = server.entries.get(dialect.headers)
    if headers and headers.names:
        edits.append(_renamed(text, headers.name, "env"))
        edits += [Edit(span=Span(start=at, end=at), text=PREFIX) for at in _insides(text, headers)]
    return edits


def take_out(text: str, server: ServerEntry, line: Line, args: KeyedValue, dialect: Dialect) -> list[Edit]:
    """Restore the URL, which is the last of the args. Returns no edits if that would lose something."""
    command, env = server.entries["command"], server.entries.get("env")
    is_behind = command.value.end < args.key.start
    if not is_behind or text[command.value.end : args.key.start].strip(" \t\r\n,"):
        return []
    between = [args.value.start, *(at for item in line.items for at in (item.start, item.end)), args.value.end]
    gaps = [text[one:other] for one, other in zip(between[::2], between[1::2], strict=True)]
    names = headers_of(server)
    if any(map(dialect.comment.search, gaps)) or (names and env and len(names) != len(env.names)):
        return []
    literal = text[line.items[-1].start : line.items[-1].end]
    edits = [
        _renamed(text, command.name, "url"),
        Edit(span=Span(start=command.value.start, end=args.value.end), text=literal),
    ]
    if "type" in server.entries:
        edits.append(Edit(span=server.entries["type"].value, text=dialect.quote(TYPE)))
    if names and env:
        edits.append(_renamed(text, env.name, dialect.headers))
        edits += [Edit(span=Span(start=at, end=at + len(PREFIX)), text="") for at in _insides(text, env)]
    return edits


def wrapped(given: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return the members beside the command line of a server that is wrapped."""
    rest = {key: value for key, value in given.items() if key != "url"}
    if "type" in rest:
        rest["type"] = LOCAL_TYPE
    if rest.get(dialect.headers):
        rest["env"] = {f"{PREFIX}{name}": value for name, value in rest.pop(dialect.headers).items()}
    return rest


def unwrapped(server: ServerEntry, given: dict[str, Any], url: str, dialect: Dialect) -> dict[str, Any]:
    """Return the members of a server that is unwrapped."""
    rest = {"url": url, **{key: value for key, value in given.items() if key not in ("command", "args")}}
    if "type" in rest:
        rest["type"] = TYPE
    if headers_of(server):
        rest[dialect.headers] = {name.removeprefix(PREFIX): value for name, value in rest.pop("env").items()}
    return rest


def headers_of(server: ServerEntry) -> list[str]:
    """Return the names of the headers in a wrapped server's environment."""
    env = server.given.get("env") if isinstance(server.given, dict) else None
    return [name.removeprefix(PREFIX) for name in env if name.startswith(PREFIX)] if isinstance(env, dict) else []


def shown(url: str, headers: list[str]) -> str:
    """Return a URL and its headers for the screen, with *** for all that may be a key."""
    try:
        parts = urlsplit(url)
        place = parts.netloc.rpartition("@")[2]
        path = "/".join("***" if len(one) >= 20 else one for one in parts.path.split("/"))
        text = f"{parts.scheme}://{place}{path}" + "?***" * bool(parts.query)
    except ValueError:
        text = "***"
    return ", ".join([text, *(f"{name}: ***" for name in headers)])


def _renamed(text: str, name: Span, new: str) -> Edit:
    """Rename a key, and keep its quotes."""
    quotes = text[name.start] in ("'", '"')
    return Edit(span=Span(start=name.start + quotes, end=name.end - quotes), text=new)


def _insides(text: str, table: EntrySpans) -> list[int]:
    """Return where the names of a table begin, after their quotes."""
    return [name.start + (text[name.start] in ("'", '"')) for name in table.names]
