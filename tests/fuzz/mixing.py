"""Lines on values of all dtypes: complex, single, half, integers, bools, and all together."""

from typing import Any

from fuzz.lines import has_dims, is_any, is_numeric, is_real, is_small, is_whole, line

__all__ = ["LEAVES", "MIXED"]

LEAVES = {
    "s0": "typed([[0.5, -0.75, 1.25], [0.25, 1.5, -1.0]], 'float32', True)",
    "s1": "typed(0.75, 'float32', True)",
    "d1": "typed(-0.5, 'float64', True)",
    "z0": "typed([[0.5 + 1j, -0.75, 1.25j], [0.25 - 0.5j, 1.5, -1.0]], 'complex128', True)",
    "z1": "typed([0.5 - 1j], 'complex128', True)",
    "y0": "typed([0.5 + 1j, -0.75, 1.25j], 'complex64', True)",
    "f0": "typed([0.5, -0.75, 1.25], 'float16', True)",
    "i0": "typed([[1, -2, 3], [0, 2, -1]], 'int64')",
    "i1": "typed([2, 1, 3], 'int32')",
    "u0": "typed([200, 1, 3], 'uint8')",
    "b0": "typed([[True, False, True], [False, False, True]], 'bool')",
    "b1": "typed(True, 'bool')",
}
"""Of which a program gets some."""

BINARY = ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">="]
ARITHMETIC = [
    "atan2",
    "hypot",
    "maximum",
    "minimum",
    "fmod",
    "remainder",
    "logaddexp",
    "copysign",
    "xlogy",
    "ldexp",
]
ROUND = [
    "floor",
    "ceil",
    "round",
    "trunc",
    "sign",
    "frac",
    "isnan",
    "isfinite",
    "signbit",
    "logical_not",
]
SMOOTH = [
    "sin",
    "exp",
    "tanh",
    "sqrt",
    "log",
    "abs",
    "square",
    "reciprocal",
    "sigmoid",
    "rsqrt",
    "cosh",
    "atan",
    "log1p",
    "erf",
]
REDUCE = [
    "sum",
    "mean",
    "prod",
    "amax",
    "amin",
    "any",
    "all",
    "std",
    "logsumexp",
    "max",
    "min",
    "median",
    "argmax",
    "norm",
]
PARTS = ["real", "imag", "conj().resolve_conj()", "abs()", "angle()", "sgn()", "conj_physical()"]
CASTS = ["double()", "float()", "half()", "long()", "int()", "bool()", "cfloat()", "cdouble()"]
WHOLE = ["&", "|", "^"]


def _may_be_base(x: Any) -> bool:
    return is_small(x) and (is_whole(x) or bool((x.data.abs() > 0.1).all()))


def _is_complex(x: Any) -> bool:
    return bool(x.is_complex())


def _is_pair(x: Any) -> bool:
    return is_real(x) and x.dim() > 0 and x.shape[-1] == 2


def _fits_whole(x: Any) -> bool:
    return is_whole(x) and x.dim() < 3


def _is_written(x: Any) -> bool:
    return is_any(x) and not (x.is_leaf and x.requires_grad)


DTYPES = ["float32", "float64", "complex128", "int64", "bool", "float16"]

MIXED = [
    *[line(f"binary {op}", f"{{a}} {op} {{b}}", "dtypes", is_any) for op in BINARY],
    *[line(f"binary {op}", f"{{a}} {op} {{b}}", "dtypes", is_whole) for op in WHOLE],
    *[line(f"mixed {op}", f"lib.{op}({{a}}, {{b}})", "dtypes", is_any) for op in ARITHMETIC],
    *[line(f"mixed {op}", f"lib.{op}({{a}})", "dtypes", is_any) for op in ROUND + SMOOTH],
    *[line(f"mixed {op}", f"{{a}}.{op}()", "dtypes", is_any) for op in REDUCE],
    *[line(f"part {op}", f"{{a}}.{op}", "dtypes", is_numeric) for op in PARTS],
    *[line(f"part {op}", f"{{a}}.{op}", "dtypes", _is_complex) for op in PARTS],
    *[line(f"cast {op}", f"{{a}}.{op}", "dtypes", is_any) for op in CASTS],
    *[line(f"to {to}", f"{{a}}.to(lib.{to})", "dtypes", is_any) for to in DTYPES],
    line("sum_as", "{a}.sum(0, dtype=lib.float64)", "dtypes", has_dims(1)),
    line("cumsum_mixed", "{a}.cumsum(0)", "dtypes", lambda x: x.dim() > 0 and is_any(x)),
    line("power_of_number", "2 ** {a}", "dtypes", is_any),
    line("power_of_float", "1.5 ** {a}", "dtypes", is_any),
    line("number_minus", "1 - {a}", "dtypes", is_any),
    line("number_times", "2.5 * {a}", "dtypes", is_any),
    line("complex_times", "{a} * (1 + 2j)", "dtypes", is_any),
    line("bool_times", "{a} * True", "dtypes", is_any),
    line("over_number", "{a} / 2", "dtypes", is_any),
    line("rdiv", "2 / ({a} + 3.5)", "dtypes", is_any),
    line("add_alpha", "lib.add({a}, {b}, alpha=2)", "dtypes", is_any),
    line("where_mixed", "lib.where({a} != 0, {a}, {b})", "dtypes", is_any),
    line("where_number", "lib.where({a} != 0, {a}, 2.5)", "dtypes", is_any),
    line("clamp_mixed", "{a}.clamp(-1, 1)", "dtypes", is_any),
    line("masked_by", "{a}.masked_fill({a} == {a}, 0.5)", "dtypes", is_any),
    line("complex_of", "lib.complex({a}, {b})", "dtypes", is_real),
    line("polar_of", "lib.polar({a}.abs(), {b})", "dtypes", is_real),
    line("as_real", "lib.view_as_real({a})", "dtypes", _is_complex),
    line("as_complex", "lib.view_as_complex({a})", "dtypes", _is_pair),
    line("matmul_mixed", "{a} @ {b}.mT", "dtypes", lambda x: is_any(x) and x.dim() == 2),
    line("cat_mixed", "lib.cat([{a}.flatten(), {b}.flatten()])", "dtypes", is_any),
    line("stack_mixed", "lib.stack([{a}, {a}.double()])", "dtypes", is_any),
    line("gather_mixed", "{a}[:, [0, 0]]", "dtypes", lambda x: x.dim() > 1 and x.shape[1] > 0),
    line("indexed", "{a}[:, [0, 1]]", "dtypes", lambda x: x.dim() > 1 and x.shape[1] > 1),
    line("indexed_last", "{a}[..., [0, -1]]", "dtypes", lambda x: x.dim() > 1),
    line("selected", "{a}.index_select(-1, places([0, 0]))", "dtypes", lambda x: x.dim() > 1),
    line("masked", "{a}[{b}]", "dtypes", is_any, lambda x: str(x.dtype) == "torch.bool"),
    line("flat_of_index", "{a}.mT[[0]].reshape(-1)", "dtypes", lambda x: x.dim() == 2),
    line(
        "einsum",
        "lib.einsum('ij,kj->ik', {a}, {b})",
        "dtypes",
        lambda x: is_small(x) and x.dim() == 2,
    ),
    line("outer", "lib.outer({a}.flatten(), {b}.flatten())", "dtypes", is_any),
    line("roll", "{a}.roll(1)", "dtypes", is_any),
    line("sorted", "{a}.sort()[0]", "dtypes", lambda x: is_any(x) and x.dim() > 0),
    line("round_trip", "{a}.to(lib.float32).to(lib.float64)", "dtypes", is_real),
    line("mul_whole_", "{a}.mul_({b})", "dtypes", _is_written, is_any, 0, True),
    line("add_mixed_", "{a}.add_({b})", "dtypes", _is_written, is_any, 0, True),
    line("div_mixed_", "{a}.div_(2)", "dtypes", _is_written, None, 0, True),
    line("iadd_mixed", "{a} += {b}", "dtypes", _is_written, is_any, 0, True),
    line("ior", "{a} |= {b}", "dtypes", is_whole, is_whole, 0, True),
    line("iand", "{a} &= True", "dtypes", is_whole, None, 0, True),
    line("ixor", "{a} ^= {b}", "dtypes", is_whole, is_whole, 0, True),
    line("copy_mixed_", "{a}.copy_({b})", "dtypes", _is_written, is_any, 0, True),
    line("item_mixed", "{a}[0] = {b}", "dtypes", _is_written, lambda x: x.dim() == 0, 0, True),
    line("item_one", "{a}[0] = typed([2.0], 'float64')", "dtypes", _is_written, None, 0, True),
    line("item_masked", "{a}[{a} != 0] = 1", "dtypes", _is_written, None, 0, True),
    line("fill_mixed_", "{a}.fill_({b})", "dtypes", _is_written, lambda x: x.dim() == 0, 0, True),
]
