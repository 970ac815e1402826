"""Targets are run natively where a worker can, and refused at once where none can at all."""

from __future__ import annotations

import pytest

from samebits.errors import TargetError
from samebits.farm.errors import FarmError
from samebits.farm.labels import EMULATED, NATIVE, Facts, chosen, facts, resources

X86 = Facts(
    "x86_64", "x86-64-v3-O3",
    {"x86-64-v3-O0": NATIVE, "x86-64-v3-O3": NATIVE, "aarch64-O3": EMULATED},
    {"x86-64-v3": ("x86-64-v3-O0", "x86-64-v3-O3"), "aarch64": ("aarch64-O3",)}, "f",
)  # fmt: skip
ARM = Facts(
    "aarch64", "aarch64-O3", {"aarch64-O0": NATIVE, "aarch64-O3": NATIVE},
    {"aarch64": ("aarch64-O0", "aarch64-O3")}, "f",
)  # fmt: skip


def test_a_target_runs_natively_where_a_worker_can() -> None:
    assert chosen(["aarch64-O3"], {"a": X86}) == {"aarch64-O3": EMULATED}
    assert chosen(["aarch64-O3"], {"a": X86, "b": ARM}) == {"aarch64-O3": NATIVE}


def test_a_group_stands_for_all_that_some_worker_has_of_it() -> None:
    assert chosen(["aarch64"], {"a": X86, "b": ARM}) == {"aarch64-O3": NATIVE, "aarch64-O0": NATIVE}


def test_without_names_each_worker_runs_what_it_runs_best() -> None:
    assert list(chosen(None, {"a": X86, "b": X86, "c": ARM})) == ["x86-64-v3-O3", "aarch64-O3"]


def test_a_target_that_no_worker_can_run_is_refused_with_the_fix() -> None:
    with pytest.raises(FarmError, match="no worker can run s390x") as caught:
        chosen(["x86-64-v3", "s390x"], {"a": X86})
    assert caught.value.note == "its 1 worker can run x86-64-v3, aarch64"
    assert "samebits farm worker" in str(caught.value.fix)


def test_a_target_that_there_is_not_is_another_error() -> None:
    with pytest.raises(TargetError, match="no target 'pdp11'"):
        chosen(["pdp11"], {"a": X86})


def test_this_machine_has_its_best_target_and_labels_for_all() -> None:
    found = facts()
    assert found.targets["evaluate"] == "python"
    if found.best != "evaluate":
        assert found.targets[found.best] == NATIVE
    assert set(resources(found, 3).values()) == {3.0}
    assert len(resources(found, 1)) == len(found.targets)
