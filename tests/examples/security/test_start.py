"""The command line and the sample project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.examples.starts import help_of, leaves_alone_what_is_there, same_files

from security_server.app import main, open_root
from security_server.sample import make_project

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_wrong_start_ends_with_a_reason_and_no_traceback(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.yaml").write_text("mcp: {max_findings: none}")
    assert main([str(tmp_path / "nowhere")]) == 2
    assert main([str(tmp_path), "--config", str(tmp_path / "nowhere.yaml")]) == 2
    assert main([str(tmp_path), "--config", str(tmp_path / "bad.yaml")]) == 2
    told = capsys.readouterr().err
    assert "nowhere: expected a folder" in told
    assert "nowhere.yaml: cannot be read" in told
    assert "mcp.max_findings: expected a whole number from 1 to 10,000" in told
    assert "Traceback" not in told


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    told = help_of(main, capsys)
    assert all(option in told for option in ("folder", "--data", "--config"))


def test_the_sample_project_is_the_same_everywhere_and_made_once(tmp_path: Path) -> None:
    one, other = open_root(None, tmp_path / "one").folder, tmp_path / "other"
    make_project(other)
    files = same_files(one, other)
    assert len(files) > 50
    for file in files:
        assert (one / file).stat().st_mtime == (other / file).stat().st_mtime
    (one / "mine.py").write_text("mine")
    assert (open_root(None, tmp_path / "one").folder / "mine.py").exists()


def test_a_sample_project_that_another_process_made_meanwhile_is_used(tmp_path: Path) -> None:
    leaves_alone_what_is_there(make_project, tmp_path)
