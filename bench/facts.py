"""Check what a model reads against the data: every statement is computed again, every offered call is made.

python bench/facts.py [FOLDER] [--only TEXT] [--show] [--out results.jsonl]

A folder has one payload a file; a name like ``log__nginx.txt`` tells its kind. Without a folder, the generated payloads
of bench/shapes are taken. A statement is exact, marked as an estimate, or wrong; what cannot be computed again without
the code of Penstock is counted as not checked.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1]))

from bench.facts_parts.judge import Judged, judge
from bench.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

# Kinds of text for which there is no form: its beginning and end are all that is shown, or the kinds of its lines.
PLAIN: Final = {
    *(
        "ast",
        "base64",
        "lockfile",
        "minified",
        "prom-text",
        "snapshot-text",
        "sql",
        "text-code",
    ),
    *("source-code", "prose"),
}
# The forms that a kind may have, where its name tells.
EXPECTED: Final = {
    "aria": {"snapshot"},
    "csv": {"delimited"},
    "html": {"html"},
    "html-page": {"html"},
    "svg": {"xml"},
    "unity": {"yaml"},
    "xml": {"xml"},
    "xml-test-report": {"xml"},
    "yaml": {"yaml"},
    "yaml-manifests": {"yaml"},
    "git": {"commits", "oneline", "delimited", "diff"},
    "log": {"logs"},
    "markdown": {"markdown"},
    "matrix": {"values", "rows", "columnar"},
    "sarif": {"records"},
    "diff": {"diff"},
    "grep": {"grep", "grep_headings"},
}
UNFORMED: Final = ("text", "object")


def payloads(folder: Path | None) -> Iterator[tuple[str, str, str | list[str]]]:
    """The name, the kind and the text of each payload."""
    if folder is None:
        for shape in SHAPES.values():
            yield shape.name, shape.name, shape.make(shape.sizes[0])
        return
    for path in sorted(folder.iterdir()):
        if path.is_file() and "__" in path.name:
            yield path.name, path.name.partition("__")[0], path.read_bytes().decode("utf-8", "replace")


def recognised(kind: str, form: str) -> bool:
    """Whether a payload was read as what it is."""
    return form in EXPECTED[kind] if kind in EXPECTED else form not in UNFORMED


def show(name: str, judged: Judged) -> None:
    """Print one payload with all that is wrong about it."""
    counts = judged.report.counts
    ratio = judged.seconds / max(1e-9, judged.baseline)
    told = " ".join(f"{word} {counts[word]}" for word in ("exact", "marked", "wrong", "unchecked"))
    offers = f"offers {len(judged.offers) - len(judged.faults)} of {len(judged.offers)}"
    print(f"{name[:56]:56} {judged.form:12} {told:45} {offers:15} CPU {ratio:5.2f}", flush=True)
    for one in judged.report.wrong:
        print(f"    wrong: {one.what[:100]!r}: said {str(one.said)[:100]!r}, true is {str(one.truth)[:160]!r}")
    for offer in judged.faults:
        print(f"    offer: {offer.arguments}: {offer.fault}")


def main() -> None:
    """Check all payloads and print the totals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="check only payloads with this in their names")
    parser.add_argument("--show", action="store_true", help="print each payload, and all that is not checked")
    parser.add_argument("--out", type=Path, help="write one line of JSON for each payload")
    options = parser.parse_args()
    totals: Counter[str] = Counter()
    ratios: list[float] = []
    records: list[dict[str, Any]] = []
    for name, kind, text in payloads(options.folder):
        if options.only not in name:
            continue
        try:
            judged = judge(text, tool=f"get_{kind.replace('-', '_')}")
        except Exception as error:  # noqa: BLE001  one payload that breaks the check must not hide the others
            totals["broken"] += 1
            print(f"{name[:56]:56} broken: {error!r}\n{traceback.format_exc()[-900:]}")
            continue
        if judged is None:
            totals["fit"] += 1
            continue
        totals["payloads"] += 1
        totals += judged.report.counts
        totals["plain"] += kind in PLAIN
        knows = recognised(kind, judged.form)
        totals["recognised"] += kind not in PLAIN and knows
        totals["without an offer"] += knows and not judged.notice.get("suggestions")
        totals["offers"] += len(judged.offers)
        totals["good offers"] += len(judged.offers) - len(judged.faults)
        ratios.append(judged.seconds / max(1e-9, judged.baseline))
        if options.show or judged.report.wrong or judged.faults or (kind not in PLAIN and not knows):
            show(name, judged)
        if options.show:
            for one in judged.report.statements:
                if one.verdict == "unchecked":
                    print(f"    not checked: {one.what[:120]}")
        statements = [asdict(one) for one in judged.report.statements if one.verdict != "exact"]
        told: dict[str, Any] = {"name": name, "form": judged.form, "cpu_ratio": round(ratios[-1], 2)}
        told |= {"counts": judged.report.counts, "statements": statements}
        records.append({**told, "offers": [asdict(one) for one in judged.offers]})
    if options.out is not None:
        options.out.write_text("".join(json.dumps(one, default=str) + "\n" for one in records), encoding="utf-8")
    report(totals, sorted(ratios))


def report(totals: Counter[str], ratios: list[float]) -> None:
    """Print the totals."""
    formed = totals["payloads"] - totals["plain"]
    print(f"\npayloads {totals['payloads']}; held by none of the limits {totals['fit']}; broken {totals['broken']}")
    share = totals["recognised"] / max(1, formed)
    print(f"recognised {totals['recognised']} of {formed} that have a form ({share:.0%}); plain: {totals['plain']}")
    print("statements " + ", ".join(f"{word} {totals[word]:,}" for word in ("exact", "marked", "wrong", "unchecked")))
    print(f"offers that run, fit and cost what they say: {totals['good offers']} of {totals['offers']}")
    print(f"recognised without a suggestion: {totals['without an offer']}")
    if ratios:
        middle, worst = ratios[len(ratios) // 2], ratios[-1]
        print(f"CPU of an admission against json.loads and json.dumps: median {middle:.2f}, worst {worst:.2f}")


if __name__ == "__main__":
    main()
