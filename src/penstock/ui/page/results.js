// All that is held, of all owners: to filter, to put in order, to open and to delete.

import { get, ofResult, remove } from "./api.js";
import { confirmed, empty, fill, h, plain, toast } from "./dom.js";
import { bytes, moment, number, several, short, span } from "./format.js";
import { VirtualTable } from "./virtual.js";

const COLUMNS = [
  { name: "tool", label: "Tool", sort: true, className: "tool" },
  { name: "arguments", label: "Arguments", sort: true, className: "arguments" },
  { name: "form", label: "Form", sort: true, className: "form" },
  { name: "rows", label: "Rows", sort: true, className: "num rows-cell" },
  { name: "tokens", label: "Tokens", sort: true, className: "num tokens" },
  { name: "created", label: "Age", sort: true, inverse: true, className: "num age" },
  { name: "expires", label: "Expires", sort: true, className: "num expires" },
  { name: "reads", label: "Reads", sort: true, className: "num reads" },
  { name: "delete", label: h("span", { class: "only-read" }, "Delete"), className: "delete" },
];

export async function view(place) {
  const state = { filter: "", sort: { column: "created", descending: true }, now: Date.now() / 1000, at: Date.now() };
  const count = h("span", { class: "muted", role: "status" });
  const field = h("input", { type: "search", placeholder: "Filter by tool, arguments, form, server, owner", "aria-label": "Filter", "data-find": true, spellcheck: "false" });
  const all = h("button", { type: "button", class: "danger-quiet", onclick: removeAll }, "Delete all");
  const table = new VirtualTable({
    label: "Held results",
    className: "results-table",
    rowHeight: 52,
    columns: COLUMNS,
    sort: state.sort,
    onsort(column) {
      const same = state.sort.column === column;
      state.sort = { column, descending: same ? !state.sort.descending : !["tool", "arguments", "form"].includes(column) };
      table.setSort(state.sort);
    },
    onopen: (row) => (location.hash = `#/results/${encodeURIComponent(row.handle)}`),
    load,
    cells,
  });
  const frame = h("div", { class: "table-frame" }, table.element);

  async function load(start, number_) {
    // Age and expiry grow while ranks fall: the newest first is the youngest first.
    const told = await get("results", { start, count: number_, filter: state.filter, sort: state.sort.column, ascending: state.sort.descending ? "" : "1" });
    state.now = told.now;
    state.at = Date.now();
    state.total = told.total;
    fill(count, told.total === told.matching ? several(told.total, "result") : `${number(told.matching)} of ${several(told.total, "result")}`);
    all.hidden = !told.total;
    showEmpty(told);
    return { total: told.matching, rows: told.results };
  }

  function showEmpty(told) {
    const none = frame.querySelector(".empty");
    none?.remove();
    table.element.classList.toggle("is-empty", !told.matching);
    if (told.matching) return;
    frame.append(told.total
      ? empty("No result matches", "Words of the filter have to be in the tool, its arguments, the form, the server or the owner.")
      : empty("Nothing is held at the moment",
        h("p", null, "A result above ", h("code", null, "max_tokens"), " is held, and listed here until it expires."),
        h("p", { class: "muted" }, "To see one now: ", h("code", null, "penstock demo"), ".")));
  }

  const now = () => state.now + (Date.now() - state.at) / 1000;

  function cells(row) {
    return [
      h("a", { class: "open", href: `#/results/${encodeURIComponent(row.handle)}`, tabindex: "-1" }, h("b", null, plain(row.tool || "unnamed")), h("small", null, plain([row.server, row.owner].filter(Boolean).join(" · ")))),
      h("code", { title: row.arguments }, plain(row.arguments === "{}" ? "" : row.arguments)),
      h("span", { title: row.words }, plain(row.form || row.kind)),
      h("span", { title: `${bytes(row.size)} as it came` }, number(row.rows)),
      h("span", { title: `${number(row.tokens)} tokens, an estimate` }, short(row.tokens)),
      h("time", { title: moment(row.created), "data-created": row.created }, span(now() - row.created)),
      h("time", { title: row.expires === null ? "kept until it is deleted" : moment(row.expires) }, row.expires === null ? "never" : span(row.expires - now())),
      h("span", { title: row.last_read ? `last read ${moment(row.last_read)}` : "no call has read on" }, number(row.reads)),
      h("button", { type: "button", class: "icon", title: "Delete", "aria-label": `Delete ${row.tool}`, onclick: () => removeOne(row) }, "\u2715"),
    ];
  }

  async function removeOne(row) {
    if (!(await confirmed("Delete this result?", `${row.tool}, ${several(row.rows, "row")}. The model can no longer read it.`, "Delete"))) return;
    const told = await remove(ofResult(row.handle));
    toast(told.removed ? "Deleted one result." : "It had gone already.");
    await table.refresh();
  }

  async function removeAll() {
    if (!(await confirmed(`Delete all ${several(state.total, "result")}?`, "All owners lose what is held. The figures of the overview stay.", "Delete all"))) return;
    const told = await remove("results");
    toast(`Deleted ${several(told.removed, "result")}.`);
    await table.refresh({ top: true });
  }

  let typed = 0;
  field.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => {
      state.filter = field.value;
      table.refresh({ top: true });
    }, 150);
  });
  fill(place, h("div", { class: "bar" }, h("h1", null, "Held results"), count, h("span", { class: "grow" }), field, all), frame);
  const clock = setInterval(() => table.refresh(), 20_000);
  return { title: "Held results", placed: () => table.refresh(), changed: () => table.refresh(), leave: () => clearInterval(clock) };
}
