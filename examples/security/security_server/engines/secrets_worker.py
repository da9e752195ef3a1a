"""Run by itself: names of files as JSON on the input, places of secrets as JSON on the output, never a value.

No filter that asks web services whether a secret is valid is in the default settings, so nothing leaves the machine.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from functools import lru_cache
from typing import Any

from detect_secrets.core.scan import scan_file
from detect_secrets.settings import default_settings, get_filters, get_plugins

VAGUE = ("High Entropy String", "Secret Keyword")
REPEATED = 65_536  # lines that are remembered; translations, licences and imports repeat in many files


def main() -> None:
    """Scan the files."""
    logging.disable()
    secrets: list[dict[str, Any]] = []
    unread: list[str] = []
    with default_settings() as settings:
        settings.filters = {f"{__name__}.is_harmless": {}, **settings.filters}  # first: it ends the others
        get_filters.cache_clear()
        for file in json.load(sys.stdin):
            try:
                secrets += _secrets_in(file)
            except Exception:  # noqa: BLE001  (a parser of a file's format may raise anything; the other files count)
                unread.append(file)
    json.dump({"secrets": secrets, "unread": unread}, sys.stdout)


def is_harmless(filename: str, line: str) -> bool:
    """Return True if no plugin sees a secret in a line. As a filter it keeps such lines, nearly all of them, from the
    library's own loop, which spends most of its time on how each plugin is called."""
    return _is_harmless(line, os.path.splitext(filename)[1])


@lru_cache(maxsize=REPEATED)
def _is_harmless(line: str, suffix: str) -> bool:
    # Of a name, plugins look at the suffix alone.
    return not any(plugin.analyze_line(filename=f"file{suffix}", line=line) for plugin in get_plugins())


def _secrets_in(file: str) -> list[dict[str, Any]]:
    """Return one entry for each secret on a line: a key that is known by its form is not told again as random
    letters."""
    with open(file, "rb") as head:
        if b"\0" in head.read(8_192):
            return []  # binary
    best: dict[tuple[int, str], dict[str, Any]] = {}
    for secret in scan_file(file):
        one = {"file": file, "line": secret.line_number, "type": secret.type, "length": len(secret.secret_value or "")}
        key = (secret.line_number, secret.secret_hash)
        if key not in best or best[key]["type"].endswith(VAGUE):
            best[key] = one
    return list(best.values())


if __name__ == "__main__":
    main()
