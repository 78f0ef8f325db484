"""What the reference makes of our docstrings: a griffe extension that mkdocstrings loads."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^( *)(?:Example|Right):$", re.MULTILINE)
SEVERAL = re.compile(r"^( +)(\w+(?:, \w+)+):(?= )", re.MULTILINE)
RETURNED = re.compile(r"^( *(?:Returns|Yields):\n +)(?=[^\n]*:)", re.MULTILINE)
REFERENCE = re.compile(r"^See also: (.+(?:\n(?!\n).+)*)", re.MULTILINE)


class Docstrings(griffe.Extension):
    """One example is a section of examples; a reference is a paragraph of its own."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of each object once it is read."""
        if obj.docstring is not None:
            text = EXAMPLE.sub(r"\1Examples:", obj.docstring.value)
            # `a, b: the traces` documents two: griffe takes what follows a space for a type.
            text = SEVERAL.sub(lambda found: found[0].replace(", ", ",\u00a0"), text)
            # What stands before the first colon is taken for a type: here it is nothing.
            text = RETURNED.sub(r"\1: ", text)
            obj.docstring.value = REFERENCE.sub(r"*See also:* \1", text)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Let `from .ops import *` give what the stub lists: griffe finds it at run time alone."""
        ops = pkg.members.get("ops")
        for name in getattr(ops, "exports", None) or ():
            pkg.set_member(str(name), griffe.Alias(str(name), ops[str(name)], parent=pkg))
