"""Machine code to the instructions that matter: one file for each way of decoding."""
