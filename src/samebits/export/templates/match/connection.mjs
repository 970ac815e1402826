const TRIES = [50, 100, 200, 500, 1000, 2000, 2000, ...Array(10).fill(5000)]; // ms between them
const SILENT = 5000; // ms after which a connection is taken for lost; a relay answers every 500
const GOODBYE = 2000; // ms for the last message
const AT_ONCE = 10; // ms of catching up before what else there is to do

const nanoseconds = () => BigInt(Math.round(performance.now() * 1e6));

/** A core with its connection and its clock. What comes of them goes to `listener`: `sample()`
 * before each tick, `changed(shown, events)`, and `over(event)` once. */
class Connection {
  #core;
  #url;
  #Socket;
  #listener;
  #socket = null;
  #isOpen = false;
  #heard = 0;
  #tries = 0;
  #timer;
  #shown = -1;
  #isLeaving = false;
  #isOver = false;

  constructor(core, url, Socket, listener) {
    this.#core = core;
    this.#url = url;
    this.#Socket = Socket;
    this.#listener = listener;
    this.#connect();
  }

  get connected() {
    return this.#isOpen;
  }

  /** Ask for what the core's method of that name asks for. */
  ask(name) {
    if (this.#isOver || !this.#isOpen) return;
    this.#core[name]();
    this.#poll();
  }

  /** Leave for good: it is over once the relay has been told, or does not answer. */
  leave() {
    if (this.#isOver || this.#isLeaving) return;
    const { slot, frame } = this.#core.status();
    const socket = this.#socket;
    const left = () => this.#end({ type: "left", slot, frame });
    this.#isLeaving = true;
    clearTimeout(this.#timer);
    if (!this.#isOpen) return left();
    this.#core.leave();
    this.#core.tick(nanoseconds());
    this.#send();
    this.#socket = null;
    this.#isOpen = false;
    this.#timer = setTimeout(left, GOODBYE);
    socket.onclose = left;
    socket.close();
  }

  #connect() {
    let socket;
    try {
      socket = new this.#Socket(this.#url);
    } catch (error) {
      this.#end({ type: "lost", reason: `no connection to ${this.#url}: ${error.message}` });
      return;
    }
    const own = (act) => (event) => {
      if (socket === this.#socket) act(event);
    };
    socket.binaryType = "arraybuffer";
    socket.onopen = own(() => {
      this.#isOpen = true;
      this.#heard = performance.now();
      this.#poll();
    });
    socket.onmessage = own(({ data }) => {
      if (typeof data === "string") return this.#lose("the relay sent a text");
      this.#heard = performance.now();
      this.#core.receive(nanoseconds(), new Uint8Array(data));
      this.#poll();
    });
    const closed = () => (this.#isOpen ? "it is closed" : "no relay is there, or it lets none in");
    socket.onclose = own(({ reason }) => this.#lose(reason || closed()));
    socket.onerror = own(() => {});
    this.#socket = socket;
    this.#heard = performance.now();
    this.#wait(SILENT);
  }

  #poll() {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const begun = performance.now();
    if (begun - this.#heard >= SILENT) return this.#lose("the relay is silent");
    if (!this.#isOpen) return this.#wait(SILENT);
    let wake;
    do {
      this.#listener.sample();
      wake = this.#core.tick(nanoseconds());
      this.#send();
    } while (wake !== null && wake <= nanoseconds() && performance.now() - begun < AT_ONCE);
    const events = this.#core.events();
    const { phase, frame } = this.#core.status();
    if (phase === "playing") this.#tries = 0;
    if (wake !== null) this.#wait(Number(wake - nanoseconds()) / 1e6);
    const shown = frame !== this.#shown && this.#core.state !== null;
    if (shown) this.#shown = frame;
    try {
      if (shown || events.length) this.#listener.changed(shown, events);
    } finally {
      if (wake === null) this.#end(events.filter(({ type }) => ENDS.has(type)).at(-1));
    }
  }

  #send() {
    for (const message of this.#core.messages()) this.#socket?.send(message);
  }

  #wait(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), Math.max(0, Math.min(ms, SILENT)));
  }

  /** The connection is gone: make it again, where there is a slot to come back to. */
  #lose(reason) {
    this.#drop();
    if (this.#core.status().slot < 0 || this.#tries === TRIES.length) {
      this.#end({ type: "lost", reason: `no connection to ${this.#url}: ${reason}` });
      return;
    }
    const again = TRIES[this.#tries++];
    this.#core.reconnect();
    this.#timer = setTimeout(() => this.#connect(), again);
    this.#listener.changed(false, [{ type: "disconnected", reason, tries: this.#tries, again }]);
  }

  #drop() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    socket?.close();
  }

  #end(event) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#drop();
    this.#listener.over(event);
  }
}

// After these events there is nothing more.
const ENDS = new Set(["refused", "ended", "broken", "trapped"]);
