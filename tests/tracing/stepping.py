"""What tests of stepped and watched passes share."""

import glassgrad
from both import bare
from glassgrad import autograd, tensor


def leaf(values, name=None):
    x = tensor(values, requires_grad=True)
    x.name = name
    return x


def events(trace, kind):
    return [event for event in trace.events if event["type"] == kind]


def heads(trace, arrays):
    """The first elements of arrays of a trace, by their names."""
    return [None if name is None else trace.arrays[name]["head"] for name in arrays]


def visited(session):
    """The names of the nodes a session pauses at, from here to its end."""
    found = []
    while not session.is_done:
        found.append(bare(session.current.name()))
        session.next()
    return found


def wander(session, moves):
    """Step on and back, as `moves` say: True is on."""
    for forward in moves:
        if forward and not session.is_done:
            session.next()
        elif not forward and session.can_go_back:
            session.back()


def result_of(run):
    """The gradients that a program has left, as bytes."""
    retained = [x for x in run.made if x.requires_grad and x.retains_grad]
    grads = [x.grad for x in (*run.leaves, *retained)]
    return [None if g is None else (g.payload.tobytes(), g.dtype) for g in grads]


class Inner(autograd.Function):
    """x², whose backward runs a pass of its own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.detach() ** 2

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        with glassgrad.enable_grad():
            y = x.detach().requires_grad_()
            (slope,) = autograd.grad((y * y).sum(), y)
        return gradient * slope
