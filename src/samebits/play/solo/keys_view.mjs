// What steers a simulation whose view says nothing of it: arrows for its first two numbers, the
// space bar and F for its first two switches, and thumbs at the sides of the picture.

import { isBig, numbers, range, store } from "../page/fields.mjs";

const AXES = [
  { less: ["ArrowLeft", "KeyA"], more: ["ArrowRight", "KeyD"], shown: "← → or A D" },
  { less: ["ArrowDown", "KeyS"], more: ["ArrowUp", "KeyW"], shown: "↓ ↑ or S W" },
];
const BUTTONS = [
  { keys: ["Space", "Enter"], shown: "Space" },
  { keys: ["KeyF"], shown: "F" },
];

/** Rows of help, and a function that sets a player's input, for fields as the page knows
 * them. */
export function defaultControls(fields) {
  const all = numbers(fields);
  const switches = all.filter(({ field }) => field.kind === "bool").slice(0, BUTTONS.length);
  const axes = all.filter(({ field }) => field.kind !== "bool").slice(0, AXES.length)
    .map((number, n) => axis(number, AXES[n], n === 0));
  const help = [
    ...axes.map(({ shown, name }) => [shown, name]),
    ...switches.map(({ name }, n) => [BUTTONS[n].shown, name]),
  ];
  if (axes.length) help.push(["Touch left, right", axes[0].name]);
  if (switches.length) help.push([axes.length ? "Touch the middle" : "Touch", switches[0].name]);
  return {
    help,
    control(keys, pointers, input, _state, { width }) {
      const third = (pointer) => Math.floor((3 * pointer.x) / Math.max(1, width));
      const touched = new Set(pointers.map(axes.length ? third : () => 1));
      for (const each of axes) each.set(input, keys, touched);
      switches.forEach(({ path }, n) => {
        const down = BUTTONS[n].keys.some((key) => keys.has(key));
        store(input, path, down || (n === 0 && touched.has(1)));
      });
    },
  };
}

function axis({ name, path, field }, { less, more, shown }, touches) {
  const { least, most } = range(field);
  const whole = field.kind !== "float";
  const middle = least < 0 && most > 0 ? 0 : (least + most) / 2;
  // Between two actions there is none: the last one holds.
  const rest = field.range === undefined ? (least < 0 ? 0 : least) : !whole || Number.isInteger(middle) ? middle : null;
  let held = rest ?? least;
  return {
    name,
    shown,
    set(input, keys, touched) {
      const down = less.some((key) => keys.has(key)) || (touches && touched.has(0));
      const up = more.some((key) => keys.has(key)) || (touches && touched.has(2));
      if (up !== down) held = up ? most : least;
      else if (rest !== null) held = rest;
      store(input, path, isBig(field) ? BigInt(held) : held);
    },
  };
}
