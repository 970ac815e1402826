"""The collector's tables, and the SQLite file or PostgreSQL server that holds them."""
