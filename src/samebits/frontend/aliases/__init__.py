"""Names of memory that is another name's too, and what comes of that."""
