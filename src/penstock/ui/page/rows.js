// The rows of a table, however many: windows are asked for as they are scrolled to.

import { download, get, ofResult } from "./api.js";
import { cellNode, isNumber, widths } from "./cells.js";
import { copyButton, fill, h, plain, problem, toast } from "./dom.js";
import { number, several } from "./format.js";
import { VirtualTable } from "./virtual.js";

export async function pane(place, { handle, told }) {
  const state = { table: told.tables[0].name, sort: null, columns: [] };
  const about = h("span", { class: "muted", role: "status" });
  const choose = h("select", { "aria-label": "Table" }, told.tables.map((one) => h("option", { value: one.name }, one.rows === null ? one.name : `${one.name} (${number(one.rows)})`)));
  const jump = h("input", { type: "number", min: "1", step: "1", class: "jump", "aria-label": "Go to row", placeholder: "row", "data-find": true });
  const failed = h("div");
  const format = h("select", { "aria-label": "Format of the download" }, ["csv", "jsonl", "json"].map((one) => h("option", { value: one }, one)));
  const table = new VirtualTable({
    label: "Rows",
    className: "data-table",
    rowHeight: 30,
    columns: [],
    onsort(column) {
      const same = state.sort?.column === column;
      // A third click gives back the order of the document.
      state.sort = same && state.sort.descending ? null : { column, descending: same };
      about.textContent = state.sort ? "putting in order\u2026" : "";
      table.setSort(state.sort);
    },
    onopen: (row) => showRow(row.number),
    load,
    cells: (row) => [h("span", { class: "row-number" }, number(row.number)), ...row.cells.map(cellNode)],
  });

  async function load(start, count) {
    try {
      const found = await get(ofResult(handle, "rows"), { table: state.table, start, count, sort: state.sort?.column, descending: state.sort?.descending ? "1" : "" });
      fill(failed);
      setColumns(found);
      about.textContent = `${several(found.total, "row")}${state.sort ? `, in the order of ${state.sort.column}` : ""}`;
      jump.max = String(found.total);
      return { total: found.total, rows: found.rows.map((cells, at) => ({ number: found.numbers[at], cells })) };
    } catch (error) {
      fill(failed, problem(error));
      about.textContent = "";
      throw error;
    }
  }

  function setColumns(found) {
    if (state.columns.join("\0") === found.columns.join("\0")) return;
    state.columns = found.columns;
    const wide = widths(found.columns, found.rows);
    table.setColumns([
      { name: "", label: "#", width: `${Math.max(56, number(found.total).length * 8 + 24)}px`, className: "num fixed" },
      ...found.columns.map((name, at) => ({
        name, label: plain(name), width: `${wide[at]}px`, sort: name !== "\u2026", title: `${name}: put in order`,
        className: found.rows.length && found.rows.slice(0, 30).some((row) => isNumber(row[at])) ? "num" : "",
      })),
    ]);
  }

  async function showRow(row) {
    const found = await get(ofResult(handle, `rows/${row}`), { table: state.table });
    const text = () => {
      try {
        return JSON.stringify(JSON.parse(found.json), null, 2);
      } catch {
        return found.json;
      }
    };
    const laid = found.length > found.json.length ? `${found.json}\u2026` : text();
    const dialog = h("dialog", { class: "drawer", "aria-label": `Row ${row}` },
      h("form", { method: "dialog", class: "bar tight" }, h("h2", null, `Row ${number(row)}`), h("span", { class: "grow" }), copyButton(laid), h("button", { autofocus: true }, "Close")),
      h("pre", { tabindex: "0" }, plain(laid)));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  async function goto(row) {
    if (row === undefined) return;
    if (!table.total) await table.refresh();
    table.scrollTo(row);
    table.activate(row);
  }

  choose.addEventListener("change", () => {
    Object.assign(state, { table: choose.value, sort: null });
    table.sort = null;
    table.refresh({ top: true });
  });
  jump.addEventListener("change", () => jump.value && goto(Number(jump.value) - 1));
  const save = h("button", { type: "button", class: "small", onclick: () => download(handle, { format: format.value, table: state.table, sort: state.sort?.column, descending: state.sort?.descending }).catch((error) => toast(error.what)) }, "Download");
  fill(place,
    h("div", { class: "bar tight" }, told.tables.length > 1 ? choose : null, about, h("span", { class: "grow" }), jump, format, save),
    failed, table.element);
  return { goto, placed: () => (table.total ? table.draw() : table.refresh().catch(() => {})) };
}
