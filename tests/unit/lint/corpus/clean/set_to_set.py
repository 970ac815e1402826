"""Sets made of sets."""


def reachable(start: set, edges: dict) -> set:
    seen = set(start)
    frontier = frozenset(start)
    while frontier:
        frontier = frozenset(n for cell in sorted(frontier) for n in edges[cell]) - seen
        seen |= frontier
    return {cell for cell in seen}
