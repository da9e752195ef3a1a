// One held result: what the model read beside what there is.

import { download, get, ofResult, remove } from "./api.js";
import { confirmed, copyButton, fill, h, plain, problem, toast } from "./dom.js";
import { bytes, moment, number, several, short, span } from "./format.js";
import { coverageStrip } from "./coverage.js";

const PANES = [
  ["profile", "Profile", (told) => told.tables.length > 0, () => import("./profile.js")],
  ["rows", "Rows", (told) => told.tables.length > 0, () => import("./rows.js")],
  ["tree", "Tree", (told) => told.has_tree, () => import("./tree.js")],
  ["text", "Text", () => true, () => import("./text.js")],
  ["search", "Search", () => true, () => import("./search.js")],
  ["sql", "SQL", (told) => told.tables.length > 0, () => import("./sql.js")],
  ["jq", "jq", (told) => told.tables.length > 0, () => import("./jq.js")],
  ["reads", "Reads", () => true, () => import("./coverage.js")],
];

export async function view(place, wanted) {
  const { handle } = wanted;
  const told = await get(ofResult(handle));
  const panes = PANES.filter(([, , fits]) => fits(told));
  const made = new Map(); // panes that were opened: {element, changed, goto}
  const tabs = h("div", { role: "tablist", "aria-label": "What there is", class: "tabs" });
  const body = h("div", { class: "pane", role: "tabpanel", id: "pane", tabindex: "-1" });
  const strip = h("div", { class: "strip-place" });
  let shown = "";

  const context = {
    handle,
    told,
    // Open a pane at a place: a row, a line, or a pattern.
    async open(name, at) {
      history.replaceState(null, "", `#/results/${encodeURIComponent(handle)}/${name}`);
      await showPane(name);
      await made.get(name)?.goto?.(at);
    },
  };

  async function showPane(name) {
    const found = panes.find(([one]) => one === name) ?? panes[0];
    shown = found[0];
    fill(tabs, panes.map(([one, label]) =>
      h("a", { role: "tab", id: `tab-${one}`, href: `#/results/${encodeURIComponent(handle)}/${one}`, "aria-selected": String(one === shown), "aria-controls": "pane", tabindex: one === shown ? "0" : "-1" }, label)));
    body.setAttribute("aria-labelledby", `tab-${shown}`);
    if (!made.has(shown)) {
      const element = h("div", { class: `pane-body ${shown}-pane` });
      made.set(shown, { element });
      fill(body, element);
      const { pane } = await found[3]();
      try {
        Object.assign(made.get(found[0]), await pane(element, context));
      } catch (error) {
        fill(element, problem(error));
        made.delete(found[0]);
      }
    }
    if (shown === found[0] && made.has(shown)) {
      fill(body, made.get(shown).element);
      made.get(shown).placed?.();
    }
  }

  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = panes.findIndex(([one]) => one === shown);
    const [next] = panes[(at + step + panes.length) % panes.length];
    history.replaceState(null, "", `#/results/${encodeURIComponent(handle)}/${next}`);
    showPane(next).then(() => document.getElementById(`tab-${next}`)?.focus());
  });

  let head = header(told);
  fill(place, head, strip,
    h("div", { class: "beside" },
      h("section", { class: "card read", "aria-label": "What the model read" }, readFirst(told)),
      h("section", { class: "card there", "aria-label": "What there is" }, tabs, body)));
  const drawStrip = async () => fill(strip, coverageStrip(await get(ofResult(handle, "coverage")), { onpick: (row) => context.open(told.has_tree || told.tables.length ? "rows" : "text", row), more: `#/results/${encodeURIComponent(handle)}/reads` }));
  await drawStrip().catch((error) => fill(strip, problem(error)));
  return {
    title: told.tool,
    placed: () => showPane(wanted.pane ?? panes[0][0]),
    follow(next) {
      if (next.name !== "result" || next.handle !== handle) return false;
      showPane(next.pane ?? panes[0][0]);
      return true;
    },
    async changed() {
      const fresh = header(await get(ofResult(handle)));
      if (!head.querySelector("details[open]")) {
        head.replaceWith(fresh);
        head = fresh;
      }
      await drawStrip();
      await made.get(shown)?.changed?.();
    },
  };
}

function header(told) {
  const now = told.now;
  const facts = [
    ["Form", told.form || told.kind, told.shape],
    ["Rows", number(told.rows)],
    ["Tokens", short(told.tokens), `${number(told.tokens)} tokens, an estimate`],
    ["Size", bytes(told.size), `${number(told.size)} bytes, ${bytes(told.stored)} packed`],
    ["Age", span(now - told.created), moment(told.created)],
    ["Expires", told.expires === null ? "never" : `in ${span(told.expires - now)}`, told.expires === null ? "" : moment(told.expires)],
    ["Reads", number(told.reads)],
    ["Server", told.server],
    ["Owner", told.owner],
  ].filter(([, value]) => value);
  const files = h("details", { class: "menu" }, h("summary", { class: "button" }, "Download"),
    h("div", { class: "menu-list" },
      [["original", "The original"], ...(told.tables.length ? [["csv", "Rows as CSV"], ["jsonl", "Rows as JSON lines"], ["json", "Rows as JSON"]] : [])].map(([format, label]) =>
        h("button", { type: "button", onclick: () => { files.open = false; download(told.handle, { format }).catch((error) => toast(error.what)); } }, label))));
  return h("header", { class: "result-head" },
    h("p", { class: "crumbs" }, h("a", { href: "#/results" }, "Held results"), " / ", h("code", null, told.handle), copyButton(told.handle)),
    h("div", { class: "bar" },
      h("h1", null, plain(told.tool || "unnamed"), told.arguments === "{}" ? null : h("code", { class: "call", title: told.arguments }, plain(told.arguments))),
      h("span", { class: "grow" }), files,
      h("button", { type: "button", class: "danger-quiet", onclick: () => removeIt(told) }, "Delete")),
    h("p", { class: "words" }, plain(told.words)),
    told.source ? h("p", { class: "muted" }, told.filter ? ["Filtered by ", h("code", null, plain(told.filter)), " from "] : "Edited from ", h("a", { href: `#/results/${encodeURIComponent(told.source)}` }, told.source)) : null,
    h("dl", { class: "facts" }, facts.map(([name, value, title]) => h("div", { title }, h("dt", null, name), h("dd", null, plain(value))))));
}

async function removeIt(told) {
  if (!(await confirmed("Delete this result?", `${told.tool}, ${several(told.rows, "row")}. The model can no longer read it.`, "Delete"))) return;
  await remove(ofResult(told.handle));
  toast("Deleted one result.");
  location.hash = "#/results";
}

// The first answer as it was sent: the notice is one line of JSON, which can be laid out; the preview follows it.
function readFirst(told) {
  const { answer } = told;
  const head = h("h2", null, "What the model read", answer ? h("small", { title: `${number(answer.bytes)} bytes` }, `${number(answer.tokens)} tokens instead of ${short(told.tokens)}`) : null);
  if (!answer) {
    return [head, h("p", { class: "muted" }, "This result was not answered by itself: it is a part of another one, was made by an edit or a filter, or is of a version before this page.")];
  }
  const sent = (text, label) => h("pre", { class: "sent", tabindex: "0", "aria-label": label }, plain(text));
  const [first, ...others] = answer.blocks;
  const [line, ...lines] = (first.text ?? "").split("\n");
  const notice = sent(line, "Notice");
  const isLaidOut = h("input", { type: "checkbox", id: "laid-out" });
  isLaidOut.addEventListener("change", () => fill(notice, plain(isLaidOut.checked ? laidOut(line) : line)));
  return [
    head,
    h("p", { class: "sent-head" }, h("b", null, "Notice"), h("span", { class: "grow" }), isLaidOut, h("label", { for: "laid-out" }, "laid out")),
    notice,
    lines.length ? [h("p", { class: "sent-head" }, h("b", null, "Preview")), sent(lines.join("\n"), "Preview")] : null,
    others.map((block) => block.type === "text" ? sent(block.text, "Block") : h("p", { class: "muted" }, `a block of type ${block.type} ${block.mime}, ${bytes(block.bytes)}`))];
}

function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
