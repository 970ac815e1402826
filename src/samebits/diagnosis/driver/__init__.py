"""From two sides to a diagnosis: frame, fields, operation, cause, exposed operations.

A file a kind of comparison. They differ in how the first frame is found, and in what is done where
a side has no trace.
"""

from samebits.diagnosis.driver.run_and_report import diagnose_report
from samebits.diagnosis.driver.third_run import diagnose_reports_here
from samebits.diagnosis.driver.two_reports import diagnose_reports
from samebits.diagnosis.driver.two_runs import diagnose

__all__ = ["diagnose", "diagnose_report", "diagnose_reports", "diagnose_reports_here"]
