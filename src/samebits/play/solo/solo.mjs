// A simulation in a page that needs no other file: a replay to go through, or a run to steer.

import { Controls } from "../page/controls.mjs";
import { open as openFields } from "../page/fields_view.mjs";
import { count, element, playerName } from "../page/names.mjs";
import { Stage } from "../page/stage.mjs";
import { defaultControls } from "./keys_view.mjs";
import { drawnShapes, kernelShapes, sceneView } from "./scene_view.mjs";
import { readInputs, Timeline } from "./timeline.mjs";

const MOST_WORK = 24; // ms of frames in one picture
const EXPLORE = 8; // ms of running ahead in one picture
const at = (id) => document.getElementById(id);
const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const hex = (hash) => hash.toString(16).padStart(16, "0");

async function inflated(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Open the page of `parts`; `load` gives a module of it by its name. */
export async function open(parts, load) {
  const { run } = parts;
  const { Simulation, info, compile } = await load("module.mjs");
  const module = await compile(bytesOf(parts.wasm));
  const recorded = run.replay === null ? null : readInputs(await inflated(run.replay), info);
  const timeline = new Timeline({ Simulation, info, module, seed: BigInt(run.seed), recorded, limit: run.frames });
  const page = new Page(parts, timeline);
  await page.show(load);
  globalThis.page = page; // for the console
}

class Page {
  #parts;
  #timeline;
  #controls;
  #stage;
  #steering; // what sets a player's input
  #slot = 0;
  #speed = 1;
  #owed = 0; // frames that time has come for
  #at = 0;
  #shown = "";
  #wrong = "";
  #goal = null; // the frame to go to once it is known
  #waits; // whether a live run is to begin
  isPlaying = false;

  constructor(parts, timeline) {
    this.#parts = parts;
    this.#timeline = timeline;
    this.#waits = timeline.isLive;
  }

  get timeline() {
    return this.#timeline;
  }

  async show(load) {
    const { facts, run } = this.#parts;
    const timeline = this.#timeline;
    document.title = `${facts.name} · ${timeline.isLive ? "live" : "replay"}`;
    at("name").textContent = facts.name;
    at("about").textContent = timeline.isLive ? `version ${facts.version}, seed ${run.seed}` : run.about;
    const view = await this.#view(load);
    this.#steering = view.control ? view : defaultControls(facts.input);
    this.#controls = new Controls(at("stage"), () => this.#begin());
    this.#stage = new Stage(at("stage"), view, facts, {
      insets: () => this.#insets(), pointers: () => this.#controls.pointers,
    });
    this.#wire();
    at("stage").focus({ preventScroll: true });
    requestAnimationFrame((now) => this.#picture(now));
  }

  /** The drawing: a view of its own, a scene's shapes, or the table of the state's fields. */
  async #view(load) {
    const { facts, view, look, scene, pictures } = this.#parts;
    if (view) {
      const own = await load(view);
      return own.open ? own.open({ facts, panel: at("panel"), slot: this.#timeline.isLive ? 0 : null }) : own;
    }
    const said = (text) => (this.#wrong = text);
    if (scene) {
      const made = await WebAssembly.instantiate(await WebAssembly.compile(bytesOf(scene.wasm)));
      return sceneView(look, kernelShapes(made, scene.traps), this.#timeline, said);
    }
    if (pictures) {
      const lines = new TextDecoder().decode(await inflated(pictures.lines)).split("\n");
      return sceneView(look, drawnShapes(lines, pictures.scale), this.#timeline, said);
    }
    at("fields").hidden = true;
    return openFields({ facts, panel: at("panel"), slot: this.#timeline.isLive ? 0 : null });
  }

  #insets() {
    const [top, bottom] = [at("top").offsetHeight, at("bar").offsetHeight];
    return { top: top + 4, right: 12, bottom: bottom + 12, left: 12 };
  }

  #wire() {
    const { facts } = this.#parts;
    const timeline = this.#timeline;
    const { isLive } = timeline;
    at("play").onclick = () => this.toggle();
    at("back").onclick = () => this.move(-1);
    at("on").onclick = () => this.move(1);
    at("first").onclick = () => (isLive ? this.restart() : this.go(0));
    at("first").textContent = isLive ? "Restart" : "Start";
    at("end").onclick = () => this.end();
    at("end").textContent = isLive ? "Live" : "End";
    at("speed").onchange = () => (this.#speed = Number(at("speed").value));
    at("seek").oninput = () => this.go(Number(at("seek").value));
    at("seek").onchange = () => at("stage").focus({ preventScroll: true });
    at("keys").onclick = () => this.#toggle("keys", "help");
    at("fields").onclick = () => this.#toggleFields();
    const steered = isLive && facts.input.length > 0;
    if (steered && facts.players > 1) this.#players();
    const rows = isLive ? [...(this.#steering.help ?? []), ["P", "pause"], ["R", "restart"]] : [["Space or P", "play, pause"], ["← →", "a frame back, on"], ["Home, End", "start, end"]];
    at("keylist").append(...[...rows, ["H", "these keys"]].flatMap(([key, what]) => [
      element("dt", { textContent: key }), element("dd", { textContent: what }),
    ]));
    addEventListener("keydown", (event) => this.#key(event));
  }

  #players() {
    const choice = element("select", { id: "slot", title: "Whom you steer" });
    for (let n = 0; n < this.#parts.facts.players; n++)
      choice.append(element("option", { value: n, textContent: playerName(n) }));
    choice.onchange = () => {
      this.#slot = Number(choice.value);
      this.#timeline.inputs.forEach((_, n) => n !== this.#slot && this.#steer(n, true));
      at("stage").focus({ preventScroll: true });
    };
    at("keys").before(choice);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select")) return;
    const onButton = event.target.closest?.("button, a") && ["Space", "Enter"].includes(event.code);
    if (onButton) return;
    const { isLive } = this.#timeline;
    const acts = { KeyP: () => this.toggle(), KeyH: () => this.#toggle("keys", "help") };
    if (isLive) acts.KeyR = () => this.restart();
    else {
      Object.assign(acts, {
        Space: () => this.toggle(), ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1),
        Home: () => this.go(0), End: () => this.end(),
      });
    }
    const repeats = event.code.startsWith("Arrow");
    if (!(event.code in acts) || (event.repeat && !repeats)) return;
    event.preventDefault();
    acts[event.code]();
  }

  toggle() {
    const timeline = this.#timeline;
    if (!this.isPlaying && !timeline.isLive && timeline.frame >= timeline.length) timeline.seek(0);
    this.isPlaying = !this.isPlaying;
    this.#waits = false;
    this.#owed = 0;
    this.#goal = null;
  }

  /** What begins a live run: the first key, or the first touch of the picture. */
  #begin() {
    const isTouched = this.#controls.keys.size + this.#controls.pointers.length > 0;
    if (this.#waits && isTouched && !this.#controls.keys.has("KeyH")) this.toggle();
  }

  /** Go to a frame and stay there; to one that is not known yet as soon as it is. */
  go(frame) {
    this.isPlaying = false;
    this.#timeline.seek(frame);
    this.#goal = this.#timeline.frame < frame ? frame : null;
    this.#stage.clear();
  }

  /** A frame on or back; a live run stays within what was played. */
  move(by) {
    const { frame, isLive, length } = this.#timeline;
    if (by > 0 && !isLive) return void ((this.isPlaying = false), this.#timeline.step());
    this.go(Math.max(0, Math.min(frame + by, isLive ? length : frame + by)));
  }

  /** The last frame, from which a live run goes on. */
  end() {
    const { isLive, length } = this.#timeline;
    this.go(length);
    this.isPlaying = isLive;
  }

  restart() {
    this.#timeline.restart();
    this.#stage.clear();
    this.isPlaying = true;
    this.#owed = 0;
  }

  #toggle(button, what) {
    const isOpen = at(what).hidden;
    at(what).hidden = !isOpen;
    at(button).setAttribute("aria-expanded", String(isOpen));
  }

  /** The table of the state's fields, over the picture. */
  #toggleFields() {
    this.#toggle("fields", "table");
    if (at("table").hidden || at("table").childElementCount) return;
    const { facts } = this.#parts;
    const table = openFields({ facts, panel: at("table"), slot: null });
    const nothing = { fillRect() {} };
    const read = (now) => {
      if (!at("table").hidden) table.draw(nothing, this.#timeline.state, { width: 0, height: 0, time: now / 1000 });
      requestAnimationFrame(read);
    };
    requestAnimationFrame(read);
  }

  #steer(slot, isLetGo = false) {
    const timeline = this.#timeline;
    const [keys, pointers] = isLetGo ? [new Set(), []] : [this.#controls.keys, this.#controls.pointers];
    const info = { ...this.#stage.info, slot };
    this.#steering.control?.(keys, pointers, timeline.inputs[slot], timeline.state, info);
  }

  #picture(now) {
    requestAnimationFrame((next) => this.#picture(next));
    const timeline = this.#timeline;
    const seconds = Math.min(0.25, (now - this.#at) / 1000);
    this.#at = now;
    if (this.isPlaying) this.#play(seconds * this.#parts.facts.tickRate * this.#speed);
    const isMore = timeline.explore(EXPLORE);
    if (this.#goal !== null) {
      timeline.seek(this.#goal);
      if (timeline.frame >= this.#goal || !isMore) this.#goal = null;
    }
    this.#stage.show(timeline.state, timeline.frame, timeline.isLive ? this.#slot : -1);
    this.#tell();
  }

  #play(frames) {
    const timeline = this.#timeline;
    const until = performance.now() + MOST_WORK;
    for (this.#owed += frames; this.#owed >= 1; this.#owed--) {
      if (performance.now() > until) this.#owed = 1; // a machine that is too slow falls behind
      if (timeline.isLive && timeline.isAtEnd) this.#steer(this.#slot);
      if (timeline.step()) continue;
      this.isPlaying = false;
      this.#owed = 0;
      return;
    }
  }

  /** Say what is shown, where it changed. */
  #tell() {
    const timeline = this.#timeline;
    const { frame, length, known, hash, recordedHash, differs, trap, isLive } = timeline;
    const key = [frame, length, known, hash, this.isPlaying, this.#waits, this.#wrong, innerWidth, innerHeight].join();
    if (key === this.#shown) return;
    this.#shown = key;
    at("seek").max = isLive ? Math.max(length, 1) : length;
    at("seek").value = frame;
    at("frame").textContent = count(frame);
    at("frames").textContent = isLive ? "" : ` / ${count(length)}`;
    at("seconds").textContent = `${(frame / this.#parts.facts.tickRate).toFixed(2)} s`;
    at("hash").textContent = hex(hash);
    const isOther = recordedHash !== undefined && recordedHash !== hash;
    at("same").textContent = recordedHash === undefined ? "" : isOther ? `recorded ${hex(recordedHash)}` : "as recorded";
    at("same").className = isOther ? "departed" : "agrees";
    at("play").textContent = this.isPlaying ? "Pause" : "Play";
    at("play").setAttribute("aria-pressed", String(this.isPlaying));
    at("back").disabled = frame === 0;
    at("on").disabled = frame >= length;
    at("end").disabled = isLive && timeline.isAtEnd && this.isPlaying;
    this.#proof({ known, length, differs, isLive });
    this.#warn(trap, differs);
  }

  #proof({ known, length, differs, isLive }) {
    const { recorded } = this.#timeline;
    let text = "";
    if (!isLive && recorded.hashes === null) text = "the replay has no hashes to compare with";
    else if (!isLive && differs !== null) text = `the same up to frame ${count(differs)}`;
    else if (!isLive) text = known < length ? `comparing, ${count(known)} so far` : `all ${count(length)} hashes are the recorded ones`;
    at("proof").textContent = text;
    at("proof").className = differs !== null ? "departed" : known >= length && !isLive ? "agrees" : "";
  }

  #warn(trap, differs) {
    const { command, note } = this.#parts;
    const begin = "Press a key, or touch the picture, to begin.";
    at("note").textContent = [note, this.#waits ? begin : ""].filter(Boolean).join(" ");
    at("note").hidden = !at("note").textContent;
    const said = [];
    if (differs !== null) said.push(`From frame ${count(differs)} on the states here are not those that were recorded. Ask: ${command}`);
    if (trap && this.#timeline.frame >= trap.frame) said.push(`The simulation stopped: ${trap.message}.`);
    if (this.#wrong) said.push(`${this.#wrong}.`);
    at("notice").textContent = said.join(" ");
    at("notice").hidden = said.length === 0;
    document.body.style.setProperty("--bar", `${at("bar").offsetHeight}px`);
  }
}
