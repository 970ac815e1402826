"""The typed intermediate representation: grammar, legality, text form, evaluation."""
