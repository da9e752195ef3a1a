// What SQL and jq share: the field for the query, and the answer as the model gets it.

import { fill, h, plain, problem } from "./dom.js";
import { number } from "./format.js";

export function queryBox({ label, value, run, hint }) {
  const field = h("textarea", { "aria-label": label, rows: "4", spellcheck: "false", autocapitalize: "off", "data-find": true });
  field.value = value;
  const button = h("button", { type: "button", class: "primary" }, "Run");
  const state = h("span", { class: "muted", role: "status" }, hint);
  async function go() {
    button.disabled = true;
    state.textContent = "running\u2026";
    try {
      state.textContent = (await run(field.value)) ?? "";
    } finally {
      button.disabled = false;
    }
  }
  button.addEventListener("click", go);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      go();
    }
  });
  return { field, element: h("div", { class: "query" }, field, h("div", { class: "bar tight" }, button, state)) };
}

// The answer as it would be sent, opened on demand.
export function asTheModel(answer) {
  const body = h("div");
  const made = h("details", { class: "as-model" }, h("summary", null, "As the model gets it"), body);
  made.addEventListener("toggle", async () => {
    if (!made.open || body.childNodes.length) return;
    try {
      fill(body, answerNode(typeof answer === "function" ? await answer() : answer));
    } catch (error) {
      fill(body, problem(error));
    }
  });
  return made;
}

export function answerNode(answer) {
  return [
    h("p", { class: "muted" }, `${number(answer.tokens)} tokens, ${number(answer.bytes)} bytes`),
    answer.blocks.map((block) => h("pre", { class: "sent", tabindex: "0" }, plain(block.text ?? `a block of type ${block.type}`)))];
}

export const errorNode = (answer) => {
  const [what, ...rest] = answer.blocks.map((one) => one.text ?? "").join("\n").split("\n");
  return problem({ what, do: rest.join("\n") });
};
