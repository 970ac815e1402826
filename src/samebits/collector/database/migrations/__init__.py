"""Revisions of the tables, in the order in which Alembic applies them."""
