"""Foreign builds: plain C of simulations, built by other compilers and flags, diagnosed, judged."""
