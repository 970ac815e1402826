"""What a program in a report makes its reader do grows with the program's size, and no faster."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from tests.support.runs.deep_programs import AT, function, report, sums
from tests.support.work import calls_of

from samebits.desync.format import PROGRAM, Key
from samebits.diagnosis.exposure.distance import StateDistance
from samebits.errors import IRError, ReportError
from samebits.hazards.catalogue.expressions.fma_contraction import FUSED
from samebits.hazards.injection import variants_among
from samebits.ir.analysis.reaching import Definitions
from samebits.ir.grammar import Module
from samebits.ir.text import parse_module
from samebits.ir.verify import verify

HEAD = "samebits ir 1\n\n"
FEW, MANY = 30, 120


def parsed(*parts: str) -> Module:
    return parse_module(HEAD + "".join(parts).rstrip("\n") + "\n")


def copies(count: int) -> Module:
    """Structs of one name, of fields that have one name, copied to one another."""
    text = ""
    for number in ("", "#2"):
        fields = "".join(f'  "f{k}": bool\n' for k in range(count))
        text += f'struct "In"{number}\n{fields}\n'
        fields = "".join(f'  "f{k}": "In"{number}\n' for k in range(count))
        text += f'struct "Out"{number}\n{fields}\n'
    body = f'    %0 = local "a": ref<"Out"> {AT}\n    %1 = local "b": ref<"Out"#2> {AT}\n'
    body += "".join(f"    %{k + 2} = copy %0, %1 {AT}\n" for k in range(count))
    return parsed(text, function("f", body, '  local "a": "Out"\n  local "b": "Out"#2\n'))


def stores(count: int) -> Module:
    """Stores through a slot that refers to one local after the other."""
    head = "".join(f'  local "l{k}": int32\n' for k in range(count))
    body, at = f"    %0 = const 1: int32 {AT}\n", 1
    for k in range(count):
        body += f'    %{at} = local "l{k}": ref<int32> {AT}\n    %{at + 1} = set "p" %{at} {AT}\n'
        body += (
            f'    %{at + 2} = get "p": ref<int32> {AT}\n    %{at + 3} = store %{at + 2}, %0 {AT}\n'
        )
        at += 4
    return parsed(function("f", body, f'  slot "p": ref<int32>\n{head}'))


WORK: dict[str, tuple[Callable[[int], Module], Callable[[Module], Any]]] = {
    "types are compared": (copies, verify),
    "references are followed": (stores, StateDistance),
}


@pytest.mark.parametrize("what", WORK)
def test_four_times_as_much_takes_four_times_as_long(what: str) -> None:
    make, work = WORK[what]
    few, many = (calls_of(partial(work, make(count))) for count in (FEW, MANY))
    assert 0 < many < 6 * few


def test_what_slots_hold_is_not_copied_for_each_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = 0

    def counted(known: dict[str, Any]) -> dict[str, Any]:
        nonlocal copied
        copied += len(known)
        return {**known}

    monkeypatch.setattr("samebits.ir.analysis.reaching.dict", counted, raising=False)
    body, at = f"    %0 = const true: bool {AT}\n", 1
    for k in range(MANY):
        body += f'    %{at} = set "s{k}" %0 {AT}\n    if#{at + 1} %0 {AT}\n'
        body += f'      %{at + 2} = get "s{k}": bool {AT}\n'
        at += 3
    module = parsed(function("f", body, "".join(f'  slot "s{k}": bool\n' for k in range(MANY))))
    known = Definitions(module.functions["f"])
    assert len(known.read) == MANY
    assert all(version.value is not None for version in known.read.values())
    assert copied <= MANY


@pytest.mark.parametrize("text", ["=" * 60_000, "  0\n" * 30_000], ids=["a line", "lines"])
def test_no_more_of_a_text_is_taken_apart_than_what_comes_next(text: str) -> None:
    text = f'{HEAD}table "t": int\n{text}'
    tracemalloc.start()
    try:
        with suppress(IRError):
            parse_module(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40 * len(text)


@pytest.mark.parametrize("name", ["n" * 4097, r"\"" * 4096, r"n\\" * 4096, r"\u006e" * 4096])
def test_a_name_is_no_longer_for_being_written_otherwise(name: str) -> None:
    """Quotes are escaped in it, or there are none around it."""
    whole = report()
    for line in (f'struct "{name}"', f"struct {name}", f'struct "a" "{name}'):
        text = whole.parts[Key(PROGRAM, 0)].decode().replace("function ", f"{line}\n\nfunction ", 1)
        contents = replace(whole.contents, program=len(text))
        parts = {**whole.parts, Key(PROGRAM, 0): text.encode()}
        long = replace(whole, parts=parts, contents=contents)
        if "\\" in name and '"' not in line:
            continue  # no word
        with pytest.raises(ReportError, match="a text of more than 4,096 characters in line"):
            _ = long.program


def test_of_a_long_chain_only_the_first_way_of_each_place_is_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0

    def counted(tree: Any, arithmetic: Any) -> Iterator[Any]:
        nonlocal looked
        for variant in FUSED.variants(tree, arithmetic):
            looked += 1
            yield variant

    found = replace(FUSED, variants=counted)
    monkeypatch.setattr("samebits.hazards.injection.by_name", lambda name: found)
    (variant,) = variants_among(sums(MANY), "fma")
    assert len(variant.parts) == MANY
    assert looked <= 16 * MANY
