"""Jobs on worker threads."""
