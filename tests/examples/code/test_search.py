"""Finding text, and which files belong to a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from code_server.folder import MOST_BYTES, Folder
from code_server.search import LONGEST_LINE, Search, search
from penstock import CallerError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_match_has_its_place_and_the_lines_around_it(tmp_path: Path) -> None:
    (tmp_path / "tide.txt").write_text("\n".join(f"line {n}" for n in range(1, 21)))
    told = search(Folder(root=tmp_path), "line 10")
    assert told == {
        "query": "line 10",
        "totalMatches": 1,
        "fileCount": 1,
        "matches": [
            {
                "file": "tide.txt",
                "line": 10,
                "column": 1,
                "text": "line 10",
                "context": {
                    "before": ["line 6", "line 7", "line 8", "line 9"],
                    "after": ["line 11", "line 12", "line 13", "line 14"],
                },
            }
        ],
    }


def test_a_limit_shortens_the_matches_and_not_their_count(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text("tide\nTide\ntide\n")
    told = search(Folder(root=tmp_path), "tide", limit=3)
    assert [(one["file"], one["line"]) for one in told["matches"]] == [("a", 1), ("a", 3), ("b", 1)]
    assert (told["totalMatches"], told["fileCount"], told["shownMatches"]) == (6, 3, 3)


def test_a_long_line_is_shown_around_its_match(tmp_path: Path) -> None:
    (tmp_path / "bundle.js").write_text("x" * 5_000 + "tide" + "y" * 5_000)
    (match,) = search(Folder(root=tmp_path), "tide")["matches"]
    assert match["column"] == 5_001
    assert "tide" in match["text"]
    assert len(match["text"]) == LONGEST_LINE + 2


def test_windows_line_ends_are_no_part_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\r\ntide\r\nthree")
    (match,) = search(Folder(root=tmp_path), "tide")["matches"]
    assert (match["text"], match["context"]["before"]) == ("tide", ["one"])


def test_binary_and_huge_files_are_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"tide\0")
    (tmp_path / "b.log").write_bytes(b"tide\n" * MOST_BYTES)
    (tmp_path / "c.txt").write_bytes(b"tide \xff")
    told = search(Folder(root=tmp_path), "tide")
    assert told["skippedFiles"] == 2
    assert told["matches"][0]["file"] == "c.txt"


def test_hidden_files_caches_and_links_are_no_part_of_a_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name in (".git/a", "__pycache__/b", "src/.env", "src/c"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("tide")
    (tmp_path / "secret").write_text("tide")
    (root / "link").symlink_to(tmp_path / "secret")
    assert list(Folder(root=root).files()) == ["src/c"]


@pytest.mark.parametrize(
    ("includes", "excludes", "expected"),
    [
        (["src/components/**"], [], ["src/components/a.tsx", "src/components/deep/b.ts"]),
        (["*.ts"], [], ["lib/c.ts", "src/components/deep/b.ts"]),
        (["*.ts", "*.md"], ["lib/**"], ["README.md", "src/components/deep/b.ts"]),
        ([], ["src"], ["README.md", "lib/c.ts"]),
        (["/lib"], [], ["lib/c.ts"]),
    ],
)
def test_globs_let_files_through(tmp_path: Path, includes: list[str], excludes: list[str], expected: list[str]) -> None:
    for name in ("src/components/a.tsx", "src/components/deep/b.ts", "lib/c.ts", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(Folder(root=tmp_path).files(includes, excludes)) == expected


@pytest.mark.parametrize("globs", [[""], [" "], ["a" * 501], ["!src"], ["#x"], ["\\"], ["[z-a]"], ["x"] * 51])
def test_a_glob_that_cannot_be_meant_is_refused(tmp_path: Path, globs: list[str]) -> None:
    (tmp_path / "a").write_text("x")
    with pytest.raises(CallerError, match=r'includes: expected .*; for example \{"includes": \["src/\*\*"\]\}'):
        list(Folder(root=tmp_path).files(globs))


def test_a_file_that_is_gone_has_no_text(tmp_path: Path) -> None:
    assert Folder(root=tmp_path).text("gone") is None


@pytest.mark.parametrize("path", ["../out.py", "/etc/passwd", "link.py", "a\0b", "x" * 5_000])
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "out.py").write_text("x = 1\n")
    (tmp_path / "root/link.py").symlink_to(tmp_path / "out.py")
    with pytest.raises(CallerError, match="path: expected a"):
        Folder(root=tmp_path / "root").file(path)


def test_the_files_of_a_path_are_those_under_it_with_a_suffix(code: Path) -> None:
    (code / "harbour/notes.txt").write_text("x")
    (code / "harbourside.py").write_text("x = 1\n")
    folder = Folder(root=code)
    assert folder.files_at("harbour", (".py",)) == ["harbour/__init__.py", "harbour/plan.py", "harbour/tide.py"]
    assert folder.files_at("harbour/tide.py", (".py",)) == ["harbour/tide.py"]
    assert len(folder.files_at(".", (".py",))) == 4
    with pytest.raises(CallerError, match="path: expected a file or a folder that is there"):
        folder.files_at("nowhere", (".py",))


def test_what_gitignore_names_is_no_part_of_a_folder(tmp_path: Path) -> None:
    for name in ("dist/a.js", "src/dist/b.js", "src/keep.log", "src/c.log", "src/d.js", "docs/build/e.md", "docs/f.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("tide")
    (tmp_path / ".gitignore").write_text("/dist/\n*.log\n!keep.log\n")
    (tmp_path / "docs/.gitignore").write_text("build\n")
    (tmp_path / "src/.gitignore").write_text("[z-a]\n")
    assert list(Folder(root=tmp_path).files()) == ["docs/f.md", "src/d.js", "src/keep.log", "src/dist/b.js"]


def test_every_match_can_be_reached_by_its_number(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text("tide\nTide\ntide\n")
    folder, names = Folder(root=tmp_path), list("abc")
    found, offset = [], 0
    while True:
        part = Search(folder, "tide", limit=4, offset=offset)
        part.look(names)
        told = part.result()
        assert (told["totalMatches"], told["fileCount"]) == (6, 3)
        found += [(one["file"], one["line"]) for one in told["matches"]]
        if "nextOffset" not in told:
            break
        offset = told["nextOffset"]
    assert found == [(name, line) for name in "abc" for line in (1, 3)]
