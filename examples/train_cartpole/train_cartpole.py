"""A policy that learns to balance CartPole, training and all, as the simulation `TRAINING`.

A frame is one step of training: episodes by the policy as it is, the gradient of what they earned,
and Adam's update. The state has the weights, so that their hash after any number of frames is that
of the whole training run, on every target.
"""

from typing import Literal

import samebits as sb
from samebits import float32, float64, int32, math, random, uint64

OBSERVED = 4
HIDDEN = 16
WEIGHTS = OBSERVED * HIDDEN + HIDDEN + HIDDEN + 1
"""A layer of tanh with its biases, and one output with its bias."""
BIASES = OBSERVED * HIDDEN
LAST = BIASES + HIDDEN

EPISODES = 8
"""Of a training step."""
LONGEST = 200

DISCOUNT = float32(0.99)
# Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015; the rate is larger.
RATE = float32(0.02)
FIRST = float32(0.9)
SECOND = float32(0.999)
TINY = float32(1e-8)


@sb.struct
class Moment:
    """What is seen of one moment of an episode, what was done, and what was earned from there."""

    seen: sb.FixedArray[float32, Literal[4]]
    push: float32
    earned: float32


@sb.struct
class State(sb.Struct):
    """`length` is the mean of the latest episodes' lengths, `best` the greatest such mean."""

    weights: sb.FixedArray[float32, Literal[97]]
    first: sb.FixedArray[float32, Literal[97]]
    second: sb.FixedArray[float32, Literal[97]]
    decay: sb.FixedArray[float32, Literal[2]]
    length: float32
    best: float32
    episodes: int32
    dice: random.Random
    moments: sb.FixedArray[Moment, Literal[8], Literal[200]]
    lengths: sb.FixedArray[int32, Literal[8]]


@sb.struct
class Input(sb.Struct):
    """Whether the training step is left out."""

    rests: bool


@sb.struct
class Cart:
    """Gymnasium's CartPole, as in examples/classic_control."""

    x: float64 = sb.zero
    x_dot: float64 = sb.zero
    theta: float64 = sb.zero
    theta_dot: float64 = sb.zero

    def begin(self, dice: random.Random) -> None:
        """Anywhere from -0.05 to 0.05."""
        self.x = 0.1 * dice.next_float64() - 0.05
        self.x_dot = 0.1 * dice.next_float64() - 0.05
        self.theta = 0.1 * dice.next_float64() - 0.05
        self.theta_dot = 0.1 * dice.next_float64() - 0.05

    def move(self, right: bool) -> bool:
        """Push the cart for 20 ms; whether it still stands."""
        force = 10.0 if right else -10.0
        cosine, sine = math.cos(self.theta), math.sin(self.theta)
        along = (force + 0.05 * (self.theta_dot * self.theta_dot) * sine) / 1.1
        bend = (9.8 * sine - cosine * along) / (0.5 * (4.0 / 3.0 - 0.1 * (cosine * cosine) / 1.1))
        pushed = along - 0.05 * bend * cosine / 1.1
        self.x += 0.02 * self.x_dot
        self.x_dot += 0.02 * pushed
        self.theta += 0.02 * self.theta_dot
        self.theta_dot += 0.02 * bend
        return sb.abs(self.x) <= 2.4 and sb.abs(self.theta) <= 12 * 2 * math.pi / 360


@sb.kernel
def layer(
    weights: sb.ReadOnly[float32], seen: sb.ReadOnly[float32], out: sb.Array[float32]
) -> None:
    """The hidden layer's outputs."""
    for h in range(HIDDEN):
        total = weights[BIASES + h]
        for k in range(OBSERVED):
            total += weights[h * OBSERVED + k] * seen[k]
        out[h] = math.tanh(total)


@sb.kernel
def chance(weights: sb.ReadOnly[float32], hidden: sb.ReadOnly[float32]) -> float32:
    """How likely the policy pushes to the right."""
    total = weights[LAST + HIDDEN]
    for h in range(HIDDEN):
        total += weights[LAST + h] * hidden[h]
    return float32(1) / (float32(1) + math.exp(-total))


@sb.kernel
def play(state: State, episode: int) -> None:
    """One episode by the policy, its moments kept."""
    cart = Cart()
    cart.begin(state.dice)
    hidden = sb.zeros(HIDDEN, float32)
    length = 0
    while length < LONGEST:
        moment = state.moments[episode, length]
        moment.seen[0] = float32(cart.x)
        moment.seen[1] = float32(cart.x_dot)
        moment.seen[2] = float32(cart.theta)
        moment.seen[3] = float32(cart.theta_dot)
        layer(state.weights, moment.seen, hidden)
        right = state.dice.next_float32() < chance(state.weights, hidden)
        moment.push = float32(1) if right else float32(0)
        length += 1
        if not cart.move(right):
            break
    state.lengths[episode] = length
    earned = float32(0)
    for t in range(length - 1, -1, -1):
        earned = float32(1) + DISCOUNT * earned
        state.moments[episode, t].earned = earned


@sb.kernel
def level(state: State) -> tuple[float32, float32]:
    """The mean of what was earned, and one over its deviation."""
    count, total, squares = float32(0), float32(0), float32(0)
    for e in range(EPISODES):
        for t in range(state.lengths[e]):
            count += float32(1)
            total += state.moments[e, t].earned
    mean = total / count
    for e in range(EPISODES):
        for t in range(state.lengths[e]):
            off = state.moments[e, t].earned - mean
            squares += off * off
    return mean, float32(1) / (math.sqrt(squares / count) + float32(1e-6))


@sb.kernel
def learn(state: State) -> None:
    """Add up the gradient of what was earned (Williams' REINFORCE), and take Adam's step."""
    mean, scale = level(state)
    gradient = sb.zeros(WEIGHTS, float32)
    hidden = sb.zeros(HIDDEN, float32)
    count = float32(0)
    for e in range(EPISODES):
        for t in range(state.lengths[e]):
            moment = state.moments[e, t]
            layer(state.weights, moment.seen, hidden)
            better = (moment.earned - mean) * scale
            off = better * (moment.push - chance(state.weights, hidden))
            gradient[LAST + HIDDEN] += off
            for h in range(HIDDEN):
                gradient[LAST + h] += off * hidden[h]
                back = off * state.weights[LAST + h] * (float32(1) - hidden[h] * hidden[h])
                gradient[BIASES + h] += back
                for k in range(OBSERVED):
                    gradient[h * OBSERVED + k] += back * moment.seen[k]
            count += float32(1)
    state.decay[0] *= FIRST
    state.decay[1] *= SECOND
    for w in range(WEIGHTS):
        slope = gradient[w] / count
        state.first[w] = FIRST * state.first[w] + (float32(1) - FIRST) * slope
        state.second[w] = SECOND * state.second[w] + (float32(1) - SECOND) * slope * slope
        first = state.first[w] / (float32(1) - state.decay[0])
        second = state.second[w] / (float32(1) - state.decay[1])
        state.weights[w] += RATE * first / (math.sqrt(second) + TINY)


@sb.kernel
def init(state: State, seed: uint64) -> None:
    """Small random weights; none is zero for all hidden units alike."""
    state.dice = random.seeded(seed, 0)
    for w in range(WEIGHTS):
        state.weights[w] = (state.dice.next_float32() - float32(0.5)) * float32(0.6)
    state.decay[0] = float32(1)
    state.decay[1] = float32(1)


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    if inputs[0].rests:
        return
    total = 0
    for e in range(EPISODES):
        play(state, e)
        total += state.lengths[e]
    state.episodes += EPISODES
    state.length = float32(total) / float32(EPISODES)
    state.best = sb.max(state.best, state.length)
    learn(state)


def learner(frame: int, player: int, seed: int) -> dict[str, object]:
    """Never rests."""
    return {"rests": False}


TRAINING = sb.Simulation(
    name="train_cartpole",
    version="1",
    state=State,
    input=Input,
    players=1,
    init=init,
    step=step,
    tick_rate=1,
    scripts={"learner": learner},
)
