// Which parts the model has read, and by which calls, in order.

import { get, ofResult } from "./api.js";
import { fill, h, plain } from "./dom.js";
import { bytes, number, percent, several, time } from "./format.js";

const SPAN = 1000;

function drawn(spans, { preview = [], className = "", title = "" } = {}) {
  const rects = (some, kind) => some.map(([from, to]) => h("rect", { x: from * SPAN, width: Math.max((to - from) * SPAN, 2.5), y: 0, height: 20, class: kind }));
  return h("svg", { viewBox: `0 0 ${SPAN} 20`, preserveAspectRatio: "none", class: `strip ${className}`, role: "img", "aria-label": title },
    rects(preview, "span-preview"), rects(spans, "span-read"));
}

const summary = (told) => {
  if (!told.complete) return "read in more pieces than are kept";
  if (told.rows_read === null || !told.count) return told.read.length ? "read in part" : "no call has read on";
  if (!told.rows_read) return `none of ${number(told.count)} ${told.noun} read whole`;
  return `${number(told.rows_read)} of ${number(told.count)} ${told.noun} read whole (${percent(told.rows_read, told.count)})`;
};

const rowsText = (rows, most = 3) => {
  const parts = rows.slice(0, most).map(([from, to]) => (to - from === 1 ? number(from + 1) : `${number(from + 1)}\u2013${number(to)}`));
  return parts.join(", ") + (rows.length > most ? ` and ${several(rows.length - most, "more range")}` : "");
};

export function coverageStrip(told, { onpick, more } = {}) {
  const strip = drawn(told.read, { preview: told.preview.spans, className: "whole", title: `The whole result: ${summary(told)}` });
  if (onpick && told.count) {
    strip.addEventListener("click", (event) => {
      const { left, width } = strip.getBoundingClientRect();
      onpick(Math.floor(((event.clientX - left) / width) * told.count));
    });
  }
  return h("figure", { class: "coverage" }, strip,
    h("figcaption", null,
      h("span", { class: "key key-read" }, "read"), h("span", { class: "key key-preview" }, "in the preview"), h("span", { class: "key key-unread" }, "not read"),
      h("span", { class: "grow" }), h("span", null, summary(told)), more ? h("a", { href: more }, several(told.calls.length, "call")) : null));
}

export async function pane(place, context) {
  const { handle } = context;
  async function draw() {
    const told = await get(ofResult(handle, "coverage"));
    const shown = told.preview.rows.length ? `${told.preview.unit} ${rowsText(told.preview.rows)}` : "facts only";
    const first = { words: context.told.tool, isFirst: true, spans: [], preview: told.preview.spans, rows: [], shown };
    const calls = [first, ...told.calls];
    fill(place,
      h("p", { class: "muted" }, "The strip is the whole result from its beginning to its end. Each call is a line of its own, in order; what a query shows is made of rows, and is none of them."),
      told.calls_complete ? null : h("p", { class: "note" }, `${number(told.reads)} reads were counted, and the first ${told.calls.length} calls are kept.`),
      h("div", { class: "axis" }, h("span", null, `${told.noun} 1`), h("span", null, told.count ? number(told.count) : "end")),
      drawn(told.read, { preview: told.preview.spans, className: "whole", title: summary(told) }),
      h("p", { class: "sum" }, summary(told)),
      h("ol", { class: "calls", start: "0" }, calls.map((call, at) =>
        h("li", { class: call.failed ? "failed" : "", value: String(at) },
          h("div", { class: "call-head" },
            h("span", { class: "call-number" }, at || "\u2013"),
            h("code", { title: call.words }, plain(call.isFirst ? `${call.words}: the first answer` : call.words || "a call whose words were not kept")),
            h("span", { class: "call-note" },
              call.failed ? h("b", { class: "failed-word" }, "error") : call.isFirst ? call.shown : call.rows.length ? `${told.noun} ${rowsText(call.rows)}` : call.spans.length ? "a part" : "no rows shown whole",
              call.size ? ` · ${bytes(call.size)}` : "", call.time ? ` · ${time(call.time)}` : "")),
          drawn(call.spans, { preview: call.preview ?? [], className: "lane", title: call.rows.length ? rowsText(call.rows) : "no rows" })))),
      told.calls.length ? null : h("p", { class: "muted" }, "The model has not read on: all that it knows of this result is the first answer."));
  }
  await draw();
  return { changed: draw };
}
