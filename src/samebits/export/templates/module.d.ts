// @SIMULATION@: a simulation with the same bits on every machine. Written by samebits.
// TypeScript finds the types of @NAME@.mjs in @NAME@.d.mts; this is for tools that look here.

export * from "./@NAME@.mjs";
