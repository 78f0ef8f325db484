"""Chapter 13: an answer to each task, and typical wrong ones with words of their hints."""

import glassgrad as gg

# 13.per-example ----------------------------------------------------------------------------------


def per_example(loss, w, xs, ys):
    gradients = gg.vmap(gg.func.grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    return gradients, (gradients * gradients).sum(dim=1).sqrt()


def per_example_added_up(loss, w, xs, ys):
    def whole(w):
        return gg.vmap(loss, in_dims=(None, 0, 0))(w, xs, ys).sum()

    gradient = gg.func.grad(whole)(w)
    return gradient, (gradient * gradient).sum().sqrt()


def per_example_over_the_batch(loss, w, xs, ys):
    gradients = gg.vmap(gg.func.grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    return gradients, (gradients * gradients).sum(dim=0).sqrt()


def per_example_over_everything(loss, w, xs, ys):
    gradients = gg.vmap(gg.func.grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    return gradients, gradients.norm()


def per_example_without_in_dims(loss, w, xs, ys):
    gradients = gg.vmap(gg.func.grad(loss))(w, xs, ys)
    return gradients, gradients.norm(dim=1)


# 13.jacobian -------------------------------------------------------------------------------------


def jacobian(f, x):
    def column(u):
        return gg.func.jvp(f, (x,), (u,))[1]

    return gg.vmap(column, out_dims=1)(gg.eye(len(x)))


def jacobian_by_rows(f, x):
    return gg.vmap(lambda u: gg.func.jvp(f, (x,), (u,))[1])(gg.eye(len(x)))


def jacobian_in_a_loop(f, x):
    columns = [gg.func.jvp(f, (x,), (u,))[1] for u in gg.eye(len(x))]
    return gg.stack(columns, dim=1)


def jacobian_of_the_pullback(f, x):
    y, pull = gg.func.vjp(f, x)
    return gg.vmap(pull)(gg.eye(len(y)))  # which is a tuple, of one


# 13.rule -----------------------------------------------------------------------------------------


class MatVec(gg.autograd.Function):
    @staticmethod
    def forward(a, x):
        return a @ x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, a, x):
        a_dim, x_dim = in_dims
        a = a.unsqueeze(0) if a_dim is None else a.movedim(a_dim, 0)
        x = x.unsqueeze(0) if x_dim is None else x.movedim(x_dim, 0)
        # (examples, m, n) and (examples, n, 1); a 1 in place of the examples is stretched
        return (a @ x.unsqueeze(2)).squeeze(2), 0


class MatVecAsForward(MatVec):
    @staticmethod
    def vmap(info, in_dims, a, x):
        return a @ x, 0


class MatVecByElements(MatVec):
    @staticmethod
    def vmap(info, in_dims, a, x):
        a_dim, x_dim = in_dims
        a = a if a_dim is None else a.movedim(a_dim, 0)
        x = x if x_dim is None else x.movedim(x_dim, 0)
        return (a * x).sum(-1), 0


class MatVecInFront(MatVec):
    @staticmethod
    def vmap(info, in_dims, a, x):
        a = a if in_dims[0] is not None else a.unsqueeze(0)
        x = x if in_dims[1] is not None else x.unsqueeze(0)
        return (a @ x.unsqueeze(2)).squeeze(2), 0


class MatVecAtTheOtherDim(MatVec):
    @staticmethod
    def vmap(info, in_dims, a, x):
        return MatVec.vmap(info, in_dims, a, x)[0], 1


class MatVecWithoutItsDim(MatVec):
    @staticmethod
    def vmap(info, in_dims, a, x):
        return MatVec.vmap(info, in_dims, a, x)[0]


WRONG = {
    "13.per-example": [
        (per_example_added_up, "one gradient for the whole batch"),
        (per_example_over_the_batch, "Along which dim does one example lie?"),
        (per_example_over_everything, "one length, of all of them together"),
        (per_example_without_in_dims, "in_dims"),
    ],
    "13.jacobian": [
        (jacobian_by_rows, "It is the transpose of what is wanted"),
        (jacobian_in_a_loop, "f ran 3 times"),
        (jacobian_of_the_pullback, "It is a tuple, and a tensor is wanted: one of what is in it"),
    ],
    "13.rule": [
        (MatVecAsForward, "takes the *columns* of x for vectors"),
        (MatVecByElements, "Each row of a should meet each example"),
        (MatVecInFront, "four vectors, as columns"),
        (MatVecAtTheOtherDim, "Each product is there, as a column"),
        (MatVecWithoutItsDim, "vmap"),
    ],
}
