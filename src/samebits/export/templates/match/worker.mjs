const MOST_EVENTS = 1000; // that wait for a page which takes none

/** A peer in a Worker, for the page that started it. States and events go there as long as it gives
 * memory back: one that sleeps gets the latest when it wakes. */
class Worked {
  #core;
  #connection;
  #buffers = [new ArrayBuffer(STATE_SIZE), new ArrayBuffer(STATE_SIZE)];
  #shown = false;
  #events = [];

  static async open({ url, ticket, options }) {
    const worked = new Worked();
    worked.#core = await coreOf(ticket, options);
    worked.#connection = new Connection(worked.#core, url, WebSocket, worked);
    return worked;
  }

  take({ what, ...told }) {
    if (what === "input") this.#core.setInput(told.bytes);
    else if (what === "ask") this.#connection.ask(told.name);
    else if (what === "leave") this.#connection.leave();
    else if (what === "buffer") {
      this.#buffers.push(told.buffer);
      this.#tell();
    } else if (what === "find") {
      const value = this.#core[told.name](told.frame);
      postMessage({ what: "found", number: told.number, value });
    }
  }

  sample() {}

  changed(shown, events) {
    this.#shown ||= shown;
    this.#events.push(...events);
    this.#events.splice(0, this.#events.length - MOST_EVENTS);
    this.#tell();
  }

  #tell() {
    if (!this.#buffers.length || (!this.#shown && !this.#events.length)) return;
    const buffer = this.#buffers.pop();
    if (this.#shown) this.#core.copyState(new Uint8Array(buffer));
    postMessage({ what: "told", buffer, ...this.#facts() }, [buffer]);
  }

  #facts() {
    const status = { ...this.#core.status(), connected: this.#connection?.connected ?? false };
    const told = { status, shown: this.#shown, events: this.#events };
    this.#shown = false;
    this.#events = [];
    return told;
  }

  over(event) {
    const buffer = this.#shown ? this.#core.copyState().buffer : null;
    postMessage({ what: "over", event, buffer, ...this.#facts() });
  }
}

async function work() {
  let worked;
  onmessage = async ({ data }) => {
    try {
      if (data.what === "join") worked = Worked.open(data);
      (await worked).take(data);
    } catch ({ code = "worker", message }) {
      postMessage({ what: "failed", code, reason: message });
    }
  };
}

if (typeof WorkerGlobalScope === "function" && globalThis instanceof WorkerGlobalScope)
  if (globalThis.name === WORKER) work();
