"""The examples below each command's help, as a table."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "": (
        "record game.py --players duel --frames 3600 --out duel.mcap",
        "verify game.py duel.mcap",
        "diagnose game.py duel.mcap theirs.desync",
        "verify --help",
    ),
    "verify": (
        "verify game.py",
        "verify game.py duel.mcap --golden duel.golden",
        "verify game.py duel.mcap --targets aarch64-O3,wasm32-O3",
    ),
    "net": (
        "net ticket m1 --secret secret.key --slot 0",
        "net serve game.py --secret secret.key --store matches",
        "net soak game.py --rtt 100 --jitter 20 --loss 5",
    ),
    "net serve": (
        "net serve game.py --secret secret.key --port 8443 --store matches",
        "net serve game.py --secret secret.key --players 2 --on-desync pause",
    ),
    "net ticket": ("net ticket m1 --secret secret.key --slot 1 --seconds 60",),
    "net join": (
        "net join game.py ws://127.0.0.1:8443/m1 --ticket - --players duel --slot 1",
        "net join game.py ws://127.0.0.1:8443/m1 --ticket - --window 0",
    ),
    "net watch": ("net watch game.py ws://127.0.0.1:8443/m1 --ticket -",),
    "net soak": (
        "net soak game.py --matches 4 --frames 600",
        "net soak game.py --rtt 100 --jitter 20 --loss 5 --window 0,8 --seed 1",
    ),
    "net status": ("net status http://127.0.0.1:8443",),
    "net verdict": ("net verdict matches/m1",),
    "record": ("record game.py --players duel --frames 3600 --out duel.mcap",),
    "targets": ("targets --json",),
    "build": (
        "build game.py --out dist",
        "build game.py --target x86-64-v3,wasm32 --out dist",
    ),
    "doctor": ("doctor", "doctor game.py", "doctor -m game -- --fast"),
    "inspect": (
        "inspect game.py:step --show source,remarks",
        "inspect game.py:step --target aarch64 --html step.html",
        "inspect samebits.math:sin --types float32 --show asm",
    ),
    "lint": (
        "lint .",
        "lint src --select SB1,SB2 --format sarif",
        "lint game.py --min-confidence high",
        "lint --list-rules",
    ),
    "explain": (
        'explain "a*b + c" a=0.1 b=0.1 c=-0.01 --got 0x300f5c29',
        'explain "x / y" x=5 y=0x40400000 --got 0x3fd55556',
        'explain "(-x)*x + y" x=0x1.8p0 y=2.25 --type float64 --got -0.0',
        'explain "a*b + c" a=0.1 b=0x2e66 c=-0.01 --type float16 --got 0x8080',
        'explain "x / y" --row "x=5 y=3 got=0x3fd55556" --row "x=1 y=3 got=0x3eaaaaab"',
        'explain "a*b + c" --rows rows.csv',
    ),
    "report": (
        "report game.py duel.mcap",
        "report game.py duel.mcap --frames 120:130 --trace 124",
        "report game.py duel.mcap --trace 124 --a aarch64 -o theirs.desync",
        "report --show theirs.desync",
    ),
    "diagnose": (
        "diagnose game.py duel.mcap theirs.desync",
        "diagnose game.py ours.mcap theirs.mcap",
        "diagnose game.py duel.mcap theirs.txt",
        "diagnose game.py duel.mcap --state 120=theirs.bin",
        "diagnose ours.desync theirs.desync --html desync.html",
        "diagnose game.py ours.desync theirs.desync",
        "diagnose game.py duel.mcap --a managed --b x86-64-v3-O3",
        "diagnose game.py duel.mcap --b source=old/game.py",
        "diagnose game.py --b hazard=fma@game.py:120,from=300",
        "diagnose --list-sides",
    ),
    "replay": ("replay export duel.mcap --out duel.inputs",),
    "replay export": ("replay export duel.mcap --out duel.inputs",),
}


def examples(command: str) -> str:
    """A command's examples as Markdown, one per line."""
    return "\n\n".join(["Examples:", *(f"- `samebits {each}`" for each in EXAMPLES[command])])
