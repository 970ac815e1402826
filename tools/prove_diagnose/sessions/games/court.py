"""Four players hold their side of a square court, in integers alone, as the simulation `COURT`."""

from typing import Literal, TypeAlias

import samebits as sb
from samebits import int2, int16, int32, int64, uint8, uint32, uint64

PLAYERS = 4
Four: TypeAlias = Literal[4]
HALF = 20_000


@sb.struct
class Paddle:
    at: int32
    reach: int32
    charge: uint8
    dashing: bool


@sb.struct
class Ball:
    pos: int2
    vel: int2
    last: int32


@sb.struct
class State:
    paddles: sb.FixedArray[Paddle, Four]
    balls: sb.FixedArray[Ball, Literal[3]]
    scores: sb.FixedArray[int64, Four]
    hits: sb.List[int32, Literal[16]]
    shuffle: uint32


@sb.struct
class Input:
    """Where the paddle is to go, how hard it hits, and whether it dashes."""

    aim: int16
    power: uint8
    dash: bool


@sb.kernel
def shuffled(state: State) -> int32:
    state.shuffle = state.shuffle * 1664525 + 1013904223
    return int32(state.shuffle >> 20)


@sb.kernel
def serve(state: State, ball: Ball) -> None:
    ball.pos = int2(0, 0)
    ball.vel = int2(shuffled(state) % 400 - 200, shuffled(state) % 400 - 200)
    ball.last = -1


@sb.kernel
def moved(paddle: Paddle, order: Input) -> None:
    paddle.dashing = order.dash and paddle.charge > 20
    if paddle.dashing:
        paddle.charge -= 20
    elif paddle.charge < 200:
        paddle.charge += 1
    pace = 900 if paddle.dashing else 300
    way = int32(order.aim) - paddle.at
    paddle.at += min(max(way, -pace), pace)
    paddle.reach = 2000 + int32(order.power) * 4


@sb.kernel
def returned(state: State, ball: Ball, player: int, along: int32, power: uint8) -> bool:
    paddle = state.paddles[player]
    if abs(along - paddle.at) > paddle.reach:
        state.scores[player] -= 1
        serve(state, ball)
        return False
    state.scores[player] += 2
    if len(state.hits) == 16:
        state.hits.clear()
    state.hits.append(int32(player) * 256 + int32(power))
    ball.last = int32(player)
    return True


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.shuffle = uint32(seed & 0xFFFFFFFF) ^ 0x9E3779B9
    for i in range(3):
        serve(state, state.balls[i])


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for i in range(PLAYERS):
        moved(state.paddles[i], inputs[i])
    for i in range(3):
        ball = state.balls[i]
        ball.pos += ball.vel
        if ball.pos.x < -HALF or ball.pos.x > HALF:
            side = 0 if ball.pos.x < 0 else 1
            if returned(state, ball, side, ball.pos.y, inputs[side].power):
                ball.vel.x = -ball.vel.x + int32(inputs[side].power) // 16
        elif ball.pos.y < -HALF or ball.pos.y > HALF:
            side = 2 if ball.pos.y < 0 else 3
            if returned(state, ball, side, ball.pos.x, inputs[side].power):
                ball.vel.y = -ball.vel.y - int32(inputs[side].power) // 16


def match(frame: int, player: int, seed: int) -> dict[str, int | bool]:
    """Sweep to and fro, hit harder and harder, dash now and then."""
    beat = frame * 3 + player * 41 + seed % 101
    return {"aim": beat * 97 % 30001 - 15000, "power": beat % 256, "dash": beat % 31 == 0}


def lazy(frame: int, player: int, seed: int) -> dict[str, int | bool]:
    """Stand where the last order said."""
    return {"aim": (frame // 40 * 5003 + player * 777 + seed) % 20001 - 10000, "power": 200}


COURT = sb.Simulation(
    name="court", version="1", state=State, input=Input, players=PLAYERS, init=init, step=step,
    tick_rate=50, scripts={"match": match, "lazy": lazy},
)  # fmt: skip
