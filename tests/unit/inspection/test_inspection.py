"""An inspection shows what is compiled: every section, on every target, as text, facts and page."""

from __future__ import annotations

import html.parser
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits import Array, float32, float64, int32, math
from samebits.backend.llvm.compile import assembly_text, llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.inspection.inspection import Inspection, inspect
from samebits.inspection.text import SECTIONS, coloured, render
from samebits.ir.text import parse_module, print_module
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes

T = TypeVar("T", float32, float64)


@sb.kernel
def twice(x: float32) -> float32:
    return x + x


@sb.kernel
def shade(x: Array[float32], y: Array[float32], where: Array[int32]) -> None:
    for i in range(len(y)):
        y[i] = twice(x[i]) * 3.0
    for i in range(len(x)):
        x[i] = math.sin(x[i])
    for i in range(len(where)):
        y[where[i]] = 0.0


@sb.kernel(mode=sb.DETERMINISTIC, contract=True)
def total(x: Array[float32], y: Array[float32]) -> float32:
    result = float32(0)
    for i in range(len(x)):
        result += x[i] * y[i]
    return result


@sb.kernel(mode=sb.FAST)
def fast(x: Array[float32], y: Array[float32]) -> None:
    for i in range(len(x)):
        y[i] += x[i] * 3.0


@sb.kernel
def larger(a: T, b: T) -> T:
    return sb.max(a, b)


@sb.struct
class Body:
    speed: float32

    def faster(self, by: float32) -> None:
        self.speed += by


@sb.job
class Scale(sb.ParallelFor):
    x: Array[float32]
    factor: float32

    def execute(self, index: int32) -> None:
        self.x[index] *= self.factor


@pytest.fixture(scope="module")
def shaded() -> Inspection:
    return inspect(shade, target="x86-64-v3")


def row(text: str, number: int) -> list[str]:
    """The lines of `text` whose margin says `number`."""
    return [line for line in text.splitlines() if line.startswith(f"{number:5} |")]


def source_line(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.strip() == text)


def test_the_texts_are_those_of_the_compile(shaded: Inspection) -> None:
    assert shade.fixed_types is not None
    module = link(compile_kernel(shade, shade.fixed_types))
    entries = [shaded.entry]
    assert parse_module(shaded.ir_text) == lower_float_modes(module)
    target = TARGETS["x86-64-v3"]
    optimised = optimise(lower_float_modes(module), entries)
    assert shaded.llvm_text == llvm_text(optimised, entries, target, 3)
    bare = [line.split(" #")[0].split() for line in shaded.assembly_text.splitlines()]
    ordinary = assembly_text(optimised, entries, target)
    expected = [line.split(" #")[0].split() for line in ordinary.splitlines()]
    assert [x for x in bare if x and x[0] != "#"] == [x for x in expected if x and x[0] != "#"]


def test_the_text_has_each_line_of_code_behind_its_source_line(shaded: Inspection) -> None:
    text = str(shaded)
    product = row(text, source_line("y[i] = twice(x[i]) * 3.0"))
    assert any("mul" in line and ": float32" in line for line in product)
    assert any("fmul <8 x float>" in line for line in product)
    assert any(re.search(r"\| P +vmulps", line) for line in product)
    assert any(re.search(r"\| P +vaddps", line) for line in row(text, source_line("return x + x")))
    assert "== typed IR" in text
    assert "twice" in text


def test_loops_have_their_verdict_beside_the_source(shaded: Inspection) -> None:
    text = render(shaded, ("source", "remarks"))
    assert "vectorised: 8 lanes" in row(text, source_line("for i in range(len(y)):"))[0]
    checked = row(text, source_line("for i in range(len(where)):"))[0]
    assert "not vectorised: it keeps a check that can trap" in checked
    assert "sin_cos" not in text


def test_sections_are_chosen_and_the_library_is_shown_only_if_asked_for(
    shaded: Inspection,
) -> None:
    asm = render(shaded, ("asm",))
    assert "== assembly ==" in asm
    assert "== LLVM IR ==" not in asm
    assert "of samebits' library (--all)" in asm
    assert 'sin_large":' not in asm
    whole = render(shaded, ("asm",), library=True)
    assert 'sin_large":' in whole
    with pytest.raises(sb.ArgumentError, match="no section 'code'"):
        render(shaded, ("code",))


def test_colours_change_nothing_but_colour(shaded: Inspection) -> None:
    shown = render(shaded, SECTIONS, coloured)
    assert "\x1b[32m" in shown
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == render(shaded, SECTIONS)


def test_counts_are_of_the_whole_and_of_each_line(shaded: Inspection) -> None:
    assert shaded.counts["packed"] > 50
    assert shaded.counts["forbidden"] == 0
    line = (__file__, source_line("y[i] = twice(x[i]) * 3.0"))
    assert 0 < shaded.line_counts[line]["packed"] < shaded.counts["packed"]
    kinds = [x.kind for block in shaded.assembly for x in block.lines]
    assert kinds.count("packed") == shaded.counts["packed"]


def test_rewrites_of_the_mode_are_listed_and_the_ir_shown_is_the_rewritten() -> None:
    found = inspect(total, target="aarch64")
    text = str(found)
    assert {rewrite.kind for rewrite in found.rewrites} == {"lanes", "contract"}
    assert "== rewrites of the mode ==" in text
    assert "one fma, rounded once" in text
    assert "DETERMINISTIC" in text
    assert " = fma " in render(found, ("ir",))
    assert found.counts["forbidden"] == 0
    assert inspect(twice).rewrites == ()


def test_fused_instructions_of_fast_are_marked_as_what_breaks_the_same_bits() -> None:
    assert inspect(fast, target="x86-64-v3").counts["forbidden"] > 0


def test_a_loop_in_lanes_has_the_verdict_of_its_lanes() -> None:
    found = inspect(total, target="x86-64-v3")
    lanes, checked = found.own_remarks()
    assert (lanes.vectorised, lanes.width) == (True, 8)
    assert checked.message == "it keeps a check that can trap"


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_is_shown(name: str) -> None:
    found = inspect(shade, target=name)
    text = render(found, ("source", "llvm", "asm"))
    product = row(text, source_line("y[i] = twice(x[i]) * 3.0"))
    assert any(re.search(r"\| [PS] ", line) for line in product)
    assert found.counts["forbidden"] == 0
    assert bool(found.counts["packed"]) == bool(TARGETS[name].vector_bits)


def test_the_facts_are_json(shaded: Inspection) -> None:
    facts: dict[str, Any] = json.loads(json.dumps(shaded.json()))
    assert facts["target"] == "x86-64-v3"
    assert facts["options"]["mode"] == "STRICT"
    assert facts["counts"] == shaded.counts
    assert [r["width"] for r in facts["remarks"] if r["vectorised"]][:1] == [8]
    places = {
        tuple(place)
        for block in facts["assembly"]
        for line in block["lines"]
        for place in line["places"]
    }
    assert (__file__, source_line("y[i] = twice(x[i]) * 3.0")) in places


class Page(html.parser.HTMLParser):
    """Checks that elements close in order, and collects what the test looks at."""

    VOID = frozenset({"meta", "br", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.places: set[str] = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.attributes += attrs
        found = dict(attrs).get("data-p")
        self.places |= set((found or "").split())

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_one_file_and_well_formed(shaded: Inspection) -> None:
    text = shaded.html()
    page = Page(text)
    assert not [name for name, _ in page.attributes if name in ("src", "href")]
    assert "http" not in text
    assert not re.search(r"@[A-Z_]+@", text)
    assert f"0:{source_line('y[i] = twice(x[i]) * 3.0')}" in page.places
    assert "vmulps" in text
    assert "&lt;8 x float&gt;" in text


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MEASURE = """<script>
document.title = [...document.querySelectorAll("section")]
  .map((pane) => pane.getBoundingClientRect()).filter((box) => box.right <= innerWidth).length;
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
@pytest.mark.parametrize("width", [1300, 1700])
def test_a_screens_width_cuts_none_of_the_pages_panes(
    shaded: Inspection, width: int, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(shaded.html().replace("</body>", f"{MEASURE}</body>"))
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    shown = subprocess.run(
        [str(CHROMIUM), "--headless=new", *as_root, "--disable-gpu", "--no-first-run",
         "--disable-dev-shm-usage", f"--user-data-dir={tmp_path / 'profile'}",
         f"--window-size={width},900", "--dump-dom", (tmp_path / "page.html").as_uri()],
        capture_output=True, text=True, timeout=HANG_SECONDS, check=True,
    )  # fmt: skip
    assert "<title>4</title>" in shown.stdout


def test_a_job_is_shown_as_the_range_that_a_worker_runs() -> None:
    found = inspect(Scale, target="x86-64-v3")
    assert "sb_range_0" in found.assembly_text
    assert "vectorised: 8 lanes" in render(found, ("source",))
    product = row(str(found), source_line("self.x[index] *= self.factor"))
    assert any(re.search(r"\| P +vmulps", line) for line in product)


def test_a_generic_kernel_needs_types_and_a_method_has_them() -> None:
    with pytest.raises(sb.ArgumentError, match="larger is generic") as caught:
        inspect(larger)
    assert "--types" in str(caught.value)
    assert inspect(larger, types=[float64, float64]).signature.startswith("larger(a: float64")
    assert "fadd float" in inspect(Body.faster).llvm_text
    assert inspect(math.cos, types=[float32]).kernel.endswith(".cos")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernel": len}, "takes a kernel"),
        ({"kernel": shade, "opt": 2}, "opt=2 is not a level"),
        ({"kernel": twice, "types": [float32, float32]}, "2 types for 1 parameters"),
        ({"kernel": math.cos}, "a kernel for each float type"),
    ],
)
def test_what_can_not_be_inspected_is_an_error(arguments: dict[str, Any], message: str) -> None:
    kernel = arguments.pop("kernel")
    with pytest.raises(sb.ArgumentError, match=message):
        sb.inspect(kernel, **arguments)


def test_an_unknown_target_is_named_with_those_that_exist() -> None:
    with pytest.raises(sb.TargetError, match="there is no target 'arm64'") as caught:
        inspect(twice, target="arm64")
    assert "aarch64" in str(caught.value)


def test_inspecting_leaves_the_ordinary_compile_alone() -> None:
    assert shade.fixed_types is not None
    module = link(compile_kernel(shade, shade.fixed_types))
    before = print_module(module)
    str(inspect(shade, target="x86-64-v2"))
    assert print_module(link(compile_kernel(shade, shade.fixed_types))) == before
