"""The stubs that are made of the run time: names, docstrings and tables of `samebits`."""
