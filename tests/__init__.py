"""The tests; `tests/unit` mirrors `src/samebits`, and what tests share is in `tests/support`."""
