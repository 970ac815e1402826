"""Bounds on the rounding errors of fast phases, proven from the kernels' own IR.

`expansions` encloses real functions over a cell of inputs, `numbers` says what a computed float is
(an exact combination of those and of rounding errors), `rounding_rules` when an operation rounds
nothing, `machine` runs IR on them, `claims` says for which kernels and cells what has to hold.
`kept` is what was shown, and `document` the page about it.
"""
