"""The index of what a Tensor can do in place: each method, and the function behind it.

See `_methods.py` for how such a mixin becomes part of `Tensor`.
"""

from .ops import (
    gamma,
    inplace,
    inplace_comparison,
    inplace_elementwise,
    inplace_places,
    inplace_random,
    inplace_rounding,
    inplace_shape,
    inplace_transcendental,
)

__all__ = ["InPlaceMethods"]


class InPlaceMethods:
    """The methods of `Tensor` that write to its memory."""

    # Operators
    __iadd__ = inplace.add_
    __isub__ = inplace.sub_
    __imul__ = inplace.mul_
    __itruediv__ = inplace.div_
    __ipow__ = inplace_elementwise.pow_

    # Element by element, and at places
    add_ = inplace.add_
    sub_ = subtract_ = inplace.sub_
    mul_ = multiply_ = inplace.mul_
    div_ = divide_ = true_divide_ = inplace.div_
    copy_ = inplace.copy_
    fill_ = inplace.fill_
    zero_ = inplace.zero_
    exp_ = inplace_elementwise.exp_
    log_ = inplace_elementwise.log_
    sqrt_ = inplace_elementwise.sqrt_
    rsqrt_ = inplace_elementwise.rsqrt_
    sin_ = inplace_elementwise.sin_
    cos_ = inplace_elementwise.cos_
    tanh_ = inplace_elementwise.tanh_
    sigmoid_ = inplace_elementwise.sigmoid_
    relu_ = inplace_elementwise.relu_
    neg_ = negative_ = inplace_elementwise.neg_
    abs_ = absolute_ = inplace_elementwise.abs_
    sign_ = inplace_elementwise.sign_
    reciprocal_ = inplace_elementwise.reciprocal_
    square_ = inplace_elementwise.square_
    pow_ = inplace_elementwise.pow_
    clamp_ = inplace_elementwise.clamp_
    clamp_min_ = inplace_elementwise.clamp_min_
    clamp_max_ = inplace_elementwise.clamp_max_
    clip_ = inplace_elementwise.clamp_
    eq_ = inplace_comparison.eq_
    ne_ = inplace_comparison.ne_
    lt_ = inplace_comparison.lt_
    le_ = inplace_comparison.le_
    gt_ = inplace_comparison.gt_
    ge_ = inplace_comparison.ge_
    addcmul_ = inplace_elementwise.addcmul_
    addcdiv_ = inplace_elementwise.addcdiv_
    lerp_ = inplace_elementwise.lerp_
    masked_fill_ = inplace_places.masked_fill_
    masked_scatter_ = inplace_places.masked_scatter_
    index_put_ = inplace_places.index_put_
    index_add_ = inplace_places.index_add_
    index_copy_ = inplace_places.index_copy_
    index_fill_ = inplace_places.index_fill_
    index_reduce_ = inplace_places.index_reduce_
    scatter_ = inplace_places.scatter_
    scatter_add_ = inplace_places.scatter_add_
    scatter_reduce_ = inplace_places.scatter_reduce_
    t_ = inplace_shape.t_
    transpose_ = inplace_shape.transpose_
    swapaxes_ = inplace_shape.swapaxes_
    squeeze_ = inplace_shape.squeeze_
    unsqueeze_ = inplace_shape.unsqueeze_
    detach_ = inplace_shape.detach_
    normal_ = inplace_random.normal_
    uniform_ = inplace_random.uniform_
    random_ = inplace_random.random_
    bernoulli_ = inplace_random.bernoulli_

    # Of angles, exponentials and logarithms
    tan_ = inplace_transcendental.tan_
    asin_ = arcsin_ = inplace_transcendental.asin_
    acos_ = arccos_ = inplace_transcendental.acos_
    atan_ = arctan_ = inplace_transcendental.atan_
    atan2_ = arctan2_ = inplace_transcendental.atan2_
    hypot_ = inplace_transcendental.hypot_
    sinh_ = inplace_transcendental.sinh_
    cosh_ = inplace_transcendental.cosh_
    asinh_ = arcsinh_ = inplace_transcendental.asinh_
    acosh_ = arccosh_ = inplace_transcendental.acosh_
    atanh_ = arctanh_ = inplace_transcendental.atanh_
    exp2_ = inplace_transcendental.exp2_
    expm1_ = inplace_transcendental.expm1_
    log1p_ = inplace_transcendental.log1p_
    log2_ = inplace_transcendental.log2_
    log10_ = inplace_transcendental.log10_
    logit_ = inplace_transcendental.logit_
    lgamma_ = gamma.lgamma_
    digamma_ = gamma.digamma_
    polygamma_ = gamma.polygamma_

    # Rounded
    floor_ = inplace_rounding.floor_
    ceil_ = inplace_rounding.ceil_
    round_ = inplace_rounding.round_
    trunc_ = fix_ = inplace_rounding.trunc_
    frac_ = inplace_rounding.frac_
