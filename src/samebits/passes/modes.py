"""What options of kernels mean, written out in typed IR before a target is known.

The module that `realise` gives is the meaning: `evaluate` runs it, and every target agrees with it.
"""

from __future__ import annotations

from samebits.ir.grammar import Module
from samebits.passes.flush import flush_function


def realise(module: Module) -> Module:
    """A linked module with the options of each function seen to; `module` stays as it is.

    Once for each module, before anything else sees it: evaluation, the passes, a back end.
    """
    functions = {
        name: flush_function(function, module)
        if function.options.denormals == "flush"
        else function
        for name, function in module.functions.items()
    }
    return Module(functions, module.tables)
