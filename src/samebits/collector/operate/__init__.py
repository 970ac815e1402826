"""The means to keep a collector running: logs, metrics, retention, backups."""
