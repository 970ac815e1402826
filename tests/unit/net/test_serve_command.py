"""What `samebits net serve` says to slips, before it listens."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.command_line import called
from tests.support.folders import EXAMPLES

ARENA = str(EXAMPLES / "arena" / "arena.py")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--origin", "notaurl"], "--origin 'notaurl' is no page's origin"),
        (["--origin", "https://a.example/page"], "is no page's origin"),
        (["--players", "3"], "--players 3, and 'arena' has 2"),
        (["--cert", "cert.pem"], "TLS needs a certificate and a key"),
    ],
)
def test_options_that_cannot_be_are_told(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.key"
    secret.write_bytes(b"a secret of these tests")
    assert called("net", "serve", ARENA, "--secret", str(secret), "--port", "0", *words) == 2
    assert message in capsys.readouterr().err


def test_a_desync_that_is_not_diagnosed_yet_is_none_of_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "match.json").write_text("{}")
    assert called("net", "verdict", str(tmp_path)) == 0
    assert capsys.readouterr().out == "no desync\n"
    for slot in ("slot-0", "referee"):
        (tmp_path / f"frame-1300-{slot}.desync").touch()
    assert called("net", "verdict", str(tmp_path)) == 1
    waits = "frame 1300: bits parted, and the diagnosis is not done\n"
    assert capsys.readouterr().out == waits
    (tmp_path / "frame-300.verdict.txt").write_text("frame 300: slots 1 departed\nby fma\n")
    assert called("net", "verdict", str(tmp_path)) == 1
    assert capsys.readouterr().out == f"frame 300: slots 1 departed\nby fma\n{waits}"
