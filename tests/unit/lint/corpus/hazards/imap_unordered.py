"""A pool of processes, in any order."""

import asyncio
import multiprocessing


def scores(games, play):
    with multiprocessing.Pool() as pool:
        return [*pool.imap_unordered(play, games)]  # expect: SB105


async def first(tasks):
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)  # expect: SB105
    return done
