"""Results of tests are told by the lines of one runner; other lists are none."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.core.forms.text.test_runs import FORM
from tests.kit.forms.reading import Read, read_as

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import unittest, pytest
class TestA(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.assertEqual(1, 2)
    @unittest.skip("why")
    def test_skipped(self): pass
@pytest.mark.parametrize("n", range(9))
def test_many(n): assert n < 7
@pytest.mark.xfail
def test_expected(): assert False
"""


def read(text: str) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def run(*command: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("seed", range(6))
def test_every_result_is_a_row_with_its_file_and_verdict(seed: int) -> None:
    choose = random.Random(seed)
    rows = [
        (f"tests/a{choose.randrange(9)}.py", f"TestX::test_{n}[a b-{n}]", choose.choice(["PASSED", "FAILED", "ERROR"]))
        for n in range(choose.randint(5, 2_500))
    ]
    lines = [f"{file}::{test} {verdict} [{n % 100:3}%]" for n, (file, test, verdict) in enumerate(rows)]
    found = read("\n".join(["== test session starts ==", "", *lines, "== 3 failed, 9 passed in 1.20s =="]))
    assert [(row["file"], row["test"], row["verdict"]) for row in found.rows()] == rows
    assert found.column("line") == list(range(3, len(rows) + 3))
    assert found.words.what == f"{len(rows):,} test results of pytest"
    assert found.words.facts[0] == "its own summary: == 3 failed, 9 passed in 1.20s =="
    assert found.words.facts[-1] == "lines that are no test results, and in no table: 2"


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "in processes"])
def test_results_are_those_of_pytest(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    found = read(run("pytest", "-v", "-p", "no:cacheprovider", *options, "test_it.py", folder=tmp_path))
    verdicts = {row["test"]: row["verdict"] for row in found.rows()}
    assert len(found.rows()) == len(verdicts) == 13
    assert verdicts == {
        "TestA::test_good": "PASSED",
        "TestA::test_bad": "FAILED",
        "TestA::test_skipped": "SKIPPED",
        "test_expected": "XFAIL",
        **{f"test_many[{n}]": "PASSED" if n < 7 else "FAILED" for n in range(9)},
    }
    assert set(found.column("file")) == {"test_it.py"}
    assert found.words.what.startswith(f"13 test results of pytest{'-xdist' if options else ''}")


def test_results_are_those_of_unittest(tmp_path: Path) -> None:
    methods = "".join(f"    def test_{n}(self): self.assertEqual({n} % 3, 0)\n" for n in range(6))
    (tmp_path / "test_it.py").write_text(f"import unittest\nclass T(unittest.TestCase):\n{methods}")
    found = read(run("unittest", "-v", "test_it", folder=tmp_path))
    assert found.column("verdict") == ["ok", "FAIL", "FAIL", "ok", "FAIL", "FAIL"]
    assert found.words.facts[:2] == (
        "its own summary: Ran 6 tests in " + found.words.facts[0].rpartition(" in ")[2],
        "its own summary: FAILED (failures=4)",
    )


WRITTEN = {
    "go test": ("=== RUN   TestA{n}\n    a_test.go:7: a log\n--- {v}: TestA{n} (0.2{d}s)", ["PASS", "FAIL", "SKIP"]),
    "cargo test": ("test some::module::test_{n} ... {v}", ["ok", "FAILED", "ignored"]),
    "CTest": ("      Start {n}: a\n{n}/99 Test #{n}: unit_{n} ......   {v}    0.2{d} sec", ["Passed", "***Failed"]),
    "Google Test": ("[ RUN      ] Suite.Test{n}\n[{v}] Suite.Test{n} (2{d}0 ms)", ["       OK ", "  FAILED  "]),
    "TAP": ("{v} {n} - does a thing {n}", ["ok", "not ok"]),
    "Gradle": ("org.a.SomeTest > does a thing {n} {v}", ["PASSED", "FAILED", "SKIPPED"]),
    "dotnet test": ("  {v} Space.Class.Method{n} [{n} ms]", ["Passed", "Failed", "Skipped"]),
}


@pytest.mark.parametrize("runner", WRITTEN)
def test_each_runner_is_told_by_its_lines(runner: str) -> None:
    line, verdicts = WRITTEN[runner]
    chosen = [verdicts[n % len(verdicts)] for n in range(60)]
    found = read("\n".join(line.format(n=n, d=n % 10, v=verdict) for n, verdict in enumerate(chosen)))
    assert found.words.what == f"60 test results of {runner}"
    assert found.column("verdict") == [verdict.strip(" *") for verdict in chosen]
    assert len(set(found.column("test"))) == 60
    column, factor = ("milliseconds", 1_000) if runner == "Google Test" else ("seconds", 1)
    if "{d}" in line:
        assert found.column(column) == [(20 + n % 10) * factor / 100 for n in range(60)]
    else:
        assert "seconds" not in found.cells["items"]


def test_tap_says_what_is_skipped_or_expected_to_fail() -> None:
    found = read("\n".join(["ok 1 - a # SKIP no", "not ok 2 - b # TODO later", *[f"ok {n} - c" for n in range(3, 9)]]))
    assert found.column("verdict")[:3] == ["ok", "not ok", "ok"]
    assert found.column("directive")[:3] == ["# SKIP no", "# TODO later", None]


def test_marked_results_have_their_times_and_are_not_counted_again_where_they_are_repeated() -> None:
    lines = [f"  {'✖' if n == 3 else '✔'} adds {n}{f' ({n}.5ms)' if n % 2 else ''}" for n in range(9)]
    found = read("\n".join([*lines, "", "✖ failing tests:", "", "✖ adds 3 (3.5ms)"]))
    assert found.words.what == "9 test results with marks"
    assert found.column("verdict").count("✖") == 1
    assert found.column("milliseconds") == [n + 0.5 if n % 2 else None for n in range(9)]
    assert found.words.facts == ("lines that are no test results, and in no table: 2",)


OTHERS = {
    "few": "\n".join(f"tests/a.py::test_{n} PASSED" for n in range(4)),
    "quoted now and then": "\n".join(["prose"] * 40 + ["tests/a.py::test PASSED"]) * 9,
    "where no sample is": "\n".join([*[f"tests/a.py::t{n} PASSED" for n in range(400)], *["prose"] * 90_000]),
    "a shopping list": "\n".join(f"✔ item {n}" for n in range(30)),
    "a sparse list": "\n".join(f"✔ item {n} (3ms)\n" + "words\n" * 9 for n in range(30)),
    "names in C++": "\n".join(f"std::vector v{n};" for n in range(90)),
    "prose": "It is ok. Tests PASSED.\n" * 90,
    "nothing": "",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_texts_are_not_claimed(text: str) -> None:
    assert read_as(FORM, text) is None


def test_hostile_texts_are_read_or_refused_without_harm() -> None:
    results = [f"tests/a.py::test_{n} PASSED" for n in range(60)]
    for line in (
        "x" * 1_000_000,
        "a::" * 300_000,
        "a::b " + "PASSED " * 100_000,
        "\x00\x1b",
        "\ud800",
        "- > " * 200_000,
    ):
        read_as(FORM, "\n".join([*results, line]))
        read_as(FORM, "\n".join([line] * 3))


@pytest.mark.parametrize("failed", [1, 3, 1_300])
@pytest.mark.parametrize("noise", [2, 2_000])
def test_without_v_the_summary_of_pytest_tells_what_failed(failed: int, noise: int) -> None:
    rows = [("FAILED", f"tests/a{at % 4}.py", f"test_{at}[x y]", "assert 1 == 2") for at in range(failed)]
    lines = ["tests/a1.py ..F..                            [ 50%]", "tests/a2.py ...F.                [100%]", ""]
    lines += [
        "=================== FAILURES ===================",
        "FAILED not::a result",
        *["E   assert 1 == 2"] * noise,
    ]
    lines += ["======== short test summary info ========"]
    lines += [f"{verdict} {file}::{test} - {message}" for verdict, file, test, message in rows]
    lines += ["ERROR tests/a0.py::test_e", f"{failed} failed, 70 passed, 1 error in 0.31s", ""]
    found = read("\n".join(lines))
    assert found.words.what.endswith("of pytest's summary")
    assert found.column("verdict") == ["FAILED"] * failed + ["ERROR"]
    assert found.column("file")[:-1] == [file for _, file, _, _ in rows]
    assert found.column("test")[:-1] == [test for _, _, test, _ in rows]
    assert found.column("message") == ["assert 1 == 2"] * failed + [None]
    assert f"its own summary: {failed} failed, 70 passed, 1 error in 0.31s" in found.words.facts


def test_a_single_failure_is_one_test_result() -> None:
    found = read(
        "tests/a1.py ..F..                            [100%]\n\n=================== FAILURES ===================\n"
        "E   assert 1 == 2\n======== short test summary info ========\n"
        "FAILED tests/a1.py::test_x - assert 1 == 2\n1 failed, 70 passed in 0.31s\n"
    )
    assert found.words.what.startswith("1 test result of")


def test_a_run_of_pytest_without_a_summary_is_none() -> None:
    assert read_as(FORM, "tests/a1.py .....                   [100%]\n\n5 passed in 0.02s\n") is None


def test_what_pytest_itself_writes_without_v(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    found = read(run("pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", folder=tmp_path))
    assert sorted(found.column("test")) == ["TestA::test_bad", "test_many[7]", "test_many[8]"]
