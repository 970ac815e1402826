"""Studies: the runs of a simulation over parameters and seeds, and their statistics."""

from __future__ import annotations

import math
import os
import signal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.batches import workers
from tests.support.simulations.small_simulation import SMALL

import samebits as sb
from samebits import ensemble, float64
from samebits import math as sm
from samebits.ensemble import blocks, fields
from samebits.ensemble import study as studies
from samebits.errors import ArgumentError
from samebits.sim.batch.seeds import episode_seed

FILE = str(Path(__file__).parents[2] / "support" / "simulations" / "swings.py") + ":SWINGS"
PATHS = {"where": "angle", "speed": "speed"}


def swings(**changed: Any) -> ensemble.Study:
    given = {"parameters": {"length": [0.5, 1.0, 2.0]}, "runs": 500, "seed": 9}
    given |= {"simulation": FILE, "frames": 40, "measures": PATHS}
    return ensemble.Study(**{**given, **changed})


def test_each_run_is_that_of_a_session(tmp_path: Path) -> None:
    study = swings()
    found = ensemble.run(study, tmp_path / "s")
    simulation = study.opened
    assert len(found.columns["run"]) == 1500
    for k in (0, 499, 500, 1023, 1024, 1499):
        seed = int(episode_seed(9, k, 0))
        session = simulation.start(seed)
        session.state.length = (0.5, 1.0, 2.0)[k // 500]
        session.run(np.zeros((40, 1), simulation.input_type.dtype))
        assert found.columns["seed"][k] == seed
        assert found.columns["length"][k] == session.state.length
        assert found.columns["where"][k] == session.state.angle
        assert found.columns["speed"][k] == session.state.speed
    assert found.columns["trap"].tolist() == [""] * 1500
    assert len(np.unique(found.columns["where"])) == 1500


def test_neither_workers_nor_the_order_of_blocks_change_a_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests: set[str] = set()
    for count in (1, 2):
        with workers(count):
            digests.add(ensemble.run(swings(), tmp_path / f"w{count}").digest)
    (tmp_path / "w1" / "block-0000000.parquet").unlink()
    (tmp_path / "w2" / "block-0000001.parquet").unlink()
    digests |= {ensemble.run(swings(), tmp_path / name).digest for name in ("w1", "w2")}
    assert len(digests) == 1
    one_changed = ensemble.run(swings(seed=10), tmp_path / "other")
    assert one_changed.digest not in digests


def test_what_is_there_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ensemble.run(swings(), tmp_path / "s")
    cut = tmp_path / "s" / "block-0000001.parquet"
    cut.write_bytes(cut.read_bytes()[:-100])
    ran: list[int] = []
    run_block = blocks.run_block
    monkeypatch.setattr(
        "samebits.ensemble.runs.run_block", lambda s, k: (ran.append(k), run_block(s, k))[1]
    )
    told: list[tuple[int, int]] = []
    again = ensemble.run(swings(), tmp_path / "s", progress=lambda *at: told.append(at))
    assert (ran, told) == ([1], [(1500, 1500)])
    assert again.digest == whole.digest


def test_another_study_is_refused(tmp_path: Path) -> None:
    ensemble.run(swings(), tmp_path / "s")
    for other in (swings(seed=10), swings(runs=501), swings(parameters={"length": [0.5, 1.0]})):
        with pytest.raises(ArgumentError, match="holds another study"):
            ensemble.run(other, tmp_path / "s")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    with pytest.raises(ArgumentError, match="has other files"):
        ensemble.run(swings(), tmp_path / "full")
    (tmp_path / "s" / "study.json").write_text("[")
    with pytest.raises(ArgumentError, match="holds another study"):
        ensemble.run(swings(), tmp_path / "s")


@sb.kernel
def first_speed(state: SMALL.state) -> float64:
    return float64(sm.length(state.bodies[0].vel))


def test_kernels_measure_and_traps_are_told(tmp_path: Path) -> None:
    inputs = np.zeros((6, 2), SMALL.input_type.dtype)
    inputs["push"][:, 0] = 1.0
    inputs["fire"][3, 1] = True
    study = ensemble.Study(
        SMALL, 6, {"speed": first_speed, "x": "bodies[3].pos.x", "g": "grid[2, 3]"},
        {"bodies[1].vel.y": [0.25]}, runs=3, inputs=inputs,
    )  # fmt: skip
    found = ensemble.run(study, tmp_path / "a")
    assert found.columns["speed"].tolist() == [6.0] * 3
    assert found.columns["x"].dtype == np.float32
    assert found.columns["frames"].tolist() == [6] * 3
    inputs["at"][4, 0] = 99
    trapped = ensemble.run(
        ensemble.Study(SMALL, 6, {"speed": first_speed}, runs=3, inputs=inputs), tmp_path / "b"
    )
    assert trapped.columns["frames"].tolist() == [4] * 3
    assert all("nobody is at 99" in text for text in trapped.columns["trap"])
    ((point, summary),) = trapped.summaries("speed")
    assert point == ()
    assert summary.count == 0


@sb.kernel
def pair(state: SMALL.state) -> tuple[float64, float64]:
    return state.energy, state.energy


@sb.kernel
def changing(state: SMALL.state) -> float64:
    state.energy = 1.0
    return state.energy


@sb.kernel
def of_two(state: SMALL.state, scale: float64) -> float64:
    return state.energy * scale


@sb.kernel
def nothing(state: SMALL.state) -> None:
    assert state.energy == state.energy


@pytest.mark.parametrize("measure", [pair, changing, of_two, nothing])
def test_kernels_that_measure_no_number_are_refused(measure: Any) -> None:
    with pytest.raises(ArgumentError, match="takes the state alone, returns a number"):
        ensemble.Study(SMALL, 1, {"m": measure})


def exact(values: list[float]) -> tuple[Fraction, Fraction]:
    mean = sum(map(Fraction, values)) / len(values)
    return mean, sum((Fraction(v) - mean) ** 2 for v in values) / (len(values) - 1)


@pytest.mark.parametrize("count", [2, 3, 64, 1001])
def test_statistics_are_those_of_the_numbers(count: int) -> None:
    values = np.random.default_rng(count).normal(3.0, 2.0, count)
    found = ensemble.summary(values)
    mean, variance = exact(values.tolist())
    assert math.isclose(found.mean, mean, rel_tol=1e-14)
    assert math.isclose(found.variance, variance, rel_tol=1e-13)
    assert (found.least, found.greatest) == (values.min(), values.max())
    expected = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    assert np.allclose(found.quantiles, expected, rtol=1e-14)


def test_statistics_of_few_and_odd_numbers() -> None:
    assert ensemble.summary([]).count == 0
    assert math.isnan(ensemble.summary([]).mean)
    one = ensemble.summary([2.5], [0.0, 0.3, 1.0])
    assert (one.mean, one.quantiles) == (2.5, (2.5, 2.5, 2.5))
    assert math.isnan(one.variance)
    assert math.isnan(ensemble.summary([1.0, float("nan")]).quantiles[0])
    zeros = ensemble.summary([0.0, -0.0, 0.0])
    assert math.copysign(1.0, zeros.least) == -1.0
    assert math.copysign(1.0, zeros.greatest) == 1.0
    assert ensemble.summary([float("inf"), -1.0]).greatest == float("inf")
    with pytest.raises(ArgumentError, match="quantile"):
        ensemble.summary([1.0], [1.5])
    with pytest.raises(ArgumentError, match="no sequence"):
        ensemble.summary("abc")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"runs": 0}, "runs=0"),
        ({"seed": -1}, "seed=-1"),
        ({"parameters": {"lenght": [1.0]}}, "no number at 'lenght'"),
        ({"parameters": {"length": []}}, "has no values"),
        ({"parameters": {"length": ["a"]}}, "cannot be 'a'"),
        ({"parameters": {"length": [1e400, "b"]}}, "cannot be 'b'"),
        ({"parameters": {"turns": [1.5]}}, "cannot be 1.5"),
        ({"parameters": {"turns": [2**40]}}, "cannot be"),
        ({"inputs": np.zeros((3, 1))}, "inputs are float64"),
        ({"runs": 2**33}, "runs=8589934592"),
        ({"parameters": {"length": 3.0}}, "parameter 'length' is float"),
        ({"parameters": ["length"]}, "parameters is list"),
        ({"parameters": {"length": range(1, 2000), "angle": range(2**30)}}, "at most"),
        ({"measures": {"length": "speed"}}, "two columns would be called 'length'"),
        ({"measures": {"seed": "speed"}}, "two columns would be called 'seed'"),
        ({"measures": ["angle"]}, "measures is list"),
        ({"simulation": 3}, "simulation is int"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        swings(**changed)


@pytest.mark.parametrize(
    "path", ["", "bodies", "bodies[5].pos.x", "bodies[0].pos.z", "bodies.pos", "grid[1]", ".energy",
             "grid[1, 4]", "energy.x", "energy[0]", "bodies[0]..pos", "frame "],
)  # fmt: skip
def test_paths_that_are_no_numbers_are_refused(path: str) -> None:
    with pytest.raises(ArgumentError, match="no number at"):
        fields.numbers_at(np.zeros(2, SMALL.state_type.dtype), path)


def cluster_of(count: int) -> Any:
    distributed = pytest.importorskip("distributed")
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0", host="127.0.0.1", memory_limit=0,
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_cluster_has_the_same_bits_and_may_lose_a_worker(tmp_path: Path) -> None:
    many = {"runs": 4 * studies.BLOCK}
    alone = ensemble.run(swings(**many), tmp_path / "alone")
    with cluster_of(2) as cluster:
        pids = [worker.process.pid for worker in cluster.workers.values()]
        killed: list[int] = []

        def kill(done: int, of: int) -> None:
            if not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        there = ensemble.run(
            swings(**many), tmp_path / "there", scheduler=cluster.scheduler_address, progress=kill
        )
    assert killed
    assert there.digest == alone.digest


def test_no_scheduler_and_simulations_that_are_no_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="workers elsewhere must load"):
        ensemble.run(
            ensemble.Study(SMALL, 1, {"e": "energy"}), tmp_path / "a", scheduler="tcp://127.0.0.1:9"
        )
    with pytest.raises(ArgumentError, match="no scheduler at"):
        ensemble.run(swings(), tmp_path / "b", scheduler="tcp://127.0.0.1:9")


def test_a_trap_of_init_names_the_run(tmp_path: Path) -> None:
    study = ensemble.Study(FILE.replace("SWINGS", "BROKEN"), 1, {"where": "angle"}, runs=2)
    with pytest.raises(sb.Trap, match="no such swing") as caught:
        ensemble.run(study, tmp_path / "s")
    assert any("in `init` of run 0" in note for note in caught.value.__notes__)
