// The view of a simulation that has none of its own: its state as a table of numbers, and its input
// as sliders. Arrays are shown in part.

import { isBig, numbers, range, store } from "./fields.mjs";
import { element } from "./names.mjs";

const MOST_ROWS = 120;
const MOST_OF_ARRAY = 8;
const EVERY = 0.1; // seconds from one reading to the next

/** A view in `panel`, over the stage. */
export function open({ facts, panel, slot }) {
  const sliders = element("form", { className: "sliders", onsubmit: (event) => event.preventDefault() });
  const given = slot === null ? [] : numbers(facts.input).flatMap((number) => slider(number, sliders));
  const rows = [];
  const body = element("tbody");
  list(facts.state, [], rows, body);
  const caption = element("caption", { textContent: `State of ${facts.name}` });
  panel.append(sliders, element("table", { className: "fields" }, caption, body));
  let read = -1;
  return {
    help: [["Tab, ← →", "choose and move a slider"]],
    draw(context, state, { width, height, time }) {
      context.fillStyle = "#070b16";
      context.fillRect(0, 0, width, height);
      if (time - read < EVERY) return;
      read = time;
      for (const { cell, path } of rows) {
        const text = shown(path.reduce((value, part) => value?.[part], state));
        if (cell.textContent !== text) cell.textContent = text;
      }
    },
    control(_keys, _pointers, input) {
      for (const { path, value } of given) store(input, path, value());
    },
  };
}

function list(fields, path, rows, body, prefix = "") {
  for (const field of fields) {
    if (rows.length >= MOST_ROWS) return;
    const [here, name] = [[...path, field.member], `${prefix}${field.name}`];
    if (field.fields && field.count === undefined) list(field.fields, here, rows, body, `${name}.`);
    else if (field.fields)
      for (let n = 0; n < Math.min(field.count, MOST_OF_ARRAY); n++)
        list(field.fields, [...here, n], rows, body, `${name}[${n}].`);
    else {
      const cell = element("td");
      body.append(element("tr", {}, element("th", { textContent: name, scope: "row" }), cell));
      rows.push({ cell, path: here });
    }
  }
}

function shown(value) {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(7);
  if (ArrayBuffer.isView(value)) {
    const parts = Array.from(value.subarray(0, MOST_OF_ARRAY), shown);
    return `${parts.join(", ")}${value.length > MOST_OF_ARRAY ? `, … ${value.length} in all` : ""}`;
  }
  return String(value ?? "");
}

/** The slider of a number, or the box of one that is true or false. */
function slider({ name, path, field }, form) {
  const id = `input-${path.join("-")}`;
  const label = element("label", { htmlFor: id, textContent: name });
  if (field.kind === "bool") {
    const box = element("input", { id, type: "checkbox" });
    form.append(label, box, element("span"));
    return [{ path, value: () => box.checked }];
  }
  const { least, most, step } = range(field);
  const bar = element("input", { id, type: "range", min: least, max: most, step, value: 0 });
  bar.value = "0";
  const out = element("output", { htmlFor: id, textContent: "0" });
  bar.oninput = () => (out.textContent = bar.value);
  form.append(label, bar, out);
  return [{ path, value: () => (isBig(field) ? BigInt(Math.round(bar.value)) : Number(bar.value)) }];
}
