// The run of golden.sbt, as golden_run.c has it.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [, , recorder, path] = process.argv;
const { Recorder, fileSink } = await import(pathToFileURL(recorder));

const balls = [0, 1, 2].map((x) => ({ pos: [x, NaN, NaN], vel: { x: NaN, y: NaN }, hp: 0, live: false }));
const grid = [0, 1, 2, 3].map(() => new Uint8Array(4));
const wide = new BigInt64Array(2);
const half = Uint16Array.of(0x3c00, 0x3c01, 0x3c02, 0x7c01);
let sparks = [];

function step(n) {
  balls.forEach((ball, i) => {
    ball.pos = [ball.pos[0] + 0.5, (4 * i - n) * 0.25, n === 3 ? NaN : -0];
    ball.vel = { x: n / 8, y: n === 4 ? NaN : 1 };
    ball.hp = n * 100 - i * 7;
    ball.live = (n & 1) === 1;
  });
  for (let i = 0; i < 16; i++) grid[i >> 2][i & 3] = n * i;
  wide[0] = BigInt(-n) << 40n;
  wide[1] = BigInt(n);
  sparks = Array.from({ length: (n + 5) % 5 }, (_, k) => ({ id: k * 3, heat: k * 0.5 }));
}

const run = new Recorder("golden", "1", fileSink(fs, path));
run.seed = 7n;
run.rate = 50;
run.input("{push:f32 jump:bool}", 2);
run.region("balls", "{pos:float3 vel:{x:f64 y:f64} hp:i16 live:bool}[3]", () => balls);
run.region("grid", "u8[4,4]", () => grid);
run.region("wide", "i64[2]", () => wide);
run.region("half", "f16[4]", () => half);
run.heap("sparks", "{id:u32 heat:f32}", 5, () => sparks);
run.begin(-1);
step(-1);
run.end(-1);

function play(n, more) {
  const hands = [0, 1].map((p) => ({ push: (n - 4 * p) * 0.25 + more, jump: (n + p) % 3 === 0 }));
  run.begin(n, n === 5 ? undefined : hands);
  step(n);
  run.end(n);
}
for (let n = 0; n < 7; n++) play(n, 0);
for (let n = 5; n < 10; n++) play(n, 0.5);
run.close();
