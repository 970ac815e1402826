"""Other programs: records of their runs, and the recorders that write them."""
