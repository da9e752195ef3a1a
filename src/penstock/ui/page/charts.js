// Charts as small drawings: bars with their numbers beside them, so that no colour and no pointer is needed.

import { h, plain } from "./dom.js";
import { dayName, number, several, short } from "./format.js";

const LEFT = 52;
const RIGHT = 14;
const BOTTOM = 22;
const TOP = 12;

function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((one) => one * unit).find((one) => one >= value) ?? value;
}

export function dayChart(days) {
  // A drawing is as wide as its place, so that its letters are as large as others.
  const isNarrow = innerWidth < 720;
  const [WIDTH, HEIGHT] = isNarrow ? [400, 170] : [960, 190];
  const most = roundUp(Math.max(1, ...days.map((one) => one.tokens_saved)));
  const wide = (WIDTH - LEFT - RIGHT) / days.length;
  const high = HEIGHT - BOTTOM - TOP;
  const told = h("p", { class: "chart-told", "aria-live": "polite" }, "\u00a0");
  const words = (one) => `${dayName(one.day)}: ${number(one.tokens_saved)} tokens kept out, ${several(one.calls, "call")}, ${number(one.held)} held, ${number(one.passed)} passed`;
  const drawn = h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "day-chart", "aria-hidden": "true" },
    [0, 0.5, 1].map((part) => {
      const y = TOP + high * (1 - part);
      return [
        h("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: part ? "grid" : "axis" }),
        h("text", { x: LEFT - 8, y: y + 4, class: "tick", "text-anchor": "end" }, short(most * part)),
      ];
    }),
    days.map((one, at) => {
      const tall = one.tokens_saved ? Math.max(2, (high * one.tokens_saved) / most) : 0;
      const x = LEFT + at * wide;
      const bar = h("g", { class: "day" },
        h("rect", { x, y: TOP, width: wide, height: high, class: "hit" }),
        h("rect", { x: x + wide * 0.16, y: TOP + high - tall, width: wide * 0.68, height: tall, rx: 2, class: "bar" }));
      bar.addEventListener("pointerenter", () => (told.textContent = words(one)));
      return bar;
    }),
    days.map((one, at) => {
      const every = Math.ceil(days.length / (isNarrow ? 4 : 8));
      if ((days.length - 1 - at) % every) return null;
      return h("text", { x: LEFT + (at + 0.5) * wide, y: HEIGHT - 5, class: "tick", "text-anchor": "middle" }, dayName(one.day));
    }));
  drawn.addEventListener("pointerleave", () => (told.textContent = "\u00a0"));
  const table = h("table", { class: "only-read" }, h("caption", null, "Tokens kept out of the context by day"),
    h("thead", null, h("tr", null, ["Day", "Tokens", "Calls", "Held"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", null, days.filter((one) => one.calls).map((one) =>
      h("tr", null, h("th", { scope: "row" }, dayName(one.day)), [one.tokens_saved, one.calls, one.held].map((value) => h("td", null, number(value)))))));
  return h("figure", { class: "chart" }, drawn, table, told);
}

// Names with a bar and a number each; the longest bar is the largest number.
export function bars(rows, { unit = "", format = short, most = undefined } = {}) {
  const top = most ?? Math.max(1, ...rows.map((one) => one.value));
  return h("ul", { class: "bars" }, rows.map((one) =>
    h("li", null,
      h("span", { class: "bar-name", title: one.title ?? one.name }, one.href ? h("a", { href: one.href }, plain(one.name)) : plain(one.name)),
      h("span", { class: "bar-line" }, h("i", { style: { width: `${Math.max(one.value > 0 ? 0.6 : 0, (100 * one.value) / top)}%` } })),
      h("span", { class: "bar-value", title: `${number(one.value)} ${unit}` }, format(one.value)), one.note ? h("small", { class: "bar-note" }, one.note) : null)));
}
