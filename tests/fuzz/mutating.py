"""Small faults that somebody might write: where there could be one, and the text with it."""

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Fault", "chosen", "faults_in"]

FOLDERS = {
    "spine": ("core",),
    "ops": ("ops",),
    "transforms": ("levels", "func", "hooks", "memory", "values"),
}
COMPARISONS = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


class Fault(NamedTuple):
    """Another text in one place of a file.

    Attributes:
        path: of the file, from `src/glassgrad`.
        line: where.
        name: the function or class it is in.
        kind: what was done.
        before, after: the text there.
        start, end: its place in the file, in characters.
    """

    path: str
    line: int
    name: str
    kind: str
    before: str
    after: str
    start: int
    end: int

    def planted(self, text: str) -> str:
        """The file's text with the fault."""
        return text[: self.start] + self.after + text[self.end :]


def chosen(root: Path, count: int, seed: int) -> list[Fault]:
    """Faults at random, as many in the spine as in the ops and in the transforms."""
    rng = random.Random(seed)
    known = {}
    for part, folders in FOLDERS.items():
        paths = sorted(path for folder in folders for path in (root / folder).rglob("*.py"))
        known[part] = [fault for path in paths for fault in faults_in(path, root)]
        rng.shuffle(known[part])
    parts = list(known)
    return [known[parts[i % len(parts)]][i // len(parts)] for i in range(count)]


def faults_in(path: Path, root: Path) -> Iterator[Fault]:
    """All that could be planted in functions of a file; not in what words an error."""
    text = path.read_text()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    raw = text.encode()

    def place(line: int, column: int) -> int:
        return len(raw[: starts[line - 1] + column].decode())

    for name, node in _inside(ast.parse(text)):
        if name.startswith("_CuPy"):  # for a GPU, which few machines have
            continue
        for kind, after in _replacements(node):
            start = place(node.lineno, node.col_offset)
            end = place(node.end_lineno, node.end_col_offset)
            before, where = text[start:end], str(path.relative_to(root))
            after = f"({after})" if isinstance(node, ast.expr) else after
            yield Fault(where, node.lineno, name, kind, before, after, start, end)


def _inside(
    node: ast.AST, name: str = "", in_function: bool = False
) -> Iterator[tuple[str, ast.AST]]:
    """The nodes inside of functions, with the name of what they are in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Raise, ast.Assert, ast.JoinedStr, ast.arguments, ast.AnnAssign)):
            continue
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{name}.{child.name}".lstrip(".")
            for part in child.body:
                found = [(inner, part)] if isinstance(child, ast.FunctionDef) else []
                yield from found
                deeper = in_function or isinstance(child, ast.FunctionDef)
                yield from (
                    _inside(part, inner, deeper)
                    if not isinstance(part, (ast.FunctionDef, ast.ClassDef))
                    else _inside(ast.Module([part], []), inner, deeper)
                )
            continue
        if in_function:
            yield name, child
        yield from _inside(child, name, in_function)


def _replacements(node: ast.AST) -> Iterator[tuple[str, str]]:
    """What could stand in the place of a node."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            other = ast.Compare(node.left, [COMPARISONS[type(op)]()], node.comparators)
            yield "comparison", ast.unparse(other)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield "and for or", ast.unparse(ast.BoolOp(other, node.values))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield "sign", ast.unparse(node.operand)
        case ast.BinOp(op=op) if type(op) in ARITHMETIC and not _is_text(node):
            yield (
                "arithmetic",
                ast.unparse(ast.BinOp(node.left, ARITHMETIC[type(op)](), node.right)),
            )
        case ast.Constant(value=bool()):
            yield "constant", repr(not node.value)
        case ast.Constant(value=int() | float()):
            yield "constant", repr(node.value + 1)
        case ast.If() | ast.While():
            pass
        case ast.IfExp():
            yield "other branch", ast.unparse(ast.IfExp(node.test, node.orelse, node.body))
        case ast.Expr(value=ast.Call()):
            yield "statement dropped", "pass"
        case ast.AugAssign():
            yield "statement dropped", "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement dropped", "pass"
        case ast.Return(value=ast.Tuple(elts=[first, second, *rest])):
            yield "results swapped", ast.unparse(ast.Return(ast.Tuple([second, first, *rest])))
        case ast.Call(keywords=[*_, ast.keyword()]) if node.keywords[-1].arg:
            yield (
                "argument dropped",
                ast.unparse(ast.Call(node.func, node.args, node.keywords[:-1])),
            )
        case _:
            pass


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(part, ast.JoinedStr) or isinstance(getattr(part, "value", None), str)
        for part in ast.walk(node)
    )
