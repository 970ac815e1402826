"""The desync collector: a service that takes reports from players, and groups them by cause.

`database` has the tables, `intake` takes files, `work` diagnoses them, `grouping` says which belong
together, `rollout` compares builds, `web` answers requests, `operate` keeps the service running,
and `sending` is the other end, which needs none of the rest.
"""
