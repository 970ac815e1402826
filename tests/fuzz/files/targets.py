"""Every format, by its name."""

from __future__ import annotations

from tests.fuzz.files.binaries import Archives, Builds, Coff, Elf, MachO, Pe, Wasm
from tests.fuzz.files.bits_files import BitsFiles
from tests.fuzz.files.cache_entries import CacheEntries
from tests.fuzz.files.dumps import Dumps
from tests.fuzz.files.engine import Target
from tests.fuzz.files.goldens import Goldens
from tests.fuzz.files.hash_lists import HashLists
from tests.fuzz.files.records import Records
from tests.fuzz.files.replays import Replays
from tests.fuzz.files.reports import Reports
from tests.fuzz.files.saves import Saves
from tests.fuzz.files.scripts import Descriptions, LuaScripts
from tests.fuzz.files.texts import Expressions, Sources
from tests.fuzz.files.two_reports import TwoReports
from tests.fuzz.files.verdicts import Verdicts

TARGETS: dict[str, type[Target]] = {
    one.name: one
    for one in (
        Replays,
        Reports,
        TwoReports,
        Goldens,
        BitsFiles,
        Verdicts,
        HashLists,
        Dumps,
        CacheEntries,
        Saves,
        Sources,
        Expressions,
        Records,
        Descriptions,
        LuaScripts,
        Elf,
        Pe,
        Coff,
        MachO,
        Wasm,
        Archives,
        Builds,
    )
}
"""What makes each, given a folder for its files."""
