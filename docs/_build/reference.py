"""The reference pages: which names stand on them, in which groups.

A page says `[[names glassgrad.func]]`, and gets all names of that package's `__all__`, under the
comments that group them there. `[[names glassgrad: ops.shape, ops.turning]]` are the public
names of `glassgrad` that these modules define; `[[methods]]` is what a Tensor can do.
"""

import ast
import functools
import importlib
import inspect
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import glassgrad
from glassgrad import autograd
from glassgrad._methods import Methods
from glassgrad.core import errors
from glassgrad.ops._declaring import METHODS
from glassgrad.ops._lookup import load_all

DIRECTIVE = re.compile(r"^\[\[(names|methods) ?([\w.]*)(?:: ?([\w., ]+))?\]\]$", re.MULTILINE)
# Where a name that several packages have is described: in the first of these.
PAGES = [
    f"glassgrad{part}"
    for part in (
        *(".core.errors", ".tracing", ".tracing.torch", ".viz", ".autograd.graph"),
        *(".autograd.functional", ".autograd.forward_ad", ".autograd", ".func", ".nn.functional"),
        *(".nn.utils.rnn", ".nn.utils.parametrize", ".nn.utils.parametrizations"),
        *(".nn.utils.prune", ".nn.utils", ".nn.init", ".nn", ".optim.lr_scheduler"),
        *(".optim.swa_utils", ".optim", ".distributions", ".quasirandom", ".utils.checkpoint"),
        *(".utils.data", ".data", ".environment", ".doctor", ""),
    )
]
OWN_PAGES = {
    "glassgrad.Tensor": glassgrad.Tensor,
    "glassgrad.autograd.Function": autograd.Function,
}
# What one class needs and others do not: most of a session is in the class that it extends.
MORE = {"glassgrad.tracing.Session": "      inherited_members: true\n"}
COLUMNS = ("method", "what it does")


def fill(markdown: str) -> str:
    """The page with its directives replaced by what mkdocstrings reads."""
    return DIRECTIVE.sub(lambda found: "\n".join(_lines(*found.groups())), markdown)


def link_errors(page: str) -> str:
    """The rendered page, in which the names of our errors lead to what is said of them."""
    names = "|".join(errors.__all__)
    target = r'<code><a href="../errors/#glassgrad.core.errors.\1">\1</a></code>'
    return re.sub(rf"<code>({names})</code>(?!</a>)", target, page)


def _lines(kind: str, package: str, modules: str | None) -> Iterator[str]:
    if kind == "methods":
        yield from _methods()
    elif modules is not None:
        yield from _entries(glassgrad, defined_in(re.split(r", *", modules)), 2)
    else:
        grouped = groups(importlib.import_module(package))
        for title, names in grouped.items():
            yield f"\n## {title[:1].upper()}{title[1:]}\n" if title else ""
            module = importlib.import_module(package)
            plain = [name for name in names if not callable(getattr(module, name))]
            moved = [name for name in names if _is_elsewhere(module, name)]
            here = [name for name in names if name not in plain + moved]
            yield from _table(module, plain)
            yield from _links(module, [name for name in moved if name not in plain])
            yield from _entries(module, here, 3 if title else 2)


@functools.cache
def _homes() -> dict[int, str]:
    """For each public object the path under which it is described: the first page that has it."""
    homes = {id(value): path for path, value in OWN_PAGES.items()}
    for name in glassgrad.ops.__all__:
        homes.setdefault(id(getattr(glassgrad, name)), f"glassgrad.{name}")
    for package in PAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            homes.setdefault(id(getattr(module, name)), _path(f"{package}.{name}"))
    return homes


def _path(path: str) -> str:
    """Where to find a function that is called as the file it is in: `func.vmap`."""
    module = sys.modules.get(path)
    is_file = module is not None and module.__name__ == path  # and no other name of a package
    return f"{path}.{path.rpartition('.')[2]}" if is_file else path


def _is_elsewhere(module: ModuleType, name: str) -> bool:
    path = f"{module.__name__}.{name}"
    return path in OWN_PAGES or _home(module, name) != _path(path)


def _home(module: ModuleType, name: str) -> str:
    return _homes().get(id(getattr(module, name)), _path(f"{module.__name__}.{name}"))


def _links(module: ModuleType, names: list[str]) -> Iterator[str]:
    """Names that are at home on another page: one line each."""
    if names:
        yield "| name | what it is |\n|--|--|"
    for name in names:
        words, home = _summary(getattr(module, name)), _home(module, name)
        path = f"{module.__name__}.{name}"
        anchor = "" if path == home else f'<span id="{path}"></span>'
        yield f"| {anchor}[`{name}`][{home}] | {words} |"


def _summary(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0].replace("|", "\\|")


def _entries(module: ModuleType, names: list[str], level: int) -> Iterator[str]:
    """Each name in full, and in one line what other names for the same thing there are."""
    for name in names:
        first = getattr(getattr(module, name), "__name__", name)
        if first != name and getattr(module, first, None) is getattr(module, name):
            heading = "#" * level
            path = f"{module.__name__}.{name}"
            yield f"\n{heading} `{name}` {{ #{path} }}\n\nAnother name of"
            yield f"[`{first}`][{module.__name__}.{first}].\n"
        else:
            yield _entry(_path(f"{module.__name__}.{name}"), level)


def _table(module: ModuleType, names: list[str]) -> Iterator[str]:
    """Constants and dtypes: their values say all there is to say."""
    if names:
        yield "| name | value |\n|--|--|"
    for name in names:
        value, path = getattr(module, name), f"{module.__name__}.{name}"
        yield f'| <span id="{path}">`{name}`</span> | `{value!r}` |'


def _entry(path: str, level: int, heading: str = "") -> str:
    options = f"    options:\n      heading_level: {level}\n{MORE.get(path, '')}"
    if heading:
        options += f"      heading: {heading}\n      toc_label: {heading}\n"
    return f"\n::: {path}\n{options}"


def groups(module: ModuleType) -> dict[str, list[str]]:
    """What a module's `__all__` lists, under the comments that stand between."""
    source = inspect.getsource(module)
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    found: dict[str, list[str]] = {}
    names = _all_of(ast.parse(source))
    if not isinstance(names, ast.List):  # derived, so there are no comments in it
        return {"": module.__all__}
    is_starred = any(isinstance(each, ast.Starred) for each in names.elts)
    if is_starred and comments.keys().isdisjoint(range(names.lineno, names.end_lineno or 0)):
        # Derived, too: from what files define.
        for name in filter(functools.partial(_is_shown, module), module.__all__):
            found.setdefault(_about(getattr(module, name)), []).append(name)
        return found
    title, line = "", names.lineno
    for element in names.elts:
        while line < element.lineno:
            line += 1
            title = comments.get(line, title)
        shown = [name for name in _listed(module, element) if _is_shown(module, name)]
        if shown:
            found.setdefault(title, []).extend(shown)
    return found


def _listed(module: ModuleType, element: ast.expr) -> list[str]:
    """The names that a part of `__all__` stands for: one, or all of a file without a page."""
    if isinstance(element, ast.Constant):
        return [str(element.value)]
    file = ast.unparse(element).strip("*").removesuffix(".__all__")
    path = f"{module.__name__}.{file}"
    return [] if path in PAGES else getattr(sys.modules.get(path), "__all__", [])


def _about(value: Any) -> str:
    """The first words on the file that defines something."""
    about = inspect.getdoc(sys.modules[value.__module__]) or ""
    return re.split(r"[.:;]", about)[0]


def _all_of(tree: ast.Module) -> ast.expr:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and "__all__" in ast.unparse(statement.targets[0]):
            return statement.value
    raise LookupError("no list called __all__")


def _is_shown(module: ModuleType, name: str) -> bool:
    """A package has pages of its own; PyTorch's private names are not for readers."""
    value = getattr(module, name)
    return not name.startswith("_") and not isinstance(value, ModuleType)


def defined_in(modules: list[str]) -> list[str]:
    """The public names of `glassgrad` that some of its modules define."""
    homes = [f"glassgrad.{module}" for module in modules]
    return sorted(
        (name for name in glassgrad.ops.__all__ if home_of(name) in homes),
        key=lambda name: (homes.index(home_of(name)), name.lower()),
    )


def home_of(name: str) -> str:
    """The module that defines a public op, or an alias of it."""
    public = getattr(glassgrad.ops, name)
    return str(getattr(public, "declared", public).__module__)


def _methods() -> Iterator[str]:
    """Tables of methods, then those that are no function of `glassgrad`, in full."""
    load_all()
    alone: dict[str, str] = {}
    for title, methods in _grouped_by_family().items():
        yield f"\n### {title}\n\n| {' | '.join(COLUMNS)} |\n|--|--|"
        for method in methods:
            yield _row(method, METHODS[method], alone)
    for title, methods in _grouped_methods(Methods).items():
        yield f"\n### {title}\n\n| {' | '.join(COLUMNS)} |\n|--|--|"
        for method in methods:
            yield _row(method, vars(Methods)[method], alone)
    yield "\n## In full\n\nThe methods that are no function of `glassgrad` as well.\n"
    for method, path in alone.items():
        yield _entry(path, 3, f"Tensor.{method}")


def _grouped_by_family() -> dict[str, list[str]]:
    """The ops' methods, under the first words on the file that declares them."""
    found: dict[str, list[str]] = {}
    made = {name: _made(value) for name, value in METHODS.items() if not name.startswith("_")}
    for name in sorted(made, key=lambda name: (made[name].__module__, name)):
        found.setdefault(_about(made[name]), []).append(name)
    return found


def _made(value: Any) -> Any:
    """The function that makes what a property is, or the method itself."""
    return value.fget if isinstance(value, property) else value


def _grouped_methods(owner: type) -> dict[str, list[str]]:
    """The public methods of a mixin, under the comments that group them."""
    title, found, seen = "Methods", {}, set()
    pattern = re.compile(r"    (?:# (?P<title>[A-Z].*)|(?:def )?(?P<names>[a-zA-Z_].*))$")
    for line in inspect.getsource(owner).splitlines()[1:]:
        match = pattern.match(line)
        if match and match["title"]:
            title = re.split(r"[.:]", match["title"])[0]
        elif match:
            left, equals, _ = match["names"].rpartition(" = ")
            for name in re.split(r"\W+", left if equals else match["names"].partition("(")[0]):
                if name in vars(owner) and not name.startswith("_") and name not in seen:
                    seen.add(name)
                    found.setdefault(title, []).append(name)
    return found


def _row(method: str, value: Any, alone: dict[str, str]) -> str:
    made = _made(value)
    call = method if isinstance(value, property) else f"{method}()"
    words = _summary(made)
    function = getattr(made, "declared", made)
    public = getattr(glassgrad.ops, function.__name__, None)
    if getattr(public, "declared", public) is function:
        path = f"glassgrad.{function.__name__}"
    else:
        path = f"{function.__module__}.{function.__qualname__}"
        alone.setdefault(method, path) if path not in alone.values() else None
    return f"| [`{call}`][{path}] | {words} |"
