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
/** Load the module: from beside this file, or from a URL, its bytes, or a WebAssembly.Module. */
export async function load(source = new URL("./@NAME@.wasm", import.meta.url)) {
  return new Simulation(await compiled(source));
}

async function compiled(source) {
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

  /** A new game. The seed is a whole number from 0 to 2**64 - 1. */
  start(seed = 0n) {
    return new Game(this.#module, seed);
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
  #exports;
  #buffer;
  #frame = 0;
  #state;
  #inputs;

  constructor(module, seed) {
    const value = BigInt(seed);
    if (value !== BigInt.asUintN(64, value))
      throw new RangeError(`the seed is ${seed}, not a whole number from 0 to 2**64 - 1`);
    this.#exports = new WebAssembly.Instance(module).exports;
    this.#buffer = this.#exports.memory.buffer; // it never grows
    const view = new DataView(this.#buffer);
    this.#state = new @STATE_VIEW@(view, this.#exports.state_at());
    const at = this.#exports.inputs_at();
    this.#inputs = Object.freeze(
      Array.from({ length: info.players }, (_, p) => new @INPUT_VIEW@(view, at + p * INPUT_SIZE)),
    );
    const code = this.#exports.init(value);
    if (code) throw new SimulationTrap(code, -1);
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
    const code = this.#exports.step();
    if (code) throw new SimulationTrap(code, this.#frame);
    this.#frame++;
  }

  /** Advance over canonical input bytes; the hash after each frame, as a BigUint64Array. */
  run(inputs) {
    const given = bytesOf(inputs, "inputs");
    if (given.length % FRAME_BYTES)
      throw new RangeError(`inputs are ${given.length} bytes, not a multiple of ${FRAME_BYTES}`);
    const frames = given.length / FRAME_BYTES;
    const hashes = new BigUint64Array(frames);
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

function bytesOf(value, what) {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`${what}: expected an ArrayBuffer or a Uint8Array`);
}
