// A match in this tab: the stage, the seat, and what lies over them, put together.

import { Controls } from "./controls.mjs";
import { facts as ask, joinCode, keepCode, lobby, takeCode } from "./host.mjs";
import { Hud } from "./hud.mjs";
import { count, element, playerName, playersText } from "./names.mjs";
import { notice, Verdicts } from "./panels.mjs";
import { forget, remember, takeSeat, whyNot } from "./seat.mjs";
import { Stage } from "./stage.mjs";
import { blank } from "./fields.mjs";

const EVERY = 1000; // ms from one look at the lobby to the next
const SOON = 300; // while a verdict is on its way
const LEAVING = 1000; // ms that a farewell may take
const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;
const at = (id) => document.getElementById(id);

takeCode();
notice({ title: "Joining", waits: true });
const place = location.pathname.split("/").at(-1);
const slot = place === "watch" ? null : Number(place);
const about = await ask();
document.title = `${slot === null ? "Watching" : playerName(slot)} · ${about.name}`;
const [peers, drawing] = await Promise.all([import(about.match), import(about.view)]);
const view = drawing.open ? drawing.open({ facts: about, panel: at("panel"), slot }) : drawing;
const controls = new Controls(at("stage"), () => play());
const stage = new Stage(at("stage"), view, about, {
  insets: () => (innerWidth < 640 ? { top: 48, right: 12, bottom: 60, left: 12 } : { top: 8, right: 14, bottom: 42, left: 14 }),
  pointers: () => controls.pointers,
});
const hud = new Hud();
const verdicts = new Verdicts();
const input = blank(about.input);
let match = null;
let name = "";
let isOver = false;
let others = [];

showKeys();
at("leave").onclick = leave;
at("pause").onclick = pause;
at("keys").onclick = toggleKeys;
addEventListener("keydown", (event) => {
  if (event.target.closest?.("input") || event.repeat || event.ctrlKey || event.metaKey) return;
  if (event.code === "KeyP") pause();
  if (event.key === "?" || event.code === "KeyH") toggleKeys();
});
addEventListener("pagehide", keepSeat);
at("stage").focus({ preventScroll: true });
at("pause").hidden = slot === null;
join();
look();

async function join() {
  isOver = false;
  notice({ title: "Joining", waits: true });
  try {
    const found = await takeSeat(peers, slot, { window: about.window });
    ({ match, name } = found);
  } catch (error) {
    const { title, text, code } = whyNot(error);
    const again = [["Try again", join], ["Lobby", "/"]];
    if (!code) return notice({ title, text, actions: again });
    const wrong = joinCode() !== "";
    return notice({ title, text: wrong ? "It is another one." : text, code: (given) => (keepCode(given), join()) });
  }
  globalThis.match = match; // for the console
  stage.clear();
  match.onframe = (state, status) => {
    stage.show(state, status.frame, status.slot < about.players ? status.slot : -1);
    hud.status(status, performance.now());
    play();
    phase(status);
  };
  match.onevent = () => phase(match.status());
  match.onend = (event) => over(event);
  match.onerror = (error) => over({ type: "error", reason: error.message });
  phase(match.status());
}

/** Give the peer what the player does now. */
function play() {
  if (match === null || isOver || slot === null || match.state === null) return;
  view.control?.(controls.keys, controls.pointers, input, match.state, { ...stage.info, slot });
  match.input = input;
}

function phase(status) {
  if (isOver) return;
  keepSeat();
  const paused = status.phase === "paused";
  at("pause").textContent = paused ? "Go on" : "Pause";
  at("pause").setAttribute("aria-pressed", String(paused));
  if (status.connected === false) return notice({ title: "Reconnecting", text: "The match goes on meanwhile.", waits: true });
  if (paused) return notice({ title: "Paused", text: `after frame ${count(status.confirmed)}`, actions: slot === null ? [] : [["Go on", pause]] });
  if (status.phase === "playing") return notice(null);
  if (status.phase === "loading") return notice({ title: "Catching up", waits: true });
  const isMissing = (state, n) => n !== slot && (state === "free" || state === "reserved");
  const missing = others.flatMap((state, n) => (isMissing(state, n) ? [n] : []));
  if (!missing.length) return notice({ title: "Waiting", waits: true });
  const text = LOOPBACK.test(location.hostname) ? "" : `Send ${location.origin} to a friend, with the join code.`;
  const actions = slot === null ? [] : missing.slice(0, 1).map((n) => [`${playerName(n)} in another tab`, `/play/${n}`, true]);
  notice({ title: `Waiting for ${playersText(missing)}`, text, waits: true, actions });
}

function over(event) {
  isOver = true;
  if (slot !== null) forget(slot);
  const facts = event.type === "ended" ? `${count(event.frames)} frames, last hash ${event.hash.toString(16).padStart(16, "0")}` : "";
  const text = [event.reason, facts].filter(Boolean).join(". ");
  const again = () => (verdicts.clear(), join());
  notice({ title: event.type === "error" ? "The match broke off" : "The match is over", text, actions: [["Play again", again], ["Lobby", "/"]] });
}

function keepSeat() {
  if (match !== null && !isOver) remember(slot, name, match.status().token);
}

async function leave(event) {
  event.preventDefault();
  if (match !== null && !isOver) {
    isOver = true;
    if (slot !== null) forget(slot);
    await Promise.race([match.leave(), new Promise((done) => setTimeout(done, LEAVING))]);
  }
  location.assign("/");
}

function pause() {
  if (match === null || isOver || slot === null) return;
  if (match.status().phase === "paused") match.resume();
  else match.pause();
}

/** Look at the lobby again and again: who is there, what is agreed, and what was found of desyncs. */
async function look() {
  let found = null;
  try {
    found = await lobby();
  } catch {} // the seat says that the connection is gone
  const open = found === null ? [] : told(found);
  setTimeout(look, open.length ? SOON : EVERY);
}

/** Show what the host tells; gives the desyncs of which more is to come. */
function told(found) {
  others = found.slots;
  const desyncs = found.desyncs[name] ?? [];
  const isApart = ({ wrong, healed }) => wrong.some((one) => !(one in healed));
  if (found.match === name) hud.agreed(found.agreed, desyncs.some(isApart));
  if (desyncs.length) verdicts.show(desyncs);
  away(found);
  if (match !== null) phase(match.status());
  return desyncs.filter((each) => !each.what || isApart(each));
}

function away({ slots, running }) {
  const gone = slots.flatMap((state, n) => (n !== slot && state === "away" ? [n] : []));
  const free = slots.flatMap((state, n) => (state === "free" ? [n] : []));
  const said = gone.length
    ? `${playersText(gone)} lost the connection`
    : running && free.length ? `${playersText(free)} left` : "";
  at("said").textContent = said;
  at("said").hidden = !said || isOver;
}

function showKeys() {
  const rows = view.help ?? [];
  const own = [["P", "pause"], ["H", "these keys"]];
  at("keylist").append(...[...rows, ...own].flatMap(([key, what]) => [
    element("dt", { textContent: key }), element("dd", { textContent: what }),
  ]));
}

function toggleKeys() {
  const open = at("help").hidden;
  at("help").hidden = !open;
  at("keys").setAttribute("aria-expanded", String(open));
}
