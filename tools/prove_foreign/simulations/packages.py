"""The table of public simulations: name, version, archive, and how each is built.

Owns the table alone. Their sources are Debian's, fetched by `fetch.py` and never part of samebits;
each is driven by a scene of ours in `drivers`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Package:
    """A simulation's source package, and how a scene of it is built."""

    name: str
    version: str
    """Of Debian's source package."""
    archive: str
    sha256: str
    scene: str
    """The file in `drivers`."""
    sources: tuple[str, ...]
    """Patterns below the package's folder."""
    include: tuple[str, ...]
    flags: tuple[str, ...]

    @property
    def is_cpp(self) -> bool:
        return self.scene.endswith(".cpp")


PACKAGES = (
    Package(
        "chipmunk", "7.0.3-5", "chipmunk_7.0.3.orig.tar.gz",
        "1e6f093812d6130e45bdf4cb80280cb3c93d1e1833d8cf989d554d7963b7899a",
        "chipmunk_scene.c",
        # cpHastySpace.c, which is threads, includes a header that newer systems lack
        ("src/chipmunk.c", "src/cp[!H]*.c", "src/cpHashSet.c"),
        ("include",), ("-std=gnu99", "-DNDEBUG", "-w"),
    ),
    Package(
        "box2d", "2.4.1-3", "box2d_2.4.1.orig.tar.gz",
        "d6b4650ff897ee1ead27cf77a5933ea197cbeef6705638dd181adc2e816b23c2",
        "box2d_scene.cpp", ("src/*/*.cpp",), ("include", "src"), ("-std=c++11", "-DNDEBUG", "-w"),
    ),
)  # fmt: skip
