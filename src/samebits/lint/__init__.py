"""`samebits lint`: what in ordinary Python gives other results elsewhere, or in another run.

A rule is a file in `rules`, with a code, a reason and a remedy; `names` and `kinds` tell it what an
expression is. Nothing that is examined is ever run.
"""

from samebits.lint.check import CheckedFile, check_source
from samebits.lint.files import check_paths
from samebits.lint.rule import LintFinding, LintRule
from samebits.lint.rules import RULES

__all__ = ["RULES", "CheckedFile", "LintFinding", "LintRule", "check_paths", "check_source"]
