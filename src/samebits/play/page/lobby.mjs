// The lobby: who plays, and a link for each free slot.

import { facts, lobby, takeCode } from "./host.mjs";
import { count, element, playerColour, playerName } from "./names.mjs";

const EVERY = 1000;
const ABOUT = {
  free: "free",
  reserved: "somebody is on the way",
  playing: "plays",
  away: "lost the connection, and may come back",
  bot: "a bot",
};
const at = (id) => document.getElementById(id);

takeCode();
const about = await facts();
document.title = `${about.name} · samebits`;
at("name").textContent = about.name;
at("watch").append(element("a", { href: "/watch", textContent: "Watch the match" }));
at("about").textContent =
  `${about.players === 1 ? "One player" : `${about.players} players`}, ${about.tickRate} frames a second. ` +
  "Each tab runs the whole simulation, and proves every frame bit for bit.";

let shown = "";
for (;;) {
  try {
    show(await lobby());
  } catch (error) {
    at("match").textContent = error.message;
  }
  await new Promise((done) => setTimeout(done, EVERY));
}

function show(found) {
  const { match, slots, frames, agreed, watching } = found;
  const state = JSON.stringify(slots);
  if (state !== shown) {
    // Links that stay as they are keep the focus.
    at("slots").replaceChildren(...slots.map(row));
    shown = state;
  }
  const seen = watching ? `, ${count(watching)} watching` : "";
  at("match").textContent = frames
    ? `${match}: ${count(frames)} frames, the bits of ${count(agreed)} agreed${seen}`
    : `${match} begins when all players are here${seen}`;
}

function row(state, slot) {
  const item = element("li", {});
  item.style.setProperty("--colour", playerColour(slot));
  const who = element("span", { className: "who" }, playerName(slot));
  who.append(element("small", { textContent: ABOUT[state] }));
  item.append(element("span", { className: "dot" }), who);
  const free = state === "free" || sessionStorage.getItem(`samebits seat ${slot}`) !== null;
  if (free && state !== "bot")
    item.append(element("a", { className: "button primary", href: `/play/${slot}`, textContent: state === "free" ? "Play" : "Go on" }));
  return item;
}
