"""The backup is how a file was without Penstock; unwrapping restores that exactly, or keeps what was edited since."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from penstock.cli import main

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = '{"mcpServers": {"a": {"args": [], "command": "a"}, "b": {"command": "b"}}}'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "mcp.json"
    file.write_text(PLAIN)
    file.chmod(0o600)
    return file


def wrap(file: Path, *words: str) -> None:
    assert main(["wrap", "--yes", "--no-check", "--client", str(file), "--program", "penstock", *words]) == 0


def unwrap(file: Path, *words: str) -> None:
    assert main(["unwrap", "--yes", "--client", str(file), *words]) == 0


def backup(file: Path) -> Path:
    return file.with_name(file.name + ".penstock-backup")


def test_the_backup_is_the_file_before_the_first_wrapping_with_its_mode(file: Path) -> None:
    wrap(file, "a")
    wrap(file, "b")
    wrap(file)
    assert backup(file).read_text() == PLAIN
    assert stat.S_IMODE(backup(file).stat().st_mode) == 0o600


def test_when_the_file_is_as_it_was_the_backup_goes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrap(file)
    unwrap(file, "a")
    assert backup(file).exists()
    unwrap(file, "b")
    assert file.read_text() == PLAIN
    assert not backup(file).exists()
    assert "it is as it was before wrap, so its backup was deleted" in capsys.readouterr().out


def test_what_was_edited_meanwhile_survives_and_the_backup_stays(file: Path) -> None:
    wrap(file)
    edited = (
        file.read_text()
        .replace('{"mcpServers"', '// mine\n{"new": [1],"mcpServers"')
        .replace('"b": {', '"c": {"command": "c"}, "b": {"env": {"K": "v"}, ')
    )
    file.write_text(edited)
    unwrap(file)
    assert file.read_text() == PLAIN.replace('{"mcpServers"', '// mine\n{"new": [1],"mcpServers"').replace(
        '"b": {', '"c": {"command": "c"}, "b": {"env": {"K": "v"}, '
    )
    assert backup(file).read_text() == PLAIN


def test_a_file_without_penstock_in_it_makes_a_new_backup(file: Path) -> None:
    backup(file).write_text("older")
    wrap(file)
    assert backup(file).read_text() == PLAIN


def test_a_file_that_is_partly_wrapped_never_takes_the_place_of_a_backup(file: Path) -> None:
    wrap(file, "a")
    partly = file.read_text()
    wrap(file, "b")
    assert backup(file).read_text() == PLAIN
    backup(file).unlink()
    file.write_text(partly)
    wrap(file, "b")
    assert backup(file).read_text() == partly
    unwrap(file)
    assert json.loads(file.read_text())["mcpServers"] == {"a": {"command": "a"}, "b": {"command": "b"}}


@pytest.mark.parametrize("damage", ["", "{", '{"mcpServers": []}', "\udcff"])
def test_a_damaged_backup_is_no_hindrance(damage: str, file: Path) -> None:
    wrap(file, "b")
    backup(file).write_text(damage, errors="surrogateescape")
    unwrap(file)
    assert file.read_text() == PLAIN


def test_a_server_that_was_added_after_the_backup_is_restored_exactly_too(file: Path) -> None:
    wrap(file)
    added = '"c": {"command": "c"}, "d": {"command": "d", "args": []}, "a"'
    file.write_text(file.read_text().replace('"a"', added, 1))
    wrap(file)
    unwrap(file)
    assert file.read_text() == PLAIN.replace('"a"', added, 1)


def test_a_client_that_rewrites_its_file_meanwhile_loses_nothing(file: Path) -> None:
    wrap(file)
    file.write_text(json.dumps({"started": 7, **json.loads(file.read_text())}, indent=4))
    unwrap(file)
    assert file.read_text() == json.dumps({"started": 7, **json.loads(PLAIN)}, indent=4)
