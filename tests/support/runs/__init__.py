"""Runs of simulations and what they leave: frames, replays, reports, exports."""
