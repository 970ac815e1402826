// The math functions of samebits, from the WebAssembly module beside this file.

// Name, the types of the arguments and of the results: d float64, f float32, i int32, b bool.
const FUNCTIONS = `
@ROWS@
`;

const ARRAYS = { d: Float64Array, f: Float32Array, i: Int32Array, b: Uint8Array };

async function bytes(source) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const url = source ?? new URL("./sbmath.wasm", import.meta.url);
  if (globalThis.process?.versions?.node && String(url).startsWith("file:")) {
    const { readFile } = await import("node:fs/promises");
    return readFile(new URL(url));
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

// The functions, of the module beside this file or of the given bytes or URL: `sin(x)` and `sinf(x)`
// of numbers, `array.sin(xs)` of typed arrays. Several results are an array of them.
export async function load(source) {
  const { exports } = (await WebAssembly.instantiate(await bytes(source))).instance;
  const start = (exports.__heap_base.value + 15) & ~15;

  function reserve(size) {
    const missing = start + size - exports.memory.buffer.byteLength;
    if (missing > 0) exports.memory.grow(Math.ceil(missing / 65536));
  }

  function ofArrays(name, given, results) {
    const run = exports[`sb_${name}_array`];
    return (...arrays) => {
      if (arrays.length !== given.length)
        throw new TypeError(`${name} takes ${given.length} arrays, not ${arrays.length}`);
      const count = arrays[0].length;
      arrays.forEach((array, k) => {
        if (!(array instanceof ARRAYS[given[k]]))
          throw new TypeError(`${name}: argument ${k + 1} is no ${ARRAYS[given[k]].name}`);
        if (array.length !== count) throw new RangeError(`${name}: arrays of different lengths`);
      });
      const room = (8 * count + 15) & ~15;
      const place = (k) => start + k * room;
      reserve(room * (given.length + results.length));
      arrays.forEach((array, k) => new ARRAYS[given[k]](exports.memory.buffer, place(k), count).set(array));
      const outs = [...results].map((_, k) => place(given.length + k));
      run(count, ...arrays.map((_, k) => place(k)), ...outs);
      const found = outs.map((at, k) => new ARRAYS[results[k]](exports.memory.buffer, at, count).slice());
      return found.length === 1 ? found[0] : found;
    };
  }

  function ofNumbers(name, given, results) {
    const run = exports[`sb_${name}`];
    if (results === "b") return (x) => run(x) !== 0;
    if (results.length === 1) return run;
    const byPointer = run.length - given.length;
    return (...numbers) => {
      reserve(16);
      const outs = [start, start + 8].slice(0, byPointer);
      const first = run(...numbers, ...outs);
      const kinds = [...results].slice(results.length - byPointer);
      const found = outs.map((at, k) => new ARRAYS[kinds[k]](exports.memory.buffer, at, 1)[0]);
      return first === undefined ? found : [first, ...found];
    };
  }

  const math = { array: {} };
  for (const row of FUNCTIONS.trim().split("\n")) {
    const [name, given, results] = row.split(" ");
    math[name] = ofNumbers(name, given, results);
    math.array[name] = ofArrays(name, given, results);
  }
  return math;
}
