"""`samebits lint` of Lua scripts: each rule finds its hazard, and the fix makes the finding go."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from samebits.cli import status
from samebits.lint.rule import Confidence
from samebits.lua.lint import RULES, check_script

pytest.importorskip("tree_sitter_lua")

CASES = (
    ("SL101", "for k, v in pairs(t) do sum = sum + v end",
     "for k, v in ipairs(t) do sum = sum + v end"),
    ("SL101", "for k in pairs(t) do list[#list + 1] = k end",
     "for k in pairs(t) do list[#list + 1] = k end table.sort(list)"),
    ("SL101", "for k in pairs(t) do table.insert(list, k) end",
     "for k in pairs(t) do table.insert(list, k) end table.sort(list)"),
    ("SL101", "for _, v in next, t do best = v.name end",
     "for k, v in next, t do best[k] = v.name end"),
    ("SL101", "for _, v in pairs(t) do hit(v) end",
     "for _, v in pairs(t) do v.hits = v.hits + 1 end"),
    ("SL101", "for _, v in pairs(t) do return v end", "for _, v in pairs(t) do return true end"),
    ("SL101", "local n = 0.5 for k in pairs(t) do n = n + 0.5 end",
     "local n = 0 for k in pairs(t) do n = n + 1 end"),
    ("SL101", "local k = next(t)", "local empty = next(t) == nil"),
    ("SL101", "local p = pairs for k, v in p(t) do text = text .. k end",
     "local function pairs(x) return ipairs(x) end for k, v in pairs(t) do text = text .. k end"),
    ("SL102", "y = math.sin(x)", "y = math.sqrt(x) + math.floor(x) + math.fmod(x, 2)"),
    ("SL102", "local sin = math.sin\ny = sin(x)", "local sin = require('exact').sin\ny = sin(x)"),
    ("SL102", "local m = math\ny = m.exp(x)", "local math = {}\ny = math.exp(x)"),
    ("SL103", "y = x ^ 0.5", "y = math.sqrt(x)"),
    ("SL103", "y = x ^ 2", "y = x * x"),
    ("SL103", "y = math.pow(x, 3)", "y = x * x * x"),
    ("SL103", "y = 10 ^ -3", "y = 10 ^ 3 + 2 ^ 40 + 2 ^ -3"),
    ("SL104", "local x = math.random(6)", "local x = game.draw(6)"),
    ("SL104", "math.randomseed()", "math.randomseed(seed)"),
    ("SL105", "table.sort(t, function(a, b) return a.k < b.k end)",
     "table.sort(t, function(a, b) if a.k ~= b.k then return a.k > b.k end return a.n < b.n end)"),
    ("SL105", "local function by(a, b) return a.k > b.k end table.sort(t, by)",
     "table.sort(t, function(a, b) return a > b end)"),
    ("SL106", "table.sort(t, function(a, b) return a <= b end)",
     "table.sort(t, function(a, b) return a < b end)"),
    ("SL107", "y = name:upper()", "y = name:sub(1, 3)"),
    ("SL107", "y = string.lower(name)", "y = string.rep(name, 2)"),
    ("SL108", "y = (x / 3) % 0.1", "y = (x / 3) % 1"),
    ("SL201", "local t = os.clock()", "local t = frame / 60"),
    ("SL201", "local socket = require('socket') local t = socket.gettime()",
     "local t = inputs.time"),
    ("SL202", "local home = os.getenv('HOME')", "local home = inputs.home"),
    ("SL202", "local f = load(text)", "local f = require('levels')"),
    ("SL203", "local t = {} local s = tostring(t)", "local t = {} local s = tostring(#t)"),
    ("SL203", "local s = string.format('%p', x)", "local s = string.format('%d', x)"),
    ("SL203", "local s = ('%s'):format(function() end)", "local s = ('%s'):format(x)"),
    ("SL203", "local function f() end local s = 'f' .. f",
     "local function f() end local s = 'f' .. f()"),
    ("SL204", "local t = {} seen[t] = true", "local t = { id = 1 } seen[t.id] = true"),
    ("SL204", "local f = function() end local all = { [f] = 1 }",
     "local f = function() end local all = { f = 1 }"),
    ("SL205", "local n = collectgarbage('count')", "collectgarbage('collect')"),
    ("SL205", "setmetatable(t, { __mode = 'k' })", "setmetatable(t, { __index = u })"),
    ("SL205", "meta.__gc = function() end", "meta.close = function() end"),
    ("SL206", "local s = string.format('%a', x)", "local s = string.format('%.17g', x)"),
    ("SL301", "s.text = tostring(x / 3)", "s.value = x / 3"),
    ("SL301", "s.text = 'at ' .. x * 0.5", "local shown = 'at ' .. x * 0.5"),
    ("SL301", "s.text = string.format('%g', x)", "s.text = string.format('%.17g', x)"),
    ("SL301", "grid[x / 8 .. ',' .. y] = 1", "local i = 3 grid[i .. ',' .. i] = 1"),
    ("SL301", "local s = { text = ('%.2f'):format(x) }", "local s = { text = ('%d'):format(x) }"),
    ("SL302", "t[i] = nil local n = #t", "table.remove(t, i) local n = #t"),
    ("SL302", "s.t[i] = nil table.insert(s.t, 1)", "s.t[i] = nil table.insert(s.u, 1)"),
    ("SL302", "local t = { 1, nil, 3 } local n = #t", "local t = { 1, 2, nil } local n = #t"),
    ("SL302", "t[1] = nil local n = #t", "t[#t] = nil t['x'] = nil local n = #t"),
    ("SL303", "if tostring(a) < tostring(b) then end", "if tostring(a) == tostring(b) then end"),
    ("SL303", "if name > 'm' then end", "if id > 12 then end"),
    ("SL304", "y = a // b", "y = math.floor(a / b)"),
    ("SL304", "y = a & 255", "y = a % 256"),
    ("SL304", "y = ~a", "y = not a"),
    ("SL304", "y = math.maxinteger", "y = math.huge"),
    ("SL304", "y = 9007199254740993", "y = 9007199254740992"),
    ("SL305", "s.script = coroutine.create(run)", "local script = coroutine.create(run)"),
    ("SL305", "local s = { script = coroutine.wrap(run) }", "local s = { script = 3 }"),
    ("SL305", "table.insert(all, coroutine.create(run))", "table.insert(all, 3)"),
    ("SL305", "local go function f() go = coroutine.wrap(run) end",
     "local go function f() local go = coroutine.wrap(run) end"),
)  # fmt: skip


def codes(text: str, least: Confidence = Confidence.LOW) -> list[str]:
    checked = check_script(text.encode(), "game.lua", least=least)
    assert checked.error is None
    return [finding.code for finding in checked.findings]


@pytest.mark.parametrize(("code", "wrong", "right"), CASES)
def test_each_hazard_is_found_and_its_fix_is_clean(code: str, wrong: str, right: str) -> None:
    assert set(codes(wrong)) == {code}
    assert codes(right) == []


def test_every_rule_has_a_case_and_a_place_in_the_order() -> None:
    own = [rule.code for rule in RULES]
    assert own == sorted({*own})
    assert {code for code, _, _ in CASES} == {*own}
    assert all(re.fullmatch(r"SL[1-3]\d\d", code) for code in own)
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_a_name_is_what_its_block_makes_it() -> None:
    shadowed = "do local os = {} os.clock() end\nfunction f(os) return os.clock() end\n"
    assert codes(shadowed) == []
    assert codes(shadowed + "local t = os.clock()") == ["SL201"]
    assert codes("if a then local os = 1 else os.clock() end") == ["SL201"]
    assert codes("for os = 1, 2 do os.clock() end repeat local os until os.clock()") == []


def test_findings_say_how_sure_they_are() -> None:
    text = "y = x ^ 2\nz = a // b\nw = math.sin(x)"
    assert codes(text) == ["SL103", "SL304", "SL102"]
    assert codes(text, Confidence.MEDIUM) == ["SL304", "SL102"]
    assert codes(text, Confidence.HIGH) == ["SL102"]


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("-- noqa", 0),
        ("-- noqa: SL201", 0),
        ("--[[ noqa ]]", 1),
        ("-- noqa: SL101", 1),
        ("-- no", 1),
    ],
)
def test_a_comment_keeps_rules_silent_on_its_line(comment: str, left: int) -> None:
    checked = check_script(f"local t = os.clock() {comment}".encode(), "game.lua")
    assert (len(checked.findings), checked.suppressed) == (left, 1 - left)


def test_columns_count_characters_in_any_encoding() -> None:
    (found,) = check_script('local s = "größe" .. os.clock()'.encode(), "a.lua").findings
    assert (found.column, found.end_column) == (21, 31)
    (found,) = check_script(b'#!lua\nlocal s = "gr\xf6\xdfe" .. os.clock()', "a.lua").findings
    assert (found.line, found.column) == (2, 21)


@pytest.mark.parametrize(
    "text",
    ["x = = 1", "x = " + "(" * 3000 + "1" + ")" * 3000, "x = " + "- " * 50_000 + "1", "x = 'a"],
)
def test_what_cannot_be_read_is_told_and_ends(text: str) -> None:
    checked = check_script(text.encode(), "bad.lua")
    assert checked.error is not None
    assert not checked.findings


def test_a_folder_has_both_languages_and_one_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.lua").write_text("local t = os.clock()\n")
    Path("b.py").write_text("import time\nstarted = time.time()\n")
    assert status(["lint", "."]) == 1
    assert capsys.readouterr().out == (
        "a.lua:1:11: SL201 clock: `os.clock` reads a clock\n"
        "  1 | local t = os.clock()\n"
        "    |           ^^^^^^^^^^\n"
        "  why: no two runs read the same time: a step that depends on it can't be replayed\n"
        "  instead: count frames, and have the host give times as input\n"
        "b.py:2:11: SB501 wall-clock: `time.time` reads a clock\n"
        "  2 | started = time.time()\n"
        "    |           ^^^^^^^^^^^\n"
        "  why: no two runs read the same time: a step that depends on it can't be replayed\n"
        "  instead: count frames, and pass a fixed `dt`; read clocks only to decide when to step\n"
        "2 hazards in 2 files\n"
    )
    assert status(["lint", ".", "--json", "--ignore", "SB"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(f["path"], f["line"], f["column"], f["code"]) for f in told["findings"]] == [
        ("a.lua", 1, 11, "SL201")
    ]
    assert set(told["rules"]) == {rule.code for rule in RULES}
    assert status(["lint", "a.lua", "--ignore", "SL2"]) == 0
    Path("c.lua").write_text("x = = 1\n")
    assert status(["lint", "c.lua"]) == 2
    assert "c.lua: not checked: line 1: " in capsys.readouterr().out


def test_the_guide_has_every_rule() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "lint.md").read_text("utf-8")
    assert [rule.code for rule in RULES if f"| {rule.code} {rule.name} |" not in guide] == []


def test_a_variable_that_counts_itself_is_known() -> None:
    """`n` is whole as long as all that it is assigned is."""
    count = "local n = 0 for k in pairs(t) do n = n + step end"
    assert codes("local step = 1 step = step + 2 " + count) == []
    assert codes("local step = 1 step = step + 0.5 " + count) == ["SL101"]
