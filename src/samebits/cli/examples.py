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
        "verify game.py replays --shard 1/4 --bits here.bits --label ubuntu-24.04-arm",
    ),
    "header": ("header -o samebits.h", "header --lang rust -o recorder/src/lib.rs"),
    "compare": (
        "compare linux.bits windows.bits",
        "compare found --expect ubuntu-24.04,windows-2025 --summary summary.md",
        "compare found --diagnose game.py --replays replays --reports found",
    ),
    "send": (
        "send there.desync --to https://desyncs.example.org --key send.key",
        "send here.desync there.desync --to http://127.0.0.1:8484 --match m-17 --spool waiting",
    ),
    "collector": (
        "collector key new --scope send --name game-1.4",
        "collector serve --folder collector",
    ),
    "collector serve": (
        "collector serve --folder collector",
        "collector serve --host 0.0.0.0 --port 443 --cert cert.pem --key key.pem",
    ),
    "collector groups": ("collector groups", "collector groups --simulation arena --all --json"),
    "collector compare": ("collector compare 1.4.1 1.4.2 --simulation arena",),
    "collector backup": ("collector backup collector.tar",),
    "collector resolve": ("collector resolve 7 1.4.2",),
    "collector key": ("collector key new --scope read", "collector key list"),
    "collector key new": (
        "collector key new --scope send --name game-1.4",
        "collector key new --scope read,admin",
    ),
    "collector key list": ("collector key list --json",),
    "collector key revoke": ("collector key revoke 0d1c9aaab3b2",),
    "ci": ("ci init --github",),
    "ci init": ("ci init --github", "ci init --gitlab --check"),
    "farm": (
        "farm verify replays --sim game.py",
        "farm worker --scheduler tcp://127.0.0.1:8786",
    ),
    "farm verify": (
        "farm verify replays --sim game.py --local 8",
        "farm verify list.txt --sim game.py --sim old/game.py --store rows",
        "farm verify replays --targets aarch64,s390x --scheduler tcp://127.0.0.1:8786",
    ),
    "farm bisect": (
        "farm bisect replays --sim game.py --old v1.4",
        "farm bisect replays --sim game.py --old v1.4 --new main --out small",
    ),
    "farm worker": ("farm worker --scheduler tcp://127.0.0.1:8786 --threads 4",),
    "lua": (
        "lua record game.lua -o run.sbt",
        "lua verify game.lua run.sbt",
        "lua diagnose game.lua run.sbt --b lua54+libm",
    ),
    "lua record": (
        "lua record game.lua -o run.sbt",
        "lua record game.lua -o run.sbt --frames 3600 --engine luajit --inputs theirs.sbt",
    ),
    "lua verify": (
        "lua verify game.lua run.sbt",
        'lua verify game.lua run.sbt --host "./samebits_lua_run lua54/game.lua"',
    ),
    "lua build": (
        "lua build game.lua -o dist",
        "lua build game.lua -o dist --target x86-64-v1,aarch64 --engines luajit",
    ),
    "lua diagnose": (
        "lua diagnose game.lua run.sbt --b lua54+libm",
        "lua diagnose game.lua run.sbt --a lua54 --b luajit",
    ),
    "net": (
        "net play game.py --open",
        "net ticket m1 --secret secret.key --slot 0",
        "net serve game.py --secret secret.key --store matches",
        "net soak game.py --rtt 100 --jitter 20 --loss 5",
    ),
    "net play": (
        "net play game.py --open",
        "net play game.py --bot 1 --plant hazard=fma@bounce,from=300",
        "net play game.py --host 0.0.0.0 --port 8080",
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
        "build --math-library --target x86-64-v1,aarch64 --out dist",
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
        "lint game.lua --ignore SL1",
        "lint --list-rules",
    ),
    "audit": (
        "audit build/libgame.so",
        "audit build --allow audit.toml --format sarif",
        "audit build/compile_commands.json",
        "audit build --against other-build",
        "audit --sources src",
        "audit --safe-flags gcc --for cmake",
        "audit --list-rules",
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
        "report --from run.sbt --frames 120:130 -o ours.desync",
        "report --show theirs.desync",
    ),
    "diagnose": (
        "diagnose game.py duel.mcap theirs.desync",
        "diagnose game.py ours.mcap theirs.mcap",
        "diagnose game.py duel.mcap theirs.txt",
        "diagnose game.py duel.mcap --state 120=theirs.bin",
        "diagnose ours.desync theirs.desync --html desync.html",
        "diagnose game.py ours.desync theirs.desync",
        "diagnose ours.sbt theirs.sbt",
        "diagnose --foreign sim.toml --a strict --b fast",
        "diagnose game.py duel.mcap --a managed --b x86-64-v3-O3",
        "diagnose game.py duel.mcap --b source=old/game.py",
        "diagnose game.py --b hazard=fma@game.py:120,from=300",
        "diagnose --list-sides",
    ),
    "minimise": (
        "minimise game.py duel.mcap --b mode=FAST",
        "minimise game.py duel.mcap --b source=old/game.py --out small.mcap",
        "minimise game.py crash.mcap --trap --seconds 10",
    ),
    "play": (
        "play game.py --open",
        "play game.py --replay duel.mcap -o duel.html",
        "play game.py --seed 7 --frames 3600",
    ),
    "replay": ("replay export duel.mcap --out duel.inputs",),
    "replay export": (
        "replay export duel.mcap --out duel.inputs",
        "replay export duel.mcap --protobuf --sim game.py --out duel.view.mcap",
    ),
}


def examples(command: str) -> str:
    """A command's examples as Markdown, one per line."""
    return "\n\n".join(["Examples:", *(f"- `samebits {each}`" for each in EXAMPLES[command])])
