"""Simulations: state, replay and golden files, verification."""
