"""Tables are written with columns that are padded with spaces; what is read back must be the rows that were written."""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import Any

import pytest

from penstock.core.forms.api import BATCH, DoesNotHoldError, Sample
from penstock.core.forms.text.aligned import FORM
from tests.kit.forms.reading import Read, read_as

Row = list[Any]
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
PODS = ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE", "NOMINATED NODE", "READINESS GATES"]
PROCESSES = ["USER", "PID", "%CPU", "VSZ", "TTY", "STAT", "COMMAND"]


def make_pods(seed: int, count: int) -> list[Row]:
    rng = random.Random(seed)
    return [
        [
            rng.choice(WORDS),
            f"{rng.choice(WORDS)}-{rng.randbytes(rng.randint(2, 8)).hex()}",
            f"{rng.randint(0, 2)}/2",
            rng.choice(["Running", "Pending", "CrashLoopBackOff"]),
            f"{rng.randint(1, 400)} ({rng.randint(1, 59)}m ago)" if rng.random() < 0.5 else "0",
            f"{rng.randint(1, 99)}d",
            "<none>",
            "<none>",
        ]
        for _ in range(count)
    ]


def make_processes(seed: int, count: int) -> list[Row]:
    rng = random.Random(seed)
    return [
        [
            rng.choice(WORDS),
            rng.randint(1, 99_999),
            rng.randint(0, 99) + 0.5,
            rng.randint(0, 999_999),
            rng.choice(["?", "pts/1"]),
            rng.choice(["S", "Ssl", "R+"]),
            " ".join(rng.choices(["/usr/bin/run", "--all", "-x", "  a  b", "[worker]"], k=rng.randint(1, 4))).strip(),
        ]
        for _ in range(count)
    ]


def write_left(rows: list[Row], header: list[str], gap: int = 3) -> str:
    """As kubectl and docker do: every column as wide as its widest cell."""
    every = [header, *([str(cell) if cell is not None else "" for cell in row] for row in rows)]
    wide = [max(map(len, column)) for column in zip(*every, strict=True)]
    return "\n".join((" " * gap).join(map(str.ljust, row, wide)).rstrip() for row in every)


def write_processes(rows: list[Row]) -> str:
    """As ps does: numbers to the right, one space between, and what is too wide shifts the rest."""
    lines = ["USER       PID %CPU    VSZ TTY      STAT COMMAND"]
    for user, pid, cpu, size, tty, stat, command in rows:
        lines.append(f"{user:<8} {pid:>5} {cpu:>4.1f} {size:>6} {tty:<8} {stat:<4} {command}")
    return "\n".join(lines)


def read(text: str | bytes) -> Read:
    found = read_as(FORM, text)
    assert found is not None
    return found


def cells(found: Read) -> list[Row]:
    return [list(row.values())[1:] for row in found.rows()]


@pytest.mark.parametrize("seed", range(12))
def test_columns_to_the_left_give_back_their_rows(seed: int) -> None:
    rows = make_pods(seed, random.Random(seed).randint(3, 80))
    found = read(write_left(rows, PODS))
    assert [field.name for field in found.tables["items"].fields] == ["line", *PODS]
    restarts = [row[4] for row in rows]
    if set(restarts) == {"0"}:
        rows = [[*row[:4], 0, *row[5:]] for row in rows]
    assert cells(found) == rows
    assert found.column("line") == list(range(2, len(rows) + 2))
    assert found.words.what == f"a table in aligned columns: {len(rows)} rows of 8 columns"
    assert found.words.facts == ()
    assert found.words.excerpts == ()


@pytest.mark.parametrize("seed", range(12))
def test_columns_of_numbers_to_the_right_with_one_space_between_give_back_their_rows(seed: int) -> None:
    rows = make_processes(seed, random.Random(seed).randint(20, 80))
    found = read(write_processes(rows))
    assert [field.name for field in found.tables["items"].fields] == ["line", *PROCESSES]
    assert cells(found) == rows


@pytest.mark.parametrize("seed", range(6))
def test_rows_that_are_shifted_by_a_wide_cell_are_still_right(seed: int) -> None:
    rows = make_processes(seed, 80)
    for at in range(3, 80, 9):
        rows[at][3] = 10**6 + at
    found = read(write_processes(rows))
    assert cells(found) == rows
    for at in range(3, 80, 5):
        rows[at][3] = 10**7 + at
    assert cells(read(write_processes(rows))) == rows


def test_a_long_table_is_given_out_in_batches_and_its_late_rows_may_be_wider() -> None:
    rows = make_pods(1, 2 * BATCH)
    rows[-5][1] = "x" * 40
    assert cells(read(write_left(rows, PODS))) == rows


def test_rows_that_are_shifted_after_the_sample_are_counted() -> None:
    rows = make_processes(1, BATCH)
    rows[-100][3] = rows[-90][3] = 10**7
    rows[-80][3] = 10**8
    found = read(write_processes(rows))
    assert cells(found) == rows
    assert found.words.facts == ("3 rows out of line with the header, split where they are blank",)


def test_a_table_of_which_too_many_rows_are_shifted_after_the_sample_does_not_hold() -> None:
    rows = make_processes(1, 400)
    lines = write_processes(rows).split("\n")
    options = FORM.recognise(Sample(head=tuple(lines), count=900))
    assert options is not None
    wide = write_processes([[*row[:3], 10**7, *row[4:]] for row in rows]).split("\n")[1:]
    for count in (120, 400):
        with nullcontext() if count < 400 else pytest.raises(DoesNotHoldError):
            assert (
                sum(len(batch["items"]["line"]) for batch in FORM.read([*lines, *wide[:count]], options)) == 400 + count
            )


def test_a_text_without_its_header_has_no_rows() -> None:
    lines = write_processes(make_processes(1, 30)).split("\n")
    options = FORM.recognise(Sample(head=tuple(lines), count=31))
    assert options is not None
    with pytest.raises(DoesNotHoldError):
        list(FORM.read(lines[1:], options))


def test_blank_lines_for_a_whole_batch_are_nothing() -> None:
    rows = make_pods(1, 30)
    assert cells(read(write_left(rows, PODS) + "\n" * 3 * BATCH)) == rows


def test_spaces_inside_of_a_few_cells_are_no_boundary() -> None:
    rows: list[Row] = [
        ["1a2b3c4d5e6f", "Up 2 days", "80/tcp, 81/tcp", "web"],
        ["2b3c4d5e6f7a", "Up 3 weeks (healthy)", "5432/tcp", "database"],
        ["3c4d5e6f7a8b", "Exited (0) 2 days ago", None, "cache"],
    ]
    assert cells(read(write_left(rows, ["CONTAINER ID", "STATUS", "PORTS", "NAMES"]))) == rows


def test_a_cell_that_leans_into_the_gap_is_cut_where_the_row_is_blank() -> None:
    rows = [f"{'a' * (number % 5 + 1):<6}{number:>8}  word{number}" for number in range(1, 700)]
    text = "\n".join(["NAME    AMOUNT  NOTE", *rows[:400], "aaaaaaaa     5  odd", *rows[400:]])
    found = read(text)
    assert cells(found)[400] == ["aaaaaaaa", 5, "odd"]
    assert len(cells(found)) == 700


def test_empty_cells_are_absent() -> None:
    rows: list[Row] = [
        [f"{number:012x}", "image", None if number % 3 else "80/tcp", "name" * (number % 4 + 1)] for number in range(40)
    ]
    found = read(write_left(rows, ["CONTAINER ID", "IMAGE", "PORTS", "NAMES"]))
    assert cells(found) == rows


def test_the_cells_under_two_words_of_one_name_may_be_short() -> None:
    rows: list[Row] = [
        [f"/dev/disk{number}", f"{number}G", f"{number % 7}%", "/" + "x" * (number % 3)] for number in range(20)
    ]
    found = read(write_left(rows, ["Filesystem", "Size", "Use%", "Mounted on"]))
    assert cells(found) == rows


def test_a_rule_below_the_header_tells_the_columns() -> None:
    rows: list[Row] = [
        [f"package-{number}", f"{number}.0.1", None if number % 5 else "/src/one here", None] for number in range(50)
    ]
    lines = write_left(rows, ["Package", "Version", "Project location", "Tool"], gap=1).split("\n")
    rule = "---------- ------- ---------------- ----"
    found = read("\n".join([lines[0], rule, *lines[1:]]))
    assert cells(found) == rows
    assert found.column("line") == list(range(3, 53))


def test_a_rule_of_one_piece_is_a_rule_too() -> None:
    lines = write_left([[word, word[::-1]] for word in WORDS], ["Name", "Other"]).split("\n")
    assert len(cells(read("\n".join([lines[0], "=" * 20, *lines[1:]])))) == len(WORDS)


def test_a_rule_under_the_names_alone_has_wider_numbers_below() -> None:
    text = (
        "\nHandles  NPM(K)    PM(K)     CPU(s)     Id ProcessName\n"
        "-------  ------    -----     ------     -- -----------\n"
        "    384      23    11036       1.23   4512 ApplicationFrameHost\n"
        "    151       9     1516              2244 armsvc\n"
        "   1203      80   211036     311.25  11512 chrome\n\n"
    )
    assert cells(read(text)) == [
        [384, 23, 11036, 1.23, 4512, "ApplicationFrameHost"],
        [151, 9, 1516, None, 2244, "armsvc"],
        [1203, 80, 211036, 311.25, 11512, "chrome"],
    ]


def test_lines_before_the_header_and_after_the_rows_are_told() -> None:
    rows = make_pods(1, 30)
    end = "30 pods were found in all of the namespaces"
    text = f"Active pods of the cluster\n(without jobs)\n{write_left(rows, PODS)}\n\n{end}"
    found = read(text)
    assert cells(found) == rows
    [excerpt] = found.words.excerpts
    assert (excerpt.title, excerpt.numbers) == ("3 lines outside of the table", (1, 2, 35))


@pytest.mark.parametrize(
    "end", ["{}\n\none remark of many words\n\n\n", "{}\n\none remark of words\nand another one", "{}\n\n"]
)
def test_remarks_at_the_end_of_a_short_table_do_not_hide_its_boundaries(end: str) -> None:
    rows = make_pods(1, 4)
    found = read(end.format(write_left(rows, PODS)))
    assert [row[:4] for row in cells(found)] == [row[:4] for row in rows]


def test_a_header_that_is_repeated_is_no_row() -> None:
    rows = make_pods(1, 60)
    lines = write_left(rows, PODS).split("\n")
    found = read("\n".join([*lines[:40], lines[0], *lines[40:]]))
    assert cells(found) == rows
    assert found.words.facts == ("the header again on 1 line, which are no rows",)


def test_header_that_is_repeated_above_shifted_rows_is_no_row() -> None:
    rows = make_processes(1, 80)
    for at in range(3, 80, 9):
        rows[at][3] = 10**6 + at
    lines = write_processes(rows).split("\n")
    assert cells(read("\n".join([*lines[:40], lines[0], *lines[40:]]))) == rows


def test_many_rows_after_a_blank_line_are_another_text() -> None:
    lines = write_left(make_pods(1, 60), PODS).split("\n")
    assert read_as(FORM, "\n".join([*lines[:40], "", *lines[40:]])) is None


def test_another_table_after_a_blank_line_does_not_hold() -> None:
    rows = [[word, number] for number, word in enumerate(WORDS)]
    one, other = write_left(rows, ["NAME", "SIZE"]), write_left(rows, ["TYPE", "RANK"])
    assert read_as(FORM, one) is not None
    assert read_as(FORM, f"{one}\n\n{other}\n") is None


def test_lines_that_do_not_keep_the_boundaries_are_counted_up_to_one_in_a_hundred() -> None:
    lines = write_left(make_pods(1, 900), PODS).split("\n")
    odd = "this line has its words wherever it likes, across all of the columns of the table"
    found = read("\n".join([*lines[:500], *[odd] * 8, *lines[500:]]))
    [excerpt] = found.words.excerpts
    assert (excerpt.title, len(excerpt.lines)) == ("8 lines outside of the table", 6)
    assert read_as(FORM, "\n".join([*lines[:500], *[odd] * 12, *lines[500:]])) is None


def test_header_over_rows_of_which_many_keep_no_boundaries_is_none() -> None:
    lines = write_left(make_pods(1, 290), PODS).split("\n")
    lines[100:100] = ["this line has its words wherever it likes, across all of the columns of the table"] * 8
    assert read_as(FORM, "\n".join(lines)) is None


def test_numbers_and_texts_in_one_column_are_texts() -> None:
    rows = [[word, number if number else "-", number] for number, word in enumerate(WORDS)]
    assert read(write_left(rows, ["NAME", "SIZE", "RANK"])).column("SIZE") == ["-", *map(str, range(1, len(WORDS)))]


def test_windows_line_ends_are_no_part_of_cells() -> None:
    rows = make_pods(2, 10)
    assert cells(read(write_left(rows, PODS).replace("\n", "\r\n"))) == rows


LOG = "\n".join(f"2024-05-01 10:{minute:02}:00 INFO  worker   started job {minute}" for minute in range(60))
CODE = "\n".join(
    f"def function_{number}(one, two):\n    value = one + {number}\n    return value\n" for number in range(40)
)
PROSE = "\n".join(
    " ".join(random.Random(number).choices([*WORDS, "and", "the", "of", "a"], k=12)) for number in range(80)
)
LISTING = "total 64\n" + "\n".join(
    f"-rw-r--r-- 1 root root {number:>6} May  1 10:00 file{number}" for number in range(40)
)


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        CODE,
        PROSE,
        LISTING,
        "Name:      penstock\nVersion:   1.2.3\nSummary:   words\nLicense:   MIT\n",
        "Commands:\n  install    Install packages\n  remove     Remove packages\n  list       List packages\n",
        "a,b,c\n1,2,3\n4,5,6\n7,8,9\n",
        "a\tb\tc\n1\t2\t3\n4\t5\t6\n7\t8\t9\n",
        "NAME  SIZE\nx     1\n",
        '{"a": 1,\n "b": 2,\n "c": 3,\n "d": 4}\n',
        "apiVersion: v1\nkind: List\nitems:\n  - name: a\n    size: 1\n  - name: b\n    size: 2\n",
        "1.5 2.5 3.5\n4.5 5.5 6.5\n7.5 8.5 9.5\n0.5 1.5 2.5\n",
        "Name   Name\nName   x\nb      y\nc      z\n",
        "NAME   A\n" + "       1\n" * 20,
        "# Title\n\nSome text here.\n\n## Other\n\nMore text here.\n",
        "H" * 2_000 + "  X\na  b\nc  d\ne  f\n",
        "A B\n" * 5,
        "SOME HEADER  HERE\n" + "words that run across all of it\n" * 30,
        "",
    ],
)
def test_other_texts_are_no_tables(text: str) -> None:
    assert read_as(FORM, text) is None


def test_a_header_over_rows_that_keep_only_some_of_its_boundaries_is_none() -> None:
    assert read_as(FORM, "NAME   KIND  TEXT\n" + "alpha  one,two,three\n" * 20) is None


def test_a_header_with_two_spaces_over_cells_that_fill_them_is_none() -> None:
    rows = "\n".join(f"{number:>4} some words that go on  {number}" for number in range(50))
    assert read_as(FORM, f" NUM  KIND    OTHER      END\n{rows}") is None


def test_hostile_cells_come_back_as_they_are() -> None:
    odd = ["\x1b[31mred", "'; DROP TABLE items; --", "9" * 400, "\ud800", "<none>", "x" * 1_000_000]
    found = read("NUMBER  TEXT\n" + "".join(f"{number:<6}  {text}\n" for number, text in enumerate(odd)))
    assert found.column("TEXT") == odd


@pytest.mark.parametrize("line", ["A " * 500_000, "A" * 1_000_000, "-" * 1_000_000, " " * 1_000_000, "- " * 500_000])
def test_a_very_long_line_costs_little(line: str) -> None:
    assert read_as(FORM, f"NAME  SIZE\n{line}\n{line}\n{line}\n{line}") is None


def test_what_the_columns_mean_may_stand_below_all_rows() -> None:
    rows = make_pods(3, 60)
    legend = "\n\nREADY  = How many are ready.\nSTATUS = What it does.\nAGE    = Since when.\n\n60 pods listed.\n"
    found = read(write_left(rows, PODS) + legend)
    assert len(found.rows()) == 60
    assert found.words.excerpts[0].title == "4 lines outside of the table"
    assert read_as(FORM, write_left(rows, PODS) + legend * 3) is None


def test_a_name_may_be_a_cell_below_it() -> None:
    header = ["PID", "USER", "VIRT", "S", "CPU", "COMMAND"]
    rows = [[at * 7, WORDS[at % 8], at * 13, "SR"[at % 2], at % 9, f"run{at}"] for at in range(60)]
    assert [list(row.values())[1:] for row in read(write_left(rows, header)).rows()] == rows
