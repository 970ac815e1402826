"""The farm through `kill -9`: schedulers, workers and clients killed, and what the store has then."""
