"""Chapter 11: an answer to each task, and typical wrong ones with words of their hints."""

import glassgrad as gg
from glassgrad.autograd import grad

# 11.hvp ------------------------------------------------------------------------------------------


def hvp(f, x, v):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    return grad((slope * v).sum(), x)[0]  # the slopes of one number: slope · v


def hvp_without_v(f, x, v):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    return grad(slope.sum(), x)[0]


def hvp_with_v_afterwards(f, x, v):
    return hvp_without_v(f, x, v) * v


def hvp_of_one_pass(f, x, v):
    x = x.detach().requires_grad_()
    return grad(f(x), x)[0] * v


def hvp_without_a_record(f, x, v):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x)
    return grad((slope * v).sum(), x)[0]


def hvp_by_the_hessian(f, x, v):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    rows = [grad(each, x, retain_graph=True)[0] for each in slope]
    return gg.stack(rows) @ v


# 11.newton ---------------------------------------------------------------------------------------


def newton_step(f, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    rows = [grad(each, x, retain_graph=True)[0] for each in slope]
    return x.detach() - gg.linalg.solve(gg.stack(rows), slope.detach())


def newton_of_each_alone(f, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    own = [grad(each, x, retain_graph=True)[0][place] for place, each in enumerate(slope)]
    return (x - slope / gg.stack(own)).detach()


def newton_of_sums(f, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    return (x - slope / grad(slope.sum(), x)[0]).detach()


def newton_multiplied(f, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(f(x), x, create_graph=True)
    rows = [grad(each, x, retain_graph=True)[0] for each in slope]
    return (x - gg.stack(rows) @ slope).detach()


def newton_upwards(f, x):
    return 2 * x - newton_step(f, x)


def newton_without_x(f, x):
    return x - newton_step(f, x)


# 11.penalty --------------------------------------------------------------------------------------


def penalty(critic, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(critic(x).sum(), x, create_graph=True)  # no example acts on another's score
    length = (slope**2).sum(1).sqrt()
    return ((length - 1) ** 2).mean()


def penalty_without_a_record(critic, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(critic(x).sum(), x)
    return (((slope**2).sum(1).sqrt() - 1) ** 2).mean()


def penalty_of_the_mean(critic, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(critic(x).mean(), x, create_graph=True)
    return (((slope**2).sum(1).sqrt() - 1) ** 2).mean()


def penalty_of_one_length(critic, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(critic(x).sum(), x, create_graph=True)
    return ((slope**2).sum().sqrt() - 1) ** 2


def penalty_of_the_mean_length(critic, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(critic(x).sum(), x, create_graph=True)
    return ((slope**2).sum(1).sqrt().mean() - 1) ** 2


def penalty_towards_zero(critic, x):
    x = x.detach().requires_grad_()
    (slope,) = grad(critic(x).sum(), x, create_graph=True)
    return (slope**2).sum(1).mean()


WRONG = {
    "11.hvp": [
        (hvp_without_v, "v is not used"),
        (hvp_with_v_afterwards, "v comes too late"),
        (hvp_of_one_pass, "one more pass is missing"),
        (hvp_without_a_record, "create_graph=True"),
        (hvp_by_the_hessian, "it makes the whole Hessian"),
    ],
    "11.newton": [
        (newton_of_each_alone, "divide each slope by its own curvature"),
        (newton_of_sums, "adds up the rows"),
        (newton_multiplied, "multiply by the Hessian"),
        (newton_upwards, "the other way"),
        (newton_without_x, "From where?"),
    ],
    "11.penalty": [
        (penalty_without_a_record, "was not recorded"),
        (penalty_of_the_mean, "they are those of the mean"),
        (penalty_of_one_length, "Each example has its own"),
        (penalty_of_the_mean_length, "The mean was taken too early"),
        (penalty_towards_zero, "is meant to cost nothing"),
    ],
}
