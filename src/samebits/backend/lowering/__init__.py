"""From operations of the IR to LLVM text: one function an opcode."""
