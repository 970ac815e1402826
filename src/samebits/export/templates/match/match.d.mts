// @SIMULATION@: a peer of a match over a network. Written by samebits.

import type { @INPUT_VIEW@, @STATE_VIEW@ } from "./@NAME@.mjs";

/** Fields of an input, and of structs in it, that are set. */
export type Fields<T> = {
  [K in keyof T]?: T[K] extends number | bigint | boolean | ArrayLike<number> | ArrayLike<bigint>
    ? T[K]
    : Fields<T[K]>;
};

/** What the player does: the fields of an input, or a function that gives them for a frame. */
export type Input = Fields<@INPUT_VIEW@> | ((frame: number) => Fields<@INPUT_VIEW@> | undefined);

export type Phase = "greeting" | "loading" | "ready" | "playing" | "paused" | "over";

/** Where a match is. */
export interface Status {
  phase: Phase;
  /** The own slot; -1 before it is known, @PLAYERS@ for a spectator. */
  slot: number;
  /** The slots that are played. */
  players: number[];
  seed: bigint;
  /** How many frames were played, predicted ones included. */
  frame: number;
  /** How many frames have final inputs, and how many of those were played. */
  confirmed: number;
  final: number;
  /** Frames from a tick to the frame of its input. */
  delay: number;
  /** The median round trip in milliseconds, 0 if unknown. */
  rtt: number;
  /** Ticks at which nothing new could be shown. */
  stalls: number;
  /** How often frames were played again, how many, and how many at once. */
  rollbacks: number;
  replayed: number;
  deepest: number;
  /** How often a state came from the relay, and before which frame the latest was. */
  restores: number;
  restored: number;
  /** Events that were left out, since nobody took them. */
  lost: number;
  /** What brings a player back to the slot, also from another page: see `PeerOptions`. It changes with
   * each connection, and who has it has the slot. "" before it is known. */
  token: string;
  /** Whether there is a connection now. */
  connected: boolean;
}

/** Some slots, and the hash that their states have; `referee` where the relay's own run has it. */
export interface Group {
  hash: bigint;
  slots: number[];
  referee: boolean;
}

/** What happened, by its `type`. */
export type MatchEvent =
  | { type: "joined" | "left" | "away"; slot: number; frame: number }
  /** The inputs of `slots` came too late for `frame`. */
  | { type: "substituted"; slots: number[]; frame: number }
  /** Frames close from `frame` on, or no more until the match goes on. */
  | { type: "started" | "paused"; frame: number }
  | { type: "delayed"; slot: number; delay: number; frame: number }
  /** States differ after `frame`; where that is decided the first group is right, and `wrong` are
   * the slots that departed. */
  | { type: "desynced"; frame: number; wrong: number[]; decided: boolean; groups: Group[] }
  /** Why states differed after `frame`. */
  | { type: "verdict"; frame: number; text: string }
  /** A trap ended `frame`, on every machine. */
  | { type: "trapped"; frame: number; code: number; text: string }
  /** The connection is gone; there is another try in `again` milliseconds. */
  | { type: "disconnected"; reason: string; tries: number; again: number }
  | { type: "refused"; code: string; reason: string; ours: string; theirs: string }
  | { type: "ended"; reason: string; frames: number; hash: bigint }
  /** What the relay sent was wrong. */
  | { type: "broken"; reason: string }
  /** There is no connection, and no way back. */
  | { type: "lost"; reason: string }
  /** The peer cannot run here. */
  | { type: "failed"; code: string; reason: string };

/** No match, or no longer: `code` says why in a word; of a refusal `ours` and `theirs` are the two
 * values that differ. */
export declare class MatchError extends Error {
  readonly code: string;
  readonly ours: string;
  readonly theirs: string;
}

export interface PeerOptions {
  /** Frames that are predicted at most; 0 is lockstep. 8 by default. A match takes fewer where this
   * machine is too slow to play them again in a quarter of a tick. */
  window?: number;
  /** Final frames that are kept, up to @MOST_KEPT@: reports tell of them. 900 by default. */
  keep?: number;
  /** Watch, and send no input. */
  spectator?: boolean;
  /** Frames from a tick to the frame of its input at least. */
  leastDelay?: number;
  /** The `token` of the status of a peer that is gone, as after a reload of its page: come back to its
   * slot. The ticket is of no meaning then. */
  token?: string;
  /** Which device this is, in reports; by default the browser's own words. */
  machine?: string;
}

export interface Handlers {
  /** There is something new to show. The state holds until this returns; the match's `state` is the
   * latest at any time. */
  onframe?: ((state: @STATE_VIEW@, status: Status) => void) | null;
  onevent?: ((event: MatchEvent) => void) | null;
  ondesync?: ((event: MatchEvent & { type: "desynced" }) => void) | null;
  onverdict?: ((event: MatchEvent & { type: "verdict" }) => void) | null;
  /** Once: the match is over, or this player left. */
  onend?: ((event: MatchEvent & { type: "ended" | "left" }) => void) | null;
  /** Once, in place of `onend`: the match broke off. */
  onerror?: ((error: MatchError) => void) | null;
}

export interface JoinOptions extends PeerOptions, Handlers {
  /** The first `input`. */
  input?: Input;
  /** The module `@NAME@_match.wasm`, by default the one beside this file: its URL, its bytes, or
   * compiled. */
  wasm?: URL | string | ArrayBuffer | ArrayBufferView | WebAssembly.Module;
  /** Whether the peer runs in a Worker, so that a hidden tab goes on and a slow page holds nobody
   * up. Pages have one unless this is false, or `WebSocket` is given; elsewhere there is none. */
  worker?: boolean;
  /** The class of connections, where there is none or another is wanted. */
  WebSocket?: new (url: string) => WebSocket;
}

/** A match that is played. A dropped connection is made again, and the peer comes back to its
 * slot. */
export declare class Match implements Handlers {
  private constructor();
  /** Take a slot of the match that `url` names, `wss://host/match`, with a ticket for it. Rejects
   * with MatchError where there is no place or no relay. Handlers that are set at once when it
   * resolves miss nothing. */
  static join(url: string | URL, ticket: string, options?: JoinOptions): Promise<Match>;
  onframe: Handlers["onframe"];
  onevent: Handlers["onevent"];
  ondesync: Handlers["ondesync"];
  onverdict: Handlers["onverdict"];
  onend: Handlers["onend"];
  onerror: Handlers["onerror"];
  /** The last event, whatever it is. */
  readonly over: Promise<MatchEvent>;
  /** What the player does now: views of an input, which each tick reads. Given an object its fields
   * are set; given a function, that is asked for them with the frame that they are for, once or
   * more: where a Worker plays, whenever there is something new to show. */
  get input(): @INPUT_VIEW@;
  set input(given: Input);
  /** The latest state, predicted or not; null before there is one. Views of it are not to be kept. */
  readonly state: @STATE_VIEW@ | null;
  status(): Status;
  /** Ask for a pause, and for its end. */
  pause(): void;
  resume(): void;
  /** Leave the slot for good, and free what the match took. */
  leave(): Promise<void>;
  /** The hash after a final frame; null where it is not kept. */
  hash(frame: number): Promise<bigint | null>;
  /** A desync report that shows a final frame, the latest if none is named: the file that
   * `samebits diagnose` takes. Null where the frame is not kept. */
  report(frame?: number): Promise<Uint8Array | null>;
}

/** Load the peer's module, for `PeerCore`. */
export declare function loadPeer(source?: JoinOptions["wasm"]): Promise<WebAssembly.Module>;

/** A peer without a connection and a clock: messages in, messages and events out. Times are
 * nanoseconds of any clock that never goes back. */
export declare class PeerCore {
  /** Throws RangeError for options that cannot be, MatchError where there is not enough memory. */
  constructor(module: WebAssembly.Module, ticket: string, options?: PeerOptions);
  /** What the player does now: views, which each tick reads. */
  readonly input: @INPUT_VIEW@;
  /** The latest state until the next call; null before there is one. */
  readonly state: @STATE_VIEW@ | null;
  /** A message came. */
  receive(now: bigint, message: Uint8Array): void;
  /** Do what is due. The time at which to call again at the latest; null when it is over. */
  tick(now: bigint): bigint | null;
  /** The messages that are to be sent now, in order. */
  messages(): Uint8Array[];
  /** What happened. */
  events(): MatchEvent[];
  status(): Omit<Status, "connected">;
  hash(frame: number): bigint | null;
  report(frame: number): Uint8Array | null;
  /** There is a new connection: say hello again, and come back to the slot. */
  reconnect(): void;
  /** Ask for a pause, for its end, or leave for good: it is in the messages after the next tick. */
  pause(): void;
  resume(): void;
  leave(): void;
}
