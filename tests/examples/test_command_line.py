"""The command line of every example: its options, and one line about a wrong start."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: Final = {
    "code": (),
    "memory": ("--data",),
    "security": ("--data",),
    "unity": ("--log",),
    "vault": ("--data", "--allow-host", "--read-only"),
}


def run(name: str, *arguments: str) -> int:
    app: Any = import_module(f"{name}_server.app")
    code: int = app.main([*arguments])
    return code


@pytest.mark.parametrize("name", OPTIONS)
def test_help_names_every_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(name, "--help")
    assert ended.value.code == 0
    written = capsys.readouterr().out
    assert all(option in written for option in ("folder", "--config", *OPTIONS[name]))


@pytest.mark.parametrize("name", OPTIONS)
def test_wrong_folder_or_settings_end_the_start_with_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "Assets").mkdir()
    data = ["--data", str(tmp_path)] if "--data" in OPTIONS[name] else []
    assert run(name, str(tmp_path / "nowhere"), *data) == 2
    assert capsys.readouterr().err == f"{name}: {tmp_path / 'nowhere'}: expected a folder; name one that is there\n"
    assert run(name, str(tmp_path), "--config", str(tmp_path / "nowhere.toml"), *data) == 2
    assert "nowhere.toml: cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("unity", [], "expected the folder of a Unity project, with Assets in it"),
        ("unity", ["--log", "nowhere.log"], "nowhere.log: expected the log of an editor"),
        ("vault", ["--allow-host", "http://example.org"], "--allow-host: expected a host such as"),
        ("memory", ["--data", "."], "cannot be used: file is not a database"),
    ],
)
def test_wrong_option_of_one_server_is_named(
    name: str,
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory.sqlite").write_bytes(b"something else" * 100)
    assert run(name, str(tmp_path), *arguments) == 2
    written = capsys.readouterr().err
    assert says in written
    assert "Traceback" not in written
