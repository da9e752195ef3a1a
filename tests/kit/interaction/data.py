"""What the servers are let loose on: folders, a repository and a graph, small and large, the same on every run."""

from __future__ import annotations

import json
import random
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("ledger", "harbour", "window", "naïve", "übergang", "signal", "茶", "copper", "quorum", "\\drive", '"quoted"')
STATES = ("open", "closed", "waiting")
TOWNS = ("Oslo", "Bergen", "Ålesund", "Tromsø")
PIXEL = (  # the smallest PNG there is
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"
)


def small_folder(root: Path) -> Path:
    (root / "docs").mkdir(parents=True)
    (root / "src" / "deep").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text(
        "# Guide\n\nOne line.\nTwo lines: größer, 茶, \u2028 and a tab\there.\n", "utf-8"
    )
    (root / "src" / "main.py").write_text("def main() -> None:\n    print('hello')\n", "utf-8")
    (root / "src" / "deep" / "data.json").write_text('{"a": [1, 2, 3.0], "b": null}\n', "utf-8")
    (root / "pixel.png").write_bytes(PIXEL)
    (root / "made").mkdir()  # with the next one, what the conversation makes: the second run finds what the first did
    (root / "new.txt").write_text("written\n", "utf-8")
    return root


def records(number: int) -> list[dict[str, Any]]:
    draw = random.Random(7)
    return [
        {
            "id": at,
            "town": draw.choice(TOWNS),
            "state": draw.choice(STATES),
            "amount": draw.randint(1, 9_999),
            "paid": draw.random() < 0.5,
            "note": prose(draw, 6),
        }
        for at in range(number)
    ]


def prose(draw: random.Random, words: int) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(words))


def large_folder(root: Path) -> Path:
    """Some 2,500 files in folders, and large ones: records, a log, many short lines, and noise that is no text."""
    draw = random.Random(11)
    for area in ("api", "web", "core", "tools"):
        for part in range(9 if area == "web" else 14):
            folder = root / area / f"part{part}"
            folder.mkdir(parents=True)
            for number in range(50):
                (folder / f"{draw.choice(('test', 'view', 'model'))}_{number}.py").touch()
    (root / "records.json").write_text(json.dumps(records(1_500), ensure_ascii=False), "utf-8")
    lines = (
        f"2026-11-{1 + at % 28:02} 08:{at % 60:02}:00 {draw.choice(('INFO', 'WARN', 'ERROR'))} {prose(draw, 8)}\r\n"
        for at in range(4_000)
    )
    (root / "app.log").write_bytes("".join(lines).encode())
    (root / "numbers.txt").write_text("".join(f"{at % 100}\n" for at in range(3_000)), "utf-8")
    (root / "photo.png").write_bytes(
        PIXEL + draw.randbytes(800_000)
    )  # more, in base64, than some clients take in one answer
    return root


def graph(file: Path, entities: int) -> Path:
    """A knowledge graph as server-memory keeps it: one entity or relation a line."""
    draw = random.Random(13)
    with file.open("w", encoding="utf-8") as out:
        for at in range(entities):
            notes = [prose(draw, 5) for _ in range(1 + at % 3)]
            entity = {"type": "entity", "name": f"node{at}", "entityType": draw.choice(STATES), "observations": notes}
            out.write(json.dumps(entity, ensure_ascii=False) + "\n")
        for at in range(1, entities):
            link = {"type": "relation", "from": f"node{at}", "to": f"node{at // 2}", "relationType": "child_of"}
            out.write(json.dumps(link) + "\n")
    return file


def repository(root: Path, *, commits: int, lines: int) -> Path:
    """A git repository with one file per ten commits, rewritten in each; names, dates and hashes never change."""
    root.mkdir(parents=True)
    draw = random.Random(17)
    stream: list[bytes] = []
    for at in range(commits):
        message = f"Change {at}: {prose(draw, 4)}\n\n{prose(draw, 12)}\n".encode()
        text = "".join(f"{line}: {prose(draw, 7)}\n" for line in range(lines)).encode()
        stream += [
            b"commit refs/heads/main\n",
            b"author Ann Ase <ann@example.org> %d +0100\n" % (1_790_000_000 + 3_600 * at),
            b"committer Ann Ase <ann@example.org> %d +0100\n" % (1_790_000_000 + 3_600 * at),
            b"data %d\n%s\n" % (len(message), message),
            b"M 644 inline src/file%d.txt\n" % (at % 10),
            b"data %d\n%s\n" % (len(text), text),
        ]
    _git(root, "init", "--quiet", "--initial-branch=main")
    _git(root, "fast-import", "--quiet", given=b"".join(stream))
    _git(root, "reset", "--quiet", "--hard")
    return root


def _git(root: Path, *arguments: str, given: bytes = b"") -> None:
    subprocess.run(["git", "-C", str(root), *arguments], input=given, check=True, capture_output=True, timeout=120)
