// What is seen of the arena: the sky, its walls, asteroids, shots and ships.

export const WIDTH = 160;
export const HEIGHT = 96;
export const SHIP_HP = 100;
export const COLOURS = ["#5fd4ff", "#ffab5e"];
export const SOFT = ["95, 212, 255", "255, 171, 94"]; // the same, for colours that let light through

export const isTall = (width, height) => height > width;

// The background: a deep sky with fixed stars, drawn once for a size.

export function backdrop(context, { width, height, ratio, memory }) {
  const key = `${width} ${height} ${ratio}`;
  if (memory.skyOf !== key) {
    memory.skyOf = key;
    memory.sky = sky(width, height, ratio);
  }
  context.drawImage(memory.sky, 0, 0, width, height);
}

function sky(width, height, ratio) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * ratio);
  canvas.height = Math.ceil(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const span = Math.hypot(width, height);
  const deep = context.createRadialGradient(width * 0.35, height * 0.2, 0, width / 2, height / 2, span * 0.7);
  deep.addColorStop(0, "#16224a");
  deep.addColorStop(0.45, "#0b1128");
  deep.addColorStop(1, "#05070f");
  context.fillStyle = deep;
  context.fillRect(0, 0, width, height);
  const random = noise(7);
  for (const [x, y, size, colour] of [
    [0.78, 0.72, 0.42, "rgba(120, 62, 160, 0.16)"],
    [0.2, 0.85, 0.3, "rgba(30, 110, 150, 0.14)"],
    [0.55, 0.15, 0.3, "rgba(60, 80, 190, 0.12)"],
  ]) {
    const cloud = context.createRadialGradient(width * x, height * y, 0, width * x, height * y, span * size);
    cloud.addColorStop(0, colour);
    cloud.addColorStop(1, "rgba(0, 0, 0, 0)");
    context.fillStyle = cloud;
    context.fillRect(0, 0, width, height);
  }
  for (let n = 0; n < (width * height) / 3600; n++) {
    const bright = random();
    context.globalAlpha = 0.15 + 0.7 * bright ** 3;
    context.fillStyle = bright > 0.93 ? "#ffe2c2" : "#cfdcff";
    const size = 0.4 + 1.1 * bright ** 4;
    context.beginPath();
    context.arc(random() * width, random() * height, size, 0, 7);
    context.fill();
  }
  return canvas;
}

function noise(seed) {
  let x = seed * 2654435761 + 1;
  return () => {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
    x ^= x >>> 15;
    return (x >>> 0) / 2 ** 32;
  };
}

export function walls(context, { scale }) {
  context.fillStyle = "rgba(120, 150, 255, 0.035)";
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.strokeStyle = "rgba(140, 170, 255, 0.055)";
  context.lineWidth = 1 / scale;
  context.beginPath();
  for (let x = 16; x < WIDTH; x += 16) context.moveTo(x, 0), context.lineTo(x, HEIGHT);
  for (let y = 16; y < HEIGHT; y += 16) context.moveTo(0, y), context.lineTo(WIDTH, y);
  context.stroke();
  for (const [wide, alpha] of [[9, 0.06], [4, 0.12], [1.4, 0.75]]) {
    context.strokeStyle = `rgba(128, 158, 255, ${alpha})`;
    context.lineWidth = wide / scale;
    context.strokeRect(0, 0, WIDTH, HEIGHT);
  }
}

// Asteroids: one of some shapes each, turned a little as they fly.

const SHAPES = 16;
const SPRITE = 1.12; // half the side of a sprite, in radii

function rocks(pixels) {
  return Array.from({ length: SHAPES }, (_, n) => {
    const random = noise(n + 3);
    const image = sprite(pixels, (context) => rock(context, random));
    return { image, spin: (random() - 0.5) * 1.6 };
  });
}

/** A square picture, in which `paint` draws what lies within a radius of about 1. */
function sprite(pixels, paint) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = pixels;
  const context = canvas.getContext("2d");
  context.setTransform(pixels / 2 / SPRITE, 0, 0, pixels / 2 / SPRITE, pixels / 2, pixels / 2);
  paint(context);
  return canvas;
}

function rock(context, random) {
  const corners = 9 + Math.floor(random() * 4);
  const tone = random();
  context.beginPath();
  for (let n = 0; n < corners; n++) {
    const [way, far] = [(n / corners) * 2 * Math.PI, 0.84 + 0.2 * random()];
    context.lineTo(Math.cos(way) * far, Math.sin(way) * far);
  }
  context.closePath();
  context.fillStyle = `hsl(${218 + 36 * tone} 24% ${60 - 8 * tone}%)`;
  context.fill();
  context.lineWidth = 0.07;
  context.strokeStyle = `hsl(${218 + 36 * tone} 30% 78%)`;
  context.lineJoin = "round";
  context.stroke();
  context.clip();
  context.fillStyle = "rgba(16, 20, 44, 0.34)";
  for (let n = 0; n < 4; n++) {
    const [way, far] = [random() * 7, 0.15 + 0.55 * random()];
    context.beginPath();
    context.arc(Math.cos(way) * far, Math.sin(way) * far, 0.1 + 0.15 * random(), 0, 7);
    context.fill();
  }
}

/** The side of a rock that is away from the light; it does not turn with the rock. */
function shade(context) {
  const side = context.createRadialGradient(-0.5, -0.55, 0.25, -0.15, -0.2, 1.35);
  side.addColorStop(0, "rgba(6, 9, 22, 0)");
  side.addColorStop(0.55, "rgba(6, 9, 22, 0.5)");
  side.addColorStop(1, "rgba(6, 9, 22, 0.92)");
  context.fillStyle = side;
  context.beginPath();
  context.arc(0, 0, 1.06, 0, 7);
  context.fill();
}

export function asteroids(context, state, { memory, time, still, ratio, width, height }) {
  const pixels = Math.ceil(40 * ratio);
  if (memory.pixels !== pixels) {
    memory.pixels = pixels;
    memory.rocks = rocks(pixels);
    memory.shade = sprite(pixels, shade);
  }
  const upright = isTall(width, height) ? -Math.PI / 2 : 0;
  for (let n = state.ships.length; n < state.bodies.length; n++) {
    const { pos, radius } = state.bodies[n];
    if (!(radius > 0)) continue;
    const { image, spin } = memory.rocks[n % SHAPES];
    const size = radius * SPRITE;
    context.save();
    context.translate(pos[0], pos[1]);
    context.rotate(n + (still ? 0 : time * spin));
    context.drawImage(image, -size, -size, 2 * size, 2 * size);
    context.rotate(upright - n - (still ? 0 : time * spin));
    context.drawImage(memory.shade, -size, -size, 2 * size, 2 * size);
    const flash = memory.flashes?.get(n);
    if (flash) {
      context.globalCompositeOperation = "lighter";
      context.fillStyle = `rgba(200, 215, 255, ${flash * 0.8})`;
      context.beginPath();
      context.arc(0, 0, radius * 0.95, 0, 7);
      context.fill();
    }
    context.restore();
  }
}

export function shots(context, state) {
  context.globalCompositeOperation = "lighter";
  context.lineCap = "round";
  for (const shot of state.shots) {
    if (shot.life === 0) continue;
    const [x, y] = shot.pos;
    const [dx, dy] = [shot.vel[0] * 0.028, shot.vel[1] * 0.028];
    for (const [wide, colour] of [
      [1.5, `rgba(${SOFT[shot.owner]}, 0.16)`],
      [0.75, `rgba(${SOFT[shot.owner]}, 0.6)`],
      [0.3, "rgba(255, 255, 255, 0.9)"],
    ]) {
      context.strokeStyle = colour;
      context.lineWidth = wide;
      context.beginPath();
      context.moveTo(x - dx, y - dy);
      context.lineTo(x, y);
      context.stroke();
    }
  }
  context.globalCompositeOperation = "source-over";
}

const HULL = new Path2D("M 1.8 0 L -1.15 1.15 L -0.6 0 L -1.15 -1.15 Z");

export function drawShip(context, body, ship, slot, { memory, time, slot: own, still }) {
  if (ship.absent > 0) return;
  const colour = COLOURS[slot];
  context.save();
  context.translate(body.pos[0], body.pos[1]);
  context.globalCompositeOperation = "lighter";
  const glow = context.createRadialGradient(0, 0, 0.4, 0, 0, 5);
  glow.addColorStop(0, `rgba(${SOFT[slot]}, 0.34)`);
  glow.addColorStop(1, `rgba(${SOFT[slot]}, 0)`);
  context.fillStyle = glow;
  context.fillRect(-5, -5, 10, 10);
  context.globalCompositeOperation = "source-over";
  ring(context, ship, slot, own, still ? 0 : time);
  context.rotate(ship.angle);
  const thrust = memory.thrusts?.[slot] ?? 0;
  if (thrust > 0.3) flame(context, still ? 1 : 0.8 + 0.4 * Math.random(), slot);
  context.fillStyle = "#0b1128";
  context.fill(HULL);
  const hull = context.createLinearGradient(-1.1, 0, 0.8, 0);
  hull.addColorStop(0, `rgb(${SOFT[slot]}, 0.35)`);
  hull.addColorStop(1, colour);
  context.fillStyle = hull;
  context.fill(HULL);
  context.lineJoin = "round";
  context.lineWidth = 0.18;
  context.strokeStyle = colour;
  context.stroke(HULL);
  context.fillStyle = "#f4f8ff";
  context.beginPath();
  context.ellipse(0.25, 0, 0.34, 0.2, 0, 0, 7);
  context.fill();
  context.restore();
}

function flame(context, long, slot) {
  context.globalCompositeOperation = "lighter";
  for (const [wide, far, colour] of [
    [0.62, 2.6, `rgba(${SOFT[slot]}, 0.5)`],
    [0.34, 1.6, "rgba(255, 255, 255, 0.85)"],
  ]) {
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(-0.55, wide);
    context.quadraticCurveTo(-0.7 - far * 0.4 * long, wide * 0.7, -0.7 - far * long, 0);
    context.quadraticCurveTo(-0.7 - far * 0.4 * long, -wide * 0.7, -0.55, -wide);
    context.fill();
  }
  context.globalCompositeOperation = "source-over";
}

/** The shield, or what is left of the hull; one's own ship has a mark. */
function ring(context, ship, slot, own, time) {
  const top = -Math.PI / 2;
  if (ship.shield > 0) {
    context.strokeStyle = `rgba(${SOFT[slot]}, ${0.55 + 0.25 * Math.sin(time * 9)})`;
    context.lineWidth = 0.3;
    context.beginPath();
    context.arc(0, 0, 2.4, 0, 7);
    context.stroke();
  } else if (ship.hp < SHIP_HP) {
    context.lineWidth = 0.26;
    context.lineCap = "round";
    context.strokeStyle = ship.hp > 35 ? `rgba(${SOFT[slot]}, 0.85)` : "rgba(255, 98, 98, 0.95)";
    context.beginPath();
    context.arc(0, 0, 2.3, top, top + (2 * Math.PI * ship.hp) / SHIP_HP);
    context.stroke();
  }
  if (slot !== own) return;
  context.setLineDash([0.5, 0.9]);
  context.lineWidth = 0.14;
  context.strokeStyle = "rgba(255, 255, 255, 0.5)";
  context.beginPath();
  context.arc(0, 0, 3.1, time * 0.6, time * 0.6 + 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
}
