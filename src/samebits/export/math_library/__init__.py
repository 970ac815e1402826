"""The math functions as a library for programs that exist already: C, C++, WebAssembly."""
