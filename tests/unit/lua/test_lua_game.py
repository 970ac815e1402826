"""Simulations whose step is a Lua script: their state, their records, and where two runs part."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Literal

import pytest

import samebits as sb
from samebits.cli import status
from samebits.errors import ArgumentError
from samebits.foreign.records import read_record
from samebits.lua import Game, LuaError, Script, ScriptError, ScriptStopped
from samebits.lua.layout import layout_text, random_values, struct_layout
from samebits.lua.record import Frames, inputs_of, record_bytes, run_frames
from samebits.lua.restoring import first_unrestored
from samebits.lua.trace import compare, first_difference
from samebits.types import FixedArrayType

pytest.importorskip("lupa")
ENGINES = ("lua54", "luajit")
PINBALL = Path(__file__).parents[2] / "support" / "lua" / "pinball.lua"
GOLDEN = "646af4299b9840a1"
"""The hash after the last of `FRAMES` frames, in every engine, on every machine."""
FRAMES = 60


def pinball_inputs(game: Game, frames: int = FRAMES) -> list[bytes]:
    assert game.input_type is not None
    draw = random.Random(1)
    players = FixedArrayType(game.input_type, (game.players,))
    return [random_values(players, draw) for _ in range(frames)]


def pinball(engine: str = "lua54", math: str = "samebits") -> Frames:
    game = Game(PINBALL, engine, seed=3, math=math)
    return run_frames(game, pinball_inputs(game))


def game_of(step: str, state: str = "{x:f64}", engine: str = "lua54", init: str = "") -> Game:
    """A game of one step, whose `x` is 0 at first."""
    text = (
        f'local game = {{state = "{state}"}}\n'
        f"function game.init(state) state.x = 0 {init} end\n"
        f"function game.step(state) {step} end\nreturn game"
    )
    return Game(Script("game.lua", text.encode()), engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_has_one_hash_in_every_engine(engine: str) -> None:
    assert f"{pinball(engine).hashes[-1]:016x}" == GOLDEN


@pytest.mark.parametrize("engine", ENGINES)
def test_a_saved_state_is_all_that_a_frame_needs(engine: str) -> None:
    game = Game(PINBALL, engine, seed=3)
    run = run_frames(game, pinball_inputs(game, 8))
    assert first_unrestored(game.script, engine, run) is None
    other = Game(PINBALL, ENGINES[engine == "lua54"])
    other.restore(run.states[5])
    assert [other.step(given) for given in run.inputs[5:]] == run.states[6:]


def test_state_outside_of_the_state_is_found() -> None:
    game = game_of("count = (count or 0) + 1 state.x = count")
    run = run_frames(game, [b""] * 4)
    assert first_unrestored(game.script, "lua54", run) == 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("layout", "value", "said"),
    [
        ("{x:i32}", "2147483648", "state.x is 2147483648, where i32, from -2147483648 to"),
        ("{x:u8}", "-1", "state.x is -1, where u8, from 0 to 255, is needed"),
        ("{x:i64}", "0.5", "state.x is 0.5, where a whole number (i64) is needed"),
        ("{x:i64}", "0/0", "state.x is nan, where a whole number"),
        ("{x:f64}", "nil", "state.x is nil, where a number (f64) is needed"),
        ("{x:f64}", "'a'", "state.x is a text, where a number (f64) is needed"),
        ("{x:bool}", "1", "where true or false is needed"),
        ("{x:f64[2]}", "{1}", "state.x[2] is nil, where a number (f64) is needed"),
        ("{x:f64[2]}", "{1, 2, 3}", "state.x has 3, which its layout does not"),
        ("{x:{y:f64}}", "{y = 1, z = 2}", "state.x has z, which its layout does not"),
        ("{x:float2}", "{x = 1}", "state.x.y is nil, where a number (f32) is needed"),
    ],
)
def test_a_state_is_what_its_layout_tells(engine: str, layout: str, value: str, said: str) -> None:
    game = game_of(f"state.x = {value}", layout, engine, "state.x = " + {
        "{x:bool}": "true", "{x:f64[2]}": "{0, 0}", "{x:{y:f64}}": "{y = 0}",
        "{x:float2}": "{x = 0, y = 0}",
    }.get(layout, "0"))  # fmt: skip
    game.start()
    with pytest.raises(ScriptError) as caught:
        game.step()
    assert said in caught.value.message


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_are_as_their_places_hold_them(engine: str) -> None:
    """Floats rounded to float32, NaN of one pattern, −0 kept, whole floats as integers."""
    steps = {"{x:f32}": ("0.1", struct.pack("<f", 0.1)),
             "{x:f64}": ("-(0/0)", b"\0\0\0\0\0\0\xf8\x7f"), "{x:i32}": ("3.0", b"\3\0\0\0"),
             "{x:u16}": ("65535", b"\xff\xff"),
             "{x:i64}": ("-5", struct.pack("<q", -5))}  # fmt: skip
    for layout, (value, expected) in steps.items():
        game = game_of(f"state.x = {value}", layout, engine)
        game.start()
        assert game.step()[:-32] == expected
    game = game_of("state.x = state.x == 0 and 0.1 or state.x - 0.1", "{x:f32}", engine)
    game.start()
    first = game.step()
    assert game.step()[:4] != b"\0\0\0\0", "the state keeps a float64 where it tells float32"
    again = game_of("state.x = state.x == 0 and 0.1 or state.x - 0.1", "{x:f32}", engine)
    again.restore(first)
    assert again.step() == game.state
    game = game_of("state.x = -0.0", "{x:f64}", engine)
    game.start()
    assert game.step()[:8] == struct.pack("<d", -0.0)


@sb.struct
class Ball(sb.Struct):
    x: sb.float64
    speed: sb.float32
    hits: sb.int32


@sb.struct
class Table(sb.Struct):
    x: sb.float64 = 0.0
    balls: sb.FixedArray[Ball, Literal[2]] = sb.zero


def test_a_state_is_a_struct_of_samebits() -> None:
    layout = "{x:f64 balls:{x:f64 speed:f32 hits:i32}[2]}"
    step = "state.balls[2].hits = state.balls[2].hits + 1 state.balls[1].x = state.x ^ 0.5"
    game = game_of(step, layout, init="state.balls = {}")
    table = Table()
    table.x, table.balls[1].hits = 2.0, 41
    game.write(table)
    game.step()
    found = game.read(Table)
    assert (found.x, found.balls[1].hits, found.balls[0].x) == (2.0, 42, 2.0**0.5)
    with pytest.raises(ArgumentError, match=r"Ball has other fields than the state of game.lua"):
        game.read(Ball)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("return {}", "game.lua tells no layout of its state"),
        ("return {state = 5}", "state of game.lua is no text"),
        ("return {state = '{x:f99}'}", "has no type that there is"),
        ("return {state = 'f64'}", "name its fields"),
        ("return {state = '{x:f16}', step = print}", "a script's state has no float16"),
        ("return {state = '{x:f64}'}", "game.lua gives no function step"),
        ("return {state = '{x:f64}', input = '{a:u8}', players = 0, step = print}", "players of"),
    ],
)
def test_scripts_that_are_no_simulation_are_refused(text: str, said: str) -> None:
    with pytest.raises(LuaError) as caught:
        Game(Script("game.lua", text.encode()))
    assert said in str(caught.value)


def test_errors_and_stops_in_a_step_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "game.lua"
    path.write_text(
        'return {state = "{x:f64}", init = function(s) s.x = 1 end,\n'
        "step = function(s)\n    s.x = s.y + 1\nend}\n"
    )
    game = Game(path)
    game.start()
    with pytest.raises(ScriptError) as caught:
        game.step()
    assert caught.value.message.startswith("game.lua:3: attempt to perform arithmetic on a nil")
    assert "s.x = s.y + 1" in str(caught.value)
    path.write_text(path.read_text().replace("s.x = s.y + 1", "while true do end"))
    game = Game(path, instructions=100_000)
    game.start()
    with pytest.raises(ScriptStopped, match=r"game.lua:3: it ran more than 100,000 instructions"):
        game.step()


def test_layouts_are_told_and_read() -> None:
    text = "{a:f64 b:{c:u8 d:float3}[2,3] e:bool f:i64[4]}"
    assert layout_text(struct_layout(text, "State")) == text


def test_a_record_is_read_as_other_programs_are(tmp_path: Path) -> None:
    game = Game(PINBALL, seed=3)
    run = run_frames(game, pinball_inputs(game, 5))
    path = tmp_path / "run.sbt"
    path.write_bytes(record_bytes(game, run))
    found = read_record(str(path))
    assert list(found.hashes.values()) == run.hashes
    assert found.is_ended
    assert (found.seed, found.players, found.damage) == (3, 2, None)
    assert [found.state_after(n) for n in range(-1, 5)] == run.states
    assert inputs_of(game, found) == run.inputs
    with pytest.raises(LuaError, match=r"is of another simulation than game.lua"):
        inputs_of(game_of("state.x = 1"), found)


def test_two_sides_of_a_script_part_at_a_line(tmp_path: Path) -> None:
    """A result of the set-up, of a later frame, and another way, each at its line."""
    text = """local game = {state = "{x:f64 n:i32}"}
function game.init(s) s.x = 0.5 s.n = 0 end
function game.step(s)
    s.n = s.n + 1
    local y = s.x * 2
    if s.n == 3 then
        y = y % 0.3
        if nan then y = y + LATE end
    end
    s.x = y / 4 + WIDE
end
return game"""
    a = text.replace("WIDE", "0.25").replace("LATE", "1").replace("if nan", "if false")
    b = text.replace("WIDE", "0.25").replace("LATE", "1").replace("if nan", "if s.n == 3")
    c = text.replace("WIDE", "(0.25 + 2^-54)").replace("LATE", "1").replace("if nan", "if false")

    def sides(mine: str, theirs: str) -> tuple[int | None, str, int, bool, bool]:
        scripts = [Script("game.lua", each.encode()) for each in (mine, theirs)]
        runs = [run_frames(Game(each), [b""] * 5) for each in scripts]
        frame = first_difference(runs[0], runs[1])
        assert frame is not None
        traced = [Game(each, traced=True) for each in scripts]
        found = compare(frame, (traced[0], traced[1]), (runs[0], runs[1]), traced[0].runtime.sites)
        assert found.site is not None
        return frame, found.site.text, found.site.line, found.is_path, found.is_believed

    assert sides(a, b)[::2] == (2, 10, True)
    assert sides(a, b)[3] is True
    assert sides(c, c.replace("2^-54", "2^-50")) == (0, "2^-54", 10, False, True)


def test_commands_record_verify_and_diagnose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run.sbt")
    assert status(["lua", "record", str(PINBALL), "-o", out, "--frames", "8", "--seed", "-3"]) == 0
    assert "8 frames" in capsys.readouterr().out
    assert status(["lua", "record", str(PINBALL), "-o", out]) == 2
    assert "exists already" in capsys.readouterr().err
    assert status(["lua", "verify", str(PINBALL), out, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["engine"], row["what"], row["frame"]) for row in rows] == [
        ("lua54", "replayed", None), ("luajit", "replayed", None), ("lua54", "restored", None),
    ]  # fmt: skip
    assert status(["lua", "diagnose", str(PINBALL), out, "--b", "luajit"]) == 0
    other = tmp_path / "pinball.lua"
    other.write_text(
        PINBALL.read_text().replace("local G, DT, SIZE = 9.81", "local G, DT, SIZE = 9.8")
    )
    capsys.readouterr()
    assert status(["lua", "verify", str(other), out, "--no-restore"]) == 1
    assert "differs from frame 0 on" in capsys.readouterr().out
    assert status(["lua", "diagnose", str(PINBALL), out, "--b", "lua54+mine"]) == 2
    assert status(["lua", "record", str(tmp_path / "none.lua"), "-o", out]) == 2
