"""Shards by hash."""


def shard(players, count):
    rows = [[] for _ in range(count)]
    for player in sorted(players, key=hash):  # expect: SB102
        rows[hash(player) % count].append(player)  # expect: SB102
    return rows
