"""A generated program whose executions once disagreed (managed and evaluate)."""

from tests.fuzz.check import assert_agreement
from tests.fuzz.inputs import InputSet

SOURCE = """\
import samebits as sb
from samebits import float32

@sb.kernel(mode=sb.DETERMINISTIC, denormals='flush', precision=sb.LOW, optimize_for='size')
def entry(p0: sb.Array[float32]) -> int:
    if 2.225073858507201e-308:
        p0[0] = 0
    return 1
"""

# fmt: off
INPUTS = InputSet(
    args=(
        ('array', 'float32', 0, 0, (17,)),
    ),
    blobs=(
        bytes.fromhex("4f888fc35ff7ccbc000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"),
        bytes.fromhex(""),
    ),
)
# fmt: on


def test_the_executions_agree() -> None:
    assert_agreement(SOURCE, "entry", [INPUTS])
