"""Code for other machines, run on this one: linked, emulated, and talked to over pipes."""
