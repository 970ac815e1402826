"""Decimal text is read to the nearest step and written so that it reads back."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import pytest

import samebits as sb
from samebits.decimals import exact, shortest
from samebits.lang.values.fixed.fixed_text import parse

FRACTIONS = (16, 32)


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_text_is_read_to_the_nearest_step_with_ties_to_even(fraction: int) -> None:
    r = random.Random(1)
    for _ in range(2000):
        digits = r.randrange(0, 45)
        text = (
            f"{r.choice(['', '-', '+'])}{r.randrange(1 << 31)}.{r.randrange(10**digits):0{digits}d}"
        )
        assert parse(text, fraction) == round(Fraction(text) * (1 << fraction))
    half = Fraction(1, 2 << fraction)
    for n in (1, 3, 5):
        text = exact(n, fraction + 1)
        assert Fraction(text) == n * half
        assert parse(text, fraction) == round(Fraction(n, 2))
    assert parse(".5", fraction) == parse("0.50", fraction) == 1 << (fraction - 1)
    assert parse("-7.", fraction) == -7 << fraction


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_what_is_written_reads_back_and_no_shorter_text_does(fraction: int) -> None:
    r = random.Random(2)
    for n in [
        0,
        1,
        -1,
        1 << 63,
        -(1 << 63),
        *(r.randrange(-(1 << 50), 1 << 50) for _ in range(500)),
    ]:
        text = shortest(n, fraction)
        assert parse(text, fraction) == n
        assert Fraction(exact(n, fraction)) == Fraction(n, 1 << fraction)
        places = len(text.partition(".")[2])
        if places > 1:
            cut = round(Fraction(n * 10 ** (places - 1), 1 << fraction))
            assert round(Fraction(cut << fraction, 10 ** (places - 1))) != n


@pytest.mark.parametrize(
    "text", ["", ".", "1e5", "0x1", " 1", "1 ", "--1", "nan", "1_0", "٣", "1" * 401]
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(sb.ArgumentError, match="no decimal number"):
        sb.fix32(text)


def test_text_out_of_range_is_refused_with_the_range() -> None:
    assert sb.fix16("32767.99999").raw == 2**31 - 1
    with pytest.raises(sb.ArgumentError, match=r"does not fit fix16 \(-32768.0 to 32767.99998\)"):
        sb.fix16("32767.999999")


def test_numbers_show_themselves_and_are_pickled_as_they_are() -> None:
    x = sb.fix48_sat("-12.375")
    assert repr(x) == "fix48_sat('-12.375')"
    assert eval(repr(x), vars(sb)).raw == x.raw == pickle.loads(pickle.dumps(x)).raw
    assert sb.fix16("0.1").exact() == "0.100006103515625"
    assert (float(x), int(x)) == (-12.375, -12)
