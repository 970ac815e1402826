"""Workers of the suite compile each test module once between them, as pytest itself would."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec
from pathlib import Path

import pytest
from _pytest.assertion import rewrite
from tests.support import rewriting

FAILING = "def test_it():\n    left = 3\n    assert left == 4\n"


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "below").mkdir()
    made = [tmp_path / "below" / f"test_part_{n}.py" for n in range(5)]
    for module in made:
        module.write_text(FAILING)
    (tmp_path / "support.py").write_text("")
    return made


def test_workers_write_each_module_once(
    modules: list[Path], pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytestconfig, "args", [str(modules[0].parents[1])])
    shares = [rewriting.share(pytestconfig, number, 3) for number in range(3)]
    assert sorted(module for share in shares for module in share) == modules
    assert max(map(len, shares)) == 2
    assert [rewriting.share(pytestconfig, number, 3) for number in range(3)] == [[], [], []]


def test_pytest_reads_what_they_wrote(
    modules: list[Path], pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another pytest compiles nothing, and its assertions say what they compared."""
    module = modules[0]
    assert rewriting.write(module, pytestconfig)
    monkeypatch.setattr(rewrite, "_rewrite_test", None)
    monkeypatch.setattr(sys, "path", [str(module.parent), *sys.path])
    hook = rewrite.AssertionRewritingHook(pytestconfig)
    hook.mark_rewrite(module.stem)
    spec = hook.find_spec(module.stem)
    assert spec is not None
    assert spec.loader is hook
    loaded = module_from_spec(spec)
    hook.exec_module(loaded)
    with pytest.raises(AssertionError, match="assert 3 == 4"):
        loaded.test_it()


def test_a_changed_module_is_compiled_again(
    modules: list[Path], pytestconfig: pytest.Config
) -> None:
    assert rewriting.write(modules[0], pytestconfig)
    modules[0].write_text(FAILING.replace("3", "30"))
    assert rewriting.write(modules[0], pytestconfig)


def test_one_that_cannot_be_compiled_is_left_to_pytest(
    modules: list[Path], pytestconfig: pytest.Config
) -> None:
    modules[0].write_text("def (")
    assert not rewriting.write(modules[0], pytestconfig)


def test_the_command_line_names_files_folders_and_tests(modules: list[Path]) -> None:
    one, folder = modules[2], modules[0].parent
    assert rewriting.modules_of([f"{one}::test_it[a::b]"]) == [one]
    assert rewriting.modules_of([str(one), str(folder)]) == modules
