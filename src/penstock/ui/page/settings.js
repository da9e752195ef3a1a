// Settings as they are: for each tool the rule in force and its source; and what another limit would have held.

import { get } from "./api.js";
import { copyButton, fill, h, plain } from "./dom.js";
import { number, several } from "./format.js";

export async function view(place) {
  const told = await get("settings");
  fill(place,
    h("div", { class: "bar" }, h("h1", null, "Settings as they are")),
    h("p", { class: "muted" }, "As this page was started: from defaults, the configuration file, the environment and flags. A gateway that was started with others has others. The page changes nothing."),
    slider(told), tools(told), all(told));
  return { title: "Settings" };
}

function slider(told) {
  const { stops, classes, days } = told.sizes;
  const names = [...new Set(classes.map((one) => one.tool))].sort();
  if (!classes.length) {
    return h("section", { class: "card" }, h("h2", null, "Another limit"), h("p", { class: "muted" }, "Once calls were counted, this shows how many results another ", h("code", null, "max_tokens"), " would have held. The store keeps sizes only, no content, where ", h("code", null, "daily_sizes"), " is on."));
  }
  const limits = Object.fromEntries(told.tools.map((one) => [one.tool, Number(one.settings.find((setting) => setting.name === "max_tokens").value)]));
  const choose = h("select", { id: "limit-tool" }, h("option", { value: "" }, "all tools"), names.map((name) => h("option", { value: name }, name)));
  const range = h("input", { type: "range", min: "0", max: String(stops.length - 1), step: "1", id: "limit" });
  const value = h("output", { for: "limit" });
  const words = h("p", { class: "limit-words", role: "status" });
  const line = h("pre", { class: "config-line" });
  const chart = h("div", { class: "limit-chart" });
  const at = (limit) => stops.reduce((best, one, index) => (one <= limit ? index : best), 0);

  function draw() {
    const limit = stops[Number(range.value)];
    const tool = choose.value;
    const some = classes.filter((one) => !tool || one.tool === tool);
    const now = (one) => limits[one.tool] ?? told.max_tokens;
    const more = some.filter((one) => one.up_to > limit).reduce((sum, one) => sum + one.passed, 0);
    const fewer = some.filter((one) => one.up_to <= limit).reduce((sum, one) => sum + one.held, 0);
    const calls = some.reduce((sum, one) => sum + one.passed + one.held, 0);
    const present = tool ? limits[tool] ?? told.max_tokens : told.max_tokens;
    value.textContent = number(limit);
    range.setAttribute("aria-valuetext", `${number(limit)} tokens`);
    const of = ` of the last ${several(calls, "result")}`;
    fill(words, limit === present ? ["This is the limit in force: ", h("b", null, several(some.reduce((sum, one) => sum + one.held, 0), "result")), of, " were held."]
      : ["With ", h("code", null, `max_tokens = ${limit}`), " about ", more ? [h("b", null, `${number(more)} more`), of, " would have been held"] : null,
        more && fewer ? ", and " : null, fewer || !more ? [h("b", null, fewer ? `${number(fewer)} fewer` : "none more"), fewer ? " would have been" : `${of} would have been held`, fewer ? " held" : ""] : null, "."]);
    fill(line, tool ? `[rules.${JSON.stringify(tool)}]\nmax_tokens = ${limit}` : `max_tokens = ${limit}`);
    drawChart(some, limit, now);
  }

  function drawChart(some, limit) {
    const totals = stops.map((stop, index) => {
      const low = index ? stops[index - 1] : 0;
      const inside = some.filter((one) => one.up_to > low && one.up_to <= stop);
      return inside.reduce((sum, one) => sum + one.passed + one.held, 0);
    });
    const beyond = some.filter((one) => one.up_to > stops.at(-1)).reduce((sum, one) => sum + one.passed + one.held, 0);
    const most = Math.max(1, ...totals, beyond);
    fill(chart, totals.map((count, index) => h("i", { class: !count ? "none" : stops[index] <= limit ? "passes" : "held", title: `up to ${number(stops[index])} tokens: ${several(count, "result")}`, style: { height: `${count ? Math.max(4, (100 * Math.log1p(count)) / Math.log1p(most)) : 0}%` } })));
  }

  choose.addEventListener("change", () => {
    range.value = String(at(choose.value ? limits[choose.value] ?? told.max_tokens : told.max_tokens));
    draw();
  });
  range.addEventListener("input", draw);
  range.value = String(at(told.max_tokens));
  const card = h("section", { class: "card limit" },
    h("h2", null, "Another limit", h("small", null, `results of the last ${days} days by size; no content is kept`)),
    h("div", { class: "bar tight" }, h("label", { for: "limit-tool" }, "For"), choose, h("label", { for: "limit" }, h("code", null, "max_tokens")), range, value),
    h("div", { class: "limit-frame", "aria-hidden": "true" }, chart, h("p", { class: "muted" }, h("span", null, "small results"), h("span", null, "large results"))),
    words, h("div", { class: "config" }, line, copyButton(() => line.textContent)));
  draw();
  return card;
}

function tools(told) {
  if (!told.tools.length) {
    return h("section", { class: "card" }, h("h2", null, "By tool"), h("p", { class: "muted" }, "No tool was called yet through a gateway with this store."));
  }
  const filter = h("input", { type: "search", placeholder: "Filter tools", "aria-label": "Filter tools", "data-find": true });
  const body = h("tbody");
  const draw = () => fill(body, told.tools.filter((one) => one.tool.toLowerCase().includes(filter.value.toLowerCase())).map((one) => {
    const own = one.settings.filter((setting) => setting.own);
    const limit = one.settings.find((setting) => setting.name === "max_tokens");
    return h("tr", null,
      h("th", { scope: "row" }, plain(one.tool)),
      h("td", { class: "num" }, number(Number(limit.value))),
      h("td", null, limit.where),
      h("td", null, one.pattern ? h("code", null, one.pattern) : h("span", { class: "muted" }, "none")),
      h("td", null, own.length ? own.map((setting) => h("div", null, h("code", null, `${setting.name} = ${setting.value}`), h("small", { class: "muted" }, ` ${setting.where}`))) : h("span", { class: "muted" }, "as for all tools")));
  }));
  filter.addEventListener("input", draw);
  draw();
  return h("section", { class: "card" }, h("div", { class: "bar tight" }, h("h2", null, "By tool", h("small", null, several(told.tools.length, "tool"))), h("span", { class: "grow" }), filter),
    h("div", { class: "grid-frame", tabindex: "0", role: "region", "aria-label": "Rules by tool" }, h("table", { class: "grid" }, h("thead", null, h("tr", null, ["Tool", "max_tokens", "from", "Rule", "Differs in"].map((one, at) => h("th", { scope: "col", class: at === 1 ? "num" : "" }, one)))), body)));
}

function all(told) {
  return h("section", { class: "card" }, h("h2", null, "For all tools"),
    h("div", { class: "grid-frame", tabindex: "0", role: "region", "aria-label": "Settings" }, h("table", { class: "grid" },
      h("thead", null, h("tr", null, ["Setting", "Value", "From", "What it is"].map((one) => h("th", { scope: "col" }, one)))),
      h("tbody", null, told.settings.map((one) => h("tr", { class: one.where === "default" ? "" : "own" }, h("th", { scope: "row" }, h("code", null, one.name)), h("td", null, h("code", null, one.value)), h("td", null, one.where), h("td", { class: "help" }, one.help)))))));
}
