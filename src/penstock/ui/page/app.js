// The frame of the page: which view is shown, and what happens when the store changes.

import { listen } from "./api.js";
import { fill, problem } from "./dom.js";

const VIEWS = {
  overview: () => import("./overview.js"),
  results: () => import("./results.js"),
  result: () => import("./result.js"),
  settings: () => import("./settings.js"),
};
const main = document.getElementById("main");
let shown = null; // the view on the screen: {changed(), leave()}
let turn = 0;

function route() {
  const [page = "", handle, pane] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (page === "results" && handle) return { name: "result", page: "results", handle, pane };
  return page in VIEWS ? { name: page, page } : { name: "overview", page: "overview" };
}

async function show() {
  const wanted = route();
  for (const link of document.querySelectorAll("[data-page]")) {
    if (link.dataset.page === wanted.page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (shown?.follow?.(wanted)) return; // the same result, another pane
  turn += 1;
  const mine = turn;
  shown?.leave?.();
  shown = null;
  try {
    const { view } = await VIEWS[wanted.name]();
    if (mine !== turn) return;
    const place = document.createElement("div");
    place.className = `view ${wanted.name}`;
    const made = await view(place, wanted);
    if (mine !== turn) {
      made?.leave?.();
      return;
    }
    main.replaceChildren(place);
    made?.placed?.();
    shown = made;
    scrollTo(0, 0);
    document.title = made?.title ? `${made.title} · Penstock` : "Penstock";
  } catch (error) {
    if (mine === turn) fill(main, problem(error));
  }
}

let due = 0;
function changed() {
  if (document.hidden) return;
  clearTimeout(due);
  due = setTimeout(() => shown?.changed?.()?.catch?.(() => {}), 150);
}

function state(isLive) {
  const live = document.getElementById("live");
  live.classList.toggle("on", isLive);
  live.lastElementChild.textContent = isLive ? "live" : "not connected";
  if (isLive) changed();
}

document.addEventListener("visibilitychange", changed);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) {
    const field = document.querySelector("[data-find]");
    if (field) {
      event.preventDefault();
      field.focus();
    }
  }
});
addEventListener("hashchange", show);
await show();
listen(changed, state);
