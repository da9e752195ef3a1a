"""Build a release in ``dist/`` and check it: ``make dist``.

    python scripts/distribution.py

Three steps, each in environments below ``.dist``, so that nothing of the development environment helps:

1. Build the sdist and the wheel, and from the wheel one for each musl platform (Alpine). Two dependencies have no wheel
   there, and pip prefers a wheel of the platform to one for any: these leave the two out, and Penstock works without.
2. Check all of them with twine, strictly, and that no link of the index page leads nowhere.
3. Install the wheel and the sdist into an empty environment each, without extras, and run ``penstock --version``,
   ``pip check`` and the demo there.
"""

from __future__ import annotations

import email.parser
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DIST: Final = ROOT / "dist"
PLACE: Final = ROOT / ".dist"
TOOLS: Final = ("build", "twine", "wheel")
MUSL: Final = ("musllinux_1_2_x86_64", "musllinux_1_2_aarch64")
WITHOUT_MUSL: Final = ("google-re2", "rapidyaml")  # they have no wheels there, and need a C++ compiler to build
RELATIVE: Final = re.compile(r"\]\((?!https?:|#|mailto:)[^)]*\)")
SECONDS: Final = 600  # for one step; downloads take most of it


def run(*command: str | Path) -> str:
    """Run a command and return what it prints; end with its own words if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(name: str) -> Path:
    """Make an empty environment and return the folder of its programs."""
    folder = PLACE / name
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if sys.platform == "win32" else "bin")


def pip(programs: Path, *words: str | Path) -> None:
    run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words)


def without(metadata: str, names: tuple[str, ...]) -> str:
    """Return a wheel's metadata without some of its dependencies; each of them has to be there."""
    lines = metadata.splitlines(keepends=True)
    left = [line for line in lines if not re.match(rf"Requires-Dist: ({'|'.join(names)})\b", line)]
    if len(lines) - len(left) != len(names):
        raise SystemExit(f"of {', '.join(names)} not all are dependencies: {metadata[:500]}")
    return "".join(left)


def musl_wheel(programs: Path, wheel: Path, platform: str) -> None:
    """Make the wheel for one musl platform: the same files, tagged, without what cannot be installed there."""
    unpacked = PLACE / platform
    shutil.rmtree(unpacked, ignore_errors=True)
    run(programs / "wheel", "unpack", "--dest", unpacked, wheel)
    (folder,) = unpacked.iterdir()
    (info,) = folder.glob("*.dist-info")
    file = info / "METADATA"
    file.write_text(without(file.read_text("utf-8"), WITHOUT_MUSL), "utf-8")
    run(programs / "wheel", "pack", "--dest-dir", unpacked, folder)
    (packed,) = unpacked.glob("*.whl")
    run(programs / "wheel", "tags", "--remove", "--platform-tag", platform, packed)
    (tagged,) = unpacked.glob("*.whl")
    shutil.move(tagged, DIST / tagged.name)


def dead_links(wheel: Path) -> list[str]:
    """Return the links of the index page that would lead nowhere: those to files of the repository."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        message = email.parser.BytesParser().parsebytes(files.read(name))
    return RELATIVE.findall(str(message.get_payload()))


def main() -> int:
    shutil.rmtree(DIST, ignore_errors=True)
    programs = environment("tools")
    pip(programs, *TOOLS)
    print("building ...", flush=True)
    run(programs / "python", "-m", "build", "--outdir", DIST, ROOT)
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    if dead := dead_links(wheel):
        raise SystemExit(f"links that an index page cannot follow: {', '.join(dead[:5])}")
    for platform in MUSL:
        musl_wheel(programs, wheel, platform)
    files = sorted(DIST.iterdir())
    run(programs / "twine", "check", "--strict", *files)
    for package in (wheel, sdist):
        print(f"trying {package.name} ...", flush=True)
        own = environment("try")
        pip(own, package)
        run(own / "python", "-m", "pip", "check")
        version = run(own / "penstock", "--version").strip()
        run(own / "penstock-mcp", "demo")
        print(f"{version}: installs, and the demo runs")
    for file in files:
        print(f"{file.stat().st_size / 1_000:>8,.0f} KB  {file.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
