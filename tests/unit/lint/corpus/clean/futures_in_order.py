"""Results in the order of the tasks."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def simulate(islands, step):
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(step, island) for island in islands]
        return [f.result() for f in futures] + [*pool.map(step, islands)]


async def every(tasks):
    return await asyncio.gather(*tasks)
