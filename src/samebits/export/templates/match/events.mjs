const SLOTS = Array.from({ length: 64 }, (_, n) => n);
const slotsOf = (mask) => SLOTS.filter((n) => (mask >> BigInt(n)) & 1n);

// What each number of an event means, and which of its members tell of it.
const EVENTS = [
  null,
  (e) => ({ type: "joined", slot: e.slot, frame: e.frame }),
  (e) => ({ type: "left", slot: e.slot, frame: e.frame }),
  (e) => ({ type: "away", slot: e.slot, frame: e.frame }),
  (e) => ({ type: "substituted", slots: slotsOf(e.slots), frame: e.frame }),
  (e) => ({ type: "started", frame: e.frame }),
  (e) => ({ type: "paused", frame: e.frame }),
  (e) => ({ type: "delayed", slot: e.slot, delay: Number(e.value), frame: e.frame }),
  (e) => {
    const wrong = slotsOf(e.slots);
    const decided = wrong.length > 0;
    return { type: "desynced", frame: e.frame, wrong, decided, groups: e.groups() };
  },
  (e) => ({ type: "verdict", frame: e.frame, text: e.text(0) }),
  (e) => ({ type: "trapped", frame: e.frame, code: Number(e.value), text: e.text(0) }),
  (e) => {
    const [reason, code, ours, theirs] = [0, 1, 2, 3].map((n) => e.text(n));
    return { type: "refused", code, reason, ours, theirs };
  },
  (e) => ({ type: "ended", reason: e.text(0), frames: e.frame, hash: e.value }),
  (e) => ({ type: "broken", reason: e.text(0) }),
];

// The members of an event that lies at `at` in a peer's memory.
class RawEvent {
  #view;
  #at;

  constructor(view, at) {
    this.#view = view;
    this.#at = at;
  }

  get what() {
    return this.#view.getInt32(this.#at, true);
  }
  get slot() {
    return this.#view.getInt32(this.#at + 4, true);
  }
  get frame() {
    return Number(this.#view.getBigUint64(this.#at + 8, true));
  }
  get value() {
    return this.#view.getBigUint64(this.#at + 16, true);
  }
  get slots() {
    return this.#view.getBigUint64(this.#at + 24, true);
  }

  /** Text, code, ours and theirs are the texts 0 to 3. */
  text(n) {
    const from = this.#view.getUint32(this.#at + 32 + 4 * n, true);
    const bytes = new Uint8Array(this.#view.buffer, from);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  groups() {
    const first = this.#view.getUint32(this.#at + 48, true);
    const count = this.#view.getUint32(this.#at + 52, true);
    return Array.from({ length: count }, (_, n) => ({
      hash: this.#view.getBigUint64(first + 24 * n, true),
      slots: slotsOf(this.#view.getBigUint64(first + 24 * n + 8, true)),
      referee: this.#view.getInt32(first + 24 * n + 16, true) !== 0,
    }));
  }
}
