"""Installs what the browser tests need and pip does not bring: Debian's Chromium by apt, axe-core by npm.

python scripts/browser_parts.py [DIRECTORY]     (.real/browser beside the sources when none is given)

What is there already is left as it is. No browser is downloaded by Playwright.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
DEFAULT: Final = ROOT / ".real" / "browser"
AXE: Final = "4.14.0"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PATIENCE: Final = 300.0  # seconds for one installer


def chromium() -> str | None:
    """Return the browser: the one that ``CHROMIUM`` names, or the first on the PATH."""
    return os.environ.get("CHROMIUM") or next((found for name in NAMES if (found := shutil.which(name))), None)


def axe(folder: Path = DEFAULT) -> Path:
    """Return the file of axe-core, which ``main`` has installed."""
    return folder / "node_modules" / "axe-core" / "axe.min.js"


def main() -> None:
    """Install what is missing, or say why it cannot be."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    if chromium() is None:
        install_chromium()
    stamp = folder / f"axe-core-{AXE}"
    if not stamp.exists():
        if shutil.which("npm") is None:
            sys.exit("axe-core is needed by the browser tests, and npm is not there to install it: install Node.js")
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-save", "--no-package-lock", "--prefix", str(folder)]
        subprocess.run([*command, f"axe-core@{AXE}"], check=True, timeout=PATIENCE)
        stamp.touch()
    print(f"{chromium()}\n{axe(folder)}")


def install_chromium() -> None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        sys.exit("the browser tests need Chromium: install it (apt-get install chromium), or name it in CHROMIUM")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "chromium"]
    if subprocess.run(install, env=quiet, check=False, timeout=PATIENCE, stdout=subprocess.DEVNULL).returncode:
        subprocess.run(["apt-get", "update", "--quiet"], env=quiet, check=True, timeout=PATIENCE)
        subprocess.run(install, env=quiet, check=True, timeout=PATIENCE)
    if chromium() is None:
        sys.exit("apt-get installed chromium, and it is still not on the PATH")


if __name__ == "__main__":
    main()
