/** A match that is played; made by `Match.join`. */
export class Match {
  /** Called with the state and the status when there is something new to show. */
  onframe = null;
  /** Called with each event. */
  onevent = null;
  /** Called with the event that states differ between machines. */
  ondesync = null;
  /** Called with the event of what a diagnosis of that found. */
  onverdict = null;
  /** Called once, with the event that the match is over, or that this player left. */
  onend = null;
  /** Called once in place of `onend` where the match broke off, with a MatchError. */
  onerror = null;
  /** A promise of the last event, whatever it is. */
  over;

  #peer;
  #play = null;
  #isOver = false;
  #waiting = []; // what came before `join` gave the match
  #joined; // what the promise of `join` is kept by, until it is
  #refused;
  #ends;

  /** Take a slot of the match that `url` names, `wss://host/match`, with a ticket for it. */
  static join(url, ticket, options = {}) {
    return new Promise((resolve, reject) => new Match(url, ticket, options, resolve, reject));
  }

  constructor(url, ticket, options, resolve, reject) {
    this.#joined = resolve;
    this.#refused = reject;
    this.over = new Promise((ends) => (this.#ends = ends));
    const { input = null, ...rest } = options;
    for (const name of HANDLERS) if (rest[name]) this[name] = rest[name];
    this.#open(url, ticket, input, rest).catch(reject);
  }

  async #open(url, ticket, input, options) {
    const { WebSocket = globalThis.WebSocket } = options;
    if (typeof WebSocket !== "function")
      throw new MatchError("WebSocket", "there is no WebSocket here: give one as an option");
    checked(ticket, options);
    this.#peer =
      this.#worked(String(url), ticket, options) ??
      (await Here.open(this, String(url), ticket, { ...options, WebSocket }));
    if (input !== null) this.input = input;
  }

  // A peer in a Worker, where one is wanted; pages have one by default where they may.
  #worked(url, ticket, options) {
    const { worker = typeof document === "object" && !options.WebSocket } = options;
    if (!worker || typeof Worker !== "function") return null;
    try {
      return new There(this, url, ticket, options);
    } catch (error) {
      if (options.worker) throw error;
      return null;
    }
  }

  /** What the player does now: views of an input. Given an object its fields are set; given a
   * function, that is asked for them with the frame that they are for, whenever one may be due. */
  get input() {
    return this.#peer.input;
  }

  set input(given) {
    this.#play = typeof given === "function" ? given : null;
    if (!this.#play) assign(this.#peer.input, given);
  }

  /** The latest state; null before there is one. Views of it are not to be kept. */
  get state() {
    return this.#peer.state;
  }

  /** Where the match is. */
  status() {
    return this.#peer.status();
  }

  /** Ask for a pause, and for its end. */
  pause() {
    this.#peer.ask("pause");
  }

  resume() {
    this.#peer.ask("resume");
  }

  /** Leave the slot for good, and free what the match took. */
  leave() {
    return this.#peer.leave();
  }

  /** A promise of the hash after a final frame; of null where it is not kept. */
  async hash(frame) {
    return this.#peer.find("hash", whole(frame));
  }

  /** A promise of a desync report that shows a final frame, the latest if none is named, which
   * `samebits diagnose` takes; of null where it is not kept. */
  async report(frame = Math.max(0, this.status().final - 1)) {
    return this.#peer.find("report", whole(frame));
  }

  // What the peer tells.

  sample(peer) {
    if (!this.#play) return;
    const { frame, delay } = peer.status();
    const given = this.#play(frame + delay);
    if (given) assign(peer.input, given);
  }

  changed(shown, events) {
    if (this.#joined) {
      this.#waiting.push(...events);
      if (this.status().slot < 0) return;
      this.#joined(this);
      this.#joined = null;
      setTimeout(() => this.#tell(true, this.#waiting.splice(0)));
    } else if (this.#waiting.length) this.#waiting.push(...events);
    else this.#tell(shown, events);
  }

  ended(event) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ends(event);
    const error = errorOf(event);
    if (this.#joined) {
      this.#refused(error ?? new MatchError(event.type, event.reason));
      this.#peer?.free();
      return;
    }
    setTimeout(() => {
      if (error) this.onerror?.(error);
      else this.onend?.(event);
    });
  }

  #tell(shown, events) {
    for (const event of events) {
      this.onevent?.(event);
      if (event.type === "desynced") this.ondesync?.(event);
      if (event.type === "verdict") this.onverdict?.(event);
    }
    if (shown && this.state) this.onframe?.(this.state, this.status());
  }
}

const HANDLERS = ["onframe", "onevent", "ondesync", "onverdict", "onend", "onerror"];

function whole(frame) {
  if (Number.isSafeInteger(frame) && frame >= 0) return frame;
  throw new RangeError(`the frame is ${String(frame)}, not a whole number from 0 on`);
}

// What went wrong, of a last event; nothing of an ordinary end.
function errorOf({ type, code, reason, text, ours, theirs }) {
  if (type === "refused" || type === "failed") return new MatchError(code, reason, ours, theirs);
  if (type === "trapped") return new MatchError(type, text);
  return type === "broken" || type === "lost" ? new MatchError(type, reason) : null;
}
