"""What differs from PyTorch on purpose: each a program that both play, with the reason."""

import pytest
import torch

import glassgrad as gg
from both import bare
from checks import together

NO_KERNEL = "PyTorch has no kernel of that dtype here; the numbers are what they should be"
ONE_DTYPE = "operands of several dtypes are promoted, as in sums"
NO_RULE = "PyTorch has no derivative: it refuses in backward. Here it is 0, as that of floor"
OF_NOTHING = "beside real and complex operands PyTorch's own check of the gradient fails"

COMPUTED = {
    "m.special.erfcx(f.half())": NO_KERNEL,
    "m.special.ndtri(f.half() / 4)": NO_KERNEL,
    "m.special.airy_ai(f.half())": NO_KERNEL,
    "m.isin(b, b)": NO_KERNEL,
    "b.median(0)": NO_KERNEL,
    "b.clamp(f > 1, f > 2)": NO_KERNEL,
    "m.ldexp(f, b)": NO_KERNEL,
    "m.nan_to_num(z).abs().sum().backward()": NO_KERNEL,
    "m.nn.functional.silu(z).abs().sum().backward()": NO_KERNEL,
    "m.cdist(z[None], z[None])": NO_KERNEL,
    "m.nn.functional.cosine_similarity(z, z, dim=0)": NO_KERNEL,
    "m.linalg.cross(f, f.double())": ONE_DTYPE,
    "m.nn.functional.layer_norm(f, (3,), f.double())": ONE_DTYPE,
    "m.nn.functional.batch_norm(f[None].expand(2, 3), None, None, f.double(), training=True)": (
        ONE_DTYPE
    ),
    "m.where(b, f, z).abs().sum().backward()": OF_NOTHING,
    "m.logaddexp(f, b).sum().backward()": "PyTorch's rule subtracts the bools",
    "(f // 2).sum().backward()": NO_RULE,
    "(2 % f).sum().backward()": "PyTorch has no derivative of a number's remainder",
    "f + 2**70": "a float holds it",
    "x = f * 1; x[[0, 1, 2]] = x": "what is written is read before",
}
"""What PyTorch refuses, and why it is computed here."""

REFUSED = {
    "m.ones(1).expand(3).masked_fill_(b, 2.0)": (
        "one write would be several; PyTorch warns that it will refuse, too"
    ),
    "m.igamma(f, f)": "PyTorch refuses in backward, where the call is out of sight",
    "y = m.ones(2, 3); m.sum(y, 0, out=y[0])": ("what is still to be read would be written"),
}
"""What PyTorch computes, and why it is refused here."""

GRAPHS = {
    "m.addmm(w, w, w)": ("AddBackward0", "AddmmBackward0"),
    "m.addmv(w[0], w, w[0])": ("AddBackward0", "AddmvBackward0"),
    "m.addr(w, w[0], w[0])": ("AddBackward0", "AddrBackward0"),
    "m.baddbmm(w[None], w[None], w[None])": ("AddBackward0", "BaddbmmBackward0"),
    "m.block_diag(w, w)": ("CatBackward0", "BlockDiagBackward0"),
    "m.cdist(w, w + 1)": ("LinalgVectorNormBackward0", "CdistBackward0"),
    "m.clamp_max(w, w)": ("ClampBackward0", "ClampMaxBackward1"),
    "m.copysign(w, 2.0)": ("CopysignBackward0", "CopysignBackward1"),
    "m.dist(w, w + 1)": ("LinalgVectorNormBackward0", "DistBackward0"),
    "m.einsum('ij,jk->ik', w, w)": ("EinsumBackward0", "ViewBackward0"),
    "m.inner(w[0], w[0])": ("DotBackward0", "ViewBackward0"),
    "m.matmul(w[None], w)": ("MatMulBackward0", "UnsafeViewBackward0"),
    "m.mvlgamma(w + 1, 1)": ("AddBackward0", "MvlgammaBackward0"),
    "m.nn.functional.embedding(m.tensor([0]), w, padding_idx=1)": (
        "WhereBackward0",
        "EmbeddingBackward0",
    ),
    "m.nn.functional.glu(w)": ("MulBackward0", "GluBackward0"),
    "m.nn.functional.linear(w, w)": ("LinearBackward0", "MmBackward0"),
    "m.nn.functional.pairwise_distance(w, w)": ("LinalgVectorNormBackward0", "NormBackward1"),
    "m.renorm(w, 2, 0, 1)": ("MulBackward0", "RenormBackward0"),
    "m.trapezoid(w[0])": ("SumBackward1", "MulBackward1"),
    "m.vdot(w[0] + 0j, w[0] + 0j)": ("DotBackward0", "VdotBackward0"),
    "w % 2": ("RemainderBackward1", "RemainderBackward0"),
    "w[0, 0].cumsum(0)": ("UnsafeViewBackward0", "CumsumBackward0"),
    "(w + 0j).conj()": ("ConjPhysicalBackward0", "ConjBackward0"),
}
"""Calls whose last node has another name: ops made of others, or of one where PyTorch has several.

Values, gradients and their order are PyTorch's.
"""


def names(m):
    leaf = {"requires_grad": True}
    return {
        "m": m,
        "b": m.tensor([True, False, True]),
        "f": m.tensor([1.0, 2.0, 3.0], **leaf),
        "w": m.tensor([[1.0, 2.0], [3.0, 4.0]], **leaf),
        "z": m.tensor([1 + 2j, 2.0, 1j], **leaf),
    }


def refuses(m, program):
    try:
        exec(program, names(m))
    except (RuntimeError, TypeError, OverflowError):
        return True
    return False


@together
@pytest.mark.filterwarnings("ignore:Use of masked_fill_ on expanded tensors")
@pytest.mark.parametrize("program", [*COMPUTED, *REFUSED])
def test_one_of_both_refuses_it(program):
    assert refuses(gg, program) == (program in REFUSED)
    assert refuses(torch, program) == (program in COMPUTED)


@together
@pytest.mark.parametrize("call", GRAPHS)
def test_last_node_has_another_name(call):
    found = [bare(eval(call, names(m)).grad_fn.name()) for m in (gg, torch)]
    assert tuple(found) == GRAPHS[call]
