"""Sums of integers are exact."""


def count(rows: list[int], names):
    total = sum(rows)
    total += sum(len(n) for n in names) + sum(1 for n in names if n)
    return total + sum(range(10)) + sum(x > 3 for x in rows)
