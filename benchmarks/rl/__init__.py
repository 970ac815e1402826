"""Environments for learners beside their peers, and a loop in C."""
