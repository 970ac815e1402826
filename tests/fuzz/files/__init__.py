"""Files made to mislead the readers: a mutation engine guided by coverage, and a target a format.

`mutate`, `mcap_form` and `json_form` make bytes, `tracing` sees where a reader goes and for how
long, `engine` keeps what leads somewhere new, and each format's module says what its reader owes:
no exception but the house's own, memory and steps bounded by the file's length, and never "whole"
for content that differs from what the writer wrote.
"""
