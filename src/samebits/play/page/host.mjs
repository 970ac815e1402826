// What the page asks of the host that serves it: facts, the lobby, and tickets.

const KEPT_CODE = "samebits code";

/** A refusal of the host: `status` is HTTP's, the message is for people. */
export class HostError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function asked(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new HostError(0, "The host does not answer.");
  }
  if (!response.ok) throw new HostError(response.status, (await response.text()).trim());
  return response.json();
}

export const facts = () => asked("/facts.json");
export const lobby = () => asked("/lobby.json");

/** A ticket for a slot, or `null` to watch: `{match, ticket}`. It is good once. */
export function ticket(slot) {
  const headers = { "Join-Code": joinCode() };
  return asked(`/ticket/${slot ?? "watch"}`, { method: "POST", headers });
}

export const joinCode = () => sessionStorage.getItem(KEPT_CODE) ?? "";
export const keepCode = (code) => sessionStorage.setItem(KEPT_CODE, code.trim());

/** Keep the join code of the address, where it stands behind #, and take it out of there. */
export function takeCode() {
  const code = decodeURIComponent(location.hash.slice(1));
  if (!code) return;
  keepCode(code);
  history.replaceState(null, "", location.pathname);
}
