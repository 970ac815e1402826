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
