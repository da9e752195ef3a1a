"""Makes the pictures of the page in docs/images: overview, one result and coverage, light and dark.

python scripts/screenshots.py

They show a store that is filled for them (tests/kit/ui_store.py). Chromium has to be there: scripts/browser_parts.py.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, os.fspath(ROOT))

from tests.kit.ui_browser import running_browser, running_ui  # noqa: E402

FOLDER: Final = ROOT / "docs" / "images"
LARGEST: Final = 150_000  # bytes of a picture: pages of documentation should open at once
# The place of each view, what has to be there, and the part that is shown, or all of the screen.
VIEWS: Final = {
    "overview": ("#/", ".bars", ""),
    "result": ("#/results/{issues}/profile", ".column", ""),
    "coverage": ("#/results/{issues}/reads", ".calls li:nth-child(8)", ".there"),
}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_ui(Path(folder), rows=12_000) as ui,
        running_browser() as browser,
    ):
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": 1200, "height": 740}, color_scheme=scheme)
            page = context.new_page()
            page.goto(ui.address)
            ui.used()
            for name, (route, ready, part) in VIEWS.items():
                page.goto(f"http://127.0.0.1:{ui.port}/{route.format(**ui.handles)}")
                page.locator(ready).first.wait_for()
                page.locator("#live.on").wait_for()
                page.mouse.move(0, 0)
                file = FOLDER / f"ui-{name}-{scheme}.png"
                if part:
                    page.locator(part).screenshot(path=file)
                else:
                    page.screenshot(path=file)
                size = file.stat().st_size
                print(f"{file.relative_to(ROOT)} {size:,} bytes")
                assert size < LARGEST, "make the picture smaller"
            context.close()


if __name__ == "__main__":
    main()
