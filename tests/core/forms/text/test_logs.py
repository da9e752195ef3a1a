"""All entries of a log are rows, with the cells that they were written from, in whatever layout; and nothing but a log
is read as one."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from penstock.core.forms.api import DoesNotHoldError
from penstock.core.forms.read_text import read_text, sample_of
from penstock.core.forms.text import logs
from penstock.core.forms.text.logs import MAX_BATCH
from penstock.core.text import split_words
from tests.kit.forms.log_entries import WAYS, Entry, Way, entries, iso, python_time, zulu
from tests.kit.forms.reading import read_as

if TYPE_CHECKING:
    from tests.kit.forms.reading import Read


def text_of(way: Way, some: list[Entry], end: str = "\n") -> str:
    return "".join(way.line(entry) + end for entry in some)


def read(text: str | bytes) -> Read:
    found = read_as(logs.FORM, text)
    assert found is not None
    return found


# Layouts whose header is read in part: the rest of it is the beginning of the message, or one column.
PARTLY: Final = frozenset(
    split_words(
        "gunicorn fail2ban elasticsearch kafka tomcat monolog go zap pino nginx postgres mysql openstack windows"
    )
    + split_words("cassandra logback mongodb thunderbird cluster kubectl stern heroku journal proxifier")
    + ("postgres, in a zone", "rfc 5424", "apache 2.4", "logcat, brief", "blue gene", "github run", "compose, plain")
)
# Layouts without a stamp that is known: the generic forms read them, or their lines do.
UNREAD: Final = ("minecraft", "ruby", "unreal", "hdfs", "pipes", "us dates")
READ: Final = [name for name in WAYS if name not in UNREAD]


@pytest.mark.parametrize("name", [name for name in READ if name not in PARTLY])
def test_every_entry_of_a_layout_is_a_row_of_its_cells(name: str) -> None:
    way, some = WAYS[name], entries()
    found = read(text_of(way, some))
    truth = [
        {
            "line": number,
            "message": entry.message,
            **{column: cell(entry) for column, cell in way.cells.items()},
        }
        for number, entry in enumerate(some, 1)
    ]
    assert found.rows() == truth
    assert found.tables["items"].noun == "entries"


@pytest.mark.parametrize("name", sorted(PARTLY))
def test_a_header_that_is_known_in_part_has_true_cells(name: str) -> None:
    way, some = WAYS[name], entries()
    found = read(text_of(way, some))
    assert found.column("line") == list(range(1, len(some) + 1))
    for row, entry in zip(found.rows(), some, strict=True):
        line = way.line(entry)
        assert entry.message in row["message"]
        if name not in (
            "proxifier",
            "blue gene",
        ):  # Dates that may be two days stay as they are; the first time counts.
            assert row["time"] == way.cells["time"](entry)
        if row.get("level") is not None:
            assert row["level"] == way.cells["level"](entry)
        for column in ("source", "context", "before", "container", "thread", "host", "module"):
            assert str(row.get(column) or "") in line


@pytest.mark.parametrize("name", UNREAD)
def test_a_layout_without_a_known_stamp_is_read_as_lines_or_columns(name: str) -> None:
    text = text_of(WAYS[name], entries())
    assert read_as(logs.FORM, text) is None
    reading = read_text(text.encode(), "strict", len(entries()))
    assert reading is None or reading.tables[0].count <= len(entries())


@pytest.mark.parametrize("name", ["python", "logfmt", "klog"])
def test_options_can_be_kept_as_plain_values(name: str) -> None:
    text = text_of(WAYS[name], entries()).encode()
    options = logs.recognise(sample_of(text, "strict", len(entries())))
    assert json.loads(json.dumps(options)) == options


@pytest.mark.parametrize("name", ["python", "syslog", "klog", "logrus", "github actions"])
def test_lines_may_end_as_windows_ends_them(name: str) -> None:
    some = entries()
    assert read(text_of(WAYS[name], some, "\r\n")).rows() == read(text_of(WAYS[name], some)).rows()


def test_columns_come_in_the_order_of_their_use() -> None:
    assert list(read(text_of(WAYS["logrus"], entries())).cells["items"])[:4] == ["line", "time", "level", "source"]


# access logs


def request(number: int, line: str = "", rest: str = "") -> str:
    entry = entries(number + 1)[-1]
    line = line or f"GET /shop/{number % 7} HTTP/1.1"
    status = 500 if number % 10 == 9 else 404 if number % 10 == 8 else 200
    return f'10.0.0.{number % 3} - bob [{entry.at:%d/%b/%Y:%H:%M:%S} +0200] "{line}" {status} {number or "-"}{rest}'


def test_an_access_log_has_requests_instead_of_messages() -> None:
    found = read("".join(request(number) + "\n" for number in range(60)))
    truth = [
        {
            "line": number + 1,
            "time": f"{iso(entry.at)} +0200",
            "client": f"10.0.0.{number % 3}",
            "user": "bob",
            "method": "GET",
            "path": f"/shop/{number % 7}",
            "protocol": "HTTP/1.1",
            "status": 500 if number % 10 == 9 else 404 if number % 10 == 8 else 200,
            "bytes": number or None,
        }
        for number, entry in enumerate(entries(60))
    ]
    assert found.rows() == truth


def test_a_combined_access_log_has_referers_and_agents() -> None:
    agent = 'Mozilla/5.0 (X11; \\"quoted\\")'
    lines = [request(n, rest=f' "{"-" if n % 2 else "https://a.example/"}" "{agent}" 0.{n + 100}') for n in range(40)]
    found = read("\n".join(lines))
    assert found.column("referer") == [None if n % 2 else "https://a.example/" for n in range(40)]
    assert set(found.column("agent")) == {agent}
    assert found.column("rest") == [f"0.{n + 100}" for n in range(40)]
    assert "message" not in found.cells["items"]


def test_requests_that_are_mostly_no_request_lines_are_messages() -> None:
    found = read("\n".join(request(number, "\\x16\\x03 junk" if number % 3 else "") for number in range(40)))
    assert "method" not in found.cells["items"]
    assert found.column("message")[1].startswith('"\\x16\\x03 junk" 200')


def test_a_request_line_that_is_none_is_kept_whole() -> None:
    lines = [request(number, "\\x16\\x03 junk" if number == 7 else "") for number in range(40)]
    found = read("\n".join(lines))
    assert found.column("request")[7] == "\\x16\\x03 junk"
    assert found.column("method")[7] is None
    assert found.column("request").count(None) == 39


@pytest.mark.parametrize(
    ("before", "columns"),
    [
        ("", []),
        ("1.2.3.4 ", ["client"]),
        ("1.2.3.4 bob ", ["client", "user"]),
        ("1.2.3.4 id bob ", ["client", "user"]),
    ],
)
def test_words_before_the_stamp_of_a_request_have_names(before: str, columns: list[str]) -> None:
    lines = [f'{before}[{e.at:%d/%b/%Y %H:%M:%S}] "POST /a HTTP/2.0" 204 -' for e in entries(20)]
    assert list(read("\n".join(lines)).cells["items"]) == [
        "line",
        "time",
        *columns,
        "method",
        "path",
        "protocol",
        "status",
    ]


# entries over several lines

TRACE = ["Traceback (most recent call last):", '  File "shop.py", line 3, in run', "    pay()", "ValueError: no money"]


def test_other_lines_belong_to_the_entry_before_them() -> None:
    way, some = WAYS["python"], entries(200)
    lines: list[str] = []
    truth: list[tuple[int, int | None]] = []
    for number, entry in enumerate(some):
        more = (
            TRACE
            if number % 20 == 3
            else ["\tSELECT 1", "\tFROM a"]
            if number % 20 == 7
            else [""]
            if number == 50
            else []
        )
        truth.append((len(lines) + 1, len(more) + 1 if any(more) else None))
        lines += [way.line(entry), *more]
    found = read("\n".join(lines))
    assert list(zip(found.column("line"), found.column("lines"), strict=True)) == truth
    assert found.column("message") == [entry.message for entry in some]


@pytest.mark.parametrize("size", [MAX_BATCH - 1, MAX_BATCH, MAX_BATCH + 1])
def test_an_entry_may_go_on_in_the_next_batch(size: int) -> None:
    way = WAYS["spark"]
    some = entries(size)
    lines = [way.line(entry) for entry in some]
    lines[MAX_BATCH - 1 :] = (
        [lines[MAX_BATCH - 1 :][0], *TRACE, *lines[MAX_BATCH:]] if size >= MAX_BATCH else lines[MAX_BATCH - 1 :] + TRACE
    )
    found = read("\n".join(lines))
    at = min(size, MAX_BATCH) - 1
    assert found.column("lines")[at] == 5
    assert found.column("lines").count(None) == size - 1
    assert found.column("message") == [entry.message for entry in some]
    assert found.words.what.startswith(f"a log: {size:,} entries on {size + 4:,} lines, ")


def test_the_lines_of_one_entry_may_fill_whole_batches() -> None:
    way, some = WAYS["spark"], entries(40)
    lines = [way.line(entry) for entry in some[:39]] + ["  detail"] * (2 * MAX_BATCH) + [way.line(some[39])]
    found = read("\n".join(lines))
    assert found.column("lines") == [None] * 38 + [2 * MAX_BATCH + 1, None]
    assert found.column("line")[-1] == 40 + 2 * MAX_BATCH


def test_no_column_of_lines_where_each_entry_has_one() -> None:
    assert "lines" not in read(text_of(WAYS["python"], entries())).cells["items"]


def test_lines_before_the_first_entry_are_no_entry() -> None:
    text = "Server 1.2 starting\nreading settings\n\n" + text_of(WAYS["python"], entries(40))
    found = read(text)
    assert found.column("line") == list(range(4, 44))
    assert "lines before the first entry: 2" in found.words.facts


def test_a_mark_of_the_byte_order_belongs_to_no_entry() -> None:
    found = read(b"\xef\xbb\xbf" + text_of(WAYS["github actions"], entries(40)).encode())
    assert found.column("line") == list(range(1, 41))


def test_a_log_that_quotes_tables_and_sql_is_still_a_log() -> None:
    way = WAYS["python"]
    lines = []
    for entry in entries(100):
        lines.append(way.line(entry))
        if entry.number % 25 == 0:
            lines += ["id,name,at", "1,a,2026-01-01 10:00:00", "INSERT INTO a VALUES (1, '2026-01-01 10:00:00');"]
    found = read("\n".join(lines))
    assert found.tables["items"].count == 100
    assert [size for size in found.column("lines") if size] == [4] * 4


def test_too_many_lines_of_another_form_are_no_log() -> None:
    way = WAYS["python"]
    lines = [way.line(entry) for entry in entries(1_000)]
    assert read_as(logs.FORM, "\n".join([*lines, *["some other words"] * 240])) is not None
    assert read_as(logs.FORM, "\n".join([*lines, *["some other words"] * 260])) is None


def test_other_lines_all_over_the_sample_are_no_log() -> None:
    way = WAYS["python"]
    lines = [line for entry in entries(100) for line in (way.line(entry), *["words"] * (entry.number % 2))]
    assert read_as(logs.FORM, "\n".join(lines)) is None


# levels


def test_a_level_that_is_rare_and_late_is_there() -> None:
    some = entries(10_600)
    lines = [WAYS["log4j"].line(entry) for entry in some]
    lines[10_500] = lines[10_500].replace(f" {some[10_500].level} ", " FATAL ", 1)
    found = read("\n".join(lines))
    assert found.column("level").count("FATAL") == 1
    assert found.column("level")[10_500] == "FATAL"
    assert ", 1 FATAL, " in found.words.what


def test_a_bare_word_in_small_letters_is_no_new_level() -> None:
    lines = [f"{iso(entry.at)} {entry.level.lower()} {entry.message}" for entry in entries(100)]
    lines[50] = f"{iso(entries(100)[50].at)} starting all over"
    found = read("\n".join(lines))
    assert found.column("level")[50] is None
    assert found.column("message")[50] == "starting all over"


def test_some_entries_may_have_no_level() -> None:
    some = entries(200)
    lines = [f"{iso(e.at)} {e.level + ' ' if e.number % 4 else ''}{e.message.lower()}" for e in some]
    found = read("\n".join(lines))
    assert found.column("level") == [e.level if e.number % 4 else None for e in some]
    assert found.column("message") == [e.message.lower() for e in some]


def test_a_message_that_mentions_an_error_has_no_level() -> None:
    some = entries(300)
    found = read("".join(f"{iso(entry.at)} the mail has an ERROR in it: {entry.message}\n" for entry in some))
    assert "level" not in found.cells["items"]


def test_words_in_capitals_that_are_no_levels_belong_to_the_message() -> None:
    lines = [f"{iso(e.at)} {e.level if e.number % 5 else 'GET'} {e.message}" for e in entries(200)]
    found = read("\n".join(lines))
    assert set(found.column("level")) == {"DEBUG", "INFO", "WARN", "ERROR", None}
    assert found.column("message")[0].startswith("GET ")


def test_two_words_and_a_colon_are_host_and_process_only_if_they_look_so() -> None:
    found = read("".join(f"{iso(e.at)} job-{e.number:b}x runner: {e.message}\n" for e in entries(60)))
    assert "host" not in found.cells["items"]
    assert found.column("message")[1] == f"job-1x runner: {entries(60)[1].message}"


# keys


def test_frequent_keys_in_messages_are_columns() -> None:
    lines = []
    for e in entries(300):
        pairs = f" took={e.number}ms n={e.number}" if e.number % 3 == 0 else f' user="Ann B, {e.pid}", (ok=true)'
        lines.append(f"{iso(e.at)} {e.level} done{pairs}{' rare=1' if e.number == 9 else ''}")
    found = read("\n".join(lines))
    third = [number % 3 == 0 for number in range(300)]
    assert found.column("took") == [f"{n}ms" if is_third else None for n, is_third in enumerate(third)]
    assert found.column("n") == [n if is_third else None for n, is_third in enumerate(third)]
    assert found.column("user") == [None if e.number % 3 == 0 else f"Ann B, {e.pid}" for e in entries(300)]
    assert found.column("ok") == [None if is_third else True for is_third in third]
    assert "rare" not in found.cells["items"]


def test_a_key_never_takes_the_place_of_a_column() -> None:
    lines = [f"{iso(e.at)} {e.level} x: line=7 time=8 message=9 Level=10 source=11 pid=12" for e in entries(60)]
    found = read("\n".join(lines))
    assert found.column("line") == list(range(1, 61))
    assert list(found.cells["items"]) == ["line", "time", "level", "source", "message", "pid"]
    assert set(found.column("source")) == {"x"}


def test_at_most_twelve_keys_are_columns() -> None:
    pairs = " ".join(f"k{number}={number}" for number in range(30))
    found = read("".join(f"{iso(e.at)} {e.level} {pairs}\n" for e in entries(60)))
    assert [name for name in found.cells["items"] if name.startswith("k")] == [f"k{number}" for number in range(12)]


def test_a_key_whose_values_are_levels_is_the_level() -> None:
    some = entries(120)
    found = read("".join(f"{iso(e.at)} level={e.level.lower()} {e.message}\n" for e in some))
    assert found.column("level") == [e.level for e in some]


def test_a_key_called_level_that_is_none_has_no_column() -> None:
    found = read("".join(f"{iso(e.at)} water level={e.number} {e.message}\n" for e in entries(120)))
    assert "level" not in found.cells["items"]


def test_a_column_is_text_if_some_late_cell_is_no_number() -> None:
    some = entries(6_000)
    lines = [f"{iso(e.at)} {e.level} got n={'many' if e.number == 5_555 else e.number}" for e in some]
    found = read("\n".join(lines))
    assert found.column("n") == ["many" if n == 5_555 else str(n) for n in range(6_000)]


def test_keys_of_a_batch_without_any_pair_are_absent() -> None:
    lines = [f"{iso(e.at)} {e.level} {'n=' + str(e.number) if e.number < 300 else 'no pairs'}" for e in entries(9_000)]
    found = read("\n".join(lines))
    assert [cell for cell in found.column("n") if cell is not None] == list(range(300))


# times


@pytest.mark.parametrize(
    ("times", "span"),
    [
        (
            ["Dec 30 10:00:00", "Dec 31 23:59:00", "Jan  1 00:01:00"],
            "12-30 10:00:00 to 01-01 00:01:00 (without a year)",
        ),
        (["23:58:00", "23:59:00", "00:01:00"], "23:58:00 to 00:01:00 (without a date)"),
        (["10:00:00", "10:05:00", "10:04:00"], "10:00:00 to 10:05:00 (without a date)"),
        (["10:09:00", "10:05:00", "10:04:00"], "10:04:00 to 10:09:00 (without a date)"),
    ],
)
def test_times_that_begin_again_at_new_year_or_midnight_are_told_in_their_order(times: list[str], span: str) -> None:
    text = "".join(f"{times[number // 5]} INFO app: message {number}\n" for number in range(15))
    assert span in read(text).words.what


def test_decimals_of_a_stamp_may_change() -> None:
    parts = ["", ".5", ".123", ".123456", ".123456789"]
    lines = [f"{iso(e.at)}{parts[e.number % 5]} {e.level} {e.message}" for e in entries(100)]
    assert read("\n".join(lines)).column("time") == [f"{iso(e.at)}{parts[e.number % 5]}" for e in entries(100)]


def test_a_date_that_does_not_exist_has_no_time() -> None:
    lines = [f"{iso(e.at)} {e.level} {e.message}" for e in entries(60)]
    lines[30] = f"2026-02-30 10:00:00 {lines[30][20:]}"
    found = read("\n".join(lines))
    assert found.column("time")[30] is None
    assert found.tables["items"].count == 60


def test_dates_that_may_be_two_days_are_not_guessed() -> None:
    assert read_as(logs.FORM, "\n".join(f"03/04/2026 10:00:{n:02} INFO all well" for n in range(40))) is None


# what is no log

NO_LOGS = {
    "csv": [f"{iso(e.at)},{e.pid},{e.level},{e.source}" for e in entries(60)],
    "csv with a header": ["at,pid", *(f"{python_time(e)},{e.pid}" for e in entries(60))],
    "csv with blanks": ["at, pid, note", *(f"{iso(e.at)}, {e.pid}, x y" for e in entries(60))],
    "csv with blanks, no header": [f"{iso(e.at)}, {e.pid}, x y" for e in entries(60)],
    "tsv": [f"{iso(e.at)}\t{e.pid}\t{e.source}" for e in entries(60)],
    "tsv with levels and a header": ["at\tlevel\tnote", *(f"{iso(e.at)}\t{e.level}\tx y" for e in entries(60))],
    "pipes with a header": ["at|who|what", *(f"{iso(e.at)}|{e.source}|x y" for e in entries(60))],
    "pipes of numbers": [f"{iso(e.at)}|EUR|{e.pid}" for e in entries(60)],
    "a table with times": [
        "id    placed               status  ",
        "----  -------------------  --------",
        *(f"{e.number:<4}  {e.at:%Y-%m-%d %H:%M:%S}  {e.level:<8}" for e in entries(60)),
    ],
    "git log": [
        line
        for e in entries(40)
        for line in (
            f"commit {e.number:040x}",
            "Author: Ann <a@b.example>",
            f"Date:   {e.at:%a %b %d %H:%M:%S %Y} +0100",
            "",
            "    Fix",
        )
    ],
    "git log, one line each": [f"{e.number * 7919 + 10**8:07x}a {iso(e.at)} +0100 Fix it" for e in entries(60)],
    "git log, hash later": [f"{iso(e.at)} +0100 {e.number * 7919 + 10**8:07x}a Fix it" for e in entries(60)],
    "git log, pipes": [f"{e.number * 7919 + 10**8:07x}a|{iso(e.at)} +0100|Fix it" for e in entries(60)],
    "blame": [f"^3cdd3ed0 (Ann B. Sea {iso(e.at)} +0200 {e.number:3}) x = error({e.number})" for e in entries(60)],
    "grep": [f"app.log:{e.number}:{python_time(e)} - {e.level} - {e.message}" for e in entries(60)],
    "grep without numbers": [f"app.log:{python_time(e)} - {e.level} - {e.message}" for e in entries(60)],
    "grep of one file": [f"{e.number}:{python_time(e)} {e.level} {e.message}" for e in entries(60)],
    "grep with a blank": [f"app.log:{e.number}: {python_time(e)} {e.level} {e.message}" for e in entries(60)],
    "ls": [f"-rw-r--r-- 1 root root {e.pid} {iso(e.at)} {e.source}.txt" for e in entries(60)],
    "s3 ls": [f"{iso(e.at)} {e.pid:10} folder/{e.source}.txt" for e in entries(60)],
    "find": [f"{iso(e.at)} ./folder/{e.source}.txt" for e in entries(60)],
    "find with seconds": [f"{1_700_000_000 + e.number} {e.pid} ./folder/{e.source}" for e in entries(60)],
    "numbers": [f"{1_700_000_000 + e.number} some words about it" for e in entries(60)],
    "sql": [f"INSERT INTO a VALUES ({e.number}, '{iso(e.at)}', 'error');" for e in entries(60)],
    "sql, copied": [f"{e.number}\t{e.source}\t{iso(e.at)}" for e in entries(60)],
    "yaml": [line for e in entries(40) for line in (f"- name: {e.source}", f"  at: {zulu(e)}")],
    "yaml, times as keys": [f"{zulu(e)}: some words" for e in entries(60)],
    "yaml, values": [f"created_at: {zulu(e)}" for e in entries(60)],
    "ics": [line for e in entries(30) for line in ("BEGIN:VEVENT", f"DTSTART:{e.at:%Y%m%dT%H%M%S}Z", "END:VEVENT")],
    "changelog": [line for e in entries(30) for line in (f"## 1.{e.number} - {e.at:%Y-%m-%d}", "", "- fixed it")],
    "markdown list": [f"- {iso(e.at)} fixed it" for e in entries(60)],
    "markdown table": [f"| {iso(e.at)} | {e.level} | {e.message} |" for e in entries(60)],
    "subtitles": [
        line for e in entries(30) for line in (str(e.number), f"{e.at:%H:%M:%S},{0:03} --> {e.at:%H:%M:%S},500", "Hi")
    ],
    "chat": [f"{e.at:%H:%M:%S} Ann: {e.message}" for e in entries(60)],
    "prose": [f"{'The river ' * (e.number % 4)}rose at {iso(e.at)}, and we went home." for e in entries(60)],
    "json": [json.dumps({"time": zulu(e), "level": e.level, "msg": e.message}) for e in entries(60)],
    "source": [f"    started = '{iso(e.at)}'  # {e.message}" for e in entries(60)],
    "stamps only": [iso(e.at) for e in entries(60)],
    "few lines": [f"{iso(e.at)} {e.level} {e.message}" for e in entries(4)],
    "two formats": [WAYS["python" if e.number % 2 else "spark"].line(e) for e in entries(100)],
    "indented": [f"   {iso(e.at)} {e.level} {e.message}" for e in entries(60)],
    "too many dates": [f"{'1700000000 ' * 14}{iso(e.at)} {e.level} {e.message}" for e in entries(60)],
    "too many words": [f"{'word ' * 8}{iso(e.at)} {e.message}" for e in entries(60)],
    "short lines": ["x", "y", "", "z"] * 30,
    "nothing": [],
}


@pytest.mark.parametrize("name", NO_LOGS)
def test_what_has_times_and_is_no_log_is_not_read_as_one(name: str) -> None:
    assert read_as(logs.FORM, "\n".join(NO_LOGS[name])) is None


# hostile texts


def test_very_long_lines_are_read_up_to_their_limit() -> None:
    way, some = WAYS["log4j"], entries(60)
    lines = [way.line(entry) for entry in some]
    lines[20] += " k=v" * 100_000
    lines[40] += "[" * 500_000
    lines[50:51] = [lines[50], "=" * 500_000]
    found = read("\n".join(lines))
    assert found.tables["items"].count == 60
    assert len(found.column("message")[40]) > 500_000
    assert all(len(line) <= 20_000 for excerpt in found.words.excerpts for line in excerpt.lines)


def test_strange_characters_stay_in_their_cells() -> None:
    some = entries(60)
    strange = "a\x00b\x0b\u2028c\udcff\x7f\x85d"
    found = read(
        "".join(f"{iso(e.at)} {e.level} {strange} {e.number}\n" for e in some).encode("utf-8", "surrogatepass")
    )
    assert len(found.column("message")) == 60
    assert found.column("message")[7].startswith("a\x00b\x0b\u2028c")


def test_huge_numbers_can_be_written_back() -> None:
    lines = [f"{iso(e.at)} {e.level} got n={'9' * (30 + e.number)}" for e in entries(60)]
    assert str(read("\n".join(lines)).column("n")[0]) == "9" * 30


def test_empty_messages_are_absent() -> None:
    lines = [f"{iso(e.at)} {e.level}{' ' + e.message if e.number % 2 else ''}" for e in entries(60)]
    assert read("\n".join(lines)).column("message") == [e.message if e.number % 2 else None for e in entries(60)]


@pytest.mark.parametrize("name", sorted({*READ} - {"rust, in colour", "kafka", "logrus", "logfmt"})[::4])
def test_damaged_lines_never_mix_up_the_rows(name: str) -> None:
    random = Random(name)
    lines = text_of(WAYS[name], entries()).split("\n")
    for _ in range(15):
        at = random.randrange(len(lines))
        cut = random.randrange(len(lines[at]) + 1)
        lines[at] = (
            lines[at][:cut] + random.choice(["", "\x00", "[", '"', " ", "=", "\u2028", "é"]) + lines[at][cut + 1 :]
        )
    found = read_as(logs.FORM, "\n".join(lines))
    if found is None:
        return
    numbers = found.column("line")
    assert numbers == sorted(set(numbers))
    assert len(numbers) >= len(lines) - 20
    for number, message in zip(numbers, found.column("message"), strict=True):
        assert lines[number - 1].endswith(message or "")


def test_a_sample_that_does_not_tell_of_the_rest_is_not_enough() -> None:
    options = logs.recognise(sample_of(text_of(WAYS["python"], entries()).encode(), "strict", 160)) or {}
    with pytest.raises(DoesNotHoldError, match="no entry"):
        list(logs.FORM.read(["nothing", "of", "it"], options))


def test_a_log_without_times_has_levels_and_loggers() -> None:
    some = entries(300)
    text = "".join(f"{one.level}:{one.source.replace('$', '_')}:{one.message}\n" for one in some)
    found = read(text)
    assert found.column("level") == [one.level for one in some]
    assert found.column("source") == [one.source.replace("$", "_") for one in some]
    assert found.column("message") == [one.message for one in some]
    errors = sum(one.level == "ERROR" for one in some)
    assert found.words.what == f"a log: 300 entries, {errors} ERROR"
    traced = text + 'ERROR:app:failed\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: x\n'
    assert read(traced).column("lines")[-1] == 4


def test_words_with_colons_are_no_log_without_times() -> None:
    assert read_as(logs.FORM, "NOTE:this:that\n" + "\n".join(f"key{number}:a:b" for number in range(90))) is None
    assert read_as(logs.FORM, "\n".join(f"word{number}:app:text" for number in range(90))) is None


def test_a_silence_between_times_of_nanoseconds_is_about_so_long() -> None:
    fine = [f"2026-01-05T10:00:{second:02}.{second:09}Z INFO app: x {second}" for second in range(0, 60, 2)]
    assert "longest gap: about 2 s, before line 2" in read("\n".join(fine)).words.facts
    zoned = [f"2026-01-05T10:00:{second:02}.000000+01:00 INFO app: x {second}" for second in range(0, 60, 2)]
    assert "longest gap: 2 s, before line 2" in read("\n".join(zoned)).words.facts
