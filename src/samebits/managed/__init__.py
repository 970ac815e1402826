"""The managed execution: a kernel's own source in CPython."""
