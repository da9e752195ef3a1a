"""Everybody can use the page: axe-core finds nothing serious on any view, light or dark, wide or narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from scripts.browser_parts import axe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from tests.kit.ui_browser import Ui

VIEWS = {
    "overview": ("#/", ".hero"),
    "results": ("#/results", ".results-table [data-row='2'] .tool"),
    "settings": ("#/settings", ".limit-words"),
    "profile": ("#/results/{issues}", ".column"),
    "rows": ("#/results/{issues}/rows", ".data-table [data-row='5'] .row-number"),
    "tree": ("#/results/{issues}/tree", ".tree-open"),
    "text": ("#/results/{log}/text", ".lines-table [data-row='5'] .line"),
    "search": ("#/results/{log}/search", ".search-pane form"),
    "sql": ("#/results/{issues}/sql", ".sql-pane textarea"),
    "reads": ("#/results/{issues}/reads", ".calls"),
}


@pytest.fixture(scope="module", params=["light", "dark"])
def tab(request: pytest.FixtureRequest, chromium: Browser, ui: Ui) -> Iterator[Page]:
    """A tab that lets axe-core in, which the page's policy would not."""
    size = {"width": 1280, "height": 860} if request.param == "light" else {"width": 420, "height": 860}
    context = chromium.new_context(bypass_csp=True, color_scheme=request.param, viewport=size)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(ui.address)
    ui.used()
    yield page
    context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(tab: Page, ui: Ui, view: str) -> None:
    route, ready = VIEWS[view]
    tab.goto(f"http://127.0.0.1:{ui.port}/{route.format(**ui.handles)}")
    expect(tab.locator(ready).first).to_be_visible()
    tab.add_script_tag(path=str(axe()))
    found: dict[str, Any] = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == []
