"""Sessions that part: inputs, seeds, restores and pokes, drawn, diagnosed and counted."""
