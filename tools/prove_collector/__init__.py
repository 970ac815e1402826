"""The proof of the collector under load: kills at any moment, and a million reports."""
