"""The tests; `tests/unit` mirrors `src`."""
