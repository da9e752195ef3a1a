// A text or a regular expression in the whole result, with its matches marked.

import { get, ofResult, post } from "./api.js";
import { fill, h, marked, plain, problem } from "./dom.js";
import { number, several } from "./format.js";
import { asTheModel } from "./query.js";

export async function pane(place, { handle, open, told }) {
  const pattern = h("input", { type: "search", name: "pattern", placeholder: "Search in the whole result", "aria-label": "Pattern", "data-find": true, spellcheck: "false", required: true });
  const options = [["ignore_case", "ignore case"], ["word", "whole words"], ["regex", "regular expression"]].map(([name, label]) => {
    const box = h("input", { type: "checkbox", name, id: `search-${name}` });
    return { name, box, label: h("label", { for: `search-${name}`, class: "check" }, box, label) };
  });
  const about = h("p", { class: "muted", role: "status" });
  const list = h("ol", { class: "matches" });
  const rest = h("div");
  let asked = 0;

  const query = (start) => ({ pattern: pattern.value, start, ...Object.fromEntries(options.map(({ name, box }) => [name, box.checked ? "1" : ""])) });

  async function run(start = 0) {
    asked += 1;
    const mine = asked;
    try {
      const found = await get(ofResult(handle, "search"), query(start));
      if (mine !== asked) return;
      if (!start) fill(list);
      about.textContent = `${found.complete ? "" : "at least "}${several(found.total, "match", "matches")}${found.total ? "" : `: nothing has \u201c${pattern.value}\u201d in it`}`;
      list.append(...found.places.map(place_));
      fill(rest,
        found.end < found.total ? h("button", { type: "button", onclick: () => run(found.end) }, `Show more (${number(found.total - found.end)} left)`) : null,
        start ? null : asTheModel(async () => (await post(ofResult(handle, "answer"), { action: "search", pattern: pattern.value, ...Object.fromEntries(options.filter(({ box }) => box.checked).map(({ name }) => [name, true])) })).answer));
    } catch (error) {
      if (mine !== asked) return;
      about.textContent = "";
      fill(list);
      fill(rest, problem(error));
    }
  }

  function place_(one) {
    const where = one.line !== undefined ? `line ${number(one.line)}` : one.path;
    const goto = () => (one.line !== undefined ? open("text", { line: one.line - 1, marks: one.before ? null : one.marks }) : open("rows", one.row - 1));
    const canGo = one.line !== undefined || (one.row && told.tables.length);
    return h("li", null,
      h("p", { class: "match-place" }, canGo ? h("button", { type: "button", class: "link", onclick: goto }, plain(where)) : plain(where), one.key ? h("small", null, "a key") : null, one.count > 1 ? h("small", null, ` \u00d7${number(one.count)}`) : null),
      h("pre", null, one.before ? "\u2026" : "", marked(one.text, one.marks), one.behind > 0 ? "\u2026" : ""));
  }

  const form = h("form", { class: "bar tight", role: "search" }, pattern, options.map(({ label }) => label), h("button", { class: "primary" }, "Search"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (pattern.value) run();
  });
  fill(place, form, about, list, rest);
  return { placed: () => pattern.focus({ preventScroll: true }) };
}
