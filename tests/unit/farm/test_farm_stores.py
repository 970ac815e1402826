"""A store keeps every row that was added, whatever happens to the process and its files."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from samebits.farm import store as module
from samebits.farm.errors import FarmError
from samebits.farm.rows import HUNG, SAME, Key, Row
from samebits.farm.store import Store


def row(number: int, result: str = SAME) -> Row:
    return Row(
        f"{number:032x}", "p" * 32, "x86-64-v3-O3", "f", 0, f"r/{number}.mcap", "game", "1", result,
        "told", 60, None, "0" * 16, "1" * 16, "native", "here", 0.5,
    )  # fmt: skip


def filled(folder: Path, *batches: list[Row]) -> None:
    """Add batches; rows whose keys were there before are added as such."""
    seen: set[Key] = set()
    with Store(str(folder)) as store:
        for batch in batches:
            keys = {each.key for each in batch}
            store.add(batch, again=bool(keys & seen))
            seen |= keys


def test_rows_come_back_as_they_were_added(tmp_path: Path) -> None:
    odd = replace(row(1), path='it\'s "odd"\n\x1b[0m/ü.mcap', frame=0, told="", seconds=0.1)
    filled(tmp_path / "a'b", [odd], [row(2)])
    with Store(str(tmp_path / "a'b")) as store:
        assert store.rows(most=10) == [odd, row(2)]
        keys = [odd.key, row(2).key, row(3).key]
        assert store.known(keys) == {odd.key: SAME, row(2).key: SAME}
        assert store.known([replace(odd.key, fingerprint="g")]) == store.known([]) == {}


def test_a_path_that_is_no_text_is_kept_by_its_bytes(tmp_path: Path) -> None:
    filled(tmp_path, [replace(row(1), path="r/\udcff.mcap", told="cannot read r/\udcff.mcap")])
    with Store(str(tmp_path)) as store:
        (found,) = store.rows()
    assert (found.path, found.told) == (r"r/\udcff.mcap", r"cannot read r/\udcff.mcap")


def test_the_latest_row_of_a_key_counts(tmp_path: Path) -> None:
    filled(tmp_path, [row(1, HUNG), row(2)], [row(1)])
    with Store(str(tmp_path)) as store:
        assert store.known([row(1).key]) == {row(1).key: SAME}
        assert len(store.rows()) == 2


def test_many_parts_become_one_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_PARTS", 3)
    filled(tmp_path, *([row(n), row(0, HUNG if n % 2 else SAME)] for n in range(1, 14)))
    parts = list(tmp_path.glob("*.parquet"))
    assert len(parts) <= 4
    with Store(str(tmp_path)) as store:
        assert {each.replay: each.result for each in store.rows()} == {
            row(n).replay: HUNG if not n else SAME for n in range(14)
        }


def test_a_part_that_another_covers_is_not_read(tmp_path: Path) -> None:
    filled(tmp_path, [row(1, HUNG)])
    (old,) = tmp_path.glob("*.parquet")
    (tmp_path / "part-00000003-00000003-junk.parquet.partial").write_bytes(b"cut sho")
    kept = old.read_bytes()
    with Store(str(tmp_path)) as store:
        store.add([row(1)], again=True)
        store._merge(store._parts)  # pyright: ignore[reportPrivateUsage]
    old.write_bytes(kept)  # as if it had been killed before it removed the part
    with Store(str(tmp_path)) as store:
        assert [each.result for each in store.rows()] == [SAME]
    assert len(list(tmp_path.iterdir())) == 2  # the part and the lock


@pytest.mark.parametrize("change", ["cut", "flipped", "other"])
def test_a_damaged_part_is_told_and_costs_its_own_rows_alone(tmp_path: Path, change: str) -> None:
    filled(tmp_path, [row(1)], [row(2)])
    part = min(tmp_path.glob("*.parquet"))
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes({"cut": data[:50], "flipped": data, "other": b"PAR1"}[change])
    read = Store(str(tmp_path))  # that doesn't write
    assert part.name in read.damaged[0]
    assert part.is_file()
    with Store(str(tmp_path)) as store:
        assert list(store.known([row(1).key, row(2).key])) == [row(2).key]
        assert len(store.damaged) == 1
        assert part.name in store.damaged[0]
        assert store.damaged[0].endswith(f"kept as {part.name}.damaged")
        assert not part.exists()
        assert part.with_name(f"{part.name}.damaged").is_file()
        store.add([row(1)])
    with Store(str(tmp_path)) as store:
        assert len(store.known([row(1).key, row(2).key])) == 2
        assert store.damaged == []
    everything = f"SELECT count(*) FROM '{tmp_path}/*.parquet'"
    assert duckdb.sql(everything).fetchall() == [(2,)]


def test_a_damaged_part_whose_place_is_taken_is_set_aside_too(tmp_path: Path) -> None:
    for _ in range(2):
        filled(tmp_path, [row(1)])
        (part,) = tmp_path.glob("*.parquet")
        part.write_bytes(b"PAR1")
        with Store(str(tmp_path)) as store:
            assert len(store.damaged) == 1
    assert len(list(tmp_path.glob("*.damaged"))) == 2


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    with (
        Store(str(tmp_path)),
        pytest.raises(FarmError, match="another process writes"),
        Store(str(tmp_path)),
    ):
        pass
    filled(tmp_path, [row(1)])


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FarmError, match="cannot make the folder"):
        Store(str(tmp_path / "file" / "store"))


_WRITES = """
import itertools, sys
sys.path.insert(0, sys.argv[2])
from tests.unit.farm.test_farm_stores import row
from samebits.farm.store import Store
with Store(sys.argv[1]) as store:
    for n in itertools.count():
        store.add([row(10 * n + i) for i in range(10)])
        print(n, flush=True)
"""


def test_what_was_added_is_there_after_kill_9(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", _WRITES, str(tmp_path), str(Path(__file__).parents[3])]
    for stop in (1, 2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = [process.stdout.readline().strip() for _ in range(stop + 1)]
            process.kill()
            process.wait()
        assert said == [str(n) for n in range(stop + 1)]
        with Store(str(tmp_path)) as store:
            assert store.damaged == []
            found = {int(each.replay, 16) for each in store.rows(most=100_000)}
        assert found >= set(range(10 * (stop + 1)))
        assert len(found) % 10 == 0  # a part is there whole, or it isn't
