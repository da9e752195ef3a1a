"""A git repository with a random history, full of names and lines that look like something else."""

from __future__ import annotations

import os
import random
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

AUTHORS = [("Ada Lovelace", "ada@example.org"), ("Bo (Work) O'Neil", "bo@example.org"), ("Çağla 12", "c@x.example")]
OFFSETS = ["+0000", "-0700", "+0530"]
NAMES = [
    "README.md",
    "src/core/gate.py",
    "src/core/b/tool.py",
    "with space/and b/file.txt",
    "tab\there.txt",
    'quote"d.txt',
    "new\nline.txt",
    "grüße/日本.md",
    "back\\slash",
    "a/a b/b",
    "pipe | bar.txt",
    "commit",
    "Makefile",
]
LINES = [
    "",
    " ",
    "plain text",
    "    indented",
    "--- a/x",
    "-- x",
    "+++ b/x",
    "++ x",
    "@@ -1,2 +3,4 @@",
    "diff --git a/x b/x",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",
    "\\ No newline at end of file",
    "with return\r",
    "-- ",
    "Binary files a/x and b/x differ",
    "def function(self):",
]
SUBJECTS = [
    "Fix the gate",
    "(wip) in parentheses",
    "diff --git a/x b/x",
    "two lines\nof one subject",
    "grüße: 日本",
    "commit 0123456789 that reverts",
]
BODIES = [
    "",
    "",
    "A body.\n\nOf two paragraphs.",
    "diff --git a/quoted b/quoted\n--- a/quoted\n+++ b/quoted\n@@ -1 +1 @@\n-old\n+new",
    "---\n quoted.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)",
]


@dataclass
class Repository:
    folder: Path

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        """What git writes, without the settings of this machine and its user."""
        settings = ("core.abbrev=10", "color.ui=never", "diff.renames=true", "core.autocrlf=false")
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }
        command = ["git", "-C", str(self.folder), *(part for one in settings for part in ("-c", one)), *arguments]
        done = subprocess.run(command, input=stdin, env=environment, capture_output=True, check=True)
        return done.stdout.decode()


def random_repository(folder: Path, seed: int, commits: int, names: list[str] = NAMES) -> Repository:
    """A repository with this many commits, some of which are merges of a side branch."""
    repository = Repository(folder)
    repository.git("init", "-q", "-b", "main", ".")
    repository.git("fast-import", "--quiet", "--force", stdin=_stream(random.Random(seed), commits, names))
    return repository


def _stream(choose: random.Random, commits: int, names: list[str]) -> bytes:
    """Commits for ``git fast-import``: each writes, renames, deletes or makes executable some files."""
    out: list[bytes] = []
    files: dict[str, list[str]] = {}
    side: str | None = None
    for number in range(1, commits + 1):
        merge = side is not None and choose.random() < 0.5
        branch = "side" if side is None and number > 3 and choose.random() < 0.3 else "main"
        name, mail = choose.choice(AUTHORS)
        when = f"{1_700_000_000 + number * 86_399} {choose.choice(OFFSETS)}"
        message = choose.choice(SUBJECTS)
        if body := choose.choice(BODIES):
            message += "\n\n" + body
        out.append(f"commit refs/heads/{branch}\nmark :{number}\n".encode())
        out.append(f"author {name} <{mail}> {when}\ncommitter Robot <r@example.org> {when}\n".encode())
        out.append(_data(message.encode()))
        if branch == "side":
            side = f":{number}"
            out.append(b"from refs/heads/main\n")
        elif merge:
            out.append(f"merge {side}\n".encode())
            side = None
        _change_files(choose, names, files, out, keep=branch == "side")
    return b"".join(out)


def _change_files(
    choose: random.Random, names: list[str], files: dict[str, list[str]], out: list[bytes], *, keep: bool
) -> None:
    # The side branch must not know what only it has changed: its files are those of main, changed in their first line.
    for name in choose.sample(names, choose.randint(1, 4)):
        known = files.get(name)
        if keep and known is None:
            continue
        lines = list(known or [])
        if keep:
            lines[:1] = ["from the side"]
            out.append(_write(name, lines, "\n"))
        elif known and choose.random() < 0.1:
            del files[name]
            out.append(f"D {_quoted(name)}\n".encode())
        else:
            for _ in range(choose.randint(1, 6)):
                at = choose.randint(0, len(lines))
                lines[at : at + choose.randint(0, 3)] = choose.choices(LINES, k=choose.randint(0, 4))
            lines = lines or ["not empty"]
            files[name] = lines
            out.append(_write(name, lines, choose.choice(["\n", "\n", ""])))
    if not keep and choose.random() < 0.2:
        out.append(b"M 100644 inline data.bin\n" + _data(bytes(choose.randrange(256) for _ in range(99)) + b"\0"))
    free = [name for name in names if name not in files]
    movable = [name for name, lines in files.items() if len(lines) > 8]
    if not keep and free and movable and choose.random() < 0.5:
        old, new = choose.choice(movable), choose.choice(free)
        files[new] = files.pop(old)
        out.append(f"R {_quoted(old)} {_quoted(new)}\n".encode())


def _write(name: str, lines: list[str], end: str) -> bytes:
    return f"M 100644 inline {_quoted(name)}\n".encode() + _data(("\n".join(lines) + end).encode())


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def commits_of(repository: Repository, *arguments: str) -> list[dict[str, str]]:
    """What git itself tells of each commit."""
    fields = {"commit": "%H", "author": "%an", "email": "%ae", "date": "%ad", "subject": "%s", "parents": "%P"}
    text = repository.git("log", "--date=iso", f"--format=%x01{'%x02'.join(fields.values())}", *arguments)
    return [dict(zip(fields, one.rstrip("\n").split("\x02"), strict=True)) for one in text.split("\x01")[1:]]


def files_of(repository: Repository, *arguments: str) -> list[dict[str, tuple[int | None, int | None]]]:
    """The counts of the files of each commit, as git itself counts them."""
    text = repository.git("log", "--format=%x01", "--numstat", "-z", *arguments)
    return [numstat(one) for one in text.split("\x01")[1:]]


def numstat(text: str) -> dict[str, tuple[int | None, int | None]]:
    """The counts of each file from ``git ... --numstat -z``: those of binary files are None."""
    counts: dict[str, tuple[int | None, int | None]] = {}
    parts = iter(text.split("\0"))
    for part in parts:
        if not part.strip():
            continue
        added, removed, name = part.lstrip("\n").split("\t", 2)
        if not name:  # renamed: the old name and the new one follow
            next(parts)
            name = next(parts)
        counts[name] = (None, None) if added == "-" else (int(added), int(removed))
    return counts
