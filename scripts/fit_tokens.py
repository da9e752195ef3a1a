"""Fit the weights of the byte classes, say how good they are on sources held out, and ship them.

    python scripts/fit_tokens.py [WINDOWS]            fit on WINDOWS, print the table, rewrite weights.py
    python scripts/fit_tokens.py --judge [WINDOWS]    print the table only
    python scripts/fit_tokens.py --prior [WINDOWS]    fit on WINDOWS alone and print a PRIOR table

WINDOWS is a JSON list of ``{kind, source, text, tokens: {o200k, cl100k, claude46, claude47}}``.

The fit is least squares on the relative error, each source weighing the same, no weight below zero. It is
drawn towards ``PRIOR``: some classes are in one source only, and most scripts of the world in none, so that
the windows alone would fit a document where they should fit a language. The figures printed come from weights
that never saw the source they are judged on. It needs nothing but the standard library.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from math import sqrt
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.core.tokens.byte_classes import ASCII_CLASSES, WIDE_CLASSES, byte_classes
from penstock.core.tokens.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
WINDOWS = ROOT.parent / "shared" / "tokens" / "windows.json"
TARGET = ROOT / "src" / "penstock" / "core" / "tokens" / "weights.py"

LABELS = dict(zip(PROFILES, ("claude47", "claude46", "o200k", "cl100k"), strict=True))
CLASSES = (*ASCII_CLASSES, *WIDE_CLASSES)

# How much the prior counts beside the windows, as a share of them. Chosen where the error on held-out windows
# and on documents of other origin were both near their least; a tenth or ten times as much changes either
# by half a percent.
PULL = 0.5

# A class that is rare in the windows still keeps to its prior, as if half a source had confirmed it.
HOLD = 0.5

# What a member of each class costs, for the profiles in their order: the same fit (--prior) over 2,723
# windows of 502 documents that have nothing to do with WINDOWS: code, data, logs, manuals and translations in
# 45 languages, labelled by the exact counters of each profile. Only "far" is set by hand, above its fit: it
# stands for every script that is in neither collection, and costs up to a token a byte.
PRIOR: dict[str, tuple[float, float, float, float]] = {
    "lower": (0.166, 0.065, 0.083, 0.071),
    "upper": (0.738, 0.227, 0.196, 0.160),
    "digit": (0.325, 0.296, 0.302, 0.296),
    "newline": (1.447, 1.095, 0.852, 0.475),
    "tab": (0.451, 0.580, 0.481, 0.533),
    "space": (0.036, 0.039, 0.008, 0.011),
    "sign": (0.204, 0.058, 0.051, 0.035),
    "paired": (0.260, 0.155, 0.291, 0.273),
    "backslash": (0.919, 1.010, 0.923, 0.971),
    "rare_lower": (0.596, 0.381, 0.390, 0.440),
    "rare_upper": (0.521, 1.406, 0.888, 1.048),
    "words": (0.291, 0.434, 0.286, 0.363),
    "numbers": (0.650, 0.672, 0.838, 0.840),
    "signs": (0.579, 0.703, 0.492, 0.490),
    "lower_upper": (0.000, 0.369, 0.457, 0.219),
    "upper_lower": (0.956, 0.604, 0.061, 0.327),
    "lower_digit": (0.447, 0.422, 0.294, 0.221),
    "space_digit": (0.791, 0.874, 0.882, 0.856),
    "lower_newline": (0.286, 0.608, 1.251, 1.486),
    "sign_lower": (0.598, 0.465, 0.097, 0.063),
    "indents": (0.064, 0.566, 0.638, 0.864),
    "foreign": (0.649, 0.443, 0.134, 0.312),
    "crowded": (0.000, 0.000, 0.000, 0.000),
    "wide_words": (0.929, 0.870, 0.000, 0.924),
    "bare_words": (0.272, 0.475, 0.897, 0.671),
    "latin": (0.000, 0.000, 0.000, 0.000),
    "greek": (0.615, 0.632, 0.416, 1.035),
    "cyrillic": (0.311, 0.326, 0.324, 0.446),
    "arabic": (0.553, 0.576, 0.353, 0.660),
    "south": (0.746, 0.763, 0.410, 1.085),
    "deep_south": (1.054, 1.069, 0.463, 1.751),
    "late_south": (2.020, 2.037, 0.576, 1.799),
    "symbols": (0.814, 0.777, 0.862, 0.203),
    "kana": (0.750, 0.761, 0.646, 0.915),
    "cjk": (0.948, 0.981, 0.623, 0.958),
    "hangul": (0.864, 0.904, 0.714, 0.910),
    "emoji": (2.559, 2.559, 2.150, 2.670),
    "far": (0.700, 0.700, 0.650, 0.800),
}

# What the bound adds, as a share of each class's part in the estimate, and times the root of the estimate.
# Quantile regression on the held-out errors of both collections, then widened by a fifth: 99 of 100 documents
# that neither collection holds stay within. The bound of "far" is a token a byte.
DOUBT: dict[tuple[str, ...], tuple[float, float, float, float]] = {
    (
        *("lower", "upper", "rare_lower", "rare_upper", "words"),
        *("lower_upper", "upper_lower", "sign_lower", "lower_newline"),
    ): (0.14, 0.23, 0.11, 0.11),
    ("digit", "numbers", "lower_digit", "space_digit"): (0.20, 0.10, 0.09, 0.10),
    ("newline", "tab", "space", "indents", "sign", "signs", "paired", "backslash", "crowded"): (0.17, 0.15, 0.23, 0.32),
    ("foreign", "latin"): (0.54, 0.60, 1.40, 1.40),
    (
        *("wide_words", "bare_words", "greek", "cyrillic", "arabic"),
        *("south", "deep_south", "late_south", "kana", "cjk", "hangul"),
    ): (0.23, 0.25, 0.36, 0.72),
    ("symbols", "emoji"): (0.60, 0.60, 0.30, 0.40),
}
# What the bound adds for each member, where the weight says nothing about the worst: a run of spaces that the
# vocabulary has not whole, a soup of signs.
EXTRA_DOUBT = {"space": 0.03, "crowded": 0.60}
GRAIN = (1.4, 1.1, 1.3, 1.0)

Matrix = list[list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One labelled window: its byte classes, its size in bytes and its true counts by profile."""

    kind: str
    source: str
    classes: tuple[int, ...]
    size: int
    tokens: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The normal equations of some samples: they add up and take away, so a source is held out by subtraction."""

    gram: Matrix
    right: list[float]

    def plus(self, other: Evidence, factor: float) -> Evidence:
        """Add ``factor`` times the other evidence."""
        return Evidence(
            gram=[
                [a + factor * b for a, b in zip(x, y, strict=True)] for x, y in zip(self.gram, other.gram, strict=True)
            ],
            right=[a + factor * b for a, b in zip(self.right, other.right, strict=True)],
        )


def load(path: Path) -> list[Sample]:
    """Read the labelled windows and count their classes."""
    samples = []
    for row in json.loads(path.read_text("utf-8")):
        data = row["text"].encode()
        counted = byte_classes(data)
        classes = counted + (0,) * (len(CLASSES) - len(counted))
        tokens = {profile: row["tokens"][label] for profile, label in LABELS.items()}
        samples.append(Sample(kind=row["kind"], source=row["source"], classes=classes, size=len(data), tokens=tokens))
    return samples


def by_source(samples: list[Sample]) -> dict[str, list[Sample]]:
    """Group the samples by where they come from."""
    groups: dict[str, list[Sample]] = {}
    for sample in samples:
        groups.setdefault(sample.source, []).append(sample)
    return groups


def evidence(samples: list[Sample], profile: str) -> Evidence:
    """Square up the samples of one source, divided by their number so that every source weighs the same."""
    gram = [[0.0] * len(CLASSES) for _ in CLASSES]
    right = [0.0] * len(CLASSES)
    for sample in samples:
        row = {i: n / sample.tokens[profile] for i, n in enumerate(sample.classes) if n}
        for i, a in row.items():
            right[i] += a / len(samples)
            for j, b in row.items():
                gram[i][j] += a * b / len(samples)
    return Evidence(gram=gram, right=right)


def pulled(seen: Evidence, scale: Sequence[float], pull: float, prior: Sequence[float]) -> Evidence:
    """Add the pull towards the prior, in proportion to how much each class contributes."""
    gram = [list(row) for row in seen.gram]
    right = list(seen.right)
    for i, weight in enumerate(scale):
        strength = pull * (weight + HOLD)
        gram[i][i] += strength
        right[i] += strength * prior[i]
    return Evidence(gram=gram, right=right)


def solve(problem: Evidence, start: Sequence[float]) -> list[float]:
    """Least squares without negative weights, one weight at a time until none moves."""
    weights = list(start)
    for _ in range(2_000):
        moved = 0.0
        for i, row in enumerate(problem.gram):
            slope = problem.right[i] - sum(map(mul, row, weights))
            new = max(0.0, weights[i] + slope / row[i])
            moved = max(moved, abs(new - weights[i]))
            weights[i] = new
        if moved < 1e-5:
            break
    return weights


def fit(seen: Evidence, prior: Sequence[float], scale: Sequence[float], pull: float) -> list[float]:
    """Weights for the evidence, drawn towards the prior."""
    return solve(pulled(seen, scale, pull, prior), prior)


def total(parts: dict[str, Evidence]) -> Evidence:
    """Add up the evidence of all sources."""
    nothing = Evidence(gram=[[0.0] * len(CLASSES) for _ in CLASSES], right=[0.0] * len(CLASSES))
    for part in parts.values():
        nothing = nothing.plus(part, 1.0)
    return nothing


def diagonal(seen: Evidence) -> list[float]:
    """How much each class contributes to the evidence."""
    return [seen.gram[i][i] for i in range(len(CLASSES))]


def doubts(weights: Sequence[float], profile: str) -> list[float]:
    """How much more a member of each class may cost than its weight says."""
    column = PROFILES.index(profile)
    share = {name: row[column] for classes, row in DOUBT.items() for name in classes}
    pairs = zip(CLASSES, weights, strict=True)
    return [
        max(0.0, 1 - weight) if name == "far" else share[name] * weight + EXTRA_DOUBT.get(name, 0.0)
        for name, weight in pairs
    ]


def verdict(sample: Sample, weights: Sequence[float], profile: str) -> tuple[float, float]:
    """The relative errors of the estimate and of its upper bound."""
    tokens = sum(map(mul, sample.classes, weights))
    doubt = sum(map(mul, sample.classes, doubts(weights, profile)))
    upper = min(sample.size, tokens + doubt + GRAIN[PROFILES.index(profile)] * sqrt(tokens))
    truth = sample.tokens[profile]
    return tokens / truth - 1, upper / truth - 1


def report(name: str, verdicts: list[tuple[float, float]]) -> None:
    """One line of the accuracy table."""
    off = sorted(abs(error) for error, _ in verdicts)
    under = sum(upper < 0 for _, upper in verdicts) / len(verdicts)
    over = sum(upper for _, upper in verdicts) / len(verdicts)
    lean = sum(error for error, _ in verdicts) / len(verdicts)
    p95 = off[int(0.95 * len(off))]
    print(
        f"{name:<11} mean {sum(off) / len(off):6.2%}   p95 {p95:6.2%}   lean {lean:+6.2%}"
        f"   upper below truth {under:6.2%}   upper above truth by {over:6.2%}"
    )


def table(name: str, rows: dict[str, list[float]]) -> str:
    """Python source of one generated table, a class a line so that a new fit makes a readable difference."""
    lines = [f"{name}: dict[str, tuple[float, ...]] = {{"]
    for profile, row in rows.items():
        lines.append(f'    "{profile}": (')
        lines += [f"        {value:.4f},  # {label}" for value, label in zip(row, CLASSES, strict=True)]
        lines.append("    ),")
    return "\n".join([*lines, "}\n"])


def main() -> None:
    """Fit, judge, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("windows", nargs="?", type=Path, default=WINDOWS)
    parser.add_argument("--judge", action="store_true", help="print the accuracy table and write nothing")
    parser.add_argument("--prior", action="store_true", help="print a PRIOR table fitted on the windows alone")
    options = parser.parse_args()
    sources = by_source(load(options.windows))
    if options.prior:
        print_prior(sources)
        return
    weights = judged(sources)
    if not options.judge:
        write(weights)


def print_prior(sources: dict[str, list[Sample]]) -> None:
    """Fit on these windows alone and print the result as the lines of ``PRIOR``."""
    columns = []
    for profile in PROFILES:
        seen = total({source: evidence(samples, profile) for source, samples in sources.items()})
        columns.append(fit(seen, [0.0] * len(CLASSES), diagonal(seen), 0.01))
    for name, *row in zip(CLASSES, *columns, strict=True):
        print(f'    "{name}": ({", ".join(f"{value:.3f}" for value in row)}),')


def judged(sources: dict[str, list[Sample]]) -> dict[str, list[float]]:
    """Fit every profile on all sources, and print how each source fares under a fit on the others."""
    print(f"{sum(map(len, sources.values()))} windows of {len(sources)} sources, each source judged by the others")
    weights = {}
    for column, profile in enumerate(PROFILES):
        prior = [PRIOR[name][column] for name in CLASSES]
        parts = {source: evidence(samples, profile) for source, samples in sources.items()}
        seen = total(parts)
        weights[profile] = fit(seen, prior, diagonal(seen), PULL)
        verdicts = []
        for source, samples in sources.items():
            held_out = fit(seen.plus(parts[source], -1.0), prior, diagonal(seen), PULL)
            verdicts += [verdict(sample, held_out, profile) for sample in samples]
        report(profile, verdicts)
    return weights


def write(weights: dict[str, list[float]]) -> None:
    """Rewrite the module that the package ships."""
    grains = ", ".join(f'"{profile}": {grain}' for profile, grain in zip(PROFILES, GRAIN, strict=True))
    TARGET.write_text(
        '"""The cost of each byte class by profile. Generated by scripts/fit_tokens.py: fit again, do not edit."""\n\n'
        + table("WEIGHTS", weights)
        + "\n# What a member may cost beyond its weight.\n"
        + table("DOUBTS", {profile: doubts(row, profile) for profile, row in weights.items()})
        + f"\n# Times the root of the tokens: the doubt in any short text.\nGRAINS: dict[str, float] = {{{grains}}}\n",
        "utf-8",
    )


if __name__ == "__main__":
    main()
