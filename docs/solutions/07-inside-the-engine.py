"""Chapter 7: an answer to each task, and typical wrong ones with words of their hints."""

import glassgrad as gg

# 07.order ----------------------------------------------------------------------------------------

prediction = [
    "CosBackward0",
    "TanhBackward0",
    "SubBackward0",
    "AddBackward0",  # the exponential has one gradient of two
    "MulBackward0",  # newer than the sine
    "AccumulateGrad",  # of b, which nobody but the product feeds
    "SinBackward0",  # newer than the exponential
    "ExpBackward0",
    "AccumulateGrad",  # of a, which waited for both
]

exponential_too_early = [*prediction[:3], "ExpBackward0", *prediction[3:7], "AccumulateGrad"]
leaves_last = [name for name in prediction if name != "AccumulateGrad"] + ["AccumulateGrad"] * 2
sine_first = [*prediction[:4], "SinBackward0", *prediction[4:6], *prediction[7:]]
without_leaves = [name for name in prediction if name != "AccumulateGrad"]

# 07.what-if --------------------------------------------------------------------------------------


def backward_with(loss, tensor, gradient):
    with gg.step(loss) as session:
        session.run_until(tensor)
        session.set_gradient(tensor, gradient)
        session.run()


def backward_with_too_early(loss, tensor, gradient):
    with gg.step(loss) as session:
        session.set_gradient(tensor, gradient)
        session.run()


def backward_with_too_late(loss, tensor, gradient):
    with gg.step(loss) as session:
        session.run()
        session.set_gradient(tensor, gradient)


def backward_with_unfinished(loss, tensor, gradient):
    with gg.step(loss) as session:
        session.run_until(tensor)
        session.set_gradient(tensor, gradient)


def backward_with_plain(loss, tensor, gradient):
    loss.backward()


# 07.held -----------------------------------------------------------------------------------------


def held(trace):
    freed = [event["bytes"] if event["type"] == "free_saved" else 0 for event in trace.events]
    now, found = sum(freed), []
    for size in freed:
        now -= size
        found.append(now)
    return found


def held_before(trace):
    freed = [event["bytes"] if event["type"] == "free_saved" else 0 for event in trace.events]
    now, found = sum(freed), []
    for size in freed:
        found.append(now)
        now -= size
    return found


def held_where_freed(trace):
    freed = [event["bytes"] for event in trace.events if event["type"] == "free_saved"]
    now, found = sum(freed), []
    for size in freed:
        now -= size
        found.append(now)
    return found


def held_as_what_is_gone(trace):
    gone, found = 0, []
    for event in trace.events:
        gone += event.get("bytes", 0)
        found.append(gone)
    return found


def held_without_asking(trace):
    now, found = sum(event["bytes"] for event in trace.events), []
    for event in trace.events:
        now -= event["bytes"]
        found.append(now)
    return found


WRONG = {
    "07.order": [
        (exponential_too_early, "How many arrows lead into its box?"),
        (leaves_last, "What number does it have"),
        (sine_first, "Which of the two did the program compute last?"),
        (without_leaves, "There should be 9; there are 7"),
    ],
    "07.what-if": [
        (backward_with_too_early, "Go on until it is in `queue`"),
        (backward_with_too_late, "the node has run"),
        (backward_with_unfinished, "did not come to its end"),
        (backward_with_plain, "nothing was replaced"),
    ],
    "07.held": [
        (held_before, "*before* each event"),
        (held_where_freed, "Also of the others"),
        (held_as_what_is_gone, "What is held is the rest of it"),
        (held_without_asking, "KeyError: 'bytes'"),
    ],
}
