"""HTML pages that need no other file, filled from templates that lie beside what fills them.

Owns what holds for every value on a page: it is escaped, and a character that nobody can see stands
as its number. jinja2 fills them, which most of Python's web frameworks trust with hostile text.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from samebits.visible import visible


def filled(package: str, template: str, **values: Any) -> str:
    """The text of a page: `template`, a file of `package`, with `values`.

    A value that is a `markupsafe.Markup` is HTML already. Raises jinja2.UndefinedError for a name
    that the template has and `values` has not.
    """
    import jinja2  # which takes as long as the page

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: files(package).joinpath(name).read_text("utf-8")),
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**values)


def _shown(value: Any) -> Any:
    """Text without what cannot be seen, HTML where it is HTML."""
    return type(value)(visible(value)) if isinstance(value, str) else value
