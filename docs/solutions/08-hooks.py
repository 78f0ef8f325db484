"""Chapter 8: an answer to each task, and three typical wrong ones with words of their hints."""

# 08.order ----------------------------------------------------------------------------------------

order = [
    "G",  # the gradient of z is complete: its tensor's hook
    "B",  # the node of z has run
    "D",  # of the tensor y, in the order of registration
    "H",
    "C",  # before the node of y
    "E",  # after it
    "F",  # the tensor x
    "A",  # x.grad is complete
]

order_of_registration = list("ABCDEFGH")
order_with_the_node_first = list("GBCDHEFA")
order_with_post_hooks_at_the_end = list("GDHCFABE")
order_from_the_leaf = order[::-1]

# 08.clip-to --------------------------------------------------------------------------------------


def clip_to(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt().item()
        log.append(norm)
        return grad * (limit / norm) if norm > limit else grad

    return hook


def clip_to_always(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt().item()
        log.append(norm)
        return grad * (limit / norm)

    return hook


def clip_to_each_number(limit, log):
    def hook(grad):
        log.append((grad * grad).sum().sqrt().item())
        return grad.clamp(-limit, limit)

    return hook


def clip_to_in_place(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt().item()
        log.append(norm)
        if norm > limit:
            grad *= limit / norm

    return hook


def clip_to_logging_tensors(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt()
        log.append(norm)
        return grad * (limit / norm) if norm > limit else grad

    return hook


def clip_to_logging_late(limit, log):
    def hook(grad):
        norm = (grad * grad).sum().sqrt().item()
        log.append(min(norm, limit))
        return grad * (limit / norm) if norm > limit else grad

    return hook


# 08.clip-all -------------------------------------------------------------------------------------


def clip_all(leaves, limit):
    arrived = 0

    def hook(leaf):
        nonlocal arrived
        arrived += 1
        if arrived < len(leaves):
            return  # some have no gradient yet
        arrived = 0  # for the next pass
        norm = sum((leaf.grad * leaf.grad).sum() for leaf in leaves).sqrt()
        if norm > limit:
            for leaf in leaves:
                leaf.grad = leaf.grad * (limit / norm)

    for leaf in leaves:
        leaf.register_post_accumulate_grad_hook(hook)


def clip_all_each_for_itself(leaves, limit):
    def hook(leaf):
        norm = (leaf.grad * leaf.grad).sum().sqrt()
        if norm > limit:
            leaf.grad = leaf.grad * (limit / norm)

    for leaf in leaves:
        leaf.register_post_accumulate_grad_hook(hook)


def clip_all_too_early(leaves, limit):
    def hook(leaf):
        norm = sum((leaf.grad * leaf.grad).sum() for leaf in leaves).sqrt()
        if norm > limit:
            for leaf in leaves:
                leaf.grad = leaf.grad * (limit / norm)

    for leaf in leaves:
        leaf.register_post_accumulate_grad_hook(hook)


def clip_all_only_once(leaves, limit):
    arrived = []

    def hook(leaf):
        arrived.append(leaf)
        if len(arrived) == len(leaves):
            norm = sum((leaf.grad * leaf.grad).sum() for leaf in leaves).sqrt()
            if norm > limit:
                for leaf in leaves:
                    leaf.grad = leaf.grad * (limit / norm)

    for leaf in leaves:
        leaf.register_post_accumulate_grad_hook(hook)


def clip_all_always(leaves, limit):
    arrived = []

    def hook(leaf):
        arrived.append(leaf)
        if len(arrived) == len(leaves):
            arrived.clear()
            norm = sum((leaf.grad * leaf.grad).sum() for leaf in leaves).sqrt()
            for leaf in leaves:
                leaf.grad = leaf.grad * (limit / norm)

    for leaf in leaves:
        leaf.register_post_accumulate_grad_hook(hook)


WRONG = {
    "08.order": [
        (order_of_registration, "in which they were registered"),
        (order_with_the_node_first, "Which of the two comes first?"),
        (order_with_post_hooks_at_the_end, "runs after its own node"),
        (order_from_the_leaf, "opposite order"),
    ],
    "08.clip-to": [
        (clip_to_always, "only what is longer than the limit"),
        (clip_to_each_number, "so the gradient points elsewhere"),
        (clip_to_in_place, "the hook is on a"),
        (clip_to_logging_tensors, "should hold plain floats"),
        (clip_to_logging_late, "Wanted is the one that it had"),
    ],
    "08.clip-all": [
        (clip_all_each_for_itself, "clipped by itself"),
        (clip_all_too_early, "it raises TypeError"),
        (clip_all_only_once, "goes on counting"),
        (clip_all_always, "short enough have been made longer"),
    ],
}
