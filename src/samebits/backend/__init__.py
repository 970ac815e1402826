"""Typed IR to machine code: targets as data, LLVM text, objects, and an audit of the assembly."""
