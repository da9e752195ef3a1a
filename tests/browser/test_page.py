"""The page in a real browser: open, find, sort, scroll, search, query, delete."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from penstock.config import Config
from penstock.gate import Gate
from penstock.stores import open_store
from tests.kit import ui_store
from tests.kit.scale.serving import Serving, upstream

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

    from tests.kit.ui_browser import Ui


def result(page: Page, handle: str, pane: str = "") -> None:
    page.goto(f"{page.url.partition('#')[0]}#/results/{handle}{f'/{pane}' if pane else ''}")
    expect(page.get_by_role("tab", selected=True)).to_be_visible()


def test_the_overview_shows_what_was_kept_out(page: Page) -> None:
    assert "token" not in page.url
    expect(page.locator(".hero h1")).to_contain_text("tokens kept out of the context")
    expect(page.get_by_role("heading", name="By day")).to_be_visible()
    assert page.locator(".day-chart .bar").count() == 30
    expect(page.locator(".bars", has_text="query_measurements").first).to_be_visible()
    expect(page.locator("#live")).to_have_text("live")


def test_a_held_result_is_found_and_opened(page: Page) -> None:
    page.get_by_role("link", name="Held results").click()
    expect(page.get_by_role("row").filter(has_text="read_log")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("turbine-2")
    expect(page.get_by_text(re.compile(r"1 of \d+ results"))).to_be_visible()
    page.get_by_role("row").filter(has_text="read_log").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("read_log")
    expect(page.locator(".read .sent").first).to_contain_text('"type":"buffered_response"')


def test_the_keyboard_alone_opens_a_result(page: Page) -> None:
    page.get_by_role("link", name="Held results").press("Enter")
    grid = page.get_by_role("grid", name="Held results")
    expect(grid.get_by_role("row").nth(2)).to_be_visible()
    grid.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("tablist")).to_be_visible()
    page.get_by_role("tab", selected=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()


def test_held_results_are_put_in_order_by_a_column(page: Page) -> None:
    page.get_by_role("link", name="Held results").click()
    cells = page.locator(".results-table .rows .cell.tokens")
    expect(cells.nth(3)).to_be_visible()
    page.get_by_role("button", name="Tokens").click()
    expect(page.get_by_role("columnheader", name="Tokens")).to_have_attribute("aria-sort", "descending")
    first = page.locator(".results-table .rows [data-row='0']")
    expect(first).to_contain_text("query_measurements")
    page.get_by_role("button", name="Tokens").click()
    expect(page.get_by_role("columnheader", name="Tokens")).to_have_attribute("aria-sort", "ascending")
    expect(first).not_to_contain_text("query_measurements")


def test_row_250_000_is_scrolled_to_and_rows_are_put_in_order(page: Page, ui: Ui) -> None:
    result(page, ui.handles["rows"], "rows")
    grid = page.get_by_role("grid", name="Rows")
    expect(page.get_by_text("300,000 rows", exact=True)).to_be_visible()
    grid.evaluate("(one) => { one.scrollTop = one.scrollHeight * 0.5; }")
    expect(grid.locator("[data-row='150000']")).to_contain_text("150001")
    page.get_by_label("Go to row").fill("250000")
    page.keyboard.press("Enter")
    row = grid.locator("[data-row='249999']")
    expect(row).to_contain_text("250,000")
    expect(row).to_contain_text(f"S{250_000 * 7_919 % 97:02d}")
    assert grid.get_by_role("row").count() < 80
    row.click()
    expect(page.get_by_role("dialog")).to_contain_text('"id": 250000')
    page.keyboard.press("Escape")
    page.get_by_label("Go to row").fill("1")
    page.keyboard.press("Enter")
    head = grid.get_by_role("button", name="id")
    head.click()
    expect(page.get_by_text("in the order of id")).to_be_visible()
    head.click()
    expect(grid.locator("[data-row='0']")).to_contain_text("300,000")


def test_the_profile_has_bars_and_ranges(page: Page, ui: Ui) -> None:
    result(page, ui.handles["issues"])
    state = page.locator(".column", has=page.get_by_role("heading", name="state", exact=True))
    expect(state.locator("li", has_text="closed")).to_be_visible()
    assert state.locator("li").count() == 4
    number = page.locator(".column", has=page.get_by_role("heading", name="number", exact=True))
    expect(number).to_contain_text("5239")
    number.get_by_role("button", name="5239").click()
    expect(page.locator("[data-row='1239']")).to_be_visible()


def test_a_tree_is_opened_and_a_text_has_line_numbers(page: Page, ui: Ui) -> None:
    result(page, ui.handles["issues"], "tree")
    page.locator(".tree-open").first.click()
    expect(page.locator(".tree-list").get_by_text("number", exact=True).first).to_be_visible()
    result(page, ui.handles["log"], "text")
    expect(page.get_by_text("4,000 lines", exact=True)).to_be_visible()
    page.get_by_label("Go to line").fill("3000")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row='2999']")).to_contain_text(ui_store.log(4_000).splitlines()[2_999][:40])


def test_a_search_marks_its_matches_and_leads_to_them(page: Page, ui: Ui) -> None:
    result(page, ui.handles["log"], "search")
    page.get_by_label("Pattern").fill("error")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("0 matches")).to_be_visible()
    page.get_by_label("ignore case").check()
    page.get_by_role("button", name="Search").click()
    total = ui_store.log(4_000).count("ERROR")
    expect(page.get_by_text(f"{total} matches", exact=True)).to_be_visible()
    assert page.locator(".matches mark").first.text_content() == "ERROR"
    page.get_by_text("As the model gets it").click()
    expect(page.locator(".as-model .sent").first).to_contain_text(f'"total":{total}')
    page.locator(".match-place button").first.click()
    expect(page.locator(".lines-table mark")).to_have_text("ERROR")


def test_sql_gives_rows_a_chart_and_the_errors_of_the_model(page: Page, ui: Ui) -> None:
    result(page, ui.handles["issues"], "sql")
    box = page.get_by_role("textbox", name="SQL")
    box.fill("SELECT state, count(*) AS n FROM items GROUP BY state ORDER BY n DESC")
    box.press("Control+Enter")
    expect(page.get_by_text("4 rows", exact=True)).to_be_visible()
    expect(page.locator(".query-chart li").first).to_contain_text("closed")
    expect(page.locator(".grid tbody tr")).to_have_count(4)
    box.fill("SELECT author FROM items")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("alert")).to_contain_text("no such column: author")
    box.fill("DELETE FROM items")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("alert")).to_contain_text("SQL can only read here")


def test_jq_gives_a_value_or_the_error_of_the_model(page: Page, ui: Ui) -> None:
    result(page, ui.handles["issues"], "jq")
    box = page.get_by_label("jq program")
    box.fill("map(.state) | unique")
    box.press("Control+Enter")
    expect(page.locator(".jq-value")).to_contain_text('"in progress"')
    box.fill(".[")
    box.press("Control+Enter")
    expect(page.get_by_role("alert")).to_be_visible()


def test_what_was_read_is_shown_by_calls_in_order(page: Page, ui: Ui) -> None:
    result(page, ui.handles["issues"], "reads")
    calls = page.locator(".calls li")
    expect(calls).to_have_count(8)
    expect(calls.nth(0)).to_contain_text("the first answer")
    expect(calls.nth(1)).to_contain_text("get_page")
    expect(calls.nth(2)).to_contain_text("SELECT state")
    expect(calls.nth(3)).to_contain_text("error")
    expect(calls.nth(4)).to_contain_text("rows 1")
    assert calls.nth(4).locator(".span-read").count() == 1
    assert page.locator(".reads-pane .strip.whole .span-read").count() == 3


def test_a_table_is_downloaded_with_all_its_rows(page: Page, ui: Ui) -> None:
    result(page, ui.handles["issues"], "rows")
    expect(page.get_by_text("1,240 rows", exact=True)).to_be_visible()
    with page.expect_download() as found:
        page.locator(".rows-pane").get_by_role("button", name="Download").click()
    assert found.value.suggested_filename == "search-issues-items.csv"
    with open(found.value.path(), newline="", encoding="utf-8") as file:
        assert [row["number"] for row in csv.DictReader(file)] == [str(4_000 + number) for number in range(1_240)]


def test_a_limit_is_tried_with_a_slider(page: Page) -> None:
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Another limit")).to_be_visible()
    expect(page.locator(".limit-words")).to_contain_text("limit in force")
    page.get_by_label("max_tokens").press("Home")
    expect(page.locator(".limit-words")).to_contain_text("more of the last")
    expect(page.locator(".config-line")).to_have_text("max_tokens = 250")
    expect(page.get_by_role("row", name=re.compile("search_issues"))).to_contain_text("default")


def test_what_is_held_meanwhile_appears_without_a_reload_and_can_be_deleted(page: Page, ui: Ui) -> None:
    page.get_by_role("link", name="Held results").click()
    expect(page.get_by_text("5 results", exact=True)).to_be_visible()
    with open_store(f"sqlite://{ui.file}") as store:
        gate = Gate(store, Config(max_tokens=8_000))
        ui_store.held(gate, "list_valves", ui_store.issues(300))
        gate.close()
    row = page.get_by_role("row").filter(has_text="list_valves")
    expect(row).to_be_visible()
    row.get_by_role("button", name="Delete list_valves").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep").click()
    row.get_by_role("button", name="Delete list_valves").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Deleted one result.")).to_be_visible()
    expect(row).to_have_count(0)
    expect(page.get_by_text("5 results", exact=True)).to_be_visible()


def test_a_result_full_of_markup_and_escapes_is_shown_as_text(page: Page, ui: Ui) -> None:
    for pane in ("profile", "rows", "tree", "text", "search", "sql", "reads"):
        result(page, ui.handles["hostile"], pane)
        expect(page.locator(f".{pane}-pane")).to_be_visible()
        if pane == "search":
            page.get_by_label("Pattern").fill("script")
            page.get_by_role("button", name="Search").click()
            expect(page.locator("mark").first).to_have_text("script")
        if pane == "sql":
            page.get_by_role("button", name="Run").click()
            expect(page.locator(".grid td", has_text="<script>").first).to_be_visible()
        if pane == "rows":
            expect(page.get_by_role("gridcell").filter(has_text="<script>").first).to_be_visible()
        if pane == "text":
            expect(page.locator(".line").first).to_contain_text("<script>document.title=")
        assert page.evaluate("document.querySelectorAll('main script, main img').length") == 0
        assert "owned" not in page.title()
    result(page, ui.handles["text"], "text")
    line = page.locator("[data-row='0'] .line")
    expect(line).to_contain_text(ui_store.MARKUP)
    assert "\x1b" not in (line.text_content() or "")
    assert line.locator(".hidden-sign").all_text_contents() == ["\u241b", "\u2407", "\u241b", "\u241b", "U+202E"]


def test_another_host_is_refused(chromium: Browser, ui: Ui) -> None:
    context = chromium.new_context()
    page = context.new_page()
    answer = page.goto(f"http://rebound.example:{ui.port}/")
    assert answer is not None
    assert answer.status == 421
    assert "does not answer to that Host" in page.content()
    context.close()


def test_without_a_token_there_is_only_the_way_in(chromium: Browser, ui: Ui) -> None:
    context = chromium.new_context()
    page = context.new_page()
    answer = page.goto(f"http://127.0.0.1:{ui.port}/")
    assert answer is not None
    assert answer.status == 401
    expect(page.get_by_role("heading", name="A token is needed")).to_be_visible()
    told = page.evaluate("fetch('api/results', {headers: {'X-Penstock': 'ui'}}).then((one) => one.status)")
    assert told == 401
    page.get_by_label("Token").fill("guessed")
    page.get_by_role("button", name="Open the page").click()
    expect(page.get_by_role("heading", name="A token is needed")).to_be_visible()
    page.get_by_label("Token").fill(ui.address.partition("token=")[2])
    page.get_by_role("button", name="Open the page").click()
    ui.used()
    expect(page.locator(".hero h1")).to_be_visible()
    context.close()


def test_the_page_at_a_gateway_opens_with_the_admin_token(chromium: Browser, tmp_path: Path) -> None:
    token = tmp_path / "admin"
    token.write_text("an-admin-token-of-its-own")
    token.chmod(0o600)
    options = ("--store", "memory:", "--max-tokens", "1000", "--ui", "--ui-token-file", str(token))
    with upstream() as url, Serving("--url", url, *options) as gateway:
        gateway.text("records", rows=900, seed="a")
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{gateway.port}/ui")
        page.get_by_label("Token").fill(token.read_text())
        page.get_by_role("button", name="Open the page").click()
        expect(page.locator(".hero h1")).to_be_visible()
        assert page.url == f"http://127.0.0.1:{gateway.port}/ui/"
        page.get_by_role("link", name="Held results").click()
        page.get_by_role("row").filter(has_text="records").last.click()
        expect(page.get_by_role("tab", selected=True)).to_have_text("Profile")
        expect(page.locator("#live")).to_have_text("live")
        context.close()


def test_a_narrow_screen_shows_everything_without_scrolling_sideways(entered: BrowserContext, ui: Ui) -> None:
    page = entered.new_page()
    page.set_viewport_size({"width": 380, "height": 760})
    base = f"http://127.0.0.1:{ui.port}/"
    for route in ("#/", "#/results", "#/settings", f"#/results/{ui.handles['issues']}/reads"):
        page.goto(base + route)
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, route
    page.close()


def test_the_whole_page_weighs_less_than_300_kb_packed(entered: BrowserContext, ui: Ui) -> None:
    page = entered.new_page()
    weights: dict[str, int] = {}
    page.on("response", lambda one: weights.update({one.url: int(one.headers.get("content-length", "0"))}))
    page.goto(f"http://127.0.0.1:{ui.port}/")
    for pane in ("profile", "rows", "tree", "text", "search", "sql", "jq", "reads"):
        page.goto(f"http://127.0.0.1:{ui.port}/#/results/{ui.handles['issues']}/{pane}")
        expect(page.locator(f".{pane}-pane")).to_be_visible()
    page.goto(f"http://127.0.0.1:{ui.port}/#/settings")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    files = {url: weight for url, weight in weights.items() if re.search(r"\.(js|css|svg|html)$|/$", url)}
    assert len(files) > 15
    assert sum(files.values()) < 300_000
    page.close()
