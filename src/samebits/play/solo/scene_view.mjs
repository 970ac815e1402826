// The view of a simulation's scene: shapes of its kernel, or those that Python drew of each frame.

const HEAD = 8; // bytes before the marks of a list: how many there are
const MARK = 64; // bytes of each, laid out as samebits.scene.Mark
const [DISC, LINE, TRIANGLE, QUAD, NUMBER] = [1, 2, 3, 4, 5];
const CORNERS = { [TRIANGLE]: 3, [QUAD]: 4 };
const FONT = "system-ui, 'Segoe UI', Roboto, sans-serif";

/** Shapes out of a scene's module: `draw(bytes)` gives those of a state's canonical bytes. */
export function kernelShapes({ exports }, traps) {
  return {
    of(timeline) {
      const bytes = timeline.save();
      new Uint8Array(exports.memory.buffer, exports.bytes_at(), bytes.length).set(bytes);
      const code = exports.draw();
      const view = new DataView(exports.memory.buffer, exports.marks_at());
      const count = Number(view.getBigInt64(0, true));
      const shapes = Array.from({ length: count }, (_, n) => mark(view, HEAD + n * MARK));
      const [message, file, fn, line] = traps[code - 1] ?? ["unknown trap", "", "", 0];
      return { shapes, wrong: code ? `The scene stopped: ${message}, at ${file}:${line} in ${fn}` : "" };
    },
  };
}

function mark(view, at) {
  const float = (offset) => view.getFloat32(at + offset, true);
  const point = (n) => [float(8 + 8 * n), float(12 + 8 * n)];
  const kind = view.getUint32(at, true);
  const [size, width, opacity] = [float(40), float(44), float(48)];
  const color = view.getUint32(at + 4, true) & 0xffffff;
  const alpha = Math.round(255 * Math.max(0, Math.min(1, opacity || 0)));
  const ink = `#${color.toString(16).padStart(6, "0")}${alpha.toString(16).padStart(2, "0")}`;
  if (kind === DISC) return ["d", ink, width, [...point(0), size]];
  if (kind === LINE) return ["l", ink, width, 0, [...point(0), ...point(1)]];
  if (kind in CORNERS) return ["p", ink, Array.from({ length: CORNERS[kind] }, (_, n) => point(n)).flat()];
  if (kind !== NUMBER) return ["p", ink, []];
  const decimals = Math.max(0, Math.min(20, view.getInt32(at + 52, true)));
  return ["t", ink, size, view.getFloat64(at + 56, true).toFixed(decimals), point(0)];
}

/** Shapes that were drawn before: a line of JSON a frame, its numbers `scale` times the world's. */
export function drawnShapes(lines, scale) {
  let [at, shapes] = [-1, []];
  return {
    of({ frame }) {
      if (at !== frame) [at, shapes] = [frame, JSON.parse(lines[frame] ?? "[]").map((each) => scaled(each, scale))];
      return { shapes, wrong: frame < lines.length ? "" : "There is no picture of this frame" };
    },
  };
}

function scaled(shape, scale) {
  return shape.map((part, n) => {
    if (Array.isArray(part)) return part.map((each) => each / scale);
    return n === 2 && typeof part === "number" ? part / scale : part;
  });
}

/** A view over the part of the world that the scene shows. */
export function sceneView({ bounds, background }, source, timeline, said) {
  const [[left, bottom], [right, top]] = bounds;
  let last = "";
  return {
    help: [],
    draw(context, _state, { width, height, ratio, inset }) {
      const now = [timeline.frame, timeline.hash, width, height, ratio].join();
      if (now === last) return;
      last = now;
      const { shapes, wrong } = source.of(timeline);
      said(wrong);
      context.fillStyle = background;
      context.fillRect(0, 0, width, height);
      const [w, h] = [width - inset.left - inset.right, height - inset.top - inset.bottom];
      const scale = Math.max(1e-9, Math.min(w / Math.abs(right - left), h / Math.abs(top - bottom)));
      const [sx, sy] = [scale * Math.sign(right - left), -scale * Math.sign(top - bottom)];
      const [x0, y0] = [inset.left + w / 2 - (sx * (left + right)) / 2, inset.top + h / 2 - (sy * (bottom + top)) / 2];
      const on = (x, y) => [x0 + sx * x, y0 + sy * y];
      for (const shape of shapes) drawn(context, shape, on, scale);
    },
  };
}

function drawn(context, [kind, ink, ...parts], on, scale) {
  context.fillStyle = context.strokeStyle = ink;
  context.lineCap = context.lineJoin = "round";
  if (kind === "d") discs(context, parts, on, scale);
  else if (kind === "t") text(context, parts, on, scale);
  else {
    const [points, closed] = kind === "p" ? [parts[0], true] : [parts[2], parts[1]];
    if (!points.length || !points.every(Number.isFinite)) return;
    context.beginPath();
    for (let n = 0; n < points.length; n += 2) context.lineTo(...on(points[n], points[n + 1]));
    if (closed) context.closePath();
    context.lineWidth = Math.max(1, parts[0] * scale);
    if (kind === "p") context.fill();
    else context.stroke();
  }
}

function discs(context, [outline, numbers], on, scale) {
  for (let n = 0; n < numbers.length; n += 3) {
    const [x, y, radius] = numbers.slice(n, n + 3);
    if (!Number.isFinite(x + y + radius) || !(radius > 0)) continue;
    const wide = outline > 0 ? Math.max(1, outline * scale) : 0;
    context.beginPath();
    context.arc(...on(x, y), Math.max(0.5, radius * scale - wide / 2), 0, 7);
    context.lineWidth = wide;
    if (wide) context.stroke();
    else context.fill();
  }
}

function text(context, [size, what, at], on, scale) {
  if (!at.every(Number.isFinite)) return;
  context.font = `600 ${Math.max(8, size * scale * 0.8)}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(what, ...on(...at));
}
