"""A hazard's text is injected where it says; a malformed text says what there is."""

from __future__ import annotations

import pytest
from tests.support.runs.injections import Injection, injected
from tests.support.runs.observed_frames import ARENA
from tests.support.runs.small_runs import SMALL, hashes, side

from samebits.errors import HazardError
from samebits.hazards.injection import places_of
from samebits.hazards.locate import find
from samebits.hazards.text import inject_texts
from samebits.ir.text import print_module
from samebits.sides.side import parse_side

PROGRAM = ARENA.program
LINE = "arena.py:158"


def text_of(*texts: str) -> str:
    return print_module(inject_texts(PROGRAM, texts).kernels)


def injected_text(*injections: Injection) -> str:
    return print_module(injected(PROGRAM, injections).kernels)


def test_a_place_is_every_operation_that_it_names() -> None:
    named = find(PROGRAM.kernels, LINE)
    acts = [p for p in places_of(PROGRAM.kernels, "constant") if p in named]
    assert acts
    assert text_of(f"constant@{LINE}") == injected_text(*(Injection("constant", p) for p in acts))
    one = acts[0]
    assert text_of(f"constant@{one}") == injected_text(Injection("constant", one))
    assert text_of(f"constant@{one.function.removeprefix('arena.')}#{one.op}#0") == injected_text(
        Injection("constant", one, 0)
    )


def test_without_a_place_it_is_everywhere() -> None:
    assert text_of("fma") == injected_text(Injection("fma"))
    assert text_of("fma#0") == text_of("fma") != print_module(PROGRAM.kernels)


def test_hazards_are_injected_one_after_the_other() -> None:
    both = inject_texts(PROGRAM, ("reciprocal@arena.py:158", "constant@arena.py:118"))
    assert print_module(both.kernels) not in (
        text_of("reciprocal@arena.py:158"), text_of("constant@arena.py:118"),
    )  # fmt: skip


def test_the_same_text_is_the_same_build() -> None:
    for text in ("lost-store@fill", "host@move", "uninitialised", "changed-input#1"):
        assert text_of(text) == text_of(text) != print_module(PROGRAM.kernels)


REFUSED = {
    "": "'' does not name a hazard",
    "fma@a@b": "'fma@a@b' does not name a hazard",
    "fused": "there is no hazard 'fused'",
    "fma@nowhere": "there is no function 'nowhere' in the simulation",
    "lanes@steer": "lanes changes nothing there",
    "changed-input#999": "changed-input has 2 variants there, and none has number 999",
    "fma@arena.py:158": "fma changes nothing at arena.py:158",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_hazard_is_refused(text: str) -> None:
    with pytest.raises(HazardError) as caught:
        inject_texts(PROGRAM, (text,))
    assert caught.value.message == REFUSED[text]


def test_a_side_has_its_hazard_from_its_frame_on() -> None:
    plain = hashes("", 20)
    acts = hashes("hazard=constant@step", 20)
    assert acts[0] != plain[0]
    late = hashes("hazard=constant@step,from=9", 20)
    assert late[:9] == plain[:9]
    assert late[9] != plain[9]
    assert (
        acts
        == hashes("hazard=constant@step,opt=0", 20)
        == hashes("hazard=constant@step,evaluate", 20)
    )


def test_an_injected_model_is_seen_as_the_plain_one() -> None:
    chosen = parse_side("hazard=constant@step,from=9", SMALL)
    plain, acts = chosen.model(8), chosen.model(9)
    assert plain is not None
    assert acts is not None
    assert (plain.module, plain.plain) == (chosen.plain.kernels, None)
    assert (acts.module, acts.plain) == (chosen.program.kernels, chosen.plain.kernels)
    running = side("hazard=constant@step")
    running.start(1)
    model = running.side.model(running.frame)
    assert model is not None
    assert model.plain is running.side.plain.kernels
