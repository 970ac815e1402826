/** A peer that runs where it is made, for a match. */
class Here {
  #match;
  #core;
  #connection;

  static async open(match, url, ticket, options) {
    const here = new Here();
    here.#match = match;
    here.#core = await coreOf(ticket, options);
    here.#connection = new Connection(here.#core, url, options.WebSocket, here);
    return here;
  }

  get input() {
    return this.#core.input;
  }

  get state() {
    return this.#core.state;
  }

  status() {
    return { ...this.#core.status(), connected: this.#connection.connected };
  }

  ask(name) {
    this.#connection.ask(name);
  }

  async leave() {
    this.#connection.leave();
    await this.#match.over;
  }

  free() {}

  async find(what, frame) {
    return this.#core[what](frame);
  }

  sample() {
    this.#match.sample(this.#core);
  }

  changed(shown, events) {
    this.#match.changed(shown, events);
  }

  over(event) {
    this.#match.ended(event);
  }
}
