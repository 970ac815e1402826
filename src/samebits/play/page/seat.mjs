// A seat in the match: a ticket, the peer, and coming back after a reload.
//
// It knows nothing of how a match looks.

import { HostError, ticket } from "./host.mjs";

const address = (match) => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/${match}`;
const kept = (slot) => `samebits seat ${slot}`;

/** A place in the current match: `slot`, or null to watch. Gives the match and its name; throws
 * HostError where there is no ticket, MatchError where there is no place. */
export async function takeSeat(peers, slot, options) {
  const { Match } = peers;
  const spectator = slot === null;
  const before = spectator ? null : recall(slot);
  if (before !== null) {
    try {
      const match = await Match.join(address(before.name), "", { ...options, token: before.token });
      return { match, name: before.name };
    } catch {
      forget(slot); // its match is over, or the slot is somebody else's
    }
  }
  const { match: name, ticket: text } = await ticket(slot);
  const match = await Match.join(address(name), text, { ...options, spectator });
  return { match, name };
}

/** Keep what brings this tab back to its slot; nothing of another tab sees it. */
export function remember(slot, name, token) {
  if (slot !== null && token) sessionStorage.setItem(kept(slot), JSON.stringify({ name, token }));
}

export function forget(slot) {
  sessionStorage.removeItem(kept(slot));
}

function recall(slot) {
  try {
    const { name, token } = JSON.parse(sessionStorage.getItem(kept(slot)));
    return typeof name === "string" && typeof token === "string" ? { name, token } : null;
  } catch {
    return null;
  }
}

/** Why there is no seat, for people: a title and a text, and whether the join code is missing. */
export function whyNot(error) {
  if (error instanceof HostError) {
    if (error.status === 401) return { title: "The join code", text: "Whoever hosts the match sees it on the terminal.", code: true };
    if (error.status === 409) return { title: "This place is taken", text: `${error.message}.` };
    return { title: "No ticket", text: error.message };
  }
  const both = error.theirs ? ` (${error.ours}, ${error.theirs})` : "";
  return { title: "No place in the match", text: `${error.message}${both}` };
}
