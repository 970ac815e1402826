// The math functions of samebits: the types of sbmath.mjs.

export interface SamebitsMath {
@NUMBERS@
  /** The same of typed arrays of one length, which are copied in and out. */
  array: {
@ARRAYS@
  };
}

/** The functions, of the module beside this file or of its bytes or URL. */
export function load(source?: string | URL | ArrayBuffer | ArrayBufferView): Promise<SamebitsMath>;
