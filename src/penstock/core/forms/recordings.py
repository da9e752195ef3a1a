"""Recordings of HTTP: rows that each have a request and its response, as HAR files and cassettes of VCR have them.

The table is that of the records, with the columns that its JSON has (``request.method``, ``response.status``). Told
beside are the statuses, the hosts, the requests that failed, and those that were slowest and largest.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from penstock.core.forms.records import words_of
from penstock.core.text import plain, tally

if TYPE_CHECKING:
    from penstock.core.forms.json_view import JsonView
    from penstock.core.forms.reading import Reading, Table

MOST: Final = 50_000  # requests that are looked at one by one
MOST_REQUESTS: Final = 3  # requests that are named of each
LONG_URL: Final = 80  # characters of a URL
FAILED: Final = 400  # the least status of a response that failed (RFC 9110, section 15)

_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"))
_HOST = re.compile(r"(?i)[a-z][a-z0-9+.-]*://([^/?#@\s]*@)?([^/?#\s]+)")
# The columns that one part of a request is in, the first that there is.
_URLS: Final = ("request.url", "request.uri")
_STATUSES: Final = (
    "response.status.code",
    "response.status_code",
    "response.statusCode",
    "response.status",
    "response.code",
)
_TIMES: Final = ("time", "response.elapsed", "duration", "duration_ms", "elapsed")
_SIZES: Final = ("response.content.size", "response.body_size", "response.bodySize")


def read(view: JsonView) -> Reading | None:
    """Read the main table as requests with their responses, if every row is one."""
    main = view.tables[0] if view.tables else None
    if main is None or not main.exact or not 0 < main.count <= MOST or main.field("request.method") is None:
        return None
    url, status = _column(main, _URLS), _column(main, _STATUSES)
    if url is None or status is None:
        return None
    names = {"method": "request.method", "url": url, "status": status}
    numbers = {"time": _column(main, _TIMES), "size": _column(main, _SIZES)}
    names |= {what: name for what, name in numbers.items() if name is not None}
    cells = view.cells(main).columns(list(names.values()))
    columns = {what: cells[name] for what, name in names.items()}
    if not all(_is_request(*row) for row in zip(columns["method"], columns["url"], columns["status"], strict=True)):
        return None
    words = words_of(main, "requests")
    what = words if main.noun == "requests" else words.replace(main.noun or "requests", "requests", 1)
    return view.reading("recording", f"recorded HTTP: {what}", view.tables, _facts(columns))


def _column(main: Table, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if (field := main.field(name)) is not None and field.filled), None)


def _is_request(method: Any, url: Any, status: Any) -> bool:
    is_status = status is None or (isinstance(status, int) and (100 <= status < 600 or status in (0, -1)))
    return isinstance(method, str) and method.upper() in _METHODS and isinstance(url, str) and is_status


def _facts(columns: dict[str, list[Any]]) -> list[str]:
    statuses = [status for status in columns["status"] if status is not None]
    hosts = Counter(match[2].lower() for url in columns["url"] if (match := _HOST.match(url)) is not None)
    failed = [at for at, status in enumerate(columns["status"]) if status is not None and status >= FAILED]
    facts = [f"status: {tally(Counter(statuses).most_common())}"] if statuses else []
    facts += [f"requests by host: {tally(hosts.most_common())}"] if len(hosts) > 1 else []
    if failed:
        more = f" · {len(failed) - MOST_REQUESTS:,} more" if len(failed) > MOST_REQUESTS else ""
        named = " · ".join(f"{columns['status'][at]} {_named(columns, at)}" for at in failed[:MOST_REQUESTS])
        facts.append(f"failed: {named}{more}")
    for title, what in (("slowest", "time"), ("largest response", "size")):
        amounts = [(one, -at) for at, one in enumerate(columns.get(what, ())) if type(one) in (int, float) and one > 0]
        if amounts:
            value, at = max(amounts)
            facts.append(f"{title}: {plain(value)} {_named(columns, -at)}")
    return facts


def _named(columns: dict[str, list[Any]], at: int) -> str:
    return f"{plain(columns['method'][at])} {plain(columns['url'][at], LONG_URL)} (row {at + 1:,})"
