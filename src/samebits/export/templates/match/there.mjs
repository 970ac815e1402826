const WORKER = "samebits @NAME@ match";
const NOTHING = {
  phase: "greeting", slot: -1, players: [], seed: 0n,
  ...Object.fromEntries(COUNTS.map((name) => [name, 0])),
  token: "", connected: false,
};
const SETTERS = Object.getOwnPropertyNames(DataView.prototype).filter((n) => n.startsWith("set"));

/** Memory that tells when it is written to. */
class NotedView extends DataView {
  note;
}
for (const name of SETTERS)
  NotedView.prototype[name] = function (...given) {
    DataView.prototype[name].apply(this, given);
    this.note();
  };

/** A peer that runs in a Worker, for a match: its states are copies, and inputs are sent to it. */
class There {
  #match;
  #worker;
  #memory = new NotedView(new ArrayBuffer(INPUT_SIZE));
  #input = viewInput(this.#memory);
  #isNoted = false;
  #sent = new Uint8Array(INPUT_SIZE);
  #shown = null; // the memory of `#state`
  #state = null;
  #status = NOTHING;
  #asked = new Map();
  #count = 0;
  #isOver = false;

  /** Throws where a page may have no such Worker. */
  constructor(match, url, ticket, options) {
    this.#match = match;
    this.#memory.note = () => this.#note();
    this.#worker = new Worker(new URL("./@NAME@_match.mjs", import.meta.url), {
      type: "module",
      name: WORKER,
    });
    this.#worker.onmessage = ({ data }) => this.#take(data);
    this.#worker.onerror = ({ message = "it cannot be loaded" }) => this.#fail("worker", message);
    const { window, keep, spectator, leastDelay, machine, token, wasm } = options;
    const told = { window, keep, spectator, leastDelay, machine, token, wasm };
    this.#worker.postMessage({ what: "join", url, ticket, options: told });
  }

  get input() {
    return this.#input;
  }

  get state() {
    return this.#state;
  }

  status() {
    return this.#status;
  }

  ask(name) {
    this.#worker?.postMessage({ what: "ask", name });
  }

  async leave() {
    this.#worker?.postMessage({ what: "leave" });
    await this.#match.over;
    this.free();
  }

  /** End the Worker: nothing is found any more. */
  free() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const found of this.#asked.values()) found(null);
    this.#asked.clear();
  }

  find(name, frame) {
    if (!this.#worker) return Promise.resolve(null);
    return new Promise((found) => {
      this.#asked.set(++this.#count, found);
      this.#worker.postMessage({ what: "find", name, frame, number: this.#count });
    });
  }

  #take({ what, ...told }) {
    if (what === "found") {
      this.#asked.get(told.number)(told.value);
      this.#asked.delete(told.number);
      return;
    }
    if (what === "failed") return this.#fail(told.code, told.reason);
    this.#status = told.status ?? this.#status;
    const shown = told.shown && told.buffer;
    if (shown) {
      this.#give(this.#shown);
      this.#shown = told.buffer;
      this.#state = viewState(new DataView(told.buffer));
    } else this.#give(told.buffer);
    this.#match.sample(this);
    this.#send();
    try {
      this.#match.changed(Boolean(shown), told.events);
    } finally {
      if (what === "over") this.#end(told.event);
    }
  }

  /** Give memory back, to be sent again. */
  #give(buffer) {
    if (buffer) this.#worker?.postMessage({ what: "buffer", buffer }, [buffer]);
  }

  #note() {
    if (this.#isNoted) return;
    this.#isNoted = true;
    queueMicrotask(() => {
      this.#isNoted = false;
      this.#send();
    });
  }

  #send() {
    const now = new Uint8Array(this.#memory.buffer);
    if (this.#isOver || now.every((byte, n) => byte === this.#sent[n])) return;
    this.#sent.set(now);
    this.#worker.postMessage({ what: "input", bytes: this.#sent });
  }

  #end(event) {
    this.#isOver = true;
    this.#match.ended(event);
  }

  #fail(code, reason) {
    this.#end({ type: "failed", code, reason });
    this.free();
  }
}
