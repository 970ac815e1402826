"""A fuzzer of what keeps a kernel inside its arrays: checks, and the passes that take them out."""
