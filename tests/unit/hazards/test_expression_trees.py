"""The tree of a site, evaluated strictly, is what the function computes; and what a site is."""

from __future__ import annotations

import pytest
from tests.support.runs.observed_frames import ARENA, SIMULATIONS, observed

from samebits.fpmodel.tree import count, written
from samebits.hazards.expressions import Site, Sites
from samebits.hazards.locate import find
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function
from samebits.types import FLOAT, FLOAT32, FLOAT64, INT32, INT64, UINT32


@pytest.mark.parametrize("name", SIMULATIONS)
def test_a_site_is_what_a_frame_computes(name: str) -> None:
    sites: dict[str, Sites] = {}
    found: set[object] = set()
    for function, observation in observed(SIMULATIONS[name], frames=1, times=2):
        known = sites.setdefault(function.name, Sites(function))
        for wide in (False, True):
            site = known.at(observation.place.op, wide=wide)
            if site is None:
                continue
            found.add(observation.place)
            given = {n: observation.values[v.op, v.index] for n, v in site.operands.items()}
            result = site.bits(site.tree, site.strict, given)
            expected = observation.values[site.op.id, 0]
            assert f"{result:x}" == f"{expected:x}", (observation.place, written(site.tree))
    assert len(found) > 30


def site_at(function: Function, op_id: int, *, wide: bool = False) -> Site | None:
    return Sites(function).at(op_id, wide=wide)


def shown(site: Site | None) -> str | None:
    return None if site is None else written(site.tree)


def arena(place: str, opcode: str, *, wide: bool = False) -> Site | None:
    module = ARENA.program.kernels
    for found in find(module, place):
        site = site_at(module.functions[found.function], found.op, wide=wide)
        if site is not None and site.op.opcode == opcode:
            return site
    return None


def test_an_expression_is_one_site_and_a_name_ends_it() -> None:
    assert shown(arena("arena.py:118", "add")) == "x0 + (x1 - x0) * (x2 * 5.9604645e-08)"
    assert shown(arena("arena.py:219", "mul")) == "x0 * x1"
    assert shown(arena("arena.py:219", "mul", wide=True)) == "x0 * (60 / x1)"
    assert shown(arena("arena.py:284:18", "convert")) == "int32((x0 - 12) * 0.5)"


def test_a_wide_site_sees_through_names_and_keeps_what_is_shared() -> None:
    site = arena("arena.py:266", "div", wide=True)
    assert site is not None
    assert written(site.tree) == "(x0 - x1) / sqrt((x0 - x1) * (x0 - x1) + (x2 - x3) * (x2 - x3))"
    assert len(site.operands) == 4


def test_a_name_that_is_set_in_between_is_another_operand() -> None:
    b = Builder("f", {"a": FLOAT32, "c": FLOAT32}, [FLOAT32], {"t": FLOAT32})
    b.set("t", b.op("mul", b.get("a"), b.get("a")))
    first = b.get("t")
    b.set("t", b.get("c"))
    again = b.op("add", first, b.get("t"))
    function = b.ret(b.op("sub", again, b.get("t")))
    assert shown(site_at(function, again.op)) == "x0 + x1"
    assert shown(site_at(function, again.op, wide=True)) == "x0 * x0 + x1"
    assert shown(site_at(function, again.op + 2)) == "x0 + x1 - x1"


def test_what_an_if_or_a_loop_may_set_is_not_seen_through() -> None:
    b = Builder("f", {"a": FLOAT32, "on": INT32}, [FLOAT32], {"t": FLOAT32, "u": FLOAT32})
    b.set("t", b.op("mul", b.get("a"), b.get("a")))
    b.set("u", b.op("mul", b.get("a"), b.get("a")))
    before = b.get("t")
    branch = b.if_(b.op("eq", b.get("on"), b.const(INT32, 0)))
    with b.into(branch.then):
        inside = b.op("add", b.get("t"), b.get("a"))
        b.set("t", inside)
    total = b.op("add", b.get("t"), b.get("u"))
    function = b.ret(b.op("sub", total, before))
    assert shown(site_at(function, inside.op, wide=True)) == "x0 + x1"
    assert shown(site_at(function, total.op, wide=True)) == "x0 + x1 * x1"


def test_numbers_that_pass_through_another_type_are_one_node() -> None:
    b = Builder("f", {"a": FLOAT64, "w": FLOAT}, [FLOAT32])
    product = b.op("mul", b.get("a"), b.to(FLOAT64, b.get("w")))
    single = b.to(FLOAT64, b.to(FLOAT32, product))
    whole = b.to(FLOAT64, b.to(INT64, single))
    last = b.to(FLOAT32, whole)
    function = b.ret(last)
    site = site_at(function, last.op)
    assert site is not None
    assert written(site.tree) == "float32(int64(float32(x0 * x1)))"
    assert site.form.bits == 64
    assert site.operands["x1"].type == FLOAT
    # 2^53 + 1 is no float32, nor is 2^60 + 2^20: the nearest are 2^53 and 2^60.
    given = {"x0": 0x43B0000000001000, "x1": 0x3FF0000000000000}
    assert site.bits(site.tree, site.strict, given) == 0x5D800000


def test_bits_are_a_site_of_what_they_are_taken_of() -> None:
    b = Builder("f", {"a": FLOAT32}, [UINT32])
    root = b.op("sqrt", b.get("a"))
    bits = b.to(UINT32, root, "bitcast")
    site = site_at(b.ret(bits), bits.op)
    assert site is not None
    assert written(site.tree) == "sqrt(x0)"
    assert site.bits(site.tree, site.strict, {"x0": 0xBF800000}) == 0x7FC00000


def test_a_long_expression_is_cut() -> None:
    b = Builder("f", {"a": FLOAT32}, [FLOAT32])
    total = b.get("a")
    for _ in range(60):
        total = b.op("mul", total, total)
    function = b.ret(total)
    site = site_at(function, total.op, wide=True)
    assert site is not None
    assert count(site.tree) == 31


def test_what_gives_no_float_is_no_site() -> None:
    b = Builder("f", {"a": FLOAT32, "n": INT32}, [INT32])
    read, same = b.get("a"), b.op("eq", b.get("a"), b.get("a"))
    whole = b.op("add", b.get("n"), b.to(INT32, b.get("n")))
    function = b.ret(whole)
    assert all(site_at(function, v.op) is None for v in (read, same, whole))
    assert site_at(function, 99) is None
