"""A simulation as files that need no Python: C header, libraries, verifier, WebAssembly module."""
