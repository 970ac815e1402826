// The figures of the network: what the peer counts, and what the relay found.

import { count } from "./names.mjs";

const EVERY = 500; // ms from one reading of rates to the next

const at = (id) => document.getElementById(id);

export class Hud {
  #before = null;

  /** Show a peer's status, at a time in milliseconds. */
  status(status, now) {
    at("frame").textContent = count(status.frame);
    const before = this.#before;
    if (before !== null && now - before.now < EVERY) return;
    at("ping").textContent = status.rtt ? `${status.rtt < 10 ? status.rtt.toFixed(1) : Math.round(status.rtt)} ms` : "–";
    at("delay").textContent = String(status.delay);
    if (before !== null) {
      const rate = (name) => Math.max(0, ((status[name] - before[name]) * 1000) / (now - before.now));
      at("rollbacks").textContent = rate("rollbacks").toFixed(rate("rollbacks") < 10 ? 1 : 0);
      at("hashes").textContent = String(Math.round(rate("final")));
    }
    this.#before = { now, rollbacks: status.rollbacks, final: status.final };
  }

  /** Show how many frames all agree on, and whether somebody is apart now. */
  agreed(frames, isApart) {
    at("agree").textContent = count(frames);
    at("agree").parentElement.className = isApart ? "departed" : "agrees";
  }
}
