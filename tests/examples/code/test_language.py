"""The language server: what it answers, and what becomes of its process."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from fastmcp import Client
from tests.kit.examples.code_client import Talk
from tests.kit.waiting import until

from code_server.app import build
from code_server.folder import Folder
from code_server.language import Language, Limits
from code_server.servers import Server
from code_server.settings import SHIPPED, load_settings
from code_server.shapes import symbols
from penstock import UpstreamError

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAIL = Path(__file__).parents[2] / "kit/examples/failing_language_server.py"
BOUND = 60  # seconds for a process to come or go on a busy machine; none of these waits is expected to last


def frail(tmp_path: Path, how: str) -> list[str]:
    return [sys.executable, str(FRAIL), how, str(tmp_path / "marker")]


def python(*command: str) -> Server:
    return Server(name="python", command=command, languages={".py": "python"})


def local(code: Path, tmp_path: Path, how: str = "", seconds: int = 60) -> Talk:
    """A server in this process, with a frail language server or a real one."""
    config = tmp_path / "own.toml"
    own = f"servers.python.command = {json.dumps(frail(tmp_path, how))}\n" if how else ""
    config.write_text(f"[languageServer]\n{own}requestSeconds = {seconds}\n[penstock]\n")
    return Talk(server=build(Folder(root=code.resolve()), load_settings(config)))


def started(word: str, *, recursive: bool = False) -> list[psutil.Process]:
    """The processes that this one has started with a word in their commands."""
    found = []
    for one in psutil.Process().children(recursive=recursive):
        with suppress(psutil.Error):  # it has just ended
            found += [one] if any(word in part for part in one.cmdline()) else []
    return found


def write(package: Path, **modules: str) -> None:
    package.mkdir(exist_ok=True)
    for name, text in modules.items():
        (package / f"{name}.py").write_text(text)


def answered(talk: Talk, **call: Any) -> Any:
    """Repeat a call for references until there are some."""
    told: Any = {}
    while not told.get("references"):
        told = talk.told("get_references", **call)
    return told


def asked(talk: Talk, tmp_path: Path, **call: Any) -> None:
    """Repeat a call for references until the frail server has the question. This process works only during a call."""
    while not (tmp_path / "marker.asked").exists():
        talk.told("get_references", **call)


def names(tree: Any) -> list[str]:
    return [one["name"] for one in tree]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for tests that write files, each in a package of its own."""
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="module")
def desk(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """A server for that folder, with a real language server."""
    with local(folder, tmp_path_factory.mktemp("settings")) as talk:
        yield talk
    assert not started("langserver")


@pytest.mark.compat
def test_the_language_server_starts_with_the_first_question_and_ends_with_the_server(
    code: Path, tmp_path: Path
) -> None:
    with Talk([str(code)], cwd=tmp_path) as talk:
        (server,) = started(str(code), recursive=True)
        talk.told("search_text", query="height")
        assert server.children() == []
        talk.told("get_document_symbols", path="harbour/tide.py")
        (language,) = server.children(recursive=True)
        talk.told("get_diagnostics")
        assert server.children(recursive=True) == [language]
    _, alive = psutil.wait_procs([server, language], timeout=BOUND)
    assert not alive


@pytest.mark.compat
def test_the_language_server_ends_when_the_server_is_killed(code: Path, tmp_path: Path) -> None:
    with Talk([str(code)], cwd=tmp_path) as talk:
        talk.told("get_document_symbols", path="harbour/tide.py")
        (server,) = started(str(code), recursive=True)
        (language,) = server.children(recursive=True)
        server.kill()
        _, alive = psutil.wait_procs([language], timeout=BOUND)
        assert not alive


def test_a_crash_is_told_and_the_next_call_works(code: Path, tmp_path: Path) -> None:
    with local(code, tmp_path, "crash") as talk:
        told = talk.refused("get_document_symbols", path="harbour/tide.py")
        assert "the language server ended with code 7: out of memory, so to say" in told
        assert "repeat the call" in told
        assert names(talk.told("get_document_symbols", path="harbour/tide.py")["symbols"]) == ["answered"]


def test_a_server_that_hangs_is_ended_and_the_next_call_works(code: Path, tmp_path: Path) -> None:
    with local(code, tmp_path, "hang", seconds=2) as talk:
        assert "gave no answer in 2 seconds" in talk.refused("get_document_symbols", path="harbour/tide.py")
        assert names(talk.told("get_document_symbols", path="harbour/tide.py")["symbols"]) == ["answered"]
        hung = int((tmp_path / "marker").read_text())
        assert until(lambda: not psutil.pid_exists(hung))


def test_a_slow_server_works_on_and_until_then_the_lines_with_the_name_are_told_as_text(
    code: Path, tmp_path: Path
) -> None:
    with local(code, tmp_path, "late", seconds=1) as talk:
        told = talk.told("get_references", path="harbour/tide.py", symbol="height")
        assert (told["totalMatches"], told["references"]) == (0, [])
        assert told["incomplete"].startswith("no reference is known yet: the language server has been at work for ")
        assert "Repeat the call for the rest: it goes on, and does not start again" in told["incomplete"]
        lines = [(one["file"], one["line"]) for one in told["textLines"]]
        assert lines[0] == ("harbour/tide.py", 1)
        assert f"{len(lines)} of {len(lines)} in 2 files. They were found as text" in told["note"]
        asked(talk, tmp_path, path="harbour/tide.py", symbol="height")
        (slow,) = started("failing_language_server")
        (tmp_path / "marker").unlink()
        again = answered(talk, path="harbour/tide.py", symbol="height")
        assert [(one["file"], one["line"]) for one in again["references"]] == [("harbour/tide.py", 1)]
        assert not {"textLines", "incomplete"} & again.keys()
        assert started("failing_language_server") == [slow]
        assert (tmp_path / "marker.asked").read_text() == "references\n"


def test_references_that_were_told_before_the_answer_are_there_at_once(code: Path, tmp_path: Path) -> None:
    with local(code, tmp_path, "begin", seconds=2) as talk:
        for _ in range(2):
            told = answered(talk, path="harbour/tide.py", symbol="height")
            assert [(one["file"], one["line"]) for one in told["references"]] == [("harbour/tide.py", 1)]
            assert told["incomplete"].startswith("the language server has been at work for ")
        assert (tmp_path / "marker.asked").read_text() == "references\n"


def test_a_search_that_is_over_is_good_until_a_file_changes(code: Path, tmp_path: Path) -> None:
    call = {"path": "harbour/tide.py", "symbol": "height"}
    with local(code, tmp_path, "late", seconds=1) as talk:
        asked(talk, tmp_path, **call)
        (tmp_path / "marker").unlink()
        assert answered(talk, **call) == answered(talk, **call)
        assert (tmp_path / "marker.asked").read_text() == "references\n"
        (code / "harbour/new.py").write_text("from harbour.tide import height\n")
        answered(talk, **call)
        assert (tmp_path / "marker.asked").read_text() == "references\n" * 2


def test_an_error_of_the_language_server_is_told_and_it_is_asked_again(code: Path, tmp_path: Path) -> None:
    with local(code, tmp_path, "refuse") as talk:
        assert "answered with an error" in talk.refused("get_document_symbols", path="harbour/tide.py")
        assert names(talk.told("get_document_symbols", path="harbour/tide.py")["symbols"]) == ["answered"]


@pytest.mark.compat
def test_one_that_is_killed_between_two_calls_is_replaced_unnoticed(desk: Talk, folder: Path) -> None:
    (folder / "quay.py").write_text("def moor() -> None: ...\n")
    desk.told("get_document_symbols", path="quay.py")
    (language,) = started("langserver")
    language.kill()
    assert until(lambda: bool(desk.call("search_text", query="x")) and not psutil.pid_exists(language.pid))
    desk.call("search_text", query="x")  # the server's loop hears of the end after the process is gone
    assert names(desk.told("get_document_symbols", path="quay.py")["symbols"]) == ["moor"]
    (other,) = started("langserver")
    assert other.pid != language.pid


def test_a_question_that_is_broken_off_does_not_spoil_the_next(code: Path, tmp_path: Path) -> None:
    async def ask() -> list[str]:
        language = Language(Folder(root=code), python(*frail(tmp_path, "hang")), Limits())
        task = asyncio.create_task(language.symbols("harbour/tide.py"))
        while not (tmp_path / "marker").exists():
            await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        try:
            return names(symbols(await language.symbols("harbour/tide.py")))
        finally:
            await language.close()

    assert asyncio.run(ask()) == ["answered"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            ("no-such-language-server",),
            "no-such-language-server, for .py files, could not be started: there is no such program",
        ),
        ((sys.executable, "-c", "raise SystemExit('not today')"), "ended with code 1: not today"),
        ((sys.executable, "-c", "input()\nwhile True: pass"), "gave no answer in 1 seconds"),
    ],
)
def test_a_server_that_does_not_start_is_told(code: Path, command: tuple[str, ...], says: str) -> None:
    async def ask() -> None:
        limits = Limits(start_seconds=60 if "1:" in says else 1)
        language = Language(Folder(root=code), python(*command), limits)
        try:
            await language.symbols("harbour/tide.py")
        finally:
            await language.close()

    with pytest.raises(UpstreamError, match=says):
        asyncio.run(ask())


@pytest.mark.compat
def test_a_server_that_misses_something_says_what_to_install(code: Path) -> None:
    server = replace(python(sys.executable, str(FRAIL), "lacking"), install="get compiler@6")

    async def ask() -> None:
        language = Language(Folder(root=code), server, Limits())
        try:
            await language.symbols("harbour/tide.py")
        finally:
            await language.close()

    with pytest.raises(UpstreamError, match=r"no compiler.*; install what it needs: get compiler@6"):
        asyncio.run(ask())


def test_answers_are_about_the_files_as_they_are_now(desk: Talk, folder: Path) -> None:
    use = "from now.tide import height\n\nX = height(1)\n"
    write(folder / "now", tide="def height(hour: int) -> int: ...\n", plan=use)
    assert desk.references(path="now/tide.py", symbol="height")["totalMatches"] == 3
    write(folder / "now", late=use)
    assert desk.references(path="now/tide.py", symbol="height")["totalMatches"] == 5
    assert desk.told("get_diagnostics", path="now/plan.py", severity="error")["totalMatches"] == 0
    write(folder / "now", tide="def depth() -> int: ...\n")
    assert names(desk.told("get_document_symbols", path="now/tide.py")["symbols"]) == ["depth"]
    found = desk.told("get_diagnostics", path="now/plan.py")["diagnostics"]
    assert "reportAttributeAccessIssue" in {one["code"] for one in found}


@pytest.mark.compat
def test_references_tell_file_line_and_code(desk: Talk, folder: Path) -> None:
    write(
        folder / "sea", tide="def level(hour): ...\n", wide="from sea.tide import level\n\nNAME = '𝒽'; X = level(1)\n"
    )
    told = desk.references(path="sea/wide.py", symbol="level", line=3)
    places = [(one["file"], one["line"]) for one in told["references"]]
    assert places == [("sea/tide.py", 1), ("sea/wide.py", 1), ("sea/wide.py", 3)]
    assert told["fileCount"] == 2
    assert told["references"][0] == {
        "file": "sea/tide.py",
        "line": 1,
        "text": "def level(hour): ...",
        "range": {"start": {"line": 1, "character": 5}, "end": {"line": 1, "character": 10}},
    }


@pytest.mark.compat
def test_a_reference_outside_of_the_folder_is_named_and_not_read(desk: Talk, folder: Path) -> None:
    write(folder / "out", plan="import json\n\nX = json.dumps(1)\n")
    told = desk.references(path="out/plan.py", symbol="dumps")
    outside = [one for one in told["references"] if Path(one["file"]).is_absolute()]
    assert all(one["text"] == "" for one in outside)
    assert ("out/plan.py", 3) in [(one["file"], one["line"]) for one in told["references"]]


@pytest.mark.compat
def test_calls_that_come_at_once_are_answered_one_after_the_other(desk: Talk, folder: Path) -> None:
    write(folder / "pair", **{name: f"def {name}() -> None: ...\n" for name in "abcdef"})
    calls = [("get_document_symbols", {"path": f"pair/{name}.py"}) for name in "abcdef"]
    assert [names(answer.data["symbols"]) for answer in desk.together(calls)] == [[name] for name in "abcdef"]


def test_diagnostics_can_be_asked_for_by_severity(talk: Talk) -> None:
    every = talk.told("get_diagnostics", path="services/legacy/crew.py")
    errors = talk.told("get_diagnostics", path="services/legacy/crew.py", severity="error")
    assert errors["totalMatches"] == sum(one["severity"] == "error" for one in every["diagnostics"]) > 0
    assert talk.told("get_diagnostics", path="services/legacy/crew.py", severity="hint")["diagnostics"] == []


def test_diagnostics_of_a_folder_come_in_parts(talk: Talk) -> None:
    part = talk.told("get_diagnostics", path="services/legacy", limit=1, severity="error")
    assert (part["checkedFiles"], part["totalFiles"], part["nextOffset"]) == (1, 12, 1)
    last = talk.told("get_diagnostics", path="services/legacy", limit=5, offset=11, severity="error")
    assert (last["checkedFiles"], last["totalFiles"], "nextOffset" in last) == (1, 12, False)


def test_files_that_were_checked_before_a_server_ended_are_not_lost(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.quay").write_text("end\n" if name == "b" else "wrong\n")
    command = (sys.executable, str(FRAIL.with_name("publishing_language_server.py")))
    server = Server(name="quay", command=command, languages={".quay": "quay"})
    settings = replace(load_settings(SHIPPED), language=Limits(servers=(server,)))
    with Talk(server=build(Folder(root=tmp_path.resolve()), settings)) as talk:
        told = talk.told("get_diagnostics")
        assert [one["file"] for one in told["diagnostics"]] == ["a.quay"]
        assert (told["checkedFiles"], told["totalFiles"]) == (1, 3)
        assert sum(told["notChecked"].values()) == 2


def test_diagnostics_are_counted_anew_after_each_change_and_after_references(desk: Talk, folder: Path) -> None:
    wrong = "from again.tide import height\n\nX: str = height(1)\n"
    write(folder / "again", tide="def height(hour: int) -> int: ...\n", plan=wrong, other="Y: int = ''\n")

    def errors(path: str) -> int:
        told = desk.told("get_diagnostics", path=path, severity="error")
        assert "notChecked" not in told
        return int(told["totalMatches"])

    assert [errors("again"), errors("again"), errors("again/plan.py"), errors("again/plan.py")] == [2, 2, 1, 1]
    write(folder / "again", plan=wrong.replace("str", "int"))
    assert [errors("again"), errors("again/plan.py")] == [1, 0]
    assert desk.references(path="again/tide.py", symbol="height")["totalMatches"] == 3
    write(folder / "again", tide="def height(hour: int) -> str: ...\n")
    assert [errors("again/plan.py"), errors("again/plan.py"), errors("again")] == [1, 1, 2]
    desk.told("get_document_symbols", path="again/other.py")
    assert errors("again/other.py") == 1


def test_a_server_that_publishes_only_once_for_a_file_is_asked_again_by_a_change(tmp_path: Path) -> None:
    (tmp_path / "a.quay").write_text("wrong\n")
    command = (sys.executable, str(FRAIL.with_name("publishing_language_server.py")), "once")
    server = Server(name="quay", command=command, languages={".quay": "quay"})
    settings = replace(load_settings(SHIPPED), language=Limits(servers=(server,)))
    with Talk(server=build(Folder(root=tmp_path.resolve()), settings)) as talk:
        for _ in range(3):
            told = talk.told("get_diagnostics")
            assert (told["totalMatches"], told["checkedFiles"]) == (1, 1)
            assert "never says when it has told all" in told["note"]
        (tmp_path / "a.quay").write_text("wrong\nwrong\n")
        assert talk.told("get_diagnostics")["totalMatches"] == 2


def test_a_server_that_only_publishes_diagnostics_is_listened_to(tmp_path: Path) -> None:
    (tmp_path / "a.quay").write_text("right\nwrong\nright\nwrong\n")
    (tmp_path / "b.quay").write_text("right\n")
    (tmp_path / "c.go").write_text("package c\n")
    publishing = Server(
        name="quay",
        command=(sys.executable, str(FRAIL.with_name("publishing_language_server.py"))),
        languages={".quay": "quay"},
    )
    missing = Server(name="go", command=("no-such-gopls",), languages={".go": "go"}, install="a command")
    settings = replace(load_settings(SHIPPED), language=Limits(servers=(publishing, missing)))
    with Talk(server=build(Folder(root=tmp_path.resolve()), settings)) as talk:
        told = talk.told("get_diagnostics")
        assert [(one["file"], one["line"]) for one in told["diagnostics"]] == [("a.quay", 2), ("a.quay", 4)]
        assert (told["checkedFiles"], told["totalFiles"]) == (2, 3)
        ((reason, count),) = told["notChecked"].items()
        assert count == 1
        assert reason.startswith(".go: the language server no-such-gopls, for .go files, could not be started")
        assert "install it: a command" in reason
        assert "there is no such program" in talk.refused("get_document_symbols", path="c.go")


def test_progress_is_told_while_files_are_checked(code: Path, tmp_path: Path) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def ask() -> None:
        (code / "a.quay").write_text("right\n")
        command = (sys.executable, str(FRAIL.with_name("publishing_language_server.py")))
        server = Server(name="quay", command=command, languages={".quay": "quay"})
        settings = replace(load_settings(SHIPPED), language=Limits(servers=(server,)))
        async with Client(build(Folder(root=code.resolve()), settings), progress_handler=note) as client:
            await client.call_tool("get_diagnostics", {})

    asyncio.run(ask())
    assert told == [(1.0, 1.0, "files checked")]
