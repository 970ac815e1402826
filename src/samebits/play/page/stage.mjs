// The stage: a canvas of the screen's own pixels, on which a view draws the latest state.
//
// It knows nothing of networks: whoever has a state shows it.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const coarse = matchMedia("(pointer: coarse)");
const BACK = "#070b16";
const LONGEST = 0.1; // seconds that one picture moves on at most, after a tab was hidden

export class Stage {
  #canvas;
  #context;
  #view;
  #state;
  #facts;
  #pointers;
  #insets;
  #memory = {};
  #frame = 0;
  #slot = -1;
  #at = 0;
  #size = { width: 0, height: 0, ratio: 1 };

  /** `insets` gives the edges that the shell covers, in CSS pixels, and `pointers` those that are
   * down. */
  constructor(canvas, view, facts, { insets, pointers }) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
    this.#view = view;
    this.#facts = facts;
    this.#insets = insets;
    this.#pointers = pointers;
    this.#measure();
    new ResizeObserver(() => this.#measure()).observe(canvas);
    requestAnimationFrame((now) => this.#draw(now));
  }

  /** Show a state from now on: `frame` frames are over in it. */
  show(state, frame, slot) {
    this.#state = state;
    this.#frame = frame;
    this.#slot = slot;
  }

  /** Forget what the view remembers, as before another match. */
  clear() {
    this.#memory = {};
  }

  /** What views are told beside a state. */
  get info() {
    const { width, height, ratio } = this.#size;
    return {
      width, height, ratio,
      slot: this.#slot, frame: this.#frame, players: this.#facts.players, facts: this.#facts,
      inset: this.#insets(), pointers: this.#pointers(), memory: this.#memory,
      still: still.matches, touch: coarse.matches,
    };
  }

  #measure() {
    const ratio = Math.min(3, devicePixelRatio || 1);
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#size = { width, height, ratio };
  }

  #draw(now) {
    requestAnimationFrame((next) => this.#draw(next));
    const dt = Math.min(LONGEST, (now - this.#at) / 1000);
    this.#at = now;
    const { ratio, width, height } = this.#size;
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.#state === undefined) {
      this.#context.fillStyle = BACK;
      this.#context.fillRect(0, 0, width, height);
    }
    if (this.#state === undefined || width === 0) return;
    this.#view.draw(this.#context, this.#state, { ...this.info, time: now / 1000, dt });
  }
}
