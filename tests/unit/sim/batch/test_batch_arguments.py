"""What a batch is given that does not fit gets an error that says what does."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from tests.support.folders import ROOT
from tests.support.limits import HANG_SECONDS
from tests.support.simulations.small_simulation import SMALL, Input

from samebits.errors import ArgumentError, SimulationError

ZEROS = np.zeros((3, 2), Input.__sb_type__.dtype)


@pytest.mark.parametrize("n", [0, -1, True, 2.0, "3", 2**24 + 1, None])
def test_the_number_of_worlds_is_an_int_within_bounds(n: Any) -> None:
    with pytest.raises(ArgumentError, match=r"a batch of .* worlds"):
        SMALL.batch(n)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (-1, "seed is -1"),
        (2**64, "seed is 18446744073709551616"),
        ([1, 2], "2 seeds for 3 worlds"),
        ([1, 2, -3], "seed is -3"),
        ([1, 2, 0.5], "seed is 0.5"),
        (None, "1 seeds for 3 worlds"),
        (True, "1 seeds for 3 worlds"),
        (np.zeros((3, 2)), "seed is array"),
    ],
)
def test_seeds_are_one_or_one_a_world(seeds: Any, message: str) -> None:
    with pytest.raises((ArgumentError, SimulationError), match=message):
        SMALL.batch(3, seeds=seeds)


@pytest.mark.parametrize("keep", [-1, True, 1.0, 2**20 + 1])
def test_frames_to_keep_are_bounded(keep: Any) -> None:
    with pytest.raises(ArgumentError, match="keep="):
        SMALL.batch(3, keep=keep)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (ZEROS[:2], r"shape \(3, 2\); got \(2, 2\)"),
        (ZEROS[:, 0], r"shape \(3, 2\); got \(3,\)"),
        (ZEROS[np.newaxis], r"shape \(3, 2\); got \(1, 3, 2\)"),
        (np.zeros((3, 2)), "got float64"),
        (np.zeros((3, 2), [("push", "f4")]), "got another structured dtype"),
        ([{"push": 1.0}], "takes an ndarray of Input.dtype, .*got list"),
        (None, "got NoneType"),
    ],
)
def test_inputs_are_an_array_of_the_input_s_dtype(inputs: Any, message: str) -> None:
    batch = SMALL.batch(3)
    before = batch.hashes()
    with pytest.raises(ArgumentError, match=message):
        batch.step(inputs)
    with pytest.raises(ArgumentError):
        batch.run(inputs, 2)
    assert (batch.hashes() == before).all()


def test_frames_of_a_run_are_a_number() -> None:
    batch = SMALL.batch(3)
    for frames in (-1, 1.0, True):
        with pytest.raises(ArgumentError, match="is no number of frames"):
            batch.run(ZEROS, frames)  # type: ignore[arg-type]
    assert batch.run(ZEROS, 0).shape == (0, 3)
    with pytest.raises(ArgumentError, match=r"shape \(frames, 3, 2\); got \(3, 2\)"):
        batch.run(ZEROS)


@pytest.mark.parametrize(
    ("worlds", "message"),
    [
        ([0, 0], "named twice"),
        ([3], "no world 3 in a batch of 3"),
        ([-1], "no world -1"),
        (np.zeros(2, bool), r"a mask of shape \(2,\) for 3 worlds"),
        ([0.5], "by a mask of bools, or by indices"),
        ("all", "by a mask of bools, or by indices"),
        (5, "no world 5"),
    ],
)
def test_worlds_are_named_by_masks_and_indices(worlds: Any, message: str) -> None:
    batch = SMALL.batch(3)
    with pytest.raises(ArgumentError, match=message):
        batch.reset(worlds)
    with pytest.raises(ArgumentError, match=message):
        batch.save(worlds)


def test_no_worlds_are_none() -> None:
    batch = SMALL.batch(3)
    batch.reset([])
    batch.reset(np.zeros(3, bool))
    batch.restore(batch.save([]))
    assert batch.episodes.tolist() == [0, 0, 0]


@pytest.mark.parametrize("i", [3, -1, True, 1.0, "0"])
def test_a_world_has_an_index(i: Any) -> None:
    with pytest.raises(ArgumentError, match="there is no world"):
        SMALL.batch(3).world(i)


def test_a_closed_batch_says_so() -> None:
    batch = SMALL.batch(3)
    world = batch.world(1)
    batch.close()
    for call in (batch.close, batch.hashes, batch.save, lambda: batch.step(ZEROS)):
        with pytest.raises(ArgumentError, match="the batch is closed"):
            call()
    world.step(ZEROS[0])  # its memory is there as long as it is
    with SMALL.batch(3) as batch:
        batch.step(ZEROS)
    with pytest.raises(ArgumentError, match="the batch is closed"):
        batch.step(ZEROS)


@pytest.mark.parametrize("call", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_batch_is_neither_pickled_nor_copied(call: Any) -> None:
    with pytest.raises(ArgumentError, match=r"can't be pickled or copied"):
        call(SMALL.batch(3))


_FORK = """
import os, sys, warnings
import numpy as np
warnings.simplefilter("ignore", DeprecationWarning)
import samebits as sb
from tests.support.batches import inputs_of
from tests.support.simulations.crowd_simulation import crowd
sb.set_workers(2)
inputs = inputs_of(crowd(4), 300, 4)
batch = crowd(4).batch(300)
batch.run(inputs[:2])
child = os.fork()
found = batch.run(inputs[2:])
again = crowd(4).batch(300).run(inputs)[2:]
if not child:
    os._exit(0 if (found == again).all() else 3)
assert (found == again).all()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_a_batch_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _FORK],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
    )
    assert done.returncode == 0, done.stderr
