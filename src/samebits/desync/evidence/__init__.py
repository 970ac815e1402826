"""Other programs' facts about a run, as desync reports: a file for each kind, one table of all."""
