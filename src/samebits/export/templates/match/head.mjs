// @SIMULATION@: a peer of a match over a network. Written by samebits.
// Node 18 or later, and every browser with WebAssembly and BigInt. No build step.

import { compile, info, userAgent, viewInput, viewState } from "./@NAME@.mjs";

const STATE_SIZE = @STATE_SIZE@;
const INPUT_SIZE = @INPUT_SIZE@;
const MESSAGE_BYTES = @MESSAGE@;
const TICKET_BYTES = @TICKET@;
const MACHINE_BYTES = 200;
const MOST_WINDOW = @MOST_WINDOW@;
const MOST_KEPT = @MOST_KEPT@;
const MOST_DELAY = @AHEAD@;
const NEVER = 2n ** 63n - 1n;
const TOKEN = /^([0-9a-f]{2}){0,@MOST_RESUME@}$/;
const COUNTS = [
  "frame", "confirmed", "final", "delay", "rtt", "stalls",
  "rollbacks", "replayed", "deepest", "restores", "restored", "lost",
];
const PHASES = ["greeting", "loading", "ready", "playing", "paused", "over"];

/** No match, or no longer: `code` says why in a word; of a refusal `ours` and `theirs` are the two
 * values that differ. */
export class MatchError extends Error {
  constructor(code, message, ours = "", theirs = "") {
    super(message);
    this.name = "MatchError";
    Object.assign(this, { code, ours, theirs });
  }
}

// Give the fields of a view those of an object, and structs in it theirs.
function assign(view, values) {
  for (const [key, value] of Object.entries(values)) {
    const there = view[key];
    if (there === undefined) throw new RangeError(`an input has no '${key}'`);
    if (typeof there === "object" && !ArrayBuffer.isView(there)) assign(there, value);
    else view[key] = value;
  }
}
