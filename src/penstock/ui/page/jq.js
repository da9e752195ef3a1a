// A jq program on one result, with the answers and errors that the model gets.

import { ofResult, post } from "./api.js";
import { copyButton, fill, h, plain, problem } from "./dom.js";
import { bytes } from "./format.js";
import { asTheModel, errorNode, queryBox } from "./query.js";

export async function pane(place, { handle, told }) {
  const out = h("div", { class: "query-out" });
  const shape = h("p", { class: "shape" }, "The data is ", h("code", null, plain(told.shape || "\u2026")));
  async function run(program) {
    try {
      const found = await post(ofResult(handle, "jq"), { program });
      if (found.value === null) {
        fill(out, errorNode(found.answer), asTheModel(found.answer));
        return "";
      }
      const isCut = found.length > new TextEncoder().encode(found.value).length;
      const text = isCut ? `${found.value}\u2026` : laidOut(found.value);
      fill(out, h("div", { class: "bar tight" }, h("b", null, bytes(found.length)), h("span", { class: "grow" }), copyButton(text)),
        h("pre", { class: "jq-value", tabindex: "0" }, plain(text)), asTheModel(found.answer));
    } catch (error) {
      fill(out, problem(error));
    }
    return "";
  }
  const box = queryBox({ label: "jq program", value: ". | length", hint: "Ctrl+Enter runs it.", run });
  fill(place, shape, box.element, out);
  return { placed: () => box.field.focus({ preventScroll: true }) };
}

function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
