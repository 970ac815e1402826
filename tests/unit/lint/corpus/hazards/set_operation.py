"""The difference of two sets, string by string."""


def gone(before: frozenset, after: frozenset):
    report = []
    report.extend(before - after)  # expect: SB101
    return ",".join(before & after), report  # expect: SB101
