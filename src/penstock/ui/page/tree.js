// A JSON document as a tree that is opened branch by branch.

import { get, ofResult } from "./api.js";
import { fill, h, plain, problem } from "./dom.js";
import { bytes, number, several } from "./format.js";

const STEP = 100; // parts that are shown at once

export async function pane(place, { handle }) {
  const root = h("ul", { class: "tree-list", role: "tree", "aria-label": "Tree" });
  fill(place, root);
  await more(handle, root, ".", 0, 1);
  return {};
}

async function more(handle, list, path, start, level) {
  try {
    const found = await get(ofResult(handle, "tree"), { path, start, count: STEP });
    list.querySelector(":scope > .tree-more")?.remove();
    list.append(...found.parts.map((part) => node(handle, part, level)));
    const left = found.total - start - found.parts.length;
    if (left > 0) {
      list.append(h("li", { class: "tree-more", role: "treeitem", "aria-level": String(level) },
        h("button", { type: "button", class: "link", onclick: () => more(handle, list, path, start + found.parts.length, level) }, `${several(Math.min(left, STEP), "more")} of ${number(left)}`.replace("mores", "more"))));
    }
  } catch (error) {
    list.append(h("li", null, problem(error)));
  }
}

function node(handle, part, level) {
  const key = h("span", { class: "tree-key" }, plain(part.key));
  if (part.kind !== "array" && part.kind !== "object") {
    const cut = part.length > Array.from(part.text).length;
    return h("li", { role: "treeitem", "aria-level": String(level), title: part.path }, key, h("span", { class: `tree-value kind-${part.kind}` }, plain(part.kind === "string" ? `"${part.text}${cut ? "\u2026" : ""}"` : part.text), cut ? h("small", null, ` ${number(part.length)} characters`) : null));
  }
  const signs = part.kind === "array" ? "[]" : "{}";
  const about = part.count === null ? bytes(part.size) : several(part.count, part.kind === "array" ? "item" : "member");
  const inside = h("ul", { role: "group" });
  let opened = false;
  const item = h("li", { role: "treeitem", "aria-level": String(level), "aria-expanded": "false", title: part.path });
  const button = h("button", { type: "button", class: "tree-open", "aria-expanded": "false" }, h("i", { "aria-hidden": "true" }), key, h("span", { class: "muted" }, ` ${signs} ${about}`));
  button.addEventListener("click", async () => {
    const isOpen = item.getAttribute("aria-expanded") === "true";
    item.setAttribute("aria-expanded", String(!isOpen));
    button.setAttribute("aria-expanded", String(!isOpen));
    if (!opened && part.count !== 0) {
      opened = true;
      await more(handle, inside, part.path, 0, level + 1);
    }
  });
  item.append(button, inside);
  return item;
}
