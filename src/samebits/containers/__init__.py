"""Containers of fixed capacity: lists, maps, heaps, bit sets and grids, as structs of the language.

Each family, as `List`, makes a struct class for its arguments once. The methods are kernels of the
ordinary language, so that all executions, hashes and exports have them. What a container does not
use of its memory is zero: equal contents in order are equal bytes, whatever the history.
"""
