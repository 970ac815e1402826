// What players are called, and their colours: slot 0 is player 1.

export const playerName = (slot) => `Player ${slot + 1}`;

export function playersText(slots) {
  const names = slots.map(playerName);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const COLOURS = ["#5fd4ff", "#ffab5e", "#8ee37b", "#e28bff", "#ffe066", "#ff8f8f", "#7aa5ff", "#7fe8d6"];
export const playerColour = (slot) => COLOURS[slot % COLOURS.length];

export const count = (number) => Number(number).toLocaleString("en");

/** An element with properties, and children or text. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
