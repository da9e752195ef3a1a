// Elements are made by calls, and text is set as text: nothing of a result is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "rect", "line", "text", "path", "title"]);

export function h(tag, props, ...children) {
  const made = DRAWN.has(tag) && tag !== "title" ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) made.style.setProperty(key, one);
    else if (name === "value") made.value = value;
    else made.setAttribute(name === "className" ? "class" : name, value === true ? "" : value);
  }
  add(made, children);
  return made;
}

export function add(parent, children) {
  for (const child of children.flat(9)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return parent;
}

export function fill(parent, ...children) {
  parent.replaceChildren();
  return add(parent, children);
}

// Characters that a screen does not show, or that change what stands beside them.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

// A text with such characters made visible: escapes for a terminal, or orders to write from right to left.
export function plain(text) {
  const value = String(text);
  HIDDEN.lastIndex = 0;
  if (!HIDDEN.test(value)) return [value];
  HIDDEN.lastIndex = 0;
  const made = [];
  let at = 0;
  for (const found of value.matchAll(HIDDEN)) {
    if (found.index > at) made.push(value.slice(at, found.index));
    const code = found[0].charCodeAt(0);
    const sign = code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? "\u2421" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    made.push(h("span", { class: "hidden-sign", title: "a character that is not printed" }, sign));
    at = found.index + 1;
  }
  if (at < value.length) made.push(value.slice(at));
  return made;
}

// A text with some of it marked; marks are pairs of positions in code points, as Python counts.
export function marked(text, marks) {
  const points = Array.from(text);
  const made = [];
  let at = 0;
  for (const [first, last] of marks) {
    if (first < at) continue;
    made.push(plain(points.slice(at, first).join("")), h("mark", null, plain(points.slice(first, last).join(""))));
    at = last;
  }
  made.push(plain(points.slice(at).join("")));
  return made;
}

export function copyButton(text, label = "Copy") {
  const button = h("button", { type: "button", class: "small" }, label);
  button.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(typeof text === "function" ? text() : text);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

let toastTimer = 0;
export function toast(words) {
  const place = document.getElementById("toast");
  place.textContent = words;
  place.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => place.classList.remove("shown"), 4000);
}

export function confirmed(title, words, action) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "confirm", "aria-labelledby": "confirm-title" },
      h("form", { method: "dialog" },
        h("h2", { id: "confirm-title" }, title),
        h("p", null, words),
        h("div", { class: "buttons" },
          h("button", { value: "no", autofocus: true }, "Keep"),
          h("button", { value: "yes", class: "danger" }, action))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export function problem(error) {
  return h("div", { class: "problem", role: "alert" },
    h("strong", null, plain(error.what ?? error.message)), error.do ? h("p", null, plain(error.do)) : null);
}

export function empty(title, ...words) {
  return h("div", { class: "empty" }, h("h2", null, title), words.map((one) => (one instanceof Node ? one : h("p", null, one))));
}
