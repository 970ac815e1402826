"""Commands of CI on many machines: `samebits compare` and `samebits ci`."""
