"""How long a frame took, and what came in time."""

import asyncio
import queue
import select
import threading

import pygame
import pyglet
import ursina

clock = pygame.time.Clock()


class Game:
    def __init__(self) -> None:
        self.clock = pygame.time.Clock()
        self.ready = threading.Event()

    def frame(self) -> float:
        return self.clock.tick(60) / 1000  # expect: SB501

    def wait(self) -> bool:
        return self.ready.wait(0.5)  # expect: SB503


def step() -> float:
    return clock.get_time()  # expect: SB501


def other() -> float:
    return pyglet.clock.tick()  # expect: SB501


def turned(speed: float) -> float:
    return speed * ursina.time.dt  # expect: SB501


def received(inbox: queue.Queue) -> object:
    try:
        return inbox.get(timeout=0.01)  # expect: SB503
    except queue.Empty:
        return None


def readable(sockets: list) -> list:
    return select.select(sockets, [], [], 0.01)[0]  # expect: SB503, SB105


async def answer(question: "asyncio.Future[int]") -> int:
    return await asyncio.wait_for(question, 1.0)  # expect: SB503
