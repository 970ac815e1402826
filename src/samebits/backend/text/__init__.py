"""The parts of LLVM text: types, writers, the call graph, metadata, facts of values."""
