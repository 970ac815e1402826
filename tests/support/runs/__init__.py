"""Simulations that ran, and the files they leave: frames, replays, reports, exports."""
