"""Mark classes of the engine for the compiler; at run time the marks change nothing (see the README here).

`mypy_extensions` has the same for type checkers; the engine, which bots import in sandboxes, needs no package for it.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(*names: str, **values: object) -> Callable[[type[Any]], type[Any]]:
        """Return a decorator that leaves a class as it is."""
        return lambda decorated: decorated


def is_compiled() -> bool:
    """Return whether the compiled engine is in use, and not the Python beside it."""
    found = find_spec("engine.deal")
    return found is not None and found.origin is not None and not found.origin.endswith(".py")
