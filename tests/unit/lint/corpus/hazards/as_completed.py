"""Collects results as threads end."""

from concurrent.futures import ThreadPoolExecutor, as_completed


def simulate(islands, step):
    results = []
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(step, island) for island in islands]
        for future in as_completed(futures):  # expect: SB105
            results.append(future.result())
    return results
