"""`python train.py [SEED]`: train the policy, say how it gets on, and print the weights' hash."""

import sys

import numpy as np
import xxhash
from train_cartpole import TRAINING, Input

STEPS = 150


def main() -> None:
    """Train."""
    given = sys.argv[1] if len(sys.argv) > 1 else "1"
    if not given.isdecimal():
        sys.exit(f"the seed is {given!r}: give a whole number, such as 1")
    seed = int(given)
    session = TRAINING.start(seed=seed)
    for k in range(0, STEPS, 10):
        session.run(np.zeros((10, 1), Input.dtype))
        print(f"step {k + 10}: {session.state.episodes} episodes, the latest of "
              f"{float(session.state.length):.0f} frames in the mean")  # fmt: skip
    weights = np.array(session.state.weights, np.float32)
    print(f"weights: {xxhash.xxh64_hexdigest(weights.astype('<f4').tobytes())}")


if __name__ == "__main__":
    main()
