"""What made bits differ: expressions re-evaluated under every hazard until one gives the bits."""
