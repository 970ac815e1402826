"""Functions, entries, ranges and modules as LLVM text."""
