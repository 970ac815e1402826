"""The same under other names."""

from glob import glob as find
from os import scandir, walk

scripts = find("ai/*.py")  # expect: SB104
entries = [e.name for e in scandir("ai")]  # expect: SB104
deep = [n for _, _, names in walk("ai") for n in names]  # expect: SB104
