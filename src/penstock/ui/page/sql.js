// SQL on the tables of one result, with the answers and errors that the model gets.

import { download, ofResult, post } from "./api.js";
import { cellNode, cellText, isNumber } from "./cells.js";
import { bars } from "./charts.js";
import { fill, h, plain, problem, toast } from "./dom.js";
import { number, several } from "./format.js";
import { asTheModel, errorNode, queryBox } from "./query.js";

const SHOWN = 500; // rows that are drawn; a download has all
const CHARTED = 60; // rows that are drawn as bars

export async function pane(place, { handle, told }) {
  const out = h("div", { class: "query-out" });
  const first = told.tables[0].name;
  const box = queryBox({ label: "SQL", value: `SELECT * FROM ${name(first)} LIMIT 20`, hint: "Ctrl+Enter runs it. SQLite; it can only read.", run });
  const tables = h("p", { class: "chips" }, "Tables: ", told.tables.map((one) =>
    h("button", { type: "button", class: "chip", title: one.path, onclick: () => insert(box.field, name(one.name)) }, plain(one.name), one.rows === null ? null : h("small", null, number(one.rows)))));

  async function run(sql) {
    try {
      const { answer, rows } = await post(ofResult(handle, "sql"), { sql });
      if (!rows) {
        fill(out, errorNode(answer), asTheModel(answer));
        return "";
      }
      const save = h("span", { class: "bar-buttons" }, ["csv", "jsonl", "json"].map((format) =>
        h("button", { type: "button", class: "small", onclick: () => download(handle, { format, sql }).catch((error) => toast(error.what)) }, format)));
      fill(out, h("div", { class: "bar tight" }, h("b", null, several(rows.total, "row")), h("span", { class: "grow" }), h("span", { class: "muted" }, "download"), save), chart(rows), grid(rows), asTheModel(answer));
      return "";
    } catch (error) {
      fill(out, problem(error));
      return "";
    }
  }
  fill(place, tables, box.element, out);
  return { placed: () => box.field.focus({ preventScroll: true }) };
}

const name = (text) => (/^[a-z_][a-z0-9_]*$/i.test(text) ? text : `"${text.replaceAll('"', '""')}"`);

function insert(field, text) {
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.focus();
}

function grid(rows) {
  const more = rows.total - Math.min(SHOWN, rows.rows.length);
  return h("div", { class: "grid-frame", tabindex: "0", role: "region", "aria-label": "Rows of the query" },
    h("table", { class: "grid" },
      h("thead", null, h("tr", null, rows.columns.map((one, at) => h("th", { scope: "col", class: rows.rows.length && rows.rows.every((row) => row[at] === null || isNumber(row[at])) ? "num" : "" }, plain(one))))),
      h("tbody", null, rows.rows.slice(0, SHOWN).map((row) => h("tr", null, row.map((cell) => h("td", { class: isNumber(cell) ? "num" : "", title: cellText(cell).length > 40 ? cellText(cell) : undefined }, cellNode(cell))))))),
    more > 0 ? h("p", { class: "muted" }, `${several(more, "more row")} not drawn`) : null);
}

// One column of texts and one of numbers are also bars.
function chart(rows) {
  if (rows.columns.length !== 2 || rows.rows.length < 2 || rows.rows.length > CHARTED) return null;
  const numbers = [0, 1].filter((at) => rows.rows.every((row) => typeof row[at] === "number" && row[at] >= 0));
  const texts = [0, 1].filter((at) => rows.rows.every((row) => row[at] === null || ["string", "boolean"].includes(typeof row[at])));
  if (numbers.length !== 1 || texts.length !== 1) return null;
  const [value, label] = [numbers[0], texts[0]];
  return h("figure", { class: "query-chart" }, h("figcaption", null, `${rows.columns[value]} by ${rows.columns[label]}`),
    bars(rows.rows.map((row) => ({ name: row[label] === null ? "\u2013" : cellText(row[label]), value: row[value] })), { format: number }));
}
