// @SIMULATION@: a simulation with the same bits on every machine. Written by samebits.
// Node 18 or later, and every browser with WebAssembly and BigInt. No build step.

export const info = Object.freeze({
  name: @NAME_TEXT@,
  version: @VERSION@,
  digest: "@DIGEST@",
  players: @PLAYERS@,
  tickRate: @TICK_RATE@,
  stateBytes: @STATE_BYTES@,
  inputBytes: @INPUT_BYTES@,
});

const FRAME_BYTES = info.players * info.inputBytes;
const BLOCK_FRAMES = @BLOCK@;
const INPUT_SIZE = @INPUT_SIZE@;
const MOST_KEPT = 35_999; // frames, and bytes of states, that a report holds
const MOST_STATE_BYTES = 1 << 24;

// What traps 1, 2, … stand for: message, file, function, line.
const TRAPS = @TRAPS@;

/** The simulation itself stopped: the same trap in the same frame on every machine. */
export class SimulationTrap extends Error {
  constructor(code, frame) {
    const [message, file, fn, line] = TRAPS[code - 1] ?? ["unknown trap", "", "", 0];
    super(`${message}, in ${frame < 0 ? "init" : `frame ${frame}`}, at ${file}:${line} in ${fn}`);
    this.name = "SimulationTrap";
    Object.assign(this, { code, frame, reason: message, file, function: fn, line });
  }
}

@VIEWS@
/** Views of a state, or of one player's input, that lies at `at` in a buffer as a module has it. */
export function viewState(view, at = 0) {
  return new @STATE_VIEW@(view, at);
}

export function viewInput(view, at = 0) {
  return new @INPUT_VIEW@(view, at);
}

/** Load the module: from beside this file, or from a URL, its bytes, or a WebAssembly.Module. */
export async function load(source = new URL("./@NAME@.wasm", import.meta.url)) {
  return new Simulation(await compile(source));
}

export async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const url = new URL(source, import.meta.url);
  if (url.protocol === "file:") {
    const files = "node:fs/promises"; // a name that bundlers do not follow
    const { readFile } = await import(files);
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** A loaded module, which games are started from. */
export class Simulation {
  #module;

  constructor(module) {
    this.#module = module;
  }

  /** A new game, which keeps what a report tells of its last `keep` frames. The seed is a whole
   * number from 0 to 2**64 - 1. */
  start(seed = 0n, { keep = 0 } = {}) {
    return new Game(this.#module, seed, keep);
  }

  /** Play a file of `samebits replay export` and compare with its hashes. */
  verify(file) {
    const bytes = bytesOf(file, "the file");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = [...bytes.subarray(0, 8)].map((c) => String.fromCharCode(c)).join("");
    if (text !== "sbinput1" || bytes.length < 64)
      throw new RangeError("this is no file of inputs: write one with samebits replay export");
    const digest = [...bytes.subarray(8, 24)].map((c) => c.toString(16).padStart(2, "0")).join("");
    if (digest !== info.digest)
      throw new RangeError(`recorded from other code: digest ${digest}, not ${info.digest}`);
    const frames = Number(view.getBigUint64(32, true));
    const hashed = Number(view.getBigUint64(48, true));
    const size = FRAME_BYTES + 8 * hashed;
    if (
      view.getUint32(40, true) !== info.players ||
      view.getUint32(44, true) !== info.inputBytes ||
      hashed > 1 ||
      view.getBigUint64(56, true) !== 0n ||
      frames === 0 ||
      bytes.length - 64 !== frames * size
    )
      throw new RangeError("this file of inputs is damaged or cut short: export it again");
    const game = this.start(view.getBigUint64(24, true));
    const inputs = new Uint8Array(frames * FRAME_BYTES);
    for (let frame = 0; frame < frames; frame++) {
      const at = 64 + frame * size;
      inputs.set(bytes.subarray(at, at + FRAME_BYTES), frame * FRAME_BYTES);
    }
    const hashes = game.run(inputs);
    let differs = -1;
    for (let frame = 0; hashed && frame < frames && differs < 0; frame++)
      if (view.getBigUint64(64 + frame * size + FRAME_BYTES, true) !== hashes[frame])
        differs = frame;
    return { frames, hash: game.hash(), compared: hashed === 1, differs, hashes };
  }
}

/** One running game: a state, the next frame's inputs, and what advances them. */
export class Game {
  #module;
  #seed;
  #history;
  #exports;
  #buffer;
  #frame = 0;
  #state;
  #inputs;

  constructor(module, seed, keep) {
    const value = BigInt(seed);
    if (value !== BigInt.asUintN(64, value))
      throw new RangeError(`the seed is ${seed}, not a whole number from 0 to 2**64 - 1`);
    if (!Number.isSafeInteger(keep) || keep < 0 || keep > MOST_KEPT)
      throw new RangeError(`keep is ${String(keep)}, not a whole number from 0 to ${MOST_KEPT}`);
    this.#module = module;
    this.#seed = value;
    this.#exports = new WebAssembly.Instance(module).exports;
    this.#buffer = this.#exports.memory.buffer; // it never grows
    const view = new DataView(this.#buffer);
    this.#state = viewState(view, this.#exports.state_at());
    const at = this.#exports.inputs_at();
    this.#inputs = Object.freeze(
      Array.from({ length: info.players }, (_, p) => viewInput(view, at + p * INPUT_SIZE)),
    );
    const code = this.#exports.init(value);
    if (code) throw new SimulationTrap(code, -1);
    if (keep) {
      this.#history = new History(keep);
      this.#history.begin(0, this.save(), this.hash());
    }
  }

  /** Whole frames so far. */
  get frame() {
    return this.#frame;
  }

  /** The state, as views of the module's memory. */
  get state() {
    return this.#state;
  }

  /** The next frame's inputs, one a player; they stay as they are until they are changed. */
  get inputs() {
    return this.#inputs;
  }

  /** Advance one frame with `inputs`. A SimulationTrap leaves the state as it was. */
  step() {
    const inputs = this.#history && this.saveInputs();
    const code = this.#exports.step();
    if (code) {
      this.#history?.trapped(inputs, code);
      throw new SimulationTrap(code, this.#frame);
    }
    this.#frame++;
    this.#history?.add(inputs, this.save(), this.hash());
  }

  /** Advance over canonical input bytes; the hash after each frame, as a BigUint64Array. */
  run(inputs) {
    const given = bytesOf(inputs, "inputs");
    if (given.length % FRAME_BYTES)
      throw new RangeError(`inputs are ${given.length} bytes, not a multiple of ${FRAME_BYTES}`);
    const frames = given.length / FRAME_BYTES;
    const hashes = new BigUint64Array(frames);
    if (this.#history) {
      const before = this.saveInputs();
      try {
        for (let k = 0; k < frames; k++) {
          this.restoreInputs(given.subarray(k * FRAME_BYTES, (k + 1) * FRAME_BYTES));
          this.step();
          hashes[k] = this.#history.hash;
        }
      } finally {
        this.restoreInputs(before);
      }
      return hashes;
    }
    const view = new DataView(this.#buffer);
    for (let first = 0; first < frames; first += BLOCK_FRAMES) {
      const count = Math.min(BLOCK_FRAMES, frames - first);
      this.#bytes(count * FRAME_BYTES).set(
        given.subarray(first * FRAME_BYTES, (first + count) * FRAME_BYTES),
      );
      this.#exports.restore_inputs(count);
      const code = this.#exports.run(count);
      const done = this.#exports.done_count();
      const at = this.#exports.hashes_at();
      for (let k = 0; k < done; k++) hashes[first + k] = view.getBigUint64(at + 8 * k, true);
      this.#frame += done;
      if (code) throw new SimulationTrap(code, this.#frame);
    }
    return hashes;
  }

  /** XXH64 of the canonical state, a BigInt: equal exactly where every other machine's is. */
  hash() {
    return BigInt.asUintN(64, this.#exports.hash());
  }

  /** The state's canonical bytes, which any other machine can restore. */
  save() {
    this.#exports.save();
    return this.#bytes(info.stateBytes).slice();
  }

  /** Come back to what `save` gave, which was at `frame`. */
  restore(bytes, frame = 0) {
    const given = bytesOf(bytes, "the state");
    if (given.length !== info.stateBytes)
      throw new RangeError(`a state is ${info.stateBytes} bytes, not ${given.length}`);
    if (!Number.isSafeInteger(frame) || frame < 0)
      throw new RangeError(`the frame is ${String(frame)}, not a whole number from 0 on`);
    this.#bytes(info.stateBytes).set(given);
    this.#exports.restore();
    this.#frame = frame;
    this.#history?.begin(frame, this.save(), this.hash());
  }

  /** The desync report of the frames that are kept, for `samebits diagnose`; `machine` says which
   * device this is. */
  report(machine = userAgent()) {
    if (!this.#history)
      throw new RangeError("nothing is kept: start the game with { keep: 600 }, or more frames");
    return this.#history.report(this.#module, this.#seed, machine);
  }

  /** The canonical bytes of `inputs`: what a replay holds, and what `run` takes. */
  saveInputs() {
    this.#exports.save_inputs();
    return this.#bytes(FRAME_BYTES).slice();
  }

  /** Set `inputs` from their canonical bytes. */
  restoreInputs(bytes) {
    const given = bytesOf(bytes, "inputs");
    if (given.length !== FRAME_BYTES)
      throw new RangeError(`a frame's inputs are ${FRAME_BYTES} bytes, not ${given.length}`);
    this.#bytes(FRAME_BYTES).set(given);
    this.#exports.restore_inputs(1);
  }

  #bytes(length) {
    return new Uint8Array(this.#buffer, this.#exports.bytes_at(), length);
  }
}

/** The inputs of a game's last frames, with the states and hashes around them. */
class History {
  #keep;
  #first = 0; // the number of the first state that is kept: the one before the frame of that number
  #states = [];
  #hashes = [];
  #inputs = [];
  #trap = 0;

  constructor(keep) {
    this.#keep = keep;
  }

  /** The hash of the last state. */
  get hash() {
    return this.#hashes.at(-1);
  }

  /** A state from elsewhere, before `frame`: frames behind it are forgotten, and all of them where
   * those before it are not known. */
  begin(frame, state, hash) {
    const known = frame - this.#first;
    const count = known >= 0 && known < this.#states.length ? known : 0;
    if (!count) this.#first = frame;
    this.#states.length = this.#hashes.length = this.#inputs.length = count;
    this.#trap = 0;
    this.#states.push(state);
    this.#hashes.push(hash);
  }

  add(inputs, state, hash) {
    this.#inputs.length = this.#states.length - 1; // those of a frame that trapped before
    this.#trap = 0;
    this.#inputs.push(inputs);
    this.#states.push(state);
    this.#hashes.push(hash);
    if (this.#inputs.length <= this.#keep) return;
    this.#first++;
    for (const kept of [this.#inputs, this.#states, this.#hashes]) kept.shift();
  }

  trapped(inputs, code) {
    this.#inputs[this.#states.length - 1] = inputs;
    this.#trap = code;
  }

  report(module, seed, machine) {
    const writer = new WebAssembly.Instance(module).exports;
    const frames = this.#states.length - 1;
    const states = this.#states.slice(-Math.floor(MOST_STATE_BYTES / info.stateBytes));
    const left = this.#states.length - states.length;
    if (!writer.keep(seed, BigInt(this.#first), frames, states.length, this.#trap))
      throw new RangeError("there is not enough memory for a report");
    const put = (at, bytes) => new Uint8Array(writer.memory.buffer, at, bytes.length).set(bytes);
    put(writer.machine_at(), plain(machine));
    const hashes = new DataView(writer.memory.buffer, writer.kept_hashes_at());
    this.#hashes.forEach((hash, k) => hashes.setBigUint64(8 * k, hash, true));
    this.#inputs.forEach((inputs, k) => {
      put(writer.bytes_at(), inputs);
      writer.keep_inputs(k);
    });
    states.forEach((state, k) => {
      put(writer.bytes_at(), state);
      writer.keep_state(k, BigInt(this.#first + left + k));
    });
    const size = writer.write_report();
    if (!size) throw new RangeError("a report of all that is kept would be too large: keep less");
    return new Uint8Array(writer.memory.buffer, writer.report_at(), size).slice();
  }
}

export function userAgent() {
  if (typeof process === "object" && process.versions?.node)
    return `Node ${process.versions.node} ${process.platform} ${process.arch}`;
  return globalThis.navigator?.userAgent ?? "";
}

// What a report may say of a machine: at most 200 printable ASCII characters, and a zero.
function plain(text) {
  const found = String(text).replace(/[^ -~]|["\\]/g, "").slice(0, 200);
  return Uint8Array.from([...found, "\0"], (c) => c.charCodeAt(0));
}

function bytesOf(value, what) {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`${what}: expected an ArrayBuffer or a Uint8Array`);
}
