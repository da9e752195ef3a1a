// What is known of each column: types, how many rows have it, the most frequent values as bars, ranges.

import { get, ofResult } from "./api.js";
import { fill, h, plain } from "./dom.js";
import { number, percent, several } from "./format.js";
import { cellText } from "./cells.js";

export async function pane(place, { handle, open }) {
  fill(place, h("p", { class: "muted waiting-words" }, "Learning the columns\u2026"));
  const { tables } = await get(ofResult(handle, "profile"));
  const body = h("div", { class: "columns" });
  const choose = h("select", { "aria-label": "Table" }, tables.map((one, at) => h("option", { value: String(at) }, `${one.name} (${one.about ? `${one.about} ` : ""}${number(one.rows)})`)));
  const about = h("span", { class: "muted" });
  function draw() {
    const table = tables[Number(choose.value || 0)];
    if (!table) {
      fill(body, h("p", { class: "muted" }, "This result has no table. Read it as text, or search it."));
      return;
    }
    about.textContent = `${several(table.columns.length + table.more_columns, "column")}${table.path === "." ? "" : ` at ${table.path}`}${table.exact ? ", exact" : ", learned from some of the rows"}`;
    fill(body, table.columns.map((column) => columnCard(column, table, open)),
      table.more_columns ? h("p", { class: "muted" }, `${several(table.more_columns, "more column")} not shown.`) : null);
  }
  choose.addEventListener("change", draw);
  fill(place, h("div", { class: "bar tight" }, tables.length > 1 ? choose : tables.length ? h("b", null, tables[0].name) : null, about), body);
  draw();
  return {};
}

function columnCard(column, table, open) {
  const types = Object.keys(column.types).join(", ") || "empty";
  const isWhole = column.filled >= column.rows;
  return h("section", { class: "column" },
    h("div", { class: "column-head" },
      h("h3", null, plain(column.name)),
      h("span", { class: "muted" }, types),
      h("span", { class: "filled", title: `${number(column.filled)} of ${number(column.rows)} rows have it` },
        h("meter", { min: "0", max: String(Math.max(1, column.rows)), value: String(column.filled), "aria-label": `filled in ${percent(column.filled, column.rows)} of the rows` }),
        isWhole ? "always" : percent(column.filled, column.rows))),
    h("div", { class: "column-body" }, ranges(column, open), top(column, table), items(column)));
}

function ranges(column, open) {
  const pairs = [["least", "greatest"], ["earliest", "latest"]].filter(([low]) => column[low]);
  if (!pairs.length) return null;
  const place = (one) => one.row === undefined ? h("span", null, plain(cellText(one.value))) : h("button", { type: "button", class: "link", title: `row ${number(one.row)}`, onclick: () => open("rows", one.row - 1) }, plain(cellText(one.value)));
  return pairs.map(([low, high]) =>
    h("p", { class: "range" }, place(column[low]), h("span", { class: "range-line" }, h("span", { class: "only-read" }, "to")), place(column[high]),
      column.sum !== undefined && low === "least" ? h("span", { class: "muted" }, `sum ${cellText(column.sum)}`) : null));
}

function top(column, table) {
  const different = column.different === null || column.different === undefined
    ? column.at_least ? `more than ${number(column.at_least - 1)} different` : ""
    : column.different === column.filled && column.filled > 1 ? "all different" : several(column.different, "value");
  const values = (column.top ?? []).filter(([, count]) => column.different !== column.filled || count > 1 || column.filled <= 8);
  // Of a column of names and texts no value stands out.
  if (values.length && column.different > 40 && values[0][1] < 4 && values[0][1] < column.filled / 50) {
    return h("p", { class: "muted" }, `${several(column.different, "different value")}, none more than ${number(values[0][1])} times`);
  }
  if (!values.length) return different ? h("p", { class: "muted" }, different) : null;
  const most = Math.max(...values.map(([, count]) => count));
  const told = values.reduce((sum, [, count]) => sum + count, 0);
  return [
    h("ul", { class: "bars thin" }, values.map(([value, count]) =>
      h("li", null,
        h("span", { class: "bar-name", title: cellText(value) }, plain(cellText(value) || "\u201c\u201d")),
        h("span", { class: "bar-line" }, h("i", { style: { width: `${Math.max(0.6, (100 * count) / most)}%` } })),
        h("span", { class: "bar-value" }, number(count), h("small", null, ` ${percent(count, table.exact ? column.rows : column.filled)}`))))),
    h("p", { class: "muted" }, different, told < column.filled ? `, ${number(column.filled - told)} rows have others` : "")];
}

const items = (column) => (column.items === undefined ? null : h("p", { class: "muted" }, `${number(column.fewest)} to ${number(column.most)} items each, ${number(column.items)} in all`));
