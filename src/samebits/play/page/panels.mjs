// What lies over the stage: a notice on the match, and the verdict of a desync.

import { count, element, playerName, playersText } from "./names.mjs";

const at = (id) => document.getElementById(id);

/** Show a notice: a title, a text, buttons as [name, what it does, in another tab], and a form for a
 * code. What it does may be an address. Null hides it. The same notice twice leaves the page, and the focus, as they are. */
export function notice(what) {
  const place = at("notice");
  const key = what && JSON.stringify(what);
  if (place.dataset.shown === (key ?? "")) return;
  place.dataset.shown = key ?? "";
  place.hidden = what === null;
  if (what === null) return void place.replaceChildren();
  const { title, text, waits, actions = [], code } = what;
  place.replaceChildren();
  if (waits) place.append(element("span", { className: "wait" }));
  place.append(element("h2", { textContent: title }));
  if (text) place.append(element("p", { textContent: text }));
  if (code) place.append(form(code));
  if (actions.length === 0) return;
  const row = element("div", { className: "actions" });
  for (const [name, act, apart] of actions) {
    const first = row.childElementCount === 0;
    const button = typeof act === "string"
      ? element("a", { className: "button", href: act, target: apart ? "_blank" : "", textContent: name })
      : element("button", { type: "button", textContent: name, onclick: act });
    if (first) button.classList.add("primary");
    row.append(button);
  }
  place.append(row);
}

function form(enter) {
  const field = element("input", { autocomplete: "off", spellcheck: false, maxLength: 20, ariaLabel: "Join code" });
  const made = element("form", {}, field, element("button", { className: "primary", textContent: "Join" }));
  made.onsubmit = (event) => {
    event.preventDefault();
    enter(field.value);
  };
  queueMicrotask(() => field.focus());
  return made;
}

/** The verdicts of a match. Those that the reader has put away stay so until there is another. */
export class Verdicts {
  #closed = 0;
  #shown = "";

  /** Show what is known of a match's desyncs, as the host tells them; the latest is in view. */
  show(desyncs) {
    const place = at("verdict");
    const key = JSON.stringify(desyncs);
    if (desyncs.length <= this.#closed || key === this.#shown) return;
    this.#shown = key;
    const found = desyncs.at(-1);
    const healed = found.wrong.length > 0 && found.wrong.every((slot) => slot in found.healed);
    place.className = healed ? "card healed" : "card";
    place.hidden = false;
    const title = found.wrong.length
      ? `${playersText(found.wrong)} departed in frame ${count(found.frame)}`
      : `The bits part in frame ${count(found.frame)}`;
    const close = element("button", { type: "button", textContent: "×", ariaLabel: "Close" });
    close.onclick = () => {
      this.#closed = desyncs.length;
      place.hidden = true;
    };
    const rows = [...this.#rows(found, healed)];
    place.replaceChildren(
      element("header", {}, element("h2", { textContent: title }), close),
      element("dl", {}, ...rows.flatMap(([name, ...value]) => [
        element("dt", { textContent: name }),
        element("dd", { className: name === "Now" && healed ? "healed" : "" }, ...value),
      ])),
    );
  }

  /** Forget what was shown, as before another match. */
  clear() {
    this.#closed = 0;
    this.#shown = "";
    at("verdict").hidden = true;
  }

  *#rows({ groups, what, details, healed: frames, wrong }, healed) {
    const { field, place, operation, cause, certainty } = details;
    yield ["Hashes", ...groups.flatMap(({ hash, slots, referee }, n) => {
      const who = [...(referee ? ["the relay"] : []), ...slots.map(playerName)].join(", ");
      return [...(n ? [element("br")] : []), element("code", { textContent: hash, className: n ? "wrong" : "" }), ` ${who}`];
    })];
    if (!what) yield ["Cause", "a diagnosis is running"];
    if (field) yield ["Field", code(field.path), ` ${field.a.text} ≠ ${field.b.text}`];
    if (place) yield ["Line", `${place.file}:${place.line}, ${place.function}`, element("br"), code(place.source.trim())];
    if (operation) yield ["Operation", `${operation.opcode}: `, code(operation.a.bits), " ≠ ", code(operation.b.bits)];
    if (cause) yield ["Cause", `${cause.expression ?? cause.title}${certainty === "likely" ? " (likely)" : ""}`];
    if (what && !cause) yield ["Verdict", what];
    if (healed) yield ["Now", `healed in frame ${count(Math.max(...wrong.map((slot) => frames[slot])))}: the same bits again`];
    else if (wrong.length) yield ["Now", "not healed yet"];
  }
}

const code = (text) => element("code", { textContent: text });
