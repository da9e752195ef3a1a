// The first page: what was kept out of the context, by day, server and tool.

import { get } from "./api.js";
import { bars, dayChart } from "./charts.js";
import { empty, fill, h, plain } from "./dom.js";
import { bytes, number, percent, several, short } from "./format.js";

const tile = (name, value, note, title) =>
  h("div", { class: "tile" }, h("dt", null, name), h("dd", null, h("b", { title }, value), h("span", null, note ?? "\u00a0")));

export async function view(place) {
  async function draw() {
    const told = await get("overview", { days: 30 });
    fill(place, told.total.calls || told.held_now.results ? figures(told) : nothing(told));
  }
  await draw();
  return { title: "Overview", changed: draw };
}

function nothing(told) {
  return [
    h("h1", { class: "only-read" }, "Overview"),
    empty("Nothing has been counted yet",
      h("p", null, "Put Penstock in front of an MCP server, and use it: results above ", h("code", null, "max_tokens"), " appear here while this page is open."),
      h("pre", null, "penstock wrap            # every server of your MCP clients\npenstock run -- COMMAND  # one server"),
      h("p", { class: "muted" }, "This page shows the store ", h("code", null, told.store), ". Another one: ", h("code", null, "penstock ui --store URL"), "."))];
}

function figures(told) {
  const { total, today, held_now: now } = told;
  return [
    h("section", { class: "hero" },
      h("h1", null, h("b", { title: `${number(total.tokens_saved)} tokens` }, short(total.tokens_saved)), " tokens kept out of the context"),
      h("p", null, told.has_days ? [h("b", null, short(today.tokens_saved)), ` of them today, in ${several(today.calls, "call")}`] : ["since the first call; days are counted from now on, where ", h("code", null, "daily_sizes"), " is on"])),
    h("dl", { class: "tiles" },
      tile("Calls", short(total.calls), "of all tools", number(total.calls)),
      tile("Held", short(total.held), `${percent(total.held, total.calls)} of the calls`, number(total.held)),
      tile("Passed", short(total.passed), "untouched, or without white space", number(total.passed)),
      tile("Held now", short(now.results), `${short(now.tokens)} tokens, ${bytes(now.stored)} packed`, number(now.results))),
    told.has_days ? h("section", { class: "card" }, h("h2", null, "By day", h("small", null, "the last 30 days, UTC")), dayChart(told.days)) : null,
    h("div", { class: "two" },
      h("section", { class: "card" }, h("h2", null, "By tool", h("small", null, "tokens kept out")),
        total.tokens_saved ? bars(told.tools.map((one) => ({ name: one.name, value: one.tokens_saved, note: `${number(one.held)} of ${number(one.calls)} held` })), { unit: "tokens" }) : h("p", { class: "muted" }, "No result was large enough to be held.")),
      h("section", { class: "card" }, h("h2", null, told.servers.length ? "By server" : "Called most often", h("small", null, told.servers.length ? "tokens kept out, the last 30 days" : "calls")),
        told.servers.length
          ? bars(told.servers.map((one) => ({ name: one.name, value: one.tokens_saved, note: `${several(one.calls, "call")}` })), { unit: "tokens" })
          : bars(told.frequent.map((one) => ({ name: one.tool, value: one.calls })), { unit: "calls" }))),
    h("div", { class: "two" },
      h("section", { class: "card" }, h("h2", null, "Largest", h("small", null, "held now, in tokens")),
        told.largest.length
          ? bars(told.largest.map((one) => ({ name: one.tool, title: `${one.tool} ${one.arguments}`, value: one.tokens, note: one.form, href: `#/results/${encodeURIComponent(one.handle)}` })), { unit: "tokens" })
          : h("p", { class: "muted" }, "Nothing is held at the moment: results expire. The figures above stay.")),
      h("section", { class: "card" }, h("h2", null, "Most frequent", h("small", null, "calls")),
        bars(told.frequent.map((one) => ({ name: one.tool, value: one.calls, note: `${percent(one.held, one.calls)} held` })), { unit: "calls" }))),
    h("p", { class: "muted foot" }, "Figures of ", h("code", null, plain(told.store)), ". Tokens are estimates.")];
}
