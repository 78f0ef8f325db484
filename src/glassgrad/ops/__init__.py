"""The ops: one class with its rules and one public function each, a file for each family.

Each file declares its ops (see `_declaring.py`), and all that is declared is here.
"""

from importlib import import_module
from pkgutil import iter_modules

from ._declaring import FUNCTIONS

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

globals().update(FUNCTIONS)

__all__ = list(FUNCTIONS)  # the tables know
