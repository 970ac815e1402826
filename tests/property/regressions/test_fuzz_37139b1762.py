"""A generated program whose executions once disagreed (managed or evaluate: ArgumentError)."""

from tests.fuzz.check import assert_agreement
from tests.fuzz.inputs import InputSet

SOURCE = """\
import samebits as sb
from samebits import float32
K2 = sb.table([1, False, 1.0], float32)

@sb.struct
class S0:
    f3: sb.FixedArray[float32, 1, 1]

    def m0(self, p0: int, p1: float32, p2: sb.ReadOnly[float32]) -> tuple[float32, float32, bool, bool]:
        return (1, 1, True, True)

@sb.kernel
def entry(p0: S0) -> bool:
    r1, r2, r3, r4 = p0.m0(0, 1.0, K2)
    return False
"""

# fmt: off
INPUTS = InputSet(
    args=(
        ('struct', 'S0', 0, 0),
    ),
    blobs=(
        bytes.fromhex("000000000000000000000000000000000000000000000000"),
        bytes.fromhex("000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"),
    ),
)  # noqa: E501
# fmt: on


def test_the_executions_agree() -> None:
    assert_agreement(SOURCE, "entry", [INPUTS])
