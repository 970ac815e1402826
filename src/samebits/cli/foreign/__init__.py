"""Commands about programs that samebits did not make."""
