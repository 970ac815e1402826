"""LLVM: parse, optimise, generate and load; remarks, listings, and requests to compile."""
