"""A noise function seeded by the hash of a name."""


def seed_of(name: str, frame: int) -> int:
    return hash((name, frame)) & 0xFFFFFFFF  # expect: SB102
