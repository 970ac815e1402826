"""Binary files to what an audit knows of them: one file for each format."""
