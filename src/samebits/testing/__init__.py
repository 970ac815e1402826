"""The pytest plugin: bits compared in tests, replays and simulations as tests, golden hashes.

`samebits_pytest`, outside of the package, is what pytest loads.
"""
