"""What the ops declare, written down: `ops/_index.py`, `ops/__init__.pyi`, `linalg.pyi` …

`_index.py` says which file declares a name: it loads when that is first asked for. Functions with
`out=`, in-place methods and other names are made then, where no editor sees them: so there are
stubs for editors and mypy; and one for each package whose names are the classes that its files
define, such as `nn/__init__.pyi`, with the arguments that follow from others'. `make stubs` writes
all of them; a test compares.
"""

import ast
import inspect
import sys
from collections.abc import Iterable
from copy import deepcopy
from functools import cache
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

import glassgrad
from glassgrad import nn
from glassgrad.core import primitive
from glassgrad.nn.applied import Applied, Derived
from glassgrad.ops._declaring import ADDED, FUNCTIONS, METHODS, NUMPY, Arguments

HOME = Path(glassgrad.__file__).parent
WARNING = "# Written by `make stubs` (docs/stubs.py) from what the ops declare. Do not edit.\n"


def main() -> None:
    """Write all files."""
    for name, text in stubs().items():
        (HOME / name).write_text(text, "utf-8")


def stubs() -> dict[str, str]:
    """The files' texts by their names."""
    for path in sorted((HOME / "ops").glob("[!_]*.py")):  # the index may be older than they are
        import_module(f"glassgrad.ops.{path.stem}")
    homes = {name.rpartition(".")[0] for name in FUNCTIONS}
    named = {
        f"{home.replace('.', '/')}.pyi" if home else "ops/__init__.pyi": home for home in homes
    }
    texts = {name: _functions(home) for name, home in sorted(named.items())}
    for package in (nn,):
        path = package.__name__.removeprefix("glassgrad.").replace(".", "/")
        texts[f"{path}/__init__.pyi"] = _classes(package)
    return {**texts, "ops/_methods.pyi": _methods(), "ops/_index.py": _index()}


def _index() -> str:
    """Which file declares which names: a line for each file."""
    of_numpy = {f"{each.__module__}.{each.__name__}": rule for each, rule in NUMPY.items()}
    methods = {f"Tensor.{name}": method for name, method in METHODS.items()}
    files: dict[str, list[str]] = {}
    for name, value in sorted({**FUNCTIONS, **methods, **of_numpy}.items()):
        value = getattr(value, "func", getattr(value, "fget", value))
        package, _, file = value.__module__.rpartition(".")
        if package == "glassgrad.ops":  # what is of another package is there from the beginning
            files.setdefault(file, []).append(name)
    lines = [f'    "{file}": "{" ".join(names)}",\n' for file, names in sorted(files.items())]
    doc = '"""Which file declares which names: of functions, of Tensor\'s methods, of NumPy\'s."""'
    return f"{WARNING}# ruff: noqa: E501\n{doc}\n\nNAMES = {{\n{''.join(lines)}}}\n"


def _functions(home: str) -> str:
    named = [(name.rpartition("."), value) for name, value in FUNCTIONS.items()]
    functions = {name: value for (where, _, name), value in named if where == home}
    stub = _Stub(functions)
    lines = []
    for name, value in sorted(functions.items()):
        own = getattr(value, "__name__", None)
        if "declared" in getattr(value, "__dict__", {}) and own != name and own in functions:
            lines.append(f"{name} = {own}\n")
        elif "declared" in getattr(value, "__dict__", {}):
            lines.append(stub.define(name, value, value.__doc__))
        elif not (inspect.isroutine(value) or inspect.isclass(value)):
            lines.append(f"{name}: {stub.need_class(type(value))}\n")
        else:
            stub.export(name, value)
    names = "".join(f'    "{name}",\n' for name in sorted(functions))
    path = HOME / f"{home.replace('.', '/') or 'ops/__init__'}.py"
    # It is read: an import of what is new would fail while the index is old.
    doc = ast.get_docstring(ast.parse(path.read_text("utf-8")), clean=False)
    return stub.text(f'"""{doc}"""\n', lines) + f"\n__all__ = [\n{names}]\n"


def _methods() -> str:
    stub = _Stub(METHODS)
    lines = ["class OpMethods:\n"]
    doors = {name for name, method in METHODS.items() if _is_door(method)}
    doors |= {f"__i{name[2:]}" for name in doors} & METHODS.keys()  # mypy wants both alike
    for name, method in sorted(METHODS.items()):
        made = method.fget if isinstance(method, property) else method
        value = inspect.unwrap(made)  # an operator's is `as_operator`'s
        declared = value.__dict__.get("declared")
        doc = (
            f"`{declared.__name__}`, in place."
            if declared and value.__name__.endswith("_")
            else None
        )
        doc = doc or (value.__doc__ or "").partition("\n")[0]
        if name in doors:
            text = f"{name}: {stub.need('Func', primitive)}\n"
        else:
            text = stub.define(name, value, doc, is_method=True)
        if isinstance(method, property):
            text = f"@property\n{text}"
            if method.fset:
                text += f"\n@{name}.setter\ndef {name}(self, value: Any) -> None: ...\n"
        lines.append("".join(f"    {line}".rstrip() + "\n" for line in text.splitlines()))
    return stub.text('"""The methods of Tensor that ops declare."""\n', lines)


def _is_door(method: Any) -> bool:
    """Whether it is the door of an op's class, which operators call."""
    code = getattr(inspect.unwrap(method), "__code__", None)
    return code is not None and code.co_filename == primitive.__file__


def _classes(package: Any) -> str:
    """What the files of a package define; in full what has arguments that nobody wrote down."""
    own = package.__name__
    imports = {"import collections.abc", "from typing import Any", "import glassgrad.core.tensor"}
    imports = imports if package is nn else set()
    lines = []
    for name in package.__all__:
        value = getattr(package, name)
        home, file = own, name
        if isinstance(value, ModuleType):
            file = value.__name__.rpartition(".")[2]
        else:
            home = value.__module__
        if getattr(value, "__init__", None) is Derived.__init__:
            module = home.rpartition(".")[2]
            imports.add(f"from {own} import {module} as _{module}")
            lines.append(_derived(value, f"_{module}.{name}"))
        else:
            imports.add(f"from {home} import {file} as {name}")
    names = "".join(f'    "{name}",\n' for name in package.__all__)
    listed = "\n".join(sorted(imports))
    body = "\n".join(lines)
    files = f"what the files of `{own.removeprefix('glassgrad.')}` define"
    warning = WARNING.replace("what the ops declare", files)
    return f'{warning}"""{package.__doc__}"""\n\n{listed}\n\n{body}\n__all__ = [\n{names}]\n'


def _derived(cls: type[Derived], base: str) -> str:
    """A class with the `__init__` that it is made with, and what it is called with."""
    text = f'class {cls.__name__}({base}):\n    """{cls.__doc__}"""\n\n'
    text += _method("__init__", cls._arguments().parameters.values(), None)
    if issubclass(cls, Applied):
        text += _method("forward", cls._inputs(), cls._of_function().return_annotation)
    return text


def _method(name: str, parameters: Iterable[inspect.Parameter], returned: Any) -> str:
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return (
        f"    def {name}{inspect.Signature([own, *parameters], return_annotation=returned)}: ...\n"
    )


class _Stub:
    """A file in the making: what has to be imported is found as definitions are written."""

    def __init__(self, own: dict[str, Any]) -> None:
        self.own = own
        self.imports: dict[str, set[str]] = {"builtins": set()}

    def define(self, name: str, function: Any, doc: str | None, *, is_method: bool = False) -> str:
        """A definition with the annotations as they are written in the source."""
        source = function.__dict__.get("declared", function)
        tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(source))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        home = sys.modules[source.__module__]
        written = {a.arg: a.annotation for a in ast.walk(tree.args) if isinstance(a, ast.arg)}
        defaults = _defaults(tree.args)
        given = Arguments.of(function)

        def argument(name: str) -> str:
            own = written.get("dim" if name == "axis" else name)
            annotation = own or ast.Constant(ADDED[name])
            annotated = f"{name}: {self._text(annotation, home)}"
            if name == "axis" and annotated.endswith(("int", "int]")):
                annotated += " | None"  # left out, it is that of `dim`
            if name not in given.default:
                return annotated
            default = defaults.get(name, ast.Constant(given.default[name]))
            is_text = isinstance(default, ast.Constant) and isinstance(default.value, str)
            shown = ast.unparse(default) if is_text else self._text(default, home)
            return f"{annotated} = {shown}"

        parts = [argument(name) for name in given.positional]
        if given.star or given.keyword:
            parts.append(f"*{argument(given.star) if given.star else ''}")
        parts += [argument(name) for name in given.keyword]
        returned = self._text(tree.returns, home)
        body = f'"""{doc}"""' if doc else "..."
        if is_method:
            parts[0] = "self"  # mypy knows whose mixin it is
        return f"def {name}({', '.join(parts)}) -> {returned}:\n    {body}\n"

    def _text(self, tree: ast.expr | None, home: ModuleType) -> str:
        assert tree is not None, "public functions are annotated"
        return ast.unparse(_Named(self, home).visit(deepcopy(tree)))

    def need(self, name: str, home: ModuleType) -> str:
        """The name by which a file's annotation is meant here."""
        if not hasattr(home, name):
            return f"builtins.{name}" if name in self.own else name
        value = getattr(home, name)
        if isinstance(value, ModuleType):
            self.imports.setdefault(f"{value.__name__} as {name}", set())
        else:
            self.imports.setdefault(_home_of(name, home), set()).add(name)
        return name

    def need_class(self, cls: type) -> str:
        """The name of a class that is imported from where it is defined."""
        self.imports.setdefault(cls.__module__, set()).add(cls.__name__)
        return cls.__name__

    def export(self, name: str, value: Any) -> None:
        """A name that is what it is in the file it comes from."""
        self.imports.setdefault(value.__module__, set()).add(f"{value.__name__} as {name}")

    def text(self, head: str, lines: list[str]) -> str:
        """The file."""
        parts = [WARNING, head, "\n"]
        for module, names in sorted(self.imports.items()):
            listed = ", ".join(sorted(names))
            parts.append(f"from {module} import {listed}\n" if names else f"import {module}\n")
        return "".join([*parts, "\n", "\n".join(lines)])


class _Named(ast.NodeTransformer):
    """Replaces the names of an annotation by those that the stub imports."""

    def __init__(self, stub: _Stub, home: ModuleType) -> None:
        self.stub, self.home = stub, home

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """An annotation in quotes."""
        if isinstance(node.value, str):
            return self.visit(ast.parse(node.value, mode="eval").body)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Builtins are spelled out: `float` is a method, too."""
        return ast.parse(self.stub.need(node.id, self.home), mode="eval").body


def _defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    """The defaults as they are written, by the arguments' names."""
    names, defaults = [a.arg for a in arguments.args], arguments.defaults
    found = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    keyword = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return found | {a.arg: default for a, default in keyword if default is not None}


def _home_of(name: str, home: ModuleType) -> str:
    """The module from which a file has a name: itself, if it does not import it."""
    return _imported(home).get(name, home.__name__)


@cache
def _imported(home: ModuleType) -> dict[str, str]:
    """The modules from which a file imports names, by these names."""
    found: dict[str, str] = {}
    for node in ast.parse(inspect.getsource(home)).body:
        if isinstance(node, ast.ImportFrom):
            module = resolve_name(f"{'.' * node.level}{node.module or ''}", home.__package__)
            found |= {alias.name: module for alias in node.names if alias.name not in found}
    return found


if __name__ == "__main__":
    main()
