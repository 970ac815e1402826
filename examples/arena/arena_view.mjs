// How the arena is drawn and steered, for `samebits net play`: the state is what every machine has,
// all else here is this page's own and changes nothing.

import { asteroids, backdrop, COLOURS, drawShip, HEIGHT, isTall, SHIP_HP, shots, walls, WIDTH } from "./arena_view_scene.mjs";
import { sparks, trails, watch } from "./arena_view_sparks.mjs";

const TURN_A_FRAME = 4 / 60;
const FONT = "system-ui, 'Segoe UI', Roboto, sans-serif";
const BOARD = 72; // pixels above the arena, for the scores

export const help = [
  ["W or ↑", "thrust"],
  ["S or ↓", "back"],
  ["A D or ← →", "turn"],
  ["Space", "fire"],
  ["Touch", "left thumb steers, right thumb fires"],
];

/** Keys, or thumbs on a screen, as one player's input. */
export function control(keys, pointers, input, state, { slot, width, height }) {
  const held = (...codes) => codes.some((code) => keys.has(code));
  const axis = (plus, minus) => 127 * (Number(plus) - Number(minus));
  input.thrust = axis(held("KeyW", "ArrowUp"), held("KeyS", "ArrowDown"));
  input.turn = axis(held("KeyD", "ArrowRight"), held("KeyA", "ArrowLeft"));
  input.fire = held("Space", "Enter", "KeyJ");
  const { stick, fire } = thumbs(pointers, width);
  if (fire) input.fire = true;
  if (!stick) return;
  const [dx, dy] = [stick.x - stick.startX, stick.y - stick.startY];
  const strength = Math.min(1, Math.hypot(dx, dy) / reach(width, height));
  if (strength < 0.15) return;
  const across = Math.atan2(dy, dx);
  const wanted = isTall(width, height) ? across - Math.PI / 2 : across;
  const off = turnBetween(state.ships[slot]?.angle ?? 0, wanted);
  input.turn = Math.round(127 * Math.max(-1, Math.min(1, off / TURN_A_FRAME)));
  input.thrust = Math.abs(off) < 1 ? Math.round(127 * strength) : 0;
}

function thumbs(pointers, width) {
  const touches = pointers.filter((pointer) => pointer.type !== "mouse");
  const isLeft = (pointer) => pointer.startX < width / 2;
  return { stick: touches.find(isLeft), fire: touches.find((pointer) => !isLeft(pointer)) };
}

const reach = (width, height) => Math.max(36, Math.min(64, Math.min(width, height) / 8));
const turnBetween = (from, to) => Math.atan2(Math.sin(to - from), Math.cos(to - from));

/** One picture of a state. `memory` is this picture's own: trails, sparks, and what it saw last. */
export function draw(context, state, info) {
  const { width, height, memory } = info;
  const place = placed(info);
  backdrop(context, info);
  watch(state, info);
  context.save();
  context.transform(...place.matrix);
  walls(context, place);
  context.beginPath();
  context.rect(0, 0, WIDTH, HEIGHT);
  context.clip();
  if (!info.still) trails(context, memory);
  asteroids(context, state, info);
  shots(context, state);
  sparks(context, memory, info);
  state.ships.forEach((ship, slot) => drawShip(context, state.bodies[slot], ship, slot, info));
  context.restore();
  board(context, state, info);
  if (info.touch && info.slot >= 0) pads(context, info, width, height);
}

/** Where the arena is on the screen; on a tall one it is turned by a quarter. */
function placed({ width, height, inset }) {
  const top = inset.top + BOARD;
  const [w, h] = [width - inset.left - inset.right, height - top - inset.bottom];
  const tall = isTall(width, height);
  const [long, short] = tall ? [h, w] : [w, h];
  const scale = Math.max(1, Math.min(long / WIDTH, short / HEIGHT));
  const [x, y] = [inset.left + w / 2, top + h / 2];
  const [dx, dy] = [(WIDTH * scale) / 2, (HEIGHT * scale) / 2];
  const matrix = tall ? [0, scale, -scale, 0, x + dy, y - dx] : [scale, 0, 0, scale, x - dx, y - dy];
  return { matrix, scale };
}

// The scores, above the arena.

function board(context, state, { width, inset, slot: own }) {
  const wide = Math.min(240, width / 2 - 26);
  const { top } = inset;
  state.ships.forEach((ship, slot) => {
    const left = slot === 0 ? width / 2 - wide - 12 : width / 2 + 12;
    const [outer, inner] = slot === 0 ? [left, left + wide] : [left + wide, left];
    const [from, to] = slot === 0 ? ["left", "right"] : ["right", "left"];
    const text = (what, x, y, align, font, colour) => {
      context.textBaseline = "alphabetic";
      context.textAlign = align;
      context.fillStyle = colour;
      context.font = `${font} ${FONT}`;
      context.fillText(what, x, y);
    };
    text(ship.score.toLocaleString("en"), inner, top + 30, to, "650 26px", "#f4f7ff");
    text(slot === own ? "You" : `Player ${slot + 1}`, outer, top + 29, from, "600 13px", COLOURS[slot]);
    context.fillStyle = "rgba(255, 255, 255, 0.14)";
    bar(context, left, top + 38, wide, 1, slot);
    context.fillStyle = ship.hp > 35 ? COLOURS[slot] : "#ff6262";
    bar(context, left, top + 38, wide, Math.max(0, ship.hp) / SHIP_HP, slot);
    const wait = `back in ${(ship.absent / 60).toFixed(1)} s`;
    if (ship.absent > 0) text(wait, inner, top + 60, to, "500 12px", "#c9d3ee");
  });
}

function bar(context, left, top, wide, share, slot) {
  if (share <= 0) return;
  context.beginPath();
  context.roundRect(slot === 0 ? left + wide * (1 - share) : left, top, wide * share, 5, 2.5);
  context.fill();
}

// Where thumbs are, or may be, on a touch screen.

function pads(context, { pointers, inset }, width, height) {
  const { stick, fire } = thumbs(pointers, width);
  const far = reach(width, height);
  const low = height - Math.max(96, height * 0.14, inset.bottom + far * 1.2);
  const side = isTall(width, height) ? 0.2 : 0.11; // of the width, beside the arena where there is room
  const base = stick ? [stick.startX, stick.startY] : [width * side, low];
  let knob = base;
  if (stick) {
    const [dx, dy] = [stick.x - stick.startX, stick.y - stick.startY];
    const share = Math.min(1, far / Math.max(1, Math.hypot(dx, dy)));
    knob = [base[0] + dx * share, base[1] + dy * share];
  }
  disc(context, base, far, stick ? 0.5 : 0.28, 0.1);
  disc(context, knob, far * 0.42, stick ? 0.8 : 0.4, stick ? 0.4 : 0.16);
  const button = fire ? [fire.x, fire.y] : [width * (1 - side), low];
  disc(context, button, far * 0.8, fire ? 0.9 : 0.34, fire ? 0.4 : 0.12);
  if (fire) return;
  context.fillStyle = "rgba(255, 255, 255, 0.75)";
  context.font = `600 13px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText("fire", ...button);
}

function disc(context, [x, y], radius, line, fill) {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.fillStyle = `rgba(150, 175, 255, ${fill})`;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = `rgba(220, 230, 255, ${line})`;
  context.stroke();
}
