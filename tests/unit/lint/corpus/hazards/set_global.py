"""A module's set, used from a class two scopes away."""

DIRTY: "set[str]" = set()


class Cache:
    class Page:
        def flush(self, write):
            for key in DIRTY:  # expect: SB101
                write(key)
