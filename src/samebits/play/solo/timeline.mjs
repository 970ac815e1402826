// A run as frames that one can go to: its inputs, the hashes, and states now and then to begin from.
//
// It knows nothing of pages. A replay is known from the start, a live run grows by what is played.

const MOST_BYTES = 64 << 20; // of states that are kept
const MOST_STATES = 1024;

export class Timeline {
  #simulation;
  #seed;
  #game;
  #scout; // runs ahead through a replay
  #frameBytes;
  #inputs;
  #hashes = [];
  #states = new Map();
  #every = 32;
  #most;
  trap = null; // where the simulation itself stops: { frame, message }

  /** `recorded` is { frames, inputs, hashes }, canonical bytes and a BigUint64Array or null; without
   * it the run is live, and ends before frame `limit` if that is one. */
  constructor({ Simulation, info, module, seed, recorded = null, limit = null }) {
    this.#simulation = new Simulation(module);
    this.#seed = seed;
    this.recorded = recorded;
    this.limit = limit ?? Infinity;
    this.#frameBytes = info.players * info.inputBytes;
    this.#most = Math.max(4, Math.min(MOST_STATES, Math.floor(MOST_BYTES / info.stateBytes)));
    this.restart();
  }

  /** Begin anew: a live run forgets what was played. */
  restart() {
    const { recorded } = this;
    this.#game = this.#simulation.start(this.#seed);
    this.#scout = recorded ? this.#simulation.start(this.#seed) : null;
    this.#inputs = recorded ? recorded.inputs : new Uint8Array(64 * this.#frameBytes);
    this.length = recorded ? recorded.frames : 0; // frames whose inputs are known
    this.#hashes = [this.#game.hash()];
    this.#states.clear();
    this.#states.set(0, this.#game.save());
    this.trap = null;
    this.differs = null; // the first frame whose hash is not the recorded one
  }

  get isLive() {
    return this.recorded === null;
  }

  /** Frames that are over in the state that is shown. */
  get frame() {
    return this.#game.frame;
  }

  get state() {
    return this.#game.state;
  }

  /** The canonical bytes of the state that is shown. */
  save() {
    return this.#game.save();
  }

  /** The hash after the frames so far. */
  get hash() {
    return this.#hashes[this.frame] ?? this.#game.hash();
  }

  /** What the replay says of it; undefined where it says nothing. */
  get recordedHash() {
    return this.frame ? this.recorded?.hashes?.[this.frame - 1] : undefined;
  }

  /** Frames that were run so far, and compared where there are hashes. */
  get known() {
    return this.#hashes.length - 1;
  }

  /** Whether a live run would go on here, and not repeat what was played. */
  get isAtEnd() {
    return this.frame >= this.length;
  }

  /** The inputs of the next frame, one a player, for a live run to set. */
  get inputs() {
    return this.#game.inputs;
  }

  /** One frame on; whether there was one. */
  step() {
    const game = this.#game;
    if (game.frame >= Math.min(this.limit, this.trap?.frame ?? Infinity)) return false;
    if (!this.isAtEnd) game.restoreInputs(this.#given(game.frame));
    else if (this.isLive) this.#append(game.saveInputs());
    else return false;
    return this.#advance(game);
  }

  /** Go to a frame that is known. */
  seek(frame) {
    const to = Math.max(0, Math.min(frame, Math.max(this.known, this.frame)));
    let from = Math.floor(to / this.#every) * this.#every;
    while (!this.#states.has(from)) from -= this.#every;
    const isOnTheWay = this.frame <= to && this.frame >= from;
    if (!isOnTheWay) this.#game.restore(this.#states.get(from), from);
    while (this.frame < to && this.step());
  }

  /** Run ahead for some milliseconds; whether there is more to run. */
  explore(budget) {
    const until = performance.now() + budget;
    while (this.#scout && performance.now() < until) {
      if (this.#scout.frame >= this.length || this.trap) this.#scout = null;
      else {
        this.#scout.restoreInputs(this.#given(this.#scout.frame));
        this.#advance(this.#scout);
      }
    }
    return this.#scout !== null;
  }

  #given(frame) {
    return this.#inputs.subarray(frame * this.#frameBytes, (frame + 1) * this.#frameBytes);
  }

  #append(bytes) {
    const at = this.length * this.#frameBytes;
    if (at + this.#frameBytes > this.#inputs.length) {
      const more = new Uint8Array(2 * this.#inputs.length);
      more.set(this.#inputs);
      this.#inputs = more;
    }
    this.#inputs.set(bytes, at);
    this.length++;
  }

  #advance(game) {
    try {
      game.step();
    } catch (error) {
      this.trap = { frame: game.frame, message: error.message };
      this.length = game.frame;
      return false;
    }
    const { frame } = game;
    if (frame !== this.#hashes.length) return true; // it was there before
    const hash = game.hash();
    this.#hashes.push(hash);
    const wanted = this.recorded?.hashes?.[frame - 1];
    if (wanted !== undefined && wanted !== hash) this.differs ??= frame - 1;
    if (frame % this.#every === 0) this.#keep(frame, game.save());
    return true;
  }

  #keep(frame, state) {
    this.#states.set(frame, state);
    if (this.#states.size <= this.#most) return;
    this.#every *= 2;
    for (const each of this.#states.keys()) if (each % this.#every) this.#states.delete(each);
  }
}

const HEAD = 64;

/** The inputs and hashes of a file of `samebits replay export`. */
export function readInputs(bytes, { players, inputBytes }) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames = Number(view.getBigUint64(32, true));
  const hashed = view.getBigUint64(48, true) === 1n;
  const frameBytes = players * inputBytes;
  const size = frameBytes + (hashed ? 8 : 0);
  const inputs = new Uint8Array(frames * frameBytes);
  const hashes = hashed ? new BigUint64Array(frames) : null;
  for (let frame = 0; frame < frames; frame++) {
    const at = HEAD + frame * size;
    inputs.set(bytes.subarray(at, at + frameBytes), frame * frameBytes);
    if (hashed) hashes[frame] = view.getBigUint64(at + frameBytes, true);
  }
  return { frames, inputs, hashes };
}
