// Keys and pointers that are down on the stage. Nothing else of the page takes them away.

const TAKEN = /^(Arrow|Space$)/; // keys with which a page would scroll

export class Controls {
  keys = new Set();
  #pointers = new Map();
  #changed;

  /** `changed` is called whenever something is pressed, moved or let go. */
  constructor(target, changed) {
    this.#changed = changed;
    addEventListener("keydown", (event) => this.#key(event, true));
    addEventListener("keyup", (event) => this.#key(event, false));
    addEventListener("blur", () => this.#release());
    document.addEventListener("visibilitychange", () => document.hidden && this.#release());
    target.addEventListener("contextmenu", (event) => event.preventDefault());
    target.addEventListener("pointerdown", (event) => this.#down(event));
    target.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"])
      target.addEventListener(name, (event) => this.#up(event));
  }

  /** The pointers that are down, in the order in which they came. */
  get pointers() {
    return [...this.#pointers.values()];
  }

  #key(event, isDown) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const other = event.target.closest?.("input, textarea, select");
    const pressed = event.target.closest?.("button, a") && ["Space", "Enter"].includes(event.code);
    if (isDown && (other || pressed)) return;
    if (TAKEN.test(event.code) && !other && !pressed) event.preventDefault();
    if (event.repeat) return;
    if (isDown) this.keys.add(event.code);
    else this.keys.delete(event.code);
    this.#changed();
  }

  #down(event) {
    const [x, y] = [event.offsetX, event.offsetY];
    try {
      event.target.setPointerCapture(event.pointerId);
    } catch {} // it is up again already
    this.#pointers.set(event.pointerId, {
      id: event.pointerId, type: event.pointerType, x, y, startX: x, startY: y,
    });
    this.#changed();
  }

  #move(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    pointer.x = event.offsetX;
    pointer.y = event.offsetY;
    this.#changed();
  }

  #up(event) {
    if (this.#pointers.delete(event.pointerId)) this.#changed();
  }

  #release() {
    this.keys.clear();
    this.#pointers.clear();
    this.#changed();
  }
}
