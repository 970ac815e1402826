/** Load the peer's module: from beside this file, or from a URL, its bytes, or compiled. */
export function loadPeer(source = new URL("./@NAME@_match.wasm", import.meta.url)) {
  return compile(source);
}

/** A peer of a match: messages in, messages and events out. It opens no connection and reads no
 * clock; times are nanoseconds of any clock that never goes back, as BigInts. */
export class PeerCore {
  #exports;
  #view;
  #input;
  #states = new Map();

  constructor(module, ticket, options = {}) {
    const { window, keep, spectator, leastDelay, machine, token } = checked(ticket, options);
    this.#exports = new WebAssembly.Instance(module).exports;
    this.#write(this.#exports.ticket_at(), ticket);
    this.#write(this.#exports.machine_at(), machine);
    if (!this.#exports.open(window, keep, spectator ? 1 : 0, leastDelay))
      throw new MatchError("memory", "there is not enough memory: make window and keep smaller");
    this.#view = new DataView(this.#exports.memory.buffer); // it grows no more
    this.#bytes(this.#exports.token_at(), token.length).set(token);
    if (token.length) this.#exports.come_back(token.length);
    this.#input = viewInput(this.#view, this.#exports.input_at());
  }

  /** What the player does now: views that each tick reads. */
  get input() {
    return this.#input;
  }

  /** Set `input` from the bytes of its struct. */
  setInput(bytes) {
    new Uint8Array(this.#view.buffer, this.#exports.input_at(), INPUT_SIZE).set(bytes);
  }

  /** The latest state, predicted or not, until the next call; null before there is one. */
  get state() {
    const at = this.#exports.state();
    if (!at) return null;
    let view = this.#states.get(at);
    if (!view) this.#states.set(at, (view = viewState(this.#view, at)));
    return view;
  }

  /** The bytes of `state`, which stay. */
  copyState(to = new Uint8Array(STATE_SIZE)) {
    to.set(new Uint8Array(this.#view.buffer, this.#exports.state(), STATE_SIZE));
    return to;
  }

  /** A message came. */
  receive(now, message) {
    const size = Math.min(message.length, MESSAGE_BYTES + 1);
    if (size <= MESSAGE_BYTES) this.#bytes(this.#exports.message_at(), size).set(message);
    this.#exports.receive(now, size);
  }

  /** Do what is due. The time at which to call again at the latest; null when it is over. */
  tick(now) {
    const wake = this.#exports.tick(now);
    return wake === NEVER ? null : wake;
  }

  /** The messages that are to be sent now, in order. */
  messages() {
    const found = [];
    for (let size; (size = this.#exports.send()); )
      found.push(this.#bytes(this.#exports.sent_at(), size).slice());
    return found;
  }

  /** What happened. */
  events() {
    const found = [];
    const raw = new RawEvent(this.#view, this.#exports.event_at());
    while (this.#exports.next_event()) found.push(EVENTS[raw.what](raw));
    return found;
  }

  status() {
    this.#exports.get_status();
    const at = this.#exports.status_at();
    const number = (n) => this.#view.getBigUint64(at + 8 + 8 * n, true);
    const found = Object.fromEntries(COUNTS.map((name, n) => [name, Number(number(n + 2))]));
    return {
      phase: PHASES[this.#view.getInt32(at, true)],
      slot: this.#view.getInt32(at + 4, true),
      players: slotsOf(number(0)),
      seed: number(1),
      ...found,
      rtt: found.rtt / 1e6,
      token: this.#token(),
    };
  }

  /** The hash after a final frame, a BigInt; null where it is not kept or not final. */
  hash(frame) {
    if (!this.#exports.find_hash(BigInt(frame))) return null;
    return BigInt.asUintN(64, this.#exports.found_hash());
  }

  /** A desync report that shows a final frame, which `samebits diagnose` takes; null where the
   * frame is not kept. */
  report(frame) {
    const size = this.#exports.write_report(BigInt(frame));
    return size ? this.#bytes(this.#exports.report_at(), size).slice() : null;
  }

  /** There is a new connection: say hello again, with what brings this peer back to its slot. */
  reconnect() {
    this.#exports.reconnect();
  }

  /** Ask for a pause, for its end, or leave for good: it is in the messages after the next tick. */
  pause() {
    this.#exports.pause();
  }
  resume() {
    this.#exports.go_on();
  }
  leave() {
    this.#exports.leave();
  }

  #token() {
    const bytes = this.#bytes(this.#exports.token_at(), this.#exports.get_token());
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  #bytes(at, length) {
    return new Uint8Array(this.#exports.memory.buffer, at, length);
  }

  #write(at, text) {
    const bytes = new TextEncoder().encode(text);
    this.#bytes(at, bytes.length).set(bytes);
  }
}

// As many frames of a window as this machine plays in a quarter of a tick.
function affordable(module, window) {
  const { begin_run, run } = new WebAssembly.Instance(module).exports;
  if (!window || !begin_run()) return window;
  let best = Infinity;
  for (let n = 0; n < 3; n++) {
    const begun = performance.now();
    const frames = run(Math.min(window, 8));
    if (frames) best = Math.min(best, (performance.now() - begun) / frames);
  }
  return Math.max(1, Math.min(window, Math.floor(250 / info.tickRate / best)));
}

// The core of a peer that predicts no more frames than this machine can play again.
async function coreOf(ticket, options) {
  const module = await loadPeer(options.wasm);
  const { window = 8 } = options;
  return new PeerCore(module, ticket, { ...options, window: affordable(module, window) });
}

// The options of a peer, all of them.
function checked(ticket, options) {
  const { window = 8, keep = 900, spectator = false, leastDelay = 0 } = options;
  const { machine = userAgent(), token = "" } = options;
  if (!TOKEN.test(token)) throw new RangeError("a token is what `status` gave as one");
  if (typeof ticket !== "string" || ticket.length > TICKET_BYTES || !/^[ -~]*$/.test(ticket))
    throw new RangeError(`a ticket is at most ${TICKET_BYTES} printable ASCII characters`);
  for (const [name, value, most] of [
    ["window", window, MOST_WINDOW],
    ["keep", keep, MOST_KEPT],
    ["leastDelay", leastDelay, MOST_DELAY],
  ])
    if (!Number.isSafeInteger(value) || value < 0 || value > most)
      throw new RangeError(`${name} is ${String(value)}, not a whole number from 0 to ${most}`);
  const plain = String(machine).replace(/[^ -~]|["\\]/g, "").slice(0, MACHINE_BYTES);
  const bytes = Uint8Array.from(token.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  return { window, keep, spectator, leastDelay, machine: plain, token: bytes };
}
