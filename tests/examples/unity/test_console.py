"""Logs of editors: what the console shows is told apart from what the editor says to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock import CallerError
from unity_server import console
from unity_server.console import Entry, entries, read_log

if TYPE_CHECKING:
    from pathlib import Path

LOGGED = (
    "Hello\nsecond line\n"
    "UnityEngine.StackTraceUtility:ExtractStackTrace () (at /build/Runtime/Export/StackTrace.cs:37)\n"
    "UnityEngine.Debug:{0} (object)\n"
    "Game.Player/<Walk>d__3:MoveNext () (at Assets/Player.cs:46)\n"
)
PLACE = "\n(Filename: Assets/Player.cs Line: 46)\n\n"


def only(text: str) -> Entry:
    (entry,) = entries(text)
    return entry


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("Log", "log"), ("LogFormat", "log"), ("LogWarning", "warning"), ("LogWarningFormat", "warning"),
        ("LogError", "error"), ("LogException", "exception"), ("LogAssertion", "assert"),
    ],
)  # fmt: skip
def test_the_kind_of_an_entry_is_the_call_that_made_it(method: str, kind: str) -> None:
    entry = only(LOGGED.format(method) + PLACE)
    assert (entry.kind, entry.message, entry.line) == (kind, "Hello\nsecond line", 1)
    assert (entry.file, entry.file_line) == ("Assets/Player.cs", 46)
    assert entry.stack.count("\n") == 2


def test_an_entry_without_the_line_of_its_place_is_one_too() -> None:
    assert [entry.line for entry in entries(LOGGED.format("Log") + "\n" + LOGGED.format("LogError"))] == [1, 7]


def test_an_exception_is_known_by_its_name() -> None:
    entry = only(
        "System.NullReferenceException: Object reference not set\n  at Game.Shop.Buy () [0x0001a] in <9f2>:0\n" + PLACE
    )
    assert (entry.kind, entry.file, entry.stack[:4]) == ("exception", "Assets/Player.cs", "  at")


def test_a_line_of_the_compiler_is_an_entry_of_its_own_wherever_it_stands() -> None:
    text = (
        "- Starting compile\nAssets/A.cs(12,8): error CS0246: The type 'X' is not there\n"
        "Assets/B (old).cs(3,1): warning CS0168: unused\n- Finished compile\n"
    )
    found = [(one.line, one.kind, one.file, one.file_line) for one in entries(text)]
    assert found == [(2, "error", "Assets/A.cs", 12), (3, "warning", "Assets/B (old).cs", 3)]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Failed to load 'x'", "error"),
        ("Shader error in 'y'", "error"),
        ("Warning: no light", "warning"),
        ("Assertion failed on expression: 'a'", "assert"),
        ("Saved", "log"),
    ],
)
def test_a_message_of_the_engine_has_a_place_and_no_calls(message: str, kind: str) -> None:
    entry = only(f"{message}\n\n(Filename: ./Modules/Physics/Body.cpp Line: -1)\n")
    assert (entry.kind, entry.file, entry.file_line, entry.stack) == (kind, "./Modules/Physics/Body.cpp", 0, "")


def test_a_message_with_a_blank_line_before_its_calls_keeps_its_last_part() -> None:
    calls = "UnityEngine.Debug:LogError (object)\nA:B () (at Assets/A.cs:1)\n"
    assert only(f"The list:\n\n- one\n- two\n\n{calls}").message == "- one\n- two"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n\n",
        "Opening scene 'Assets/A.unity'\nLoaded scene 'Assets/A.unity'\n\tDeserialize:  2 ms\n\nTotal: 1 (a: 2)\n",
        "(Filename: Assets/A.cs Line: 4)\n",
        "UnityEngine.Debug:Log (object)\n",
        "README.txt (not found)\n\nv1.2 (beta)\n",
    ],
)
def test_what_the_editor_says_to_itself_is_no_entry(text: str) -> None:
    assert list(entries(text)) == []


def test_windows_line_ends_and_broken_characters_do_no_harm(tmp_path: Path) -> None:
    log = tmp_path / "Editor.log"
    log.write_bytes((LOGGED.format("Log") + PLACE).replace("\n", "\r\n").encode().replace(b"Hello", b"H\xffllo"))
    (entry,) = read_log(log).entries
    assert entry.message == "H\ufffdllo\nsecond line"


def test_a_line_of_a_megabyte_is_only_a_line(tmp_path: Path) -> None:
    log = tmp_path / "Editor.log"
    log.write_text("a.b:c " + "(x) (at " * 200_000 + "\n" + "a." * 500_000 + "\n\n" + LOGGED.format("Log"))
    assert [entry.message for entry in read_log(log).entries] == ["Hello\nsecond line"]


def test_of_a_very_long_log_the_end_is_read_and_the_rest_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "Editor.log"
    end = "\n" + LOGGED.format("LogError")
    log.write_text(LOGGED.format("Log") * 100 + end)
    monkeypatch.setattr(console, "LARGEST", len(end) + 5)
    found = read_log(log)
    assert [entry.kind for entry in found.entries] == ["error"]
    assert found.skipped == log.stat().st_size - len(end)


def test_a_log_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CallerError, match="--log FILE"):
        read_log(tmp_path / "Editor.log")
