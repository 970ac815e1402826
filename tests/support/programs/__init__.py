"""Programs in IR, made by hand or at random, evaluated and compiled."""
