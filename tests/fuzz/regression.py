"""A shrunk failure as a test file of its own: source, inputs and the assertion."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.check import Failure

FOLDER = Path(__file__).parents[1] / "property" / "regressions"


@dataclass(frozen=True)
class Form:
    """How a regression is written: the start of its file's name, and what asserts agreement."""

    name: str = "fuzz"
    module: str = "tests.fuzz.check"
    function: str = "assert_agreement"


def regression_text(failure: Failure, form: Form = Form()) -> str:
    """The text of the test file."""
    inputs = failure.inputs
    blobs = "".join(f'        bytes.fromhex("{blob.hex()}"),\n' for blob in inputs.blobs)
    args = "".join(f"        {argument!r},\n" for argument in inputs.args)
    summary = failure.kind.replace('"', "'")
    source = failure.program.source.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'''"""A generated program whose executions once disagreed ({summary})."""

from {form.module} import {form.function}
from tests.fuzz.inputs import InputSet

SOURCE = """\\
{source.rstrip()}
"""

# fmt: off
INPUTS = InputSet(
    args=(
{args}    ),
    blobs=(
{blobs}    ),
)  # noqa: E501
# fmt: on


def test_the_executions_agree() -> None:
    {form.function}(SOURCE, "{failure.program.entry}", [INPUTS])
'''


def write_regression(
    failure: Failure,
    folder: Path = FOLDER,
    form: Form = Form(),
) -> Path:
    """Write the test file, named by the digest of the program and its inputs."""
    identity = failure.program.source.encode() + repr(failure.inputs).encode()
    digest = hashlib.blake2b(identity, digest_size=5).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"test_{form.name}_{digest}.py"
    path.write_text(regression_text(failure, form))
    return path
