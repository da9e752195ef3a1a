// Cells as the API sends them: plain values, or objects that say that a text is cut, or is JSON.

import { h, plain } from "./dom.js";
import { number } from "./format.js";

export function cellText(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "object") return cell.text ?? cell.json ?? cell.number ?? "";
  return String(cell);
}

export function cellNode(cell) {
  if (cell === null || cell === undefined) return h("span", { class: "absent", "aria-label": "absent" }, "\u2013");
  if (typeof cell === "boolean") return h("span", { class: "truth" }, String(cell));
  if (typeof cell === "number") return h("span", { class: "number" }, String(cell));
  if (typeof cell === "object") {
    const text = cellText(cell);
    const cut = cell.length > text.length;
    return h("span", { class: cell.json !== undefined ? "json" : cell.number !== undefined ? "number" : "", title: cut ? `${number(cell.length)} characters` : undefined }, plain(cut ? `${text}\u2026` : text));
  }
  return h("span", null, plain(cell));
}

export const isNumber = (cell) => typeof cell === "number" || cell?.number !== undefined;

// A width for each column, from its name and the first rows.
export function widths(columns, rows) {
  return columns.map((name, at) => {
    const longest = rows.slice(0, 50).reduce((most, row) => Math.max(most, Array.from(cellText(row[at]).slice(0, 60)).length), name.length + 2);
    return Math.round(Math.min(340, Math.max(64, longest * 7.4 + 24)));
  });
}
