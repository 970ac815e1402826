"""From Python's `ast` to typed IR: names, types, source spans and the errors that users see."""
