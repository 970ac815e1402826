"""A version that only chooses an import."""

import sys

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

load = tomllib.loads
