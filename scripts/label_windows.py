"""Cut windows out of the texts of this machine and label them with the exact counts of the OpenAI profiles.

    python scripts/label_windows.py FITTED JUDGED FOLDER...

Every package below a folder is a source: a directory of ``site-packages``, ``node_modules`` or ``/usr/share``, and
every generator of ``bench/shapes``. A third of the sources, by a hash of their names, go into the file JUDGED, which
no fit reads; the others into FITTED. ``fit_tokens.py --prior FITTED`` fits, and ``fit_tokens.py --fresh JUDGED``
judges. Of one kind of file a source gives a few windows, so that no package and no kind outweighs the others.
It needs the extra ``exact``.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from splintr import Tokenizer

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.shapes import SHAPES  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

VOCABULARIES: Final = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
PACKAGES: Final = ("site-packages", "dist-packages", "node_modules", "share", "doc")
PER_KIND: Final = 2  # windows of one kind of file of one source
PER_SOURCE: Final = 6
PER_FILE: Final = 200  # windows of one kind among those for fitting, and among those for judging
# Of texts that all packages have, the vocabularies know whole sentences, and fitting and judging would share them.
COPIES: Final = re.compile(r"licen[cs]e|copying|copyright|notice|unlicense|third.?party|\.dist-info", re.IGNORECASE)
SMALLEST: Final = 700  # characters of a window
LARGEST: Final = 16_000
LARGEST_FILE: Final = 8_000_000  # bytes; nothing is learned from the rest of such a file
SHAPE_SIZE: Final = 60_000  # bytes of a generated result
JUDGED_SHARE: Final = 3  # one source in so many is for judging


def number(name: str) -> int:
    """Return a number that a name always has."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def source_of(path: Path) -> str:
    """Name the package that a file belongs to."""
    parts = path.parts
    for at in range(len(parts) - 2, -1, -1):
        if parts[at] in PACKAGES:
            scoped = parts[at + 1].startswith("@") and at + 2 < len(parts) - 1
            return "/".join(parts[at : at + 3] if scoped else parts[at : at + 2])
    return str(path.parent)


def text_of(path: Path) -> str | None:
    """Read a file as text, unpacked where it is packed; nothing where it is no text."""
    try:
        if not path.is_file() or path.is_symlink() or not SMALLEST <= path.stat().st_size <= LARGEST_FILE:
            return None
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError):
        return None
    return None if "\0" in text or len(text) < SMALLEST else text


def kind_of(path: Path) -> str:
    """Name the kind of a file by the end of its name."""
    name = path.name.removesuffix(".gz")
    return ("min" if ".min." in name else "") + (Path(name).suffix or "plain")


def cut(text: str, draw: random.Random) -> str:
    """Cut one window of a random size, all magnitudes alike, out of a random place of a text."""
    size = int(SMALLEST * (LARGEST / SMALLEST) ** draw.random())
    start = draw.randrange(max(1, len(text) - size))
    return text[start : start + size]


def from_files(folders: list[Path]) -> Iterator[tuple[str, str, str]]:
    """Give a kind, a source and a window of some files of each package below the folders."""
    by_source: dict[str, dict[str, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for folder in folders:
        for path in folder.rglob("*"):
            if path.suffix not in (".pyc", ".so", ".mo", ".png") and not COPIES.search(str(path.relative_to(folder))):
                by_source[source_of(path)][kind_of(path)].append(path)
    for source, kinds in sorted(by_source.items()):
        windows = [(kind, source, text) for kind, paths in sorted(kinds.items()) for text in some(source, kind, paths)]
        random.Random(number(source)).shuffle(windows)
        yield from windows[:PER_SOURCE]


def some(source: str, kind: str, paths: list[Path]) -> Iterator[str]:
    """Give windows of a few files of one kind, drawn by the names of source and kind."""
    draw = random.Random(number(f"{source} {kind}"))
    paths = sorted(set(paths))
    draw.shuffle(paths)
    left = PER_KIND
    for path in paths[: 4 * PER_KIND]:
        if left and (text := text_of(path)) is not None:
            left -= 1
            yield cut(text, draw)


def from_shapes() -> Iterator[tuple[str, str, str]]:
    """Give windows of the results that the benchmarks generate, each generator a source."""
    for name, shape in sorted(SHAPES.items()):
        made = shape.make(SHAPE_SIZE)
        text = made if isinstance(made, str) else "\n".join(made)
        draw = random.Random(number(name))
        for _ in range(PER_KIND):
            yield "shape", f"shape/{name}", cut(text, draw)


def main() -> None:
    """Collect, label and write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fitted", type=Path)
    parser.add_argument("judged", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    options = parser.parse_args()
    tokenizers = {name: Tokenizer.from_pretrained(vocabulary) for name, vocabulary in VOCABULARIES.items()}
    files: dict[Path, list[dict[str, Any]]] = {options.fitted: [], options.judged: []}
    taken: Counter[tuple[Path, str]] = Counter()
    windows = [*from_files(options.folders)]
    random.Random(0).shuffle(windows)
    for kind, source, text in (*from_shapes(), *windows):
        target = options.fitted if number(source) % JUDGED_SHARE else options.judged
        if taken[target, kind] == PER_FILE:
            continue
        taken[target, kind] += 1
        tokens = {name: len(tokenizer.encode_ordinary(text)) for name, tokenizer in tokenizers.items()}
        files[target].append({"kind": kind, "source": source, "text": text, "tokens": tokens})
    for path, rows in files.items():
        path.write_text(json.dumps(rows), "utf-8")
        kinds, sources = {row["kind"] for row in rows}, {row["source"] for row in rows}
        print(f"{path}: {len(rows)} windows of {len(sources)} sources and {len(kinds)} kinds")


if __name__ == "__main__":
    main()
