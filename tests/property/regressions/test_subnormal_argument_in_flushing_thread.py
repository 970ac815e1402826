"""A subnormal float32 argument once became zero in a thread that flushes subnormals."""

from tests.fuzz.check import assert_agreement
from tests.fuzz.inputs import InputSet

SOURCE = """\
import samebits as sb
from samebits import float2, float32

@sb.kernel
def entry(p0: float32, p1: float2) -> tuple[float32, float2]:
    return p0, p1 * 0.5
"""

INPUTS = InputSet(
    args=(("scalar", "float32", 0x80000001), ("vector", "float2", (7, 0x00800001))), blobs=()
)


def test_the_executions_agree() -> None:
    assert_agreement(SOURCE, "entry", [INPUTS])
