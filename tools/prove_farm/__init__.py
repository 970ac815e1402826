"""The farm through `kill -9`: what is killed at random moments, and what the store has then."""
