"""A state as schema, columns, hash and differences."""
