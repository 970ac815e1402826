"""What LLVM text is made of: types, writers, the call graph, metadata, facts of values."""
