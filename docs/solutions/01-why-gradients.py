"""Chapter 1: an answer to each task, and three typical wrong ones with words of their hints."""

# 01.slopes ---------------------------------------------------------------------------------------


def slopes(f, inputs, h=1e-5):
    found = []
    for place in range(len(inputs)):
        right, left = list(inputs), list(inputs)
        right[place] += h
        left[place] -= h
        found.append((f(*right) - f(*left)) / (2 * h))
    return found


def slopes_divided_by_h(f, inputs, h=1e-5):
    return [2 * slope for slope in slopes(f, inputs, h)]


def slopes_to_one_side(f, inputs, h=1e-5):
    found = []
    for place in range(len(inputs)):
        right = list(inputs)
        right[place] += h
        found.append((f(*right) - f(*inputs)) / h)
    return found


def slopes_without_brackets(f, inputs, h=1e-5):
    return [slope * h * h for slope in slopes(f, inputs, h)]


def slopes_that_nudge_for_good(f, inputs, h=1e-5):
    found = []
    for place in range(len(inputs)):
        inputs[place] += h
        right = f(*inputs)
        inputs[place] -= 2 * h
        found.append((right - f(*inputs)) / (2 * h))
    return found


# 01.best-h ---------------------------------------------------------------------------------------


def best_h(f, x, exact, steps):
    def error(h):
        return abs((f(x + h) - f(x - h)) / (2 * h) - exact)

    return min(steps, key=error)


def best_h_is_the_smallest(f, x, exact, steps):
    return min(steps)


def best_h_signed(f, x, exact, steps):
    return min(steps, key=lambda h: (f(x + h) - f(x - h)) / (2 * h) - exact)


def best_h_forgotten(f, x, exact, steps):
    min(steps, key=lambda h: abs(slopes(f, [x], h)[0] - exact))


def best_h_is_an_error(f, x, exact, steps):
    return min(abs(slopes(f, [x], h)[0] - exact) for h in steps)


def best_h_to_one_side(f, x, exact, steps):
    return min(steps, key=lambda h: abs((f(x + h) - f(x)) / h - exact))


# 01.fit ------------------------------------------------------------------------------------------


def fit(xs, ys, steps, lr):
    w, b = 0.0, 0.0
    for _ in range(steps):
        errors = [w * x + b - y for x, y in zip(xs, ys, strict=True)]
        dw = sum(2 * error * x for error, x in zip(errors, xs, strict=True)) / len(xs)
        db = sum(2 * error for error in errors) / len(xs)
        w, b = w - lr * dw, b - lr * db
    return w, b


def fit_uphill(xs, ys, steps, lr):
    return fit(xs, ys, steps, -lr)


def fit_without_the_two(xs, ys, steps, lr):
    return fit(xs, ys, steps, lr / 2)


def fit_one_after_the_other(xs, ys, steps, lr):
    w, b = 0.0, 0.0
    for _ in range(steps):
        w -= lr * sum(2 * (w * x + b - y) * x for x, y in zip(xs, ys, strict=True)) / len(xs)
        b -= lr * sum(2 * (w * x + b - y) for x, y in zip(xs, ys, strict=True)) / len(xs)
    return w, b


WRONG = {
    "01.slopes": [
        (slopes_divided_by_h, "twice what it should be"),
        (slopes_to_one_side, "one side only"),
        (slopes_that_nudge_for_good, "argument 2 is not what it was"),
        (slopes_without_brackets, "from left to right"),
    ],
    "01.best-h": [
        (best_h_is_the_smallest, "smallest h is not the best"),
        (best_h_signed, "Compare sizes"),
        (best_h_forgotten, "returns nothing yet"),
        (best_h_is_an_error, "the smallest error itself"),
        (best_h_to_one_side, "one side only"),
    ],
    "01.fit": [
        (fit_uphill, "its sign is wrong"),
        (fit_without_the_two, "half of what it should be"),
        (fit_one_after_the_other, "whose w had moved already"),
    ],
}
