"""The error of a binary that cannot be audited."""

from __future__ import annotations


class UnreadableBinary(Exception):
    """Why one file cannot be read: a clause, without the file's name. It ends that file alone."""
