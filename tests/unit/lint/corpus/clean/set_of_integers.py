def total(ids: set[int], more: frozenset[int]) -> int:
    (only,) = {4}
    masks = {1, 2, 8}
    count = 0
    count += sum(ids)
    return count + sum(more) + sum(masks) + sum(i for i in ids) + only
