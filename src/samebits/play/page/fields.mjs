// Fields of a struct, as the host tells of them.

/** An input in which nothing is pressed, as an object. */
export function blank(fields) {
  return Object.fromEntries(fields.map((field) => [field.member, nothing(field)]));
}

function nothing(field) {
  if (field.fields) {
    const one = () => blank(field.fields);
    return field.count === undefined ? one() : Array.from({ length: field.count }, one);
  }
  const zero = zeroOf(field);
  return field.count === undefined ? zero : Array(field.count).fill(Number(zero) === 0 && isBig(field) ? 0n : 0);
}

const zeroOf = (field) => (field.kind === "bool" ? false : isBig(field) ? 0n : 0);

/** Whether JavaScript has a field's values as BigInts. */
export const isBig = ({ kind, bits }) => bits === 64 && kind !== "float";

/** The least and the most of a field that a player may want: what is known of it, or all of a small
 * integer's. */
export function range({ kind, bits, range: known }) {
  if (known) {
    const [least, most] = known;
    return { least, most, step: kind === "float" || kind === "half" ? (most - least) / 200 : 1 };
  }
  if (kind === "float" || kind === "half") return { least: -1, most: 1, step: 0.01 };
  const span = 2 ** (Math.min(bits, 16) - (kind === "unsigned" ? 0 : 1));
  return { least: kind === "unsigned" ? 0 : -span, most: span - 1, step: 1 };
}

const MOST_OF_ARRAY = 8;

/** The numbers of fields, those inside of others and the first of arrays one by one: each with its
 * name, its path from the input, and its field. */
export function numbers(fields, path = [], prefix = "") {
  return fields.flatMap((field) => {
    const [here, name] = [[...path, field.member], `${prefix}${field.name}`];
    const one = (at, called) =>
      field.fields ? numbers(field.fields, at, `${called}.`) : [{ name: called, path: at, field }];
    if (field.count === undefined) return one(here, name);
    const shown = Array.from({ length: Math.min(field.count, MOST_OF_ARRAY) }, (_, n) => n);
    return shown.flatMap((n) => one([...here, n], `${name}[${n}]`));
  });
}

/** Set what lies at a path of an input. */
export function store(input, path, value) {
  const last = path.length - 1;
  path.slice(0, last).reduce((inner, part) => inner[part], input)[path[last]] = value;
}
