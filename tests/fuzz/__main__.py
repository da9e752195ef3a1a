"""Fuzz for some seconds: ``python -m tests.fuzz SECONDS [--seed N] [--target NAME] [--once]``.

Each case is a function of its seed. A finding is printed with the command that repeats it; the exit code is 1 if there
is one. Cases that take much processor time or memory are findings here, and only here: no test depends on time.
"""

from __future__ import annotations

import argparse
import logging
import resource
import sys
import time
import traceback
from collections import Counter
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Final

from tests import strict
from tests.fuzz import TARGETS
from tests.fuzz.target import CORPUS, kept_cases, read_case, written

if TYPE_CHECKING:
    from tests.fuzz.target import Case, Target

SLOW_SECONDS: Final = 10.0  # of processor time for one case: most take a tenth of a second, all queries included
LARGE_MB: Final = 300  # by which one case makes the most memory that was ever in use grow; results have 100 KB at most
SHOWN: Final = 300  # characters of a finding that are printed


def failure(target: Target, case: Case) -> tuple[str, str]:
    """Check a case: what became of it in one word, and what is wrong, if anything is."""
    before, most = time.process_time(), peak()
    try:
        word = target.check(case)
    except Exception as error:  # noqa: BLE001  (each is a finding)
        where = [f"{one.filename.rpartition('/')[2]}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)]
        return "failed", f"{type(error).__name__}: {str(error)[:SHOWN]!a} at {' < '.join(reversed(where[-4:]))}"
    spent, grown = time.process_time() - before, peak() - most
    if grown > LARGE_MB:
        return word, f"{grown:,} MB of memory"
    return word, f"{spent:.0f} s of processor time" if spent > SLOW_SECONDS else ""


def peak() -> int:
    """Return the most memory that this process has ever had in use, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024


def fuzz(name: str, seconds: float, first: int, *, once: bool) -> int:
    """Check the corpus and then new cases of one target; return the number of findings."""
    target = TARGETS[name]()
    words: Counter[str] = Counter()
    found = 0
    end = time.monotonic() + seconds
    try:
        for path in kept_cases(name):
            word, wrong = failure(target, read_case(path))
            words[word] += 1
            if wrong:
                found += 1
                print(f"{name}: {path.relative_to(CORPUS)}: {wrong}", flush=True)
        for seed in count(first):
            case = target.make(Random(seed))
            word, wrong = failure(target, case)
            words[word] += 1
            if wrong:
                found += 1
                print(f"{name}: {wrong}\n  make fuzz TARGET={name} SEED={seed} ONCE=1", flush=True)
            if once:
                sys.stdout.write(written(case))
            if once or time.monotonic() >= end:
                break
    finally:
        target.close()
    told = ", ".join(f"{number:,} {word}" for word, number in words.most_common())
    print(f"{name}: {words.total():,} cases from seed {first} to {seed} ({told}); {found} findings; peak {peak():,} MB")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0, help="for all targets together")
    parser.add_argument("--seed", type=int, help="the first seed; without one the clock gives it")
    parser.add_argument("--target", choices=TARGETS, help="only this one")
    parser.add_argument("--once", action="store_true", help="check the case of this seed alone, and print it")
    given = parser.parse_args()
    logging.disable()  # cases are malformed on purpose
    strict.let_unforeseen_errors_through()
    seed = int(time.time()) if given.seed is None else given.seed
    names = [given.target] if given.target else list(TARGETS)
    return min(1, sum([fuzz(name, given.seconds / len(names), seed, once=given.once) for name in names]))


if __name__ == "__main__":
    sys.exit(main())
