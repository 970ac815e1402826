"""SB502: properties of the machine and of the user."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_READ = frozenset({
    "os.environ", "sys.platform", "os.name", "sys.byteorder", "sys.maxsize", "sys.version_info",
    "sys.version",
})  # fmt: skip
_CALLED = frozenset({
    "os.getenv", "os.getpid", "os.cpu_count", "os.process_cpu_count", "os.uname", "os.getlogin",
    "os.getcwd", "socket.gethostname", "socket.getfqdn", "multiprocessing.cpu_count",
    "getpass.getuser", "locale.getlocale", "locale.getdefaultlocale", "threading.get_ident",
    "threading.active_count", "uuid.getnode", "pathlib.Path.home", "pathlib.Path.cwd",
    "os.path.expanduser", "os.times", "os.getloadavg",
})  # fmt: skip


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.Attribute(ctx=ast.Load()) | ast.Name(ctx=ast.Load()):
            name = kinds.names.qualified(node)
            if name in _READ and not _is_version_test(node, kinds):
                yield node, f"`{name}` is this machine's"
        case ast.Call(func=function):
            name = kinds.names.qualified(function) or ""
            if name in _CALLED or name.startswith("platform."):
                yield node, f"`{name}` is this machine's"
        case _:
            pass


def _is_version_test(node: ast.AST, kinds: Kinds) -> bool:
    """`if sys.version_info >= …:` around imports chooses code, not results."""
    for outer in kinds.names.above(node):
        if isinstance(outer, ast.If):
            return all(isinstance(s, ast.Import | ast.ImportFrom) for s in outer.body)
    return False


ENVIRONMENT = LintRule(
    "SB502",
    "environment",
    "the value differs between machines, users and shells, and so does a step that reads it",
    "read it once outside the simulation, and pass it in as recorded input",
    (ast.Attribute, ast.Name, ast.Call),
    check,
    Confidence.MEDIUM,
)
