// Trails and sparks: what a page makes of the difference from one picture to the next.

import { SOFT } from "./arena_view_scene.mjs";

const MOST_PARTICLES = 500;
const TRAIL = 36;

/** See what changed since the last picture. */
export function watch(state, info) {
  const { memory, frame, dt } = info;
  memory.particles ??= [];
  memory.trails ??= state.ships.map(() => []);
  memory.flashes ??= new Map();
  const before = memory.seen;
  const known = before !== undefined && Math.abs(frame - before.frame) < 30;
  memory.thrusts = state.ships.map((ship, slot) => {
    const body = state.bodies[slot];
    const old = known ? before.ships[slot] : undefined;
    const speed = [body.vel[0], body.vel[1]];
    if (!old || frame === before.frame) return memory.thrusts?.[slot] ?? 0;
    const frames = Math.max(1, frame - before.frame);
    const heading = [Math.cos(ship.angle), Math.sin(ship.angle)];
    const gain = ((speed[0] - old.vel[0] * 0.99) * heading[0] + (speed[1] - old.vel[1] * 0.99) * heading[1]) / frames;
    if (ship.absent === 0 && old.absent > 0) memory.trails[slot] = [];
    if (ship.hp < old.hp) burst(memory, body.pos, SOFT[slot], ship.absent > 0 ? 90 : 16, ship.absent > 0 ? 26 : 14);
    return Math.max(-1, Math.min(1, gain));
  });
  if (!known) {
    memory.trails = state.ships.map(() => []);
    memory.particles.length = 0;
  } else if (frame !== before.frame) {
    state.bodies.forEach((body, n) => {
      if (n < state.ships.length) return;
      const old = before.radii[n];
      if (body.radius < old - 0.01) {
        memory.flashes.set(n, 1);
        burst(memory, body.pos, "190, 205, 240", 8, 9);
      } else if (body.radius > old + 0.2) burst(memory, before.places[n], "190, 205, 240", 26, 13);
    });
  }
  for (const [n, left] of memory.flashes) left > dt * 6 ? memory.flashes.set(n, left - dt * 6) : memory.flashes.delete(n);
  state.ships.forEach((ship, slot) => {
    const trail = memory.trails[slot];
    const body = state.bodies[slot];
    if (ship.absent > 0) return;
    if (!known || frame !== before.frame) trail.push([body.pos[0], body.pos[1]]);
    if (trail.length > TRAIL) trail.shift();
    if (memory.thrusts[slot] > 0.3 && !info.still) exhaust(memory, body, ship, slot);
  });
  memory.seen = {
    frame,
    ships: state.ships.map((ship, slot) => ({ hp: ship.hp, absent: ship.absent, vel: [...state.bodies[slot].vel] })),
    radii: state.bodies.map((body) => body.radius),
    places: state.bodies.map((body) => [body.pos[0], body.pos[1]]),
  };
}

function burst(memory, [x, y], colour, count, speed) {
  for (let n = 0; n < count && memory.particles.length < MOST_PARTICLES; n++) {
    const [way, fast] = [Math.random() * 7, speed * (0.2 + 0.8 * Math.random())];
    const life = 0.35 + 0.6 * Math.random();
    memory.particles.push({ x, y, dx: Math.cos(way) * fast, dy: Math.sin(way) * fast, life, left: life, colour, size: 0.25 + 0.3 * Math.random() });
  }
}

function exhaust(memory, body, ship, slot) {
  if (memory.particles.length >= MOST_PARTICLES) return;
  const way = ship.angle + Math.PI + (Math.random() - 0.5) * 0.6;
  const [c, s] = [Math.cos(ship.angle), Math.sin(ship.angle)];
  const life = 0.2 + 0.25 * Math.random();
  memory.particles.push({
    x: body.pos[0] - c, y: body.pos[1] - s, dx: body.vel[0] * 0.4 + Math.cos(way) * 18, dy: body.vel[1] * 0.4 + Math.sin(way) * 18,
    life, left: life, colour: SOFT[slot], size: 0.35,
  });
}

export function sparks(context, memory, { dt, still }) {
  if (still) return void (memory.particles.length = 0);
  context.globalCompositeOperation = "lighter";
  memory.particles = memory.particles.filter((each) => (each.left -= dt) > 0);
  for (const each of memory.particles) {
    each.x += each.dx * dt;
    each.y += each.dy * dt;
    each.dx *= 1 - 1.6 * dt;
    each.dy *= 1 - 1.6 * dt;
    const share = each.left / each.life;
    context.fillStyle = `rgba(${each.colour}, ${(0.75 * share).toFixed(3)})`;
    context.beginPath();
    context.arc(each.x, each.y, each.size * (0.4 + 0.6 * share), 0, 7);
    context.fill();
  }
  context.globalCompositeOperation = "source-over";
}

export function trails(context, memory) {
  context.globalCompositeOperation = "lighter";
  context.lineCap = "round";
  memory.trails.forEach((trail, slot) => {
    for (let n = 1; n < trail.length; n++) {
      const share = n / trail.length;
      context.strokeStyle = `rgba(${SOFT[slot]}, ${(0.28 * share ** 2).toFixed(3)})`;
      context.lineWidth = 0.25 + 0.9 * share;
      context.beginPath();
      context.moveTo(...trail[n - 1]);
      context.lineTo(...trail[n]);
      context.stroke();
    }
  });
  context.globalCompositeOperation = "source-over";
}
