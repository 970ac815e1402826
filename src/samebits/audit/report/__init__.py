"""Audits as text, JSON, SARIF and pages."""
