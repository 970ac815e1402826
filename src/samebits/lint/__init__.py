"""`samebits lint`: what in ordinary Python gives other results elsewhere, or in another run.

A rule is a file in `rules`, with a code, a reason and a remedy; `names` and `kinds` tell it what an
expression is. Nothing that is examined is ever run.
"""

from samebits.lint.check import Checked, check_source
from samebits.lint.files import check_paths
from samebits.lint.rule import Finding, Rule
from samebits.lint.rules import RULES

__all__ = ["RULES", "Checked", "Finding", "Rule", "check_paths", "check_source"]
