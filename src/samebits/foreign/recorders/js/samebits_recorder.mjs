// Records what a JavaScript program computes, frame by frame, as samebits.h does for C: the same
// bytes for the same run. `samebits diagnose a.sbt b.sbt` names the first frame and fields that differ.
//
//     const run = new Recorder("pinball", "1.4", sink);
//     run.region("balls", "{pos:float2 live:bool}[64]", () => balls);
//     run.begin(-1); setUp(); run.end(-1);
//     run.begin(n, input); step(input); run.end(n);
//     run.close();
//
// A sink takes each record as a Uint8Array: `fileSink(fs, "run.sbt")` in Node, where what is
// written outlives the program; `memorySink()` in a page, whose `bytes()` is the file so far.
// A region's function gives its value as its layout nests it: an object for a struct or a vector, an
// array or a typed array for an array. Objects may lack fields whose names begin with `_`.
// Layouts are those of samebits.h; sizes, padding and offsets in memory are passed over.

const SCALARS = {
  bool: ["bool", 1], i8: ["int", 1], u8: ["int", 1], i16: ["int", 2], u16: ["int", 2],
  i32: ["int", 4], u32: ["int", 4], i64: ["big", 8], u64: ["big", 8],
  f16: ["bits16", 2], f32: ["f32", 4], f64: ["f64", 8],
  int: ["int", 4], uint: ["int", 4], long: ["big", 8], ulong: ["big", 8], size: ["big", 8],
};
const VECTORS = { float: "f32", double: "f64", int: "i32", uint: "u32" };
const MOST_BYTES = 2 ** 28;
const MOST_FRAMES = 2 ** 22;
const KEPT = 1;
const OVERFLOWED = 2;

/** The type of a layout: `{size, put(view, at, value)}` with its canonical bytes. */
export function parseLayout(text) {
  let at = 0;
  const wrong = (what) => {
    throw new Error(`the layout ${JSON.stringify(text)} ${what}, at ${JSON.stringify(text.slice(at, at + 30))}`);
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found && found[0];
  };
  const blanks = () => match(/[ ,\n\t]*/y);
  const number = () => Number(match(/[0-9]{1,9}/y) ?? wrong("lacks a number"));
  const type = (depth) => {
    if (depth > 16) wrong("nests structs more than 16 deep");
    blanks();
    let found = text[at] === "{" ? struct(depth) : scalar();
    const lengths = [];
    while (text[at] === "[") {
      const inner = match(/\[ *[0-9]{1,9}( *, *[0-9]{1,9})* *\]/y) ?? wrong("has an array without a number of elements");
      lengths.push(...inner.slice(1, -1).split(",").map(Number));
    }
    for (const length of lengths.reverse()) {
      if (!length) wrong("has an array without elements");
      found = repeated(found, length);
      if (found.size > MOST_BYTES) wrong("has more than 256 MiB");
    }
    return found;
  };
  const scalar = () => {
    const start = at;
    const word = match(/[A-Za-z_][A-Za-z0-9_]*/y) ?? "";
    if (Object.hasOwn(SCALARS, word)) return number_of(SCALARS[word]);
    const base = word.slice(0, -1);
    const parts = Number(word.at(-1));
    if (Object.hasOwn(VECTORS, base) && parts >= 2 && parts <= 4) {
      const each = number_of(SCALARS[VECTORS[base]]);
      return fields(["x", "y", "z", "w"].slice(0, parts).map((name) => [name, each]));
    }
    at = start;
    return wrong("has no type that there is");
  };
  const struct = (depth) => {
    const found = [];
    at++;
    for (blanks(); text[at] !== "}"; blanks()) {
      if (text[at] === "@") at++, number(), blanks();
      const name = match(/[A-Za-z_][A-Za-z0-9_]*/y);
      if (!name || text[at] !== ":") wrong("has no field as name:type");
      at++;
      if (name === "_") number();
      else found.push([name, type(depth + 1)]);
    }
    at++;
    if (!found.length) wrong("has a struct without fields");
    return fields(found);
  };
  const whole = type(0);
  blanks();
  if (at < text.length) wrong("does not end with its type");
  return whole;
}

function number_of([kind, size]) {
  const nan = { bits16: 0x7e00, f32: 0x7fc00000, f64: 0x7ff8 };
  const put = {
    bool: (view, at, value) => view.setUint8(at, value ? 1 : 0),
    int: (view, at, value) =>
      size === 1 ? view.setUint8(at, value) : size === 2 ? view.setUint16(at, value, true) : view.setUint32(at, value, true),
    big: (view, at, value) => view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true),
    // The bits of a binary16, which JavaScript need not know.
    bits16: (view, at, value) => view.setUint16(at, (value & 0x7fff) > 0x7c00 ? nan.bits16 : value, true),
    f32: (view, at, value) =>
      Number.isNaN(value) ? view.setUint32(at, nan.f32, true) : view.setFloat32(at, value, true),
    f64: (view, at, value) => {
      if (!Number.isNaN(value)) return view.setFloat64(at, value, true);
      view.setUint32(at, 0, true);
      view.setUint32(at + 4, nan.f64 << 16, true);
    },
  }[kind];
  return { size, put };
}

function fields(given) {
  const size = given.reduce((sum, [, each]) => sum + each.size, 0);
  const put = (view, at, value) => {
    given.forEach(([name, each], index) => {
      const part = Array.isArray(value) || ArrayBuffer.isView(value) ? value[index] : value[name];
      if (part === undefined) throw new Error(`a value has no ${name}`);
      each.put(view, at, part);
      at += each.size;
    });
  };
  return { size, put };
}

function repeated(each, length) {
  const put = (view, at, value) => {
    if (value.length !== length) throw new Error(`${value.length} elements where the layout has ${length}`);
    for (let k = 0; k < length; k++) each.put(view, at + k * each.size, value[k]);
  };
  return { size: each.size * length, put };
}

// XXH64 (Yann Collet's xxHash) over pairs of 32-bit halves, which are several times as fast as BigInt.
const halves = (text) => [Number(BigInt(text) & 0xffffffffn), Number(BigInt(text) >> 32n)];
const [P1, P2, P3, P4, P5] = [
  "0x9E3779B185EBCA87", "0xC2B2AE3D27D4EB4F", "0x165667B19E3779F9", "0x85EBCA77C2B2AE63", "0x27D4EB2F165667C5",
].map(halves);
const plus = ([a, b], [c, d]) => {
  const low = (a >>> 0) + (c >>> 0);
  return [low >>> 0, (b + d + (low > 0xffffffff ? 1 : 0)) >>> 0];
};
const times = ([a, b], [c, d]) => {
  const a0 = a & 0xffff, a1 = a >>> 16, c0 = c & 0xffff, c1 = c >>> 16;
  const middle = a1 * c0 + ((a0 * c0) >>> 16);
  const cross = a0 * c1 + (middle & 0xffff);
  const high = a1 * c1 + Math.floor(middle / 65536) + Math.floor(cross / 65536);
  return [Math.imul(a, c) >>> 0, (high + Math.imul(a, d) + Math.imul(b, c)) >>> 0];
};
const xor = ([a, b], [c, d]) => [(a ^ c) >>> 0, (b ^ d) >>> 0];
const rotated = ([a, b], n) =>
  n < 32 ? [((a << n) | (b >>> (32 - n))) >>> 0, ((b << n) | (a >>> (32 - n))) >>> 0] : n === 32 ? [b, a] : rotated([b, a], n - 32);
const shifted = ([a, b], n) => (n < 32 ? [((a >>> n) | (b << (32 - n))) >>> 0, b >>> n] : [b >>> (n - 32), 0]);
const round = (acc, lane) => times(rotated(plus(acc, times(lane, P2)), 31), P1);
const negated = ([a, b]) => plus([~a >>> 0, ~b >>> 0], [1, 0]);

/** XXH64 of bytes under a seed, both as [low, high] halves. */
export function xxh64(bytes, seed = [0, 0]) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lane = (at) => [view.getUint32(at, true), view.getUint32(at + 4, true)];
  const size = bytes.length;
  let at = 0;
  let h = plus(seed, P5);
  if (size >= 32) {
    let a = plus(plus(seed, P1), P2), b = plus(seed, P2), c = seed, d = plus(seed, negated(P1));
    for (; size - at >= 32; at += 32) {
      a = round(a, lane(at));
      b = round(b, lane(at + 8));
      c = round(c, lane(at + 16));
      d = round(d, lane(at + 24));
    }
    h = plus(plus(rotated(a, 1), rotated(b, 7)), plus(rotated(c, 12), rotated(d, 18)));
    for (const each of [a, b, c, d]) h = plus(times(xor(h, round([0, 0], each)), P1), P4);
  }
  h = plus(h, [size >>> 0, Math.floor(size / 2 ** 32)]);
  for (; size - at >= 8; at += 8) h = plus(times(rotated(xor(h, round([0, 0], lane(at))), 27), P1), P4);
  if (size - at >= 4) {
    h = plus(times(rotated(xor(h, times([view.getUint32(at, true), 0], P1)), 23), P2), P3);
    at += 4;
  }
  for (; at < size; at++) h = times(rotated(xor(h, times([bytes[at], 0], P5)), 11), P1);
  h = times(xor(h, shifted(h, 33)), P2);
  h = times(xor(h, shifted(h, 29)), P3);
  return xor(h, shifted(h, 32));
}

/** Numbers and texts of a record's body. */
class Body {
  #parts = [];
  text(value) {
    const data = new TextEncoder().encode(value);
    if (data.length > 0xffff) throw new Error("a text of more than 65,535 bytes");
    return this.number(data.length, 2).bytes(data);
  }
  number(value, size) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
    return this.bytes(new Uint8Array(view.buffer, 0, size));
  }
  bytes(data) {
    this.#parts.push(data);
    return this;
  }
  whole() {
    const out = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) out.set(part, at), (at += part.length);
    return out;
  }
}

/** Records in a file that Node's `fs` opens; each is written at once. */
export function fileSink(fs, path) {
  const handle = fs.openSync(path, "w");
  return { write: (data) => fs.writeSync(handle, data), close: () => fs.closeSync(handle) };
}

/** Records in memory; `bytes()` is the file so far. */
export function memorySink() {
  const body = new Body();
  return { write: (data) => body.bytes(data.slice()), close: () => {}, bytes: () => body.whole() };
}

export class Recorder {
  #sink;
  #facts = new Body();
  #regions = [];
  #input = null;
  #players = 0;
  #started = false;
  #inFrame = false;
  #frame = -2;
  #kept = 0;
  #window = [-Infinity, Infinity];
  seed = 0n;
  rate = 60;
  /** States are kept whole until they take so many bytes. */
  limit = 2 ** 28;

  /** `sink` is `fileSink(…)` or `memorySink()`. */
  constructor(name, version, sink) {
    this.name = name;
    this.version = version;
    this.#sink = sink;
    const magic = [0x89, 0x53, 0x42, 0x54, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0, 0, 0, 0, 0];
    sink.write(new Uint8Array(magic));
    this.fact("language", "JavaScript");
    const { process, navigator } = globalThis;
    if (process?.versions) this.fact("compiler", `node ${process.versions.node}, V8 ${process.versions.v8}`);
    else if (navigator?.userAgent) this.fact("compiler", navigator.userAgent.slice(0, 200));
    if (process?.arch) this.fact("architecture", { x64: "x86_64", arm64: "aarch64" }[process.arch] ?? process.arch);
    if (process?.platform) this.fact("system", { linux: "Linux", darwin: "Darwin", win32: "Windows" }[process.platform] ?? process.platform);
  }

  /** Anything else to be known of the run, before its first frame. */
  fact(name, value) {
    this.#early("a fact");
    this.#facts.text(name).text(value);
  }
  /** A part of the state: `read` gives its value after every frame. */
  region(name, layout, read) {
    this.#add(name, layout, read, 0);
  }
  /** State of changing size: `read` gives at most `capacity` items, in the same order everywhere. */
  heap(name, layout, capacity, read) {
    if (!(capacity >= 1 && capacity < 2 ** 32)) throw new Error("a heap has a capacity of 1 or more");
    this.#add(name, layout, read, capacity);
  }
  /** The input of one player, and how many players there are. */
  input(layout, players) {
    this.#early("the input's type");
    this.#input = { layout, type: parseLayout(layout) };
    this.#players = players;
  }
  /** The frames whose states are kept whole, first to stop - 1. */
  keep(first, stop) {
    this.#window = [first, stop];
  }
  /** A frame begins: -1 is the set-up. `given` is a list of the players' inputs, or nothing. */
  begin(frame, given) {
    const isFirst = !this.#started;
    if (isFirst) this.#start();
    if (this.#inFrame) throw new Error("a frame begins in a frame: end() is missing");
    if (!(Number.isInteger(frame) && frame >= -1 && frame < MOST_FRAMES) || (!isFirst && frame > this.#frame + 1)) {
      throw new Error(`frame ${frame} does not follow frame ${this.#frame}`);
    }
    if (isFirst && frame > -1) this.#done(frame - 1);
    const body = new Body().number(frame, 8);
    if (given !== undefined && given !== null) body.bytes(this.#given(given));
    this.#frame = frame;
    this.#inFrame = true;
    this.#record("begn", body.whole());
  }
  /** The frame ends: its state is read. */
  end(frame) {
    if (!this.#inFrame || frame !== this.#frame) throw new Error(`frame ${frame} ends, and has not begun`);
    this.#inFrame = false;
    this.#done(frame);
  }
  /** Ends the record. */
  close() {
    if (this.#started && !this.#inFrame) this.#record("ends", new Body().number(this.#frame, 8).whole());
    this.#sink.close();
  }

  #early(what) {
    if (this.#started) throw new Error(`${what} comes late: say it before the first begin()`);
  }
  #add(name, layout, read, capacity) {
    this.#early("a region");
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`a region's name is letters and digits, not ${name}`);
    const type = parseLayout(layout);
    const size = capacity ? 4 + capacity * type.size : type.size;
    if (size > MOST_BYTES) throw new Error(`more than 256 MiB in ${name}`);
    this.#regions.push({ name, layout, type, size, read, capacity });
  }
  #start() {
    if (!this.#regions.length) throw new Error("no region: say region() before the first frame");
    this.#started = true;
    const body = new Body().text(this.name).text(this.version).number(this.seed, 8).number(this.rate, 4);
    body.number(this.#players, 4).text(this.#input?.layout ?? "").number(this.#regions.length, 4);
    for (const each of this.#regions) body.number(each.capacity, 4).text(each.name).text(each.layout);
    this.#record("run ", body.whole());
    this.#record("fact", this.#facts.whole());
    this.state = new Uint8Array(this.#regions.reduce((sum, each) => sum + each.size, 0));
  }
  #given(given) {
    if (!this.#players) {
      if (given.length > 64) throw new Error("an input of more than 64 bytes needs a layout: input()");
      return Uint8Array.from(given);
    }
    if (given.length !== this.#players) throw new Error(`${given.length} inputs for ${this.#players} players`);
    const { size, put } = repeated(this.#input.type, this.#players);
    const out = new Uint8Array(size);
    put(new DataView(out.buffer), 0, given);
    return out;
  }
  #done(frame) {
    const view = new DataView(this.state.buffer);
    const parts = [];
    let flags = 0;
    let at = 0;
    for (const each of this.#regions) {
      const value = each.read();
      let used = each.size;
      if (each.capacity) {
        const count = Math.min(value.length, each.capacity);
        view.setUint32(at, value.length, true);
        if (count < value.length) flags |= OVERFLOWED;
        used = 4 + count * each.type.size;
        for (let k = 0; k < count; k++) each.type.put(view, at + 4 + k * each.type.size, value[k]);
        this.state.fill(0, at + used, at + each.size);
      } else {
        each.type.put(view, at, value);
      }
      parts.push(this.state.subarray(at, at + used));
      at += each.size;
    }
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const [first, stop] = this.#window;
    const isKept = frame + 1 >= first && frame < stop && this.#kept + bytes <= this.limit;
    const [low, high] = xxh64(this.state);
    const body = new Body().number(frame, 8).number(low, 4).number(high, 4);
    body.number(flags | (isKept ? KEPT : 0), 4).number(isKept ? bytes : 0, 4);
    if (isKept) parts.forEach((part) => body.bytes(part)), (this.#kept += bytes);
    this.#record("done", body.whole(), 24);
  }
  #record(kind, body, covered = body.length) {
    const out = new Uint8Array(16 + Math.ceil(body.length / 8) * 8);
    const view = new DataView(out.buffer);
    for (let k = 0; k < 4; k++) out[k] = kind.charCodeAt(k);
    view.setUint32(4, body.length, true);
    out.set(body, 16);
    const [low, high] = xxh64(body.subarray(0, covered), [view.getUint32(0, true), body.length]);
    view.setUint32(8, low, true);
    view.setUint32(12, high, true);
    this.#sink.write(out);
  }
}
