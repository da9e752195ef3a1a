"""Engines as processes: the real ones on a small project, and those that are missing, fail, hang, or say too much."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from detect_secrets.core.scan import scan_file
from detect_secrets.settings import default_settings
from fastmcp import Client
from tests.kit.examples.security_client import FOLDER

from penstock import UpstreamError
from security_server.app import build
from security_server.engines import ENGINES, Engine
from security_server.engines.base import MOST_ARGUMENTS, MOST_FILES, Outcome, Read, examine
from security_server.finding import Raw
from security_server.paths import Root
from security_server.process import run
from security_server.settings import SHIPPED, load_settings

if TYPE_CHECKING:
    from pathlib import Path

VULNERABLE = "import subprocess\n\n\ndef go(x):\n    return subprocess.call(x, shell=True)\n"


def script(text: str, **given: Any) -> Engine:
    """An engine that is a line of Python."""
    settings = {"name": "bandit", "package": "bandit", "read": lambda report: Read(raws=[], unread=report), **given}
    return Engine(command=(sys.executable, "-I", "-c", text), **settings)


def outcome(engine: Engine, *files: Path, seconds: float = 60) -> Outcome:
    return asyncio.run(examine(engine, files, seconds=seconds))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shell.py").write_text(VULNERABLE)
    (folder / "broken.py").write_text("def (\n")
    (folder / "data.bin").write_bytes(b"\0\1password = 'aVerySecretThing1'")
    return folder


def test_bandit_finds_a_shell_call_and_names_what_it_cannot_parse(project: Path) -> None:
    done = outcome(ENGINES["bandit"], *sorted(project.iterdir()))
    assert (done.status, done.files) == ("completed", 2)
    (shell,) = [raw for raw in done.raws if raw.rule == "B602"]
    assert (shell.line, shell.severity) == (5, "CRITICAL")
    told = done.entry(len(done.raws), os.path.basename)
    assert told["unread"] == {"count": 1, "files": ["broken.py"]}
    assert told["version"]


def test_a_shell_that_runs_a_command_as_it_is_written_is_no_critical_finding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('import subprocess\n\nsubprocess.run(\n    "git log",\n    shell=True,\n)\n')
    done = outcome(ENGINES["bandit"], tmp_path / "a.py")
    (shell,) = [raw for raw in done.raws if raw.rule == "B602"]
    assert shell.severity == "LOW"


def test_the_password_that_bandit_tells_is_masked(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        'password = "correcthorse"\n\n\ndef f(token="batterystaple"):\n    return f(token="letmein123")\n'
    )
    done = outcome(ENGINES["bandit"], tmp_path / "a.py")
    assert {raw.rule for raw in done.raws} == {"B105", "B106", "B107"}
    assert not any(word in str(done) for word in ("correcthorse", "batterystaple", "letmein123"))


def test_a_secret_is_told_once_by_its_most_telling_name_and_never_its_value(tmp_path: Path) -> None:
    key = "AKIA" + "Q3EGZ7NHF5W2XK4D"
    (tmp_path / "a.env").write_text(f'aws_secret = "{key}"\nplain=1\n', encoding="utf-8")
    (tmp_path / "b.env").write_bytes(b"\0" + f'aws_secret = "{key}"\n'.encode())
    done = outcome(ENGINES["detect-secrets"], *sorted(tmp_path.iterdir()))
    assert [(raw.rule, raw.line, raw.severity) for raw in done.raws] == [("AWS Access Key", 1, "CRITICAL")]
    assert key not in str(done)


@pytest.mark.parametrize(
    ("line", "rule", "severity"),
    [
        ("url = https://me:" + "hidden1@example.org/", "Basic Auth Credentials", "HIGH"),
        ("password = 'aVerySecretThing1'", "Secret Keyword", "MEDIUM"),
        ("x = '9f8e7d6c5b4a39281706f5e4d3c2b1a0'", "Hex High Entropy String", "LOW"),
        ("-----BEGIN " + "RSA PRIVATE KEY-----", "Private Key", "CRITICAL"),
    ],
)
def test_a_secret_is_as_severe_as_its_form_is_certain(tmp_path: Path, line: str, rule: str, severity: str) -> None:
    (tmp_path / "a.txt").write_text(line + "\n")
    done = outcome(ENGINES["detect-secrets"], tmp_path / "a.txt")
    assert [(raw.rule, raw.severity) for raw in done.raws] == [(rule, severity)]


def test_lines_that_are_told_harmless_at_once_hide_nothing_that_the_library_finds(tmp_path: Path) -> None:
    with_secrets = (
        "# pragma: allowlist nextline secret",
        'password = "hunter2hunter2"',
        'password = "hunter3hunter3"',
        'password = "hunter2hunter2"',
        'token = "hunter4hunter4"  # pragma: allowlist secret',
        "secret: c29tZXRoaW5nIHJhbmRvbSAxMjM0NTY3ODkw",
        'digest = "0f343b0931126a20f133d67c2b018a3b"',
        "listen = 203.0.113.9",
        "import os",
        "import os",
    )
    files = [tmp_path / name for name in ("a.py", "b.yaml", "c.txt", "d.go", "e.ini")]
    for file in files:
        file.write_text("\n".join(with_secrets), encoding="utf-8")
    with default_settings():
        every = {(str(file), one.line_number) for file in files for one in scan_file(str(file))}
    done = outcome(ENGINES["detect-secrets"], *files)
    assert {(raw.file, raw.line) for raw in done.raws} == every
    assert len(every) > len(files)


def test_a_file_that_cannot_be_opened_is_named_and_the_others_are_scanned(tmp_path: Path) -> None:
    (tmp_path / "b.env").write_text("password = 'aVerySecretThing1'\n")
    done = outcome(ENGINES["detect-secrets"], tmp_path / "gone.env", tmp_path / "b.env")
    assert [raw.rule for raw in done.raws] == ["Secret Keyword"]
    assert done.unread == (str(tmp_path / "gone.env"),)


@pytest.mark.parametrize("name", list(ENGINES))
def test_an_engine_without_files_has_found_nothing(name: str) -> None:
    done = outcome(ENGINES[name])
    assert (done.status, done.files, done.raws) == ("completed", 0, ())


def test_a_missing_engine_is_told_with_the_command_that_installs_it() -> None:
    done = outcome(script("", package="no-such-engine"))
    assert (done.status, done.reason) == ("missing", "not installed; pip install no-such-engine")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import sys; sys.exit('first line\\nno more disk')", "failed with code 1: no more disk"),
        ("import sys; sys.exit(3)", "failed with code 3: nothing was said about it"),
        ("print('{')", "its report cannot be read"),
        ("print('7')", "its report cannot be read"),
        ("print('\\\\udcff' * 3)", "its report cannot be read"),
        ("raise ValueError('x' * 5000)", "failed with code 1: ValueError: xxx"),
    ],
)
def test_a_failing_engine_is_told_with_its_reason(tmp_path: Path, text: str, says: str) -> None:
    done = outcome(script(text), tmp_path / "a.py")
    assert done.status == "failed"
    assert says in done.reason
    assert len(done.reason) < 300


def test_an_engine_that_hangs_is_told() -> None:
    done = outcome(script("import time; time.sleep(600)", suffixes=()), SHIPPED, seconds=0.2)
    assert (done.status, done.reason) == ("failed", "took longer than 0.2 s, and was ended")


@pytest.mark.parametrize("is_starting", [False, True], ids=["running", "just being started"])
def test_an_engine_that_is_ended_takes_with_it_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_starting: bool
) -> None:
    pids = tmp_path / "pids"
    start, is_cancelled = asyncio.create_subprocess_exec, asyncio.Event()

    async def start_slowly(*command: str, **options: Any) -> asyncio.subprocess.Process:
        process = await start(*command, **options)
        if is_starting:
            await is_cancelled.wait()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_slowly)
    child = "import time; time.sleep(600)"
    text = (
        f"import os, subprocess, sys, time; child = subprocess.Popen([sys.executable, '-c', {child!r}]); "
        f"print(os.getpid(), child.pid, file=open({str(pids)!r}, 'w'), flush=True); time.sleep(600)"
    )

    async def cancelled() -> None:
        task = asyncio.create_task(run([sys.executable, "-c", text]))
        while not _is_written(pids):
            assert not task.done()
            await asyncio.sleep(0.01)
        task.cancel()
        is_cancelled.set()
        await asyncio.wait([task])

    asyncio.run(asyncio.wait_for(cancelled(), 60))
    deadline = time.monotonic() + 60
    while any(_runs(int(pid)) for pid in pids.read_text().split()):
        assert time.monotonic() < deadline


def _is_written(pids: Path) -> bool:
    return pids.exists() and pids.read_text().endswith("\n")


def test_a_server_that_is_told_to_end_takes_its_engines_with_it(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    engine = f"import os, time; print(os.getpid(), file=open({str(pids)!r}, 'w'), flush=True); time.sleep(600)"
    server = (
        f"import asyncio, sys; sys.path.insert(0, {str(FOLDER)!r}); from security_server import process; "
        f"process.end_on_sigterm(); asyncio.run(process.run([sys.executable, '-c', {engine!r}]))"
    )
    with subprocess.Popen([sys.executable, "-c", server]) as started:
        deadline = time.monotonic() + 60
        while not (pids.exists() and pids.read_text().endswith("\n")):
            assert started.poll() is None
            assert time.monotonic() < deadline
        started.terminate()
        assert started.wait(60) == 143
    while _runs(int(pids.read_text())):
        assert time.monotonic() < deadline


def _runs(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_an_engine_that_says_too_much_is_ended() -> None:
    endless = (sys.executable, "-c", "while True: print('x' * 1000)")

    async def several() -> list[bytes | BaseException]:
        """What becomes of engines whose output waits while others are read."""
        return await asyncio.gather(*(run(endless, most=5_000) for _ in range(12)), return_exceptions=True)

    for error in asyncio.run(several()):
        assert isinstance(error, UpstreamError)
        assert "said more than 5,000 bytes" in str(error)


def test_a_command_that_is_not_there_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(UpstreamError, match="cannot be started"):
        asyncio.run(run([str(tmp_path / "nothing")]))


def test_an_engine_that_does_not_listen_is_no_error() -> None:
    assert asyncio.run(run([sys.executable, "-c", "print('done')"], b"x" * 5_000_000)) == b"done\n"


def test_many_files_are_given_in_several_runs_none_of_them_twice(tmp_path: Path) -> None:
    files = [tmp_path / f"{number:04}.py" for number in range(2_000)]
    done = outcome(script("import json, sys; print(json.dumps(sys.argv[1:]))"), *files)
    assert done.unread == tuple(str(file) for file in files)
    assert sum(len(str(file)) for file in files) > MOST_ARGUMENTS


def test_batches_run_side_by_side_and_progress_counts_each_once(tmp_path: Path) -> None:
    files = [tmp_path / f"{number:04}.py" for number in range(MOST_FILES * 2)]
    meet = f"""
import json, os, sys
here = {str(tmp_path)!r}
os.mkdir(os.path.join(here, sys.argv[1][-7:-3]))
while len(os.listdir(here)) < 2: pass  # until both batches have begun
print(json.dumps(sys.argv[1:]))
"""
    counts: list[int] = []

    async def note(count: int) -> None:
        counts.append(count)

    done = asyncio.run(examine(script(meet), files, seconds=60, done=note, turns=asyncio.Semaphore(2)))
    assert (done.status, done.files, done.reason) == ("completed", len(files), "")
    assert sum(counts) == len(files)


def test_engines_with_the_same_turns_run_no_more_processes_than_there_are_turns(tmp_path: Path) -> None:
    files = [tmp_path / f"{number:04}.py" for number in range(MOST_FILES * 2)]
    busy = str(tmp_path / "busy")
    alone = (
        f"import os; os.mkdir({busy!r}); sum(range(5_000_000)); os.rmdir({busy!r}); print('[]')"  # fails beside another
    )

    async def both() -> list[Outcome]:
        turns = asyncio.Semaphore(1)
        return await asyncio.gather(*(examine(script(alone), files, seconds=60, turns=turns) for _ in range(2)))

    assert [(one.status, one.reason) for one in asyncio.run(both())] == [("completed", "")] * 2


def test_what_an_engine_has_found_before_it_failed_is_kept(tmp_path: Path) -> None:
    files = [tmp_path / f"{number:04}.py" for number in range(MOST_FILES * 2)]
    once = f"import json, os, sys; os.mkdir({str(tmp_path / 'once')!r}); print(json.dumps(sys.argv[1:]))"
    raws = [Raw(file=str(files[0]), line=1, rule="R", title="t", message="m", severity="LOW")]
    done = outcome(script(once, read=lambda report: Read(raws=raws, unread=[])), *files)
    assert (done.status, done.raws) == ("failed", tuple(raws))
    assert done.files is not None
    assert 0 < done.files < len(files)
    assert done.reason.endswith(f"; these are the findings of {done.files} of 500 files")
    assert done.entry(1, str)["findings"] == 1


def test_an_engine_gets_nothing_of_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER_TOKEN", "hidden")
    printed = asyncio.run(run([sys.executable, "-c", "import os; print(dict(os.environ), os.listdir())"]))
    assert b"SERVER_TOKEN" not in printed
    assert printed.strip().endswith(b"[]")


def scan(root: Path, engines: dict[str, Engine], **arguments: Any) -> tuple[bool, str]:
    async def ask() -> tuple[bool, str]:
        async with Client(build(Root.at(root, "allowed folder"), load_settings(SHIPPED), engines)) as client:
            result = await client.call_tool("scan", arguments, raise_on_error=False)
            content = result.content[0]
            assert content.type == "text"
            return result.is_error, content.text

    return asyncio.run(ask())


def test_a_failing_and_a_missing_engine_do_not_lose_the_findings_of_the_others(project: Path) -> None:
    failing = script("raise SystemExit('out of order')", name="slow")
    missing = script("", name="detect-secrets", package="no-such-engine")
    engines = {"slow": failing, "detect-secrets": missing, "bandit": ENGINES["bandit"]}
    is_error, text = scan(project, engines, details=True)
    told = json.loads(text)
    assert not is_error
    assert told["status"] == "partial"
    assert told["status_reason"].startswith(
        "slow: failed with code 1: out of order; detect-secrets: not installed; pip install no-such-engine"
    )
    assert {one["engine"] for one in told["findings"]} == {"bandit"}
    assert [one["status"] for one in told["engines"]] == ["failed", "missing", "completed"]
    assert told["engines"][0]["reason"] == "failed with code 1: out of order"


def test_a_scan_in_which_every_engine_failed_is_an_error_and_not_a_clean_result(project: Path) -> None:
    is_error, text = scan(project, {"bandit": script("raise SystemExit('out of order')")})
    assert is_error
    assert "bandit: failed with code 1: out of order" in text


def test_a_link_out_of_the_folder_is_not_followed_and_is_counted(project: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.py").write_text("password = 'aVerySecretThing1'\n" + VULNERABLE)
    (project / "file.py").symlink_to(tmp_path / "outside/a.py")
    (project / "folder").symlink_to(tmp_path / "outside")
    told = json.loads(scan(project, dict(ENGINES))[1])
    assert told["skipped"] == {"links": 2}
    assert {one["file"] for one in told["findings"]} == {"shell.py"}
    assert told["files_scanned"] == 3


def test_scanned_code_is_never_run_and_cannot_switch_the_engines_off(tmp_path: Path) -> None:
    project, mark = tmp_path / "project", tmp_path / "mark"
    project.mkdir()
    hostile = f"open({str(mark)!r}, 'w')\n{VULNERABLE}"
    names = ("bandit", "json", "sitecustomize", "conftest", "setup", "detect_secrets", "subprocess")
    for name in names:
        (project / f"{name}.py").write_text(hostile)
    (project / "bad.pth").write_text(f"import os; open({str(mark)!r}, 'w')\n")
    (project / ".bandit").write_text("[bandit]\nskips = B602\nexclude = *.py\n")
    (project / "pyproject.toml").write_text('[tool.bandit]\nskips = ["B602"]\n')
    (project / ".secrets.baseline").write_text("{}")
    told = json.loads(scan(project, dict(ENGINES), details=True)[1])
    assert told["status"] == "completed"
    found = {(one["rule"], one["engine"], one["file"]) for one in told["findings"]}
    assert {("B602", "bandit", f"{name}.py") for name in names} <= found
    assert not mark.exists()
