// Peers of a WebAssembly module that hear and are told what comes over stdin, and say over stdout what
// they say. First the number of conversations; each is what peer_driver.c reads, but that inputs are the
// bytes of their struct. What is said is JSON: for each call of `tick` its wake, messages and events.

import { readFileSync } from "node:fs";

const { loadPeer, PeerCore } = await import(process.argv[2]);
const CALLS = ["receive", "tick", "reconnect", "pause", "resume", "leave", "report", "done"];
const given = readFileSync(0);
let at = 0;

function number(size) {
  at += size;
  return given.readUIntLE(at - size, size);
}

function sized(size = number(4)) {
  at += size;
  return given.subarray(at - size, at);
}

function conversation(module) {
  const options = { window: number(4), keep: number(4), spectator: number(1) !== 0, machine: "" };
  const core = new PeerCore(module, sized().toString("latin1"), options);
  const said = { ticks: [], reports: [] };
  for (;;) {
    const call = CALLS[number(1)];
    at += 8;
    const now = given.readBigInt64LE(at - 8);
    const data = sized();
    if (call === "done") return said;
    if (call === "receive") core.receive(now, data);
    else if (call === "report") said.reports.push(hex(core.report(Number(now)) ?? []));
    else if (call !== "tick") core[call]();
    else {
      core.setInput(data);
      const wake = core.tick(now);
      said.ticks.push({ wake, messages: core.messages().map(hex), events: core.events() });
    }
  }
}

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const module = await loadPeer();
const found = Array.from({ length: number(4) }, () => conversation(module));
const text = JSON.stringify(found, (_, v) => (typeof v === "bigint" ? String(v) : v));
await new Promise((done) => process.stdout.write(text, done));
