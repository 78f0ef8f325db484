"""The two Functions of W11 as one writes them for torch: signatures as in `glassgrad.trajectory`.

In both, the actions alone have a gradient. The fused one writes into the memory it is given; what
it returns are new tensors of that memory. It leaves the gradient in `out_grad`, and hands autograd
one of its own.
"""

import torch


class MatrixStep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u, start, first, delay, fd_1, fd_2, fd_3):
        ctx.save_for_backward(delay, fd_1, fd_2, fd_3)
        p = first @ start.unsqueeze(1) + delay @ u
        return p, fd_1 @ p, fd_2 @ p, fd_3 @ p

    @staticmethod
    def backward(ctx, p_bar, v_bar, a_bar, j_bar):
        delay, fd_1, fd_2, fd_3 = ctx.saved_tensors
        x_bar = p_bar + fd_1.mT @ v_bar + fd_2.mT @ a_bar + fd_3.mT @ j_bar
        return delay.mT @ x_bar, None, None, None, None, None, None


class FusedStep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, u, start, velocity, acceleration, p, v, a, j, traj_dt, out_grad):
        ctx.rate = rate = traj_dt.item()
        ctx.out_grad = out_grad
        rest = u.shape[1] - 1
        p.select(1, 0).copy_(start)
        v.select(1, 0).copy_(velocity)
        a.select(1, 0).copy_(acceleration)
        j.select(1, 0).zero_()
        x = p.narrow(1, 1, rest).copy_(u.narrow(1, 0, rest))
        for before, after in ((p, v), (v, a), (a, j)):
            y = after.narrow(1, 1, rest)
            torch.sub(x, before.narrow(1, 0, rest), out=y).mul_(rate)
            x = y
        return p.detach(), v.detach(), a.detach(), j.detach()

    @staticmethod
    def backward(ctx, p_bar, v_bar, a_bar, j_bar):
        rate, out_grad = ctx.rate, ctx.out_grad
        rest = j_bar.shape[1] - 1
        grad = torch.empty_like(out_grad)
        x = j_bar.narrow(1, 1, rest)
        for bar, into in ((a_bar, grad), (v_bar, out_grad), (p_bar, grad)):
            y = into.narrow(1, 0, rest)
            torch.add(bar.narrow(1, 1, rest), x, alpha=rate, out=y)
            y.narrow(1, 0, rest - 1).sub_(x.narrow(1, 1, rest - 1), alpha=rate)
            x = y
        grad.select(1, rest).zero_()
        out_grad.copy_(grad)
        return grad, None, None, None, None, None, None, None, None, None
