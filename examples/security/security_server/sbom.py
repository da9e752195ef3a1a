"""A CycloneDX bill of materials, of a requirements file below the root or of the environment that this server runs in.

It is told whole, as a part of it is no bill of materials; Penstock holds a large one. The requirements reach CycloneDX
on its input, so that it opens no file: ``-r`` is followed here, inside the root only. No address keeps its password.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock import UpstreamError
from security_server.process import PYTHON, run, time_limit
from server_parts.complaints import wrong

if TYPE_CHECKING:
    from pathlib import Path

    from security_server.paths import Root

COMMAND: Final = (*PYTHON, "-m", "cyclonedx_py")
# Validating takes ten times as long as all the rest; what is written by CycloneDX's own library is valid.
OPTIONS: Final = ("--no-validate", "--output-reproducible", "--spec-version", "1.6", "--output-format", "JSON")
MOST_BYTES: Final = 2_000_000  # of a requirements file
MOST_FILES: Final = 50  # that one includes
MOST_LEFT_OUT: Final = 10  # lines told in an answer

_INCLUDE: Final = re.compile(r"\s*(?:-r|--requirement)[\s=]*(?P<name>[^#]+)")
_OPTION: Final = re.compile(r"\s*-(?!e\b|-editable\b)")
_LOGIN: Final = re.compile(r"(?<=://)[^/\s\"'@]+@")
_QUERY_PART: Final = re.compile(r"(?<=://)([^\s?#]+)\?[^\s#]*")
_HTTP: Final = re.compile(r"[a-z+]+://", re.IGNORECASE)


@dataclass(slots=True)
class _Requirements:
    """The lines of a requirements file and of those that it includes, each at the line where it stands in the first."""

    root: Root
    lines: list[str] = field(default_factory=list)
    seen: set[Path] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)

    def add(self, file: Path) -> None:
        waiting = [file]
        while waiting:
            current = waiting.pop(0)
            if current in self.seen:
                continue
            self.seen.add(current)
            if len(self.seen) > MOST_FILES:
                self.left_out.append(f"{self.root.name_of(current)}: more than {MOST_FILES} files")
                return
            for line in _text(current).splitlines():
                include = _INCLUDE.match(line)
                if include:
                    waiting += self._included(current, include["name"].strip())
                # A line that is not for CycloneDX stays as an empty one: its entries name line numbers.
                self.lines.append("" if _OPTION.match(line) else _QUERY_PART.sub(r"\1", _LOGIN.sub("", line)))

    def _included(self, file: Path, name: str) -> list[Path]:
        if not _HTTP.match(name):
            real = (file.parent / name).resolve()
            if real.is_relative_to(self.root.folder) and real.is_file():
                return [real]
        self.left_out.append(f"-r {_LOGIN.sub('', name)[:200]}: not a file inside the allowed folder")
        return []


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    if b"\0" in data or len(data) > MOST_BYTES:
        expected = f"a requirements file of at most {MOST_BYTES:,} bytes"
        raise wrong("path", expected, file.name, "requirements.txt")
    return data.decode("utf-8", "replace")


async def of_requirements(root: Root, name: str, *, seconds: float) -> dict[str, Any]:
    """Make the bill of materials of a requirements file."""
    file = root.find(name, example="requirements.txt")
    if not file.is_file():
        raise wrong("path", "a requirements file", name, "requirements.txt", "which is a folder")
    requirements = _Requirements(root)
    requirements.add(file)
    about = {"source": "requirements", "path": root.name_of(file)}
    data = "\n".join(requirements.lines).encode()
    return await _made(("requirements", *OPTIONS, "-"), data, about, requirements.left_out, seconds)


async def of_environment(*, seconds: float) -> dict[str, Any]:
    """Make the bill of materials of what is installed beside this server."""
    return await _made(("environment", *OPTIONS), b"", {"source": "environment"}, [], seconds)


async def _made(
    arguments: tuple[str, ...], data: bytes, about: dict[str, str], left_out: list[str], seconds: float
) -> dict[str, Any]:
    began = time.perf_counter()
    try:
        async with time_limit(seconds):
            printed = await run((*COMMAND, *arguments), data)
        sbom = json.loads(_LOGIN.sub("", printed.decode()))
    except UpstreamError as error:
        raise UpstreamError(
            f"generate_sbom: CycloneDX {error.what}", do="pip install cyclonedx-bom, or ask for less"
        ) from None
    components = sbom.get("components", [])
    answer: dict[str, Any] = {"status": "completed", **about, "format": sbom["bomFormat"]}
    answer |= {"spec_version": sbom["specVersion"], "component_count": len(components)}
    answer["unpinned_count"] = sum("version" not in component for component in components)
    if left_out:
        answer["left_out"] = {"count": len(left_out), "lines": left_out[:MOST_LEFT_OUT]}
    return {**answer, "duration": f"{time.perf_counter() - began:.1f}s", "sbom": sbom}
