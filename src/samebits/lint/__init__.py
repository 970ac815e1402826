"""`samebits lint`: finds Python code whose results differ between machines or runs.

A rule is a file in `rules`, with a code, a reason and a remedy; `names` and `kinds` infer what an
expression is. The code under examination is never run.
"""

from samebits.lint.check import CheckedFile, check_source
from samebits.lint.files import check_paths
from samebits.lint.reach import check_reached
from samebits.lint.rule import Confidence, LintFinding, LintRule
from samebits.lint.rules import RULES

__all__ = [
    "RULES",
    "CheckedFile",
    "Confidence",
    "LintFinding",
    "LintRule",
    "check_paths",
    "check_reached",
    "check_source",
]
