"""The recorders for Rust, C# and JavaScript write the bytes that samebits.h writes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.foreign_records import portable_part
from tests.support.limits import HANG_SECONDS

from samebits.bits import xxh64
from samebits.foreign.recorder_sources import RECORDERS, recorder_source
from samebits.foreign.records import read_record

PROGRAMS = Path(__file__).parent / "programs"
GOLDEN = Path(__file__).parent / "golden.sbt"


def ran(*command: object) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def needs(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not here")


def recorder(folder: Path, language: str) -> Path:
    path = folder / RECORDERS[language].file
    path.write_text(recorder_source(language))
    return path


def test_rust_writes_the_golden_record_without_std(tmp_path: Path) -> None:
    needs("rustc")
    rustc = ("rustc", "--edition", "2021", "-D", "warnings", "--out-dir", tmp_path)
    crate = ("--crate-type", "rlib", "--crate-name", "samebits_recorder")
    ran(*rustc, *crate, recorder(tmp_path, "rust"))
    ran(*rustc, "-L", tmp_path, "--extern", "samebits_recorder", PROGRAMS / "golden_run.rs")
    ran(tmp_path / "golden_run", tmp_path / "run.sbt")
    assert portable_part((tmp_path / "run.sbt").read_bytes()) == GOLDEN.read_bytes()


def test_c_sharp_writes_the_golden_record(tmp_path: Path) -> None:
    needs("mcs", "mono")
    program = tmp_path / "run.exe"
    ran("mcs", "-warnaserror", f"-out:{program}", recorder(tmp_path, "csharp"),
        PROGRAMS / "GoldenRun.cs")  # fmt: skip
    ran("mono", program, tmp_path / "run.sbt")
    assert portable_part((tmp_path / "run.sbt").read_bytes()) == GOLDEN.read_bytes()


def test_javascript_writes_the_golden_record(tmp_path: Path) -> None:
    needs("node")
    ran("node", PROGRAMS / "golden_run.mjs", recorder(tmp_path, "js"), tmp_path / "run.sbt")
    assert portable_part((tmp_path / "run.sbt").read_bytes()) == GOLDEN.read_bytes()
    facts = read_record(str(tmp_path / "run.sbt")).facts
    assert facts["language"] == "JavaScript"
    assert facts["compiler"].startswith("node ")


def test_javascript_hashes_every_length_as_samebits_does(tmp_path: Path) -> None:
    needs("node")
    chance = random.Random(5)
    data = [chance.randbytes(n) for n in (*range(70), 255, 1000)]
    (tmp_path / "data.json").write_text(json.dumps([list(each) for each in data]))
    (tmp_path / "hashes.mjs").write_text(f"""
import fs from "node:fs";
import {{ xxh64 }} from "./{recorder(tmp_path, "js").name}";
const seed = [0xfedcba98, 0x90abcdef];
for (const each of JSON.parse(fs.readFileSync("{tmp_path}/data.json"))) {{
  const [low, high] = xxh64(Uint8Array.from(each), seed);
  console.log(high, low);
}}
""")
    lines = ran("node", tmp_path / "hashes.mjs").splitlines()
    found = [int(high) << 32 | int(low) for high, low in (line.split() for line in lines)]
    assert found == [xxh64(each, 0x90ABCDEF_FEDCBA98) for each in data]


def test_javascript_keeps_records_in_memory_and_refuses_what_cannot_be(tmp_path: Path) -> None:
    needs("node")
    (tmp_path / "page.mjs").write_text(f"""
import fs from "node:fs";
import {{ Recorder, memorySink }} from "./{recorder(tmp_path, "js").name}";
const sink = memorySink();
const run = new Recorder("page", "2", sink);
const said = [];
const wrong = (what) => {{ try {{ what(); }} catch (error) {{ said.push(error.message); }} }};
wrong(() => run.region("x", "f33", () => 0));
wrong(() => run.begin(0));
run.region("x", "f32[2]", () => [1, NaN]);
wrong(() => run.heap("y", "u8", 0, () => []));
run.begin(7);
wrong(() => run.begin(8));
run.end(7);
wrong(() => run.begin(9));
fs.writeFileSync("{tmp_path}/run.sbt", sink.bytes());
console.log(JSON.stringify(said));
""")
    assert json.loads(ran("node", tmp_path / "page.mjs")) == [
        'the layout "f33" has no type that there is, at "f33"',
        "no region: say region() before the first frame",
        "a heap has a capacity of 1 or more",
        "a frame begins in a frame: end() is missing",
        "frame 9 does not follow frame 7",
    ]
    run = read_record(str(tmp_path / "run.sbt"))
    assert list(run.hashes) == [6, 7]
    assert run.state_after(7) == bytes.fromhex("0000803f0000c07f")
    assert not run.is_ended
