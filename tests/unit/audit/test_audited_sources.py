"""Hazards of C and C++ sources are found on their lines, and nothing beside them."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from samebits.audit.sources.files import sources_of
from samebits.audit.worker import source_of
from samebits.cli import status

pytestmark = pytest.mark.skipif(
    find_spec("clang") is None, reason="libclang is missing: pip install samebits[foreign]"
)

# The containers stand for the library's, whose headers take seconds to parse.
CPP = """\
namespace std {
template <class K, class V> struct pair { K first; V second; };
template <class K, class V> struct unordered_map {
  pair<K, V> *begin(); pair<K, V> *end();
};
template <class K, class V> struct map { pair<K, V> *begin(); pair<K, V> *end(); };
template <class T> struct normal_distribution { double operator()(int &); };
template <class T> T max(T a, T b) { return a < b ? b : a; }
}
extern "C" int rand(void);
extern "C" double sqrt(double);
struct Unit { int id; float x; int next(); int peek() const; };
int next();
int two(int a, int b);
int order() { return two(next(), next()); }  // expect: AU501
int methods(Unit &u) { return two(u.next(), u.next()); }  // expect: AU501
int writes(int i) { return two(i++, i); }
int both(int i) { return two(i++, i += 2); }  // expect: AU501
int braces() { Unit u{next(), 1.0f}; return u.id; }
int pure(Unit &u) { return two(u.peek(), u.next()); }
int root() { return two((int)sqrt(4.0), next()); }  // expect: AU506
int walk(std::unordered_map<int, Unit> &units) {
  int s = 0;
  for (auto &u : units) s = s * 3 + u.second.id;  // expect: AU502
  for (auto *it = units.begin(); it != units.end(); ++it) s += it->first;  // expect: AU502
  return s;
}
int addresses(std::map<Unit *, int> &owners) {
  int s = 0;
  for (auto &o : owners) s = s * 3 + o.second;  // expect: AU503
  return s;
}
double draw(int &engine) {
  std::normal_distribution<double> normal;  // expect: AU504
  return normal(engine);
}
int dice() { return rand() % 6; }  // expect: AU505
int whole(float x) { return static_cast<int>(x); }  // expect: AU506
int implicit(double x) { int i = x; return i; }  // expect: AU506
long wide(int x) { return (long)x; }
double precise(double x) { long double y = x; return y; }  // expect: AU507
float scaled(float x) { return x * 0.1; }  // expect: AU508
float single(float x) { return x * 0.1f; }
double doubled(double x) { return x * 0.1; }
int fine(std::map<int, int> &m) {
  int s = std::max(1, 2);
  for (auto &p : m) s += p.second;
  return two(s, next());
}
"""


def expected(source: str) -> list[tuple[int, str]]:
    return [
        (number, code)
        for number, line in enumerate(source.splitlines(), 1)
        for code in re.findall(r"// expect: (AU\d+)", line)
    ]


def found(path: Path, *command: str) -> list[tuple[int, str]]:
    (binary,) = source_of(str(path), str(path.parent), list(command))
    assert binary.error is None
    assert binary.notes == ()
    lines = [int((f.line or ":0").rpartition(":")[2]) for f in binary.findings]
    return sorted(zip(lines, (f.code for f in binary.findings), strict=True))


def test_planted_hazards_are_found_on_their_lines_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.cpp"
    path.write_text(CPP)
    assert found(path) == expected(CPP)


def test_a_command_gives_definitions_and_folders(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "unit.h").write_text("int rand(void);\n")
    path = tmp_path / "a.c"
    path.write_text("#include <unit.h>\n#ifdef DICE\nint f(void) { return rand(); }\n#endif\n")
    assert found(path, "gcc", "-Iinclude", "-DDICE=1", "-O2", "-c", "a.c") == [(3, "AU505")]
    assert found(path, "gcc", "-I", "include", "-c", "a.c") == []


def test_a_source_with_errors_says_that_parts_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text('#include "missing.h"\nint rand(void);\nint f(void) { return rand(); }\n')
    (binary,) = source_of(str(path), ".", [])
    assert binary.notes[0].startswith("1 errors, so that parts may be missing: 'missing.h'")


def test_the_command_reads_the_sources_of_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("int rand(void);\nint f(void) { return rand(); }\n")
    rows = [
        {"directory": str(tmp_path), "file": name, "command": f"gcc -c {name}"}
        for name in ("src/a.c", "src/gone.c")
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(rows))
    assert sources_of(["compile_commands.json", "src"]) == [
        ["src/a.c", str(tmp_path), "gcc", "-c", "src/a.c"]
    ]
    assert status(["audit", "--sources", "src", "--json"]) == 1
    (binary,) = json.loads(capsys.readouterr().out)["binaries"]
    assert [(f["code"], f["function"]) for f in binary["findings"]] == [("AU505", "f")]
    (tmp_path / "empty").mkdir()
    assert status(["audit", "--sources", "empty"]) == 2
    assert "there is no C or C++ file in empty" in capsys.readouterr().err
