// @SIMULATION@: a simulation with the same bits on every machine. Written by samebits.

/** Facts about the simulation. Peers with the same digest play the same game. */
export declare const info: {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  /** Inputs a frame. */
  readonly players: number;
  /** Frames a second of simulated time. */
  readonly tickRate: number;
  /** Bytes of `save()`. */
  readonly stateBytes: number;
  /** Bytes of one player's canonical input. */
  readonly inputBytes: number;
};

/** The simulation itself stopped: the same trap in the same frame on every machine. */
export declare class SimulationTrap extends Error {
  readonly code: number;
  /** The frame that it stopped in; -1 for init. */
  readonly frame: number;
  readonly reason: string;
  /** Where in the Python source. */
  readonly file: string;
  readonly function: string;
  readonly line: number;
}

@TYPES@
/** Views of a state, or of one player's input, that lies at `at` in memory as a module has it. */
export declare function viewState(view: DataView, at?: number): @STATE_VIEW@;
export declare function viewInput(view: DataView, at?: number): @INPUT_VIEW@;

/** What `verify` found: `differs` is the first frame with another hash, or -1. */
export interface Verification {
  frames: number;
  hash: bigint;
  /** Whether the file has hashes to compare with. */
  compared: boolean;
  differs: number;
  hashes: BigUint64Array;
}

/** Load the module: from beside this file, or from a URL, its bytes, or a WebAssembly.Module. */
export declare function load(
  source?: URL | string | ArrayBuffer | ArrayBufferView | WebAssembly.Module,
): Promise<Simulation>;

/** A loaded module, which games are started from. */
export declare class Simulation {
  private constructor();
  /** A new game, which keeps what a report tells of its last `keep` frames, 0 to 35,999: states,
   * inputs and hashes. The seed is a whole number from 0 to 2**64 - 1. Throws SimulationTrap. */
  start(seed?: bigint | number, options?: { keep?: number }): Game;
  /** Play a file of `samebits replay export`. Throws RangeError for another simulation's, or a
   * damaged one, and SimulationTrap. */
  verify(file: ArrayBuffer | ArrayBufferView): Verification;
}

/** One running game. */
export declare class Game {
  private constructor();
  /** Whole frames so far. */
  readonly frame: number;
  /** Views of the module's memory: always the present state. */
  readonly state: @STATE_VIEW@;
  /** The next frame's inputs, one a player. */
  readonly inputs: readonly @INPUT_VIEW@[];
  /** Advance one frame. Throws SimulationTrap, leaving the state as it was. */
  step(): void;
  /** Advance over canonical input bytes; the hash after each frame. Throws SimulationTrap, leaving
   * the state of the last whole frame. */
  run(inputs: ArrayBuffer | ArrayBufferView): BigUint64Array;
  /** XXH64 of the canonical state. */
  hash(): bigint;
  /** The state's canonical bytes, which any other machine can restore. */
  save(): Uint8Array;
  /** Come back to what `save` gave, which was at `frame` (0), a whole number. Throws RangeError,
   * leaving all as it was. Bytes that come from elsewhere need a checksum of their own. */
  restore(bytes: ArrayBuffer | ArrayBufferView, frame?: number): void;
  /** The desync report of the frames that are kept, the file that `samebits diagnose` takes.
   * `machine` says which device this is, in at most 200 printable ASCII characters; by default the
   * browser's own words. Throws RangeError where nothing is kept. */
  report(machine?: string): Uint8Array;
  /** The canonical bytes of `inputs`. */
  saveInputs(): Uint8Array;
  /** Set `inputs` from their canonical bytes. Throws RangeError. */
  restoreInputs(bytes: ArrayBuffer | ArrayBufferView): void;
}
