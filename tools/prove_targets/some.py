"""The comparison of a few functions on every target: `python -m tools.prove_targets.some hypot`.

For functions that have changed since `make prove-targets`: notes in tools/prove/identical.json, for
docs/results/accuracy.md, which targets give the host's bits. Exit status 1 if one does not.
"""

from __future__ import annotations

import argparse

from tools.prove import identical, subject
from tools.prove.catalogue import NAMED
from tools.prove_targets import functions

from samebits.runtime.emulation.calls import runners


def main() -> int:
    """Compare, print and note."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("functions", nargs="+", choices=[*NAMED], metavar="FUNCTION")
    names = frozenset(parser.parse_args().functions)
    digests = {name: loop.digest() for name, loop in subject.library_loops().items()}
    kept = identical.load()
    same, compared = True, 0
    for runner in runners():
        if runner.reason is not None:
            continue
        name = runner.target.name
        found = functions.on(runner.target, only=names)
        verdict = found.failure or f"{found.count:,} compared, {len(found.differing)} rows differ"
        print(f"{name}: {verdict}", flush=True)
        compared += found.count
        same = same and not found.failure and not found.differing and found.count > 0
        before = kept.get(name, {})
        left = {key: digest for key, digest in before.items() if key.split()[0] not in names}
        kept[name] = left | {key: digests[key] for key in found.agreed}
    identical.write(kept)
    return 0 if same and compared else 1


if __name__ == "__main__":
    raise SystemExit(main())
