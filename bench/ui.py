"""The page of ``penstock ui``: the first page over 10,000 held results, and windows of a result of 100 MB.

python bench/ui.py [--items 10000] [--megabytes 100]

Times are those of the processor (the server's, user and system), as other programs take theirs from the clock; the
clock's stand beside them. The page's target is 200 ms for all that the first view asks for, and 30 ms for a window
after the first.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from tests.kit import ui_store

from penstock.config import Config
from penstock.core.forms.document import read
from penstock.core.measure import measure
from penstock.gate import Gate
from penstock.gate.records import HoldTerms, Origin, record_of
from penstock.stores import new_handle, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST: Final = ("/", "/style.css", "/app.js", "/dom.js", "/charts.js", "/overview.js", "/api/overview")
FIRST_MS: Final = 200.0
WINDOW_MS: Final = 30.0
ORDERED: Final = 20  # megabytes that a busy machine puts in order within the time of a query


class Page:
    """A running ``penstock ui``, asked as its page asks it."""

    def __init__(self, process: subprocess.Popen[str], port: int, token: str) -> None:
        self._watched = psutil.Process(process.pid)
        self._connection = HTTPConnection("127.0.0.1", port)
        self._headers = {"x-penstock": "ui"}
        self._connection.request("GET", token)
        answer = self._connection.getresponse()
        answer.read()
        self._headers["cookie"] = answer.headers["set-cookie"].partition(";")[0]

    def get(self, path: str) -> Any:
        self._connection.request("GET", path, headers=self._headers)
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return json.loads(body) if path.startswith("/api") else body

    def took(self, *paths: str) -> tuple[float, float]:
        """Milliseconds of the server's processor, and of the clock, for some requests."""
        before, began = self._cpu(), time.perf_counter()
        for path in paths:
            self.get(path)
        return 1_000 * (self._cpu() - before), 1_000 * (time.perf_counter() - began)

    def _cpu(self) -> float:
        times = self._watched.cpu_times()
        return float(times.user + times.system)


@contextmanager
def page_over(file: Path) -> Iterator[tuple[Page, float]]:
    """Start the page over a store, and tell how many milliseconds of the clock it took to print its address."""
    command = [sys.executable, "-m", "penstock", "ui", "--no-open", "--port", "0", "--store", f"sqlite://{file}"]
    began = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"127\.0\.0\.1:(\d+)(/\S+)", process.stderr.readline())
        assert found is not None
        started = 1_000 * (time.perf_counter() - began)
        try:
            yield Page(process, int(found[1]), found[2]), started
        finally:
            process.terminate()


def many(file: Path, items: int) -> None:
    """Hold many results, each as large as most are. They are the same but for their names, as only their number
    counts here."""
    document = read(json.dumps(ui_store.issues(60)).encode())
    origin = Origin(tool="search_issues", arguments={"state": "open"}, server_name="tracker")
    with open_store(f"sqlite://{file}", max_items=items) as store:
        terms = HoldTerms(store=store, owner="local:" + "5e" * 16, now=time.time(), ttl=None)
        record = record_of(document, measure(document), origin, terms, handle=new_handle())
        for _ in range(items):
            store.put(replace(record, handle=new_handle()))


def large(file: Path, megabytes: int) -> str:
    """Hold one large result, and return its handle."""
    rows = megabytes * 1_000_000 // 72
    with open_store(f"sqlite://{file}") as store:
        gate = Gate(store, Config())
        handle = ui_store.held(gate, "query_measurements", ui_store.measurements(rows, note="n" * 20))
        gate.close()
    return handle


def shown(name: str, cpu: float, clock: float, limit: float) -> None:
    print(f"{name:<58} {cpu:7.1f} ms processor {clock:7.1f} ms clock   {cpu / limit:5.2f} of {limit:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "many.db"
        many(file, options.items)
        with page_over(file) as (page, started):
            print(f"the address is printed {started:.0f} ms after the start")
            shown(f"first page over {options.items:,} results", *page.took(*FIRST), FIRST_MS)
            shown("held results, sorted by tokens", *page.took("/api/results?sort=tokens&count=100"), FIRST_MS)
        file = Path(folder) / "large.db"
        handle = large(file, options.megabytes)
        with page_over(file) as (page, _):
            told = page.get(f"/api/results/{handle}")
            base, total = f"/api/results/{handle}/rows", told["rows"]
            print(f"one result of {told['size']:,} bytes, {total:,} rows")
            shown("first window of rows", *page.took(f"{base}?start=0&count=100"), WINDOW_MS)
            places = [total * part // 97 for part in range(1, 96, 5)]
            cpu, clock = page.took(*(f"{base}?start={at}&count=100" for at in places))
            shown(f"a window, of {len(places)} all over", cpu / len(places), clock / len(places), WINDOW_MS)
        file = Path(folder) / "ordered.db"
        handle = large(file, min(options.megabytes, ORDERED))
        with page_over(file) as (page, _):
            base, total = f"/api/results/{handle}/rows", page.get(f"/api/results/{handle}")["rows"]
            _, clock = page.took(f"{base}?start=0&count=100&sort=flow&descending=1")
            print(f"{total:,} rows put in the order of a column: {clock:,.0f} ms clock, in a worker")
            places = [total * part // 97 for part in range(1, 96, 5)]
            cpu, clock = page.took(*(f"{base}?start={at}&count=100&sort=flow&descending=1" for at in places))
            shown("a window in that order", cpu / len(places), clock / len(places), WINDOW_MS)


if __name__ == "__main__":
    main()
