"""Read the URL of a server and the headers for it, from the command line and the environment.

Headers may be secrets. In the environment only their own user can see them; on a command line everybody can.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from penstock.client_config.remotes import PREFIX, is_server_url
from penstock.errors import CallerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\ud7ff\ue000-\U0010ffff]*")


def read_url(text: str) -> str:
    """Return the URL, or raise if it cannot be the URL of a server."""
    if not is_server_url(text):
        # Not shown: a URL may have a key in it.
        raise CallerError("--url: expected the URL of a server", do="for example --url http://127.0.0.1:9000/mcp")
    return text


def shown_url(url: str) -> str:
    """Return the URL without user and password, so that it can be printed. Raises if it names no server."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not host:
        raise CallerError("--url names no server", do="for example --url http://127.0.0.1:9000/mcp")
    address = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{address}{'' if port is None else f':{port}'}{parts.path}"


def read_headers(options: Sequence[str], env: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    """Return the headers of the environment, then those of the command line. The later one of a name wins."""
    variables = os.environ if env is None else env
    headers = [(name.removeprefix(PREFIX), value) for name, value in variables.items() if name.startswith(PREFIX)]
    for text in options:
        name, colon, value = text.partition(":")
        if not colon:
            raise CallerError(
                "--header: expected NAME: VALUE, found no colon", do="for example --header 'X-Region: eu'"
            )
        headers.append((name, value))
    return [(_checked_name(name.strip()), _checked_value(name, value.strip())) for name, value in headers]


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise CallerError(f"{name[:60]!r} cannot be the name of a header", do="for example --header 'X-Region: eu'")
    return name


def _checked_value(name: str, value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise CallerError(
            f"the header {name} has a line break or another control character", do="give it without that character"
        )
    return value
