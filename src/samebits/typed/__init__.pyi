"""What editors and type checkers know of samebits' names; nothing here is imported at run time."""
