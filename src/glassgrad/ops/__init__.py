"""The ops: one class with its rules and one public function each, a file for each family.

Each file declares its ops (see `_declaring.py`), and all that is declared is here; a file loads
when one of its names is first asked for (see `_lookup.py`).
"""

from ._lookup import of_module

__all__, __getattr__, __dir__ = of_module(__name__, home="")
