// The original as text, with line numbers.

import { get, ofResult } from "./api.js";
import { fill, h, marked, plain } from "./dom.js";
import { bytes, number, several } from "./format.js";
import { VirtualTable } from "./virtual.js";

export async function pane(place, { handle }) {
  const about = h("span", { class: "muted", role: "status" });
  const jump = h("input", { type: "number", min: "1", step: "1", class: "jump", "aria-label": "Go to line", placeholder: "line", "data-find": true });
  let found = null; // a match that was jumped to: its line and marks
  const table = new VirtualTable({
    label: "Lines",
    className: "lines-table",
    rowHeight: 22,
    columns: [{ name: "n", label: "line", width: "76px", className: "num fixed" }, { name: "text", label: "text", width: "max-content" }],
    async load(start, count) {
      const told = await get(ofResult(handle, "lines"), { start, count });
      about.textContent = several(told.total, "line");
      jump.max = String(told.total);
      return { total: told.total, rows: told.lines };
    },
    cells(line, at) {
      const text = typeof line === "string" ? line : line.text;
      const content = found?.line === at && found.marks ? marked(text, found.marks) : plain(text);
      return [h("span", { class: "row-number" }, number(at + 1)), h("span", { class: "line" }, content, typeof line === "string" ? null : h("small", { class: "muted" }, `\u2026 ${bytes(line.bytes)} in this line`))];
    },
  });
  async function goto(at) {
    if (at === undefined) return;
    found = typeof at === "number" ? { line: at } : at;
    if (!table.total) await table.refresh();
    table.scrollTo(Math.max(0, found.line - 3));
    table.active = found.line;
    table.drawn.forEach((one) => one.remove());
    table.drawn.clear();
    table.draw();
  }
  jump.addEventListener("change", () => jump.value && goto(Number(jump.value) - 1));
  fill(place, h("div", { class: "bar tight" }, about, h("span", { class: "grow" }), jump), table.element);
  return { goto, placed: () => (table.total ? table.draw() : table.refresh()) };
}
