"""The math library as packages: CMake, pkg-config, Cargo and npm find it and use it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import needs_zig

from samebits import math
from samebits.backend.llvm import engine
from samebits.export.build import choose_targets
from samebits.export.math_library.build import build_math_library
from samebits.export.math_library.functions import FUNCTIONS

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]

SOME = [f for f in FUNCTIONS if f.name in {"cbrt", "frexp", "isnan", "modf"}]
HOST = engine.host_target().name
DIRECT = """\
#include "sbmath.h"
#include <stdio.h>
int main(void)
{
    printf("%a", sb_cbrt(2.0));
    return 0;
}
"""
INSTEAD = """\
#include <math.h>
#include <stdio.h>
int main(int count, char **arguments)
{
    (void)arguments;
    printf("%a", cbrt(count + 1.0));
    return 0;
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    build_math_library(choose_targets([HOST, "wasm32"]), folder, functions=SOME)
    return folder


def ran(folder: Path, *command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=HANG_SECONDS,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


def is_root_of_two(text: str) -> bool:
    return float.fromhex(text) == float(math.cbrt(2.0))


@pytest.mark.parametrize("link", ["STATIC", "SHARED"])
def test_cmake_finds_the_package(built: Path, tmp_path: Path, link: str) -> None:
    needs("cmake", "cc")
    (tmp_path / "direct.c").write_text(DIRECT)
    (tmp_path / "instead.c").write_text(INSTEAD)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(user C)\n"
        f"set(SBMATH_LINK {link})\nfind_package(sbmath REQUIRED)\n"
        "add_executable(direct direct.c)\ntarget_link_libraries(direct sbmath::sbmath)\n"
        "add_executable(instead instead.c)\ntarget_link_libraries(instead sbmath::libm m)\n"
    )
    ran(tmp_path, "cmake", "-S", ".", "-B", "made", f"-DCMAKE_PREFIX_PATH={built}")
    ran(tmp_path, "cmake", "--build", "made")
    assert is_root_of_two(ran(tmp_path, "made/direct"))
    assert is_root_of_two(ran(tmp_path, "made/instead"))
    assert b"sb_cbrt" in (tmp_path / "made" / "instead").read_bytes()


def test_cmake_says_which_targets_there_are(built: Path, tmp_path: Path) -> None:
    needs("cmake", "cc")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(user C)\n"
        "set(SBMATH_TARGET pdp11)\nfind_package(sbmath REQUIRED)\n"
    )
    done = subprocess.run(
        ["cmake", "-S", ".", "-B", "made", f"-DCMAKE_PREFIX_PATH={built}"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode
    assert f"SBMATH_TARGET is pdp11; this folder has: {HOST}" in " ".join(done.stderr.split())


def test_pkg_config_has_both_libraries(built: Path, tmp_path: Path) -> None:
    needs("pkg-config", "cc")
    (tmp_path / "direct.c").write_text(DIRECT)
    (tmp_path / "instead.c").write_text(INSTEAD)
    folder = str(built / HOST)
    for file, package in (("direct", "sbmath"), ("instead", "sbmath-libm")):
        found = ran(tmp_path, "pkg-config", "--cflags", "--libs", package, PKG_CONFIG_PATH=folder)
        ran(tmp_path, "cc", f"{file}.c", *found.split(), "-o", file)
        assert is_root_of_two(ran(tmp_path, f"./{file}", LD_LIBRARY_PATH=folder))


def test_cargo_builds_the_crate_and_its_user(built: Path, tmp_path: Path) -> None:
    needs("cargo", "rustc")
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "user"\nversion = "0.1.0"\nedition = "2021"\n'
        f'[dependencies]\nsbmath = {{ path = "{built / "rust"}" }}\n'
    )
    (tmp_path / "src" / "main.rs").write_text(
        "fn main() {\n    let mut roots = [0.0f32; 2];\n"
        "    sbmath::cbrtf_array(&[8.0, 27.0], &mut roots);\n"
        "    let odd = sbmath::isnan(f64::NAN);\n"
        '    println!("{:x} {:?} {:?} {} {:?}", sbmath::cbrt(2.0).to_bits(), roots,\n'
        "        sbmath::frexp(12.0), odd, sbmath::modf(-2.5));\n}\n"
    )
    said = ran(tmp_path, "cargo", "run", "--offline", "--quiet")
    bits = float(math.cbrt(2.0)).hex()
    first, rest = said.strip().split(" ", 1)
    assert rest == "[2.0, 3.0] (0.75, 4) true (-0.5, -2.0)"
    assert f"{int(first, 16) & (1 << 52) - 1:013x}" == bits[4:17]


def test_node_imports_the_npm_package(built: Path, tmp_path: Path) -> None:
    needs("node", "npm")
    (tmp_path / "package.json").write_text(
        f'{{"type": "module", "dependencies": {{"sbmath": "file:{built / "wasm32"}"}}}}'
    )
    (tmp_path / "user.mjs").write_text(
        'import { load } from "sbmath";\nconst math = await load();\n'
        "const many = new Float64Array(100000).fill(12);\n"
        "console.log(JSON.stringify([math.cbrt(2), math.frexp(12), math.isnan(NaN),\n"
        "  math.modf(-2.5), [...math.array.cbrtf(new Float32Array([8, 27]))],\n"
        "  math.array.frexp(many)[1][99999]]));\n"
        "try { math.array.cbrt([8]); } catch (error) { console.log(error.message); }\n"
    )
    ran(tmp_path, "npm", "install", "--offline", "--no-audit", "--no-fund")
    found, refused = ran(tmp_path, "node", "user.mjs").splitlines()
    assert found == f"[{float(math.cbrt(2.0))!r},[0.75,4],true,[-0.5,-2],[2,3],4]"
    assert refused == "cbrt: argument 1 is no Float64Array"
