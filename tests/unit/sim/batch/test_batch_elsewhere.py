"""A batch has the same seeds and hashes on other processors."""

from __future__ import annotations

import pytest
from tests.support.batches import inputs_of
from tests.support.batches_elsewhere import hashes_elsewhere
from tests.support.simulations.small_simulation import SMALL

from samebits.backend.targets.table import TARGETS
from samebits.runtime.emulation.machines import emulation_reason


@pytest.mark.parametrize("careful", [0, 1])
@pytest.mark.parametrize("name", ["aarch64", "s390x", "armv7", "wasm32"])
def test_worlds_have_the_same_bits_on_other_processors(name: str, careful: int) -> None:
    target = TARGETS[name]
    reason = emulation_reason(target)
    if reason is not None:
        pytest.skip(f"{name}: {reason}")
    inputs = inputs_of(SMALL, 7, 9)
    inputs["at"] %= 5
    batch = SMALL.batch(7, seeds=12)
    seeds, hashes = hashes_elsewhere(SMALL, target, 12, inputs, careful)
    assert seeds.tolist() == batch.seeds.tolist()
    assert hashes.tolist() == batch.run(inputs).tolist()
