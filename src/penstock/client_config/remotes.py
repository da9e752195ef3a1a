"""Servers that are reached by URL: which of them can be put behind the gateway, and the least change that does it.

``url`` becomes ``command`` and ``args`` with the URL's own literal at their end; the headers become ``env``, with a
prefix before each name, and their values stay what they are: secrets do not get onto a command line, where everybody
could see them, and what the client puts in for ``${TOKEN}`` it puts into ``env`` as well. All of it can be read back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from penstock.client_config.command_line import was_of
from penstock.client_config.edits import Edit
from penstock.client_config.servers import Span, tight

if TYPE_CHECKING:
    from penstock.client_config.command_line import Words
    from penstock.client_config.servers import Dialect, EntryKeys, EntryMember, ServerEntry

PREFIX: Final = "PENSTOCK_HEADER_"  # of a variable of the environment that holds a header
STREAMABLE: Final = ("http", "streamable-http", "streamableHttp", "streamable_http", "remote")
TYPES: Final = (*STREAMABLE, "sse", "ws")
ADDRESSES: Final = ("url", "serverUrl", "httpUrl", "uri")
LOCAL: Final = ("localhost", "127.0.0.1", "::1")
OAUTH: Final = ("oauth", "auth", "authorization", "authProviderType", "oauth_resource", "scopes")
FROM_ENVIRONMENT: Final = ("bearer_token_env_var", "env_http_headers")
LOGIN: Final = "may need an OAuth login in the client"


def is_remote(members: dict[str, Any], keys: EntryKeys) -> bool:
    """Return True if a server is reached by URL."""
    return members.get("type") in TYPES or (keys.command not in members and any(key in members for key in ADDRESSES))


def address_key(members: dict[str, Any], keys: EntryKeys) -> str:
    """Return the key under which a server has its URL."""
    return next((key for key in (keys.url, *ADDRESSES) if key in members), keys.url)


def was(members: dict[str, Any], keys: EntryKeys) -> str:
    """Return how a server spells its URL's key and its type, for ``unwrap``; empty if it is as its client writes it."""
    key, kind = address_key(members, keys), members.get("type", keys.remote)
    return "" if (key, kind) == (keys.url, keys.remote) else key if kind == keys.remote else f"{key}:{kind}"


def is_server_url(text: str) -> bool:
    """Return True if a text can be the URL of a server over HTTP."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def unfit(server: ServerEntry, members: dict[str, Any], *, is_named: bool) -> str:
    """Say why a server cannot be wrapped; empty if it can."""
    keys = server.keys
    url, headers = members.get(address_key(members, keys)), members.get(keys.headers, {})
    checks = {
        "has a command and a type for URLs; remove one": keys.command in members,
        "has two URLs; remove one": sum(key in members for key in ADDRESSES) > 1,
        f"is of type {members.get('type')}; only {keys.remote} can be wrapped": members.get("type", keys.remote)
        not in (keys.remote, *STREAMABLE),
        "has no url": not isinstance(url, str) or not url.startswith(("http://", "https://", "${")),
        "has a url that ends in /sse: that transport is too old to be wrapped": str(url).rstrip("/").endswith("/sse"),
        "logs in by OAuth, which only the client can": any(members.get(key, False) is not False for key in OAUTH),
        "gets its headers from a command of its own": "headersHelper" in members,
        "has requestOptions, which only the client knows": "requestOptions" in members,
        "takes headers from variables that the client hands to no command": any(
            key in members for key in FROM_ENVIRONMENT
        ),
        "has headers that are not text": not are_texts(headers),
        "has headers in a table of their own; write them in one line to wrap it": bool(headers)
        and keys.headers not in server.entries,
        f"has headers and {keys.env}; remove one": bool(headers) and keys.env in members,
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
    keys = server.keys
    url = server.entries[address_key(_members(server), keys)]
    before, after = url.around
    comma = "," if tight(text, url.name, url.value) else ", "
    literals = [*map(dialect.quote, words), text[url.value.start : url.value.end]]
    array = f"[{comma.join(literals if keys.is_array else literals[1:])}]"
    value = array if keys.is_array else f"{literals[0]}{after}{before}{array}"
    edits = [_renamed(text, url.name, keys.command), Edit(span=url.value, text=value)]
    if "type" in server.entries:
        edits.append(_renamed(text, server.entries["type"].value, keys.local))
    headers = server.entries.get(keys.headers)
    if headers and headers.names:
        edits.append(_renamed(text, headers.name, keys.env))
        edits += [Edit(span=Span(start=at, end=at), text=PREFIX) for at in _insides(text, headers)]
    return edits


def take_out(text: str, server: ServerEntry, dialect: Dialect) -> list[Edit]:
    """Restore the URL, which is the last of the args. Returns no edits if that would lose something."""
    keys = server.keys
    command, env = server.entries[keys.command], server.entries.get(keys.env)
    array = command if keys.is_array else server.entries.get("args")
    if array is None or (array is not command and not _follows(text, command, array)):
        return []
    between = [array.value.start, *(at for item in array.items for at in (item.start, item.end)), array.value.end]
    gaps = [text[one:other] for one, other in zip(between[::2], between[1::2], strict=True)]
    names = headers_of(server)
    if any(map(dialect.comment.search, gaps)) or (names and env and len(names) != len(env.names)):
        return []
    literal = text[array.items[-1].start : array.items[-1].end]
    key, kind = spelled(server.words, keys)
    edits = [
        _renamed(text, command.name, key),
        Edit(span=Span(start=command.value.start, end=array.value.end), text=literal),
    ]
    if "type" in server.entries:
        edits.append(_renamed(text, server.entries["type"].value, kind))
    if names and env:
        edits.append(_renamed(text, env.name, keys.headers))
        edits += [Edit(span=Span(start=at, end=at + len(PREFIX)), text="") for at in _insides(text, env)]
    return edits


def _follows(text: str, command: EntryMember, args: EntryMember) -> bool:
    between = text[command.value.end : args.key.start]
    return command.value.end < args.key.start and not between.strip(" \t\r\n,")


def spelled(words: Words, keys: EntryKeys) -> tuple[str, str]:
    """Return the key of the URL and the type that a wrapped server had."""
    key, _, kind = was_of(words).partition(":")
    return key or keys.url, kind or keys.remote


def wrapped(members: dict[str, Any], keys: EntryKeys) -> dict[str, Any]:
    """Return the members beside the command line of a server that is wrapped."""
    rest = {key: value for key, value in members.items() if key != address_key(members, keys)}
    if "type" in rest:
        rest["type"] = keys.local
    if rest.get(keys.headers):
        rest[keys.env] = {f"{PREFIX}{name}": value for name, value in rest.pop(keys.headers).items()}
    return rest


def unwrapped(server: ServerEntry, url: str) -> dict[str, Any]:
    """Return the members of a server that is unwrapped."""
    keys = server.keys
    key, kind = spelled(server.words, keys)
    rest = {key: url, **{name: one for name, one in _members(server).items() if name not in (keys.command, "args")}}
    if "type" in rest:
        rest["type"] = kind
    if headers_of(server):
        rest[keys.headers] = {name.removeprefix(PREFIX): value for name, value in rest.pop(keys.env).items()}
    return rest


def _members(server: ServerEntry) -> dict[str, Any]:
    return server.value if isinstance(server.value, dict) else {}


def headers_of(server: ServerEntry) -> list[str]:
    """Return the names of the headers in a wrapped server's environment."""
    env = _members(server).get(server.keys.env)
    return [name.removeprefix(PREFIX) for name in env if name.startswith(PREFIX)] if isinstance(env, dict) else []


def display(url: str, headers: list[str]) -> str:
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
    """Rename a key or a type, and keep its quotes."""
    quotes = text[name.start] in ("'", '"')
    return Edit(span=Span(start=name.start + quotes, end=name.end - quotes), text=new)


def _insides(text: str, table: EntryMember) -> list[int]:
    """Return where the names of a table begin, after their quotes."""
    return [name.start + (text[name.start] in ("'", '"')) for name in table.names]
