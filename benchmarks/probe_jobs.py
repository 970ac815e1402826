"""A job that does nothing, for the latency of scheduling one."""

import samebits as sb
from samebits import float32, int32


@sb.job
class Nothing(sb.ParallelFor):
    out: sb.Array[float32]

    def execute(self, index: int32) -> None:
        pass
