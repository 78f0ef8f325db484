"""What tests let other processes run. Who is spawned imports this file, and so no oracle."""

__all__ = ["add_one", "count_up"]


def add_one(queue, x):
    queue.put(x + 1)


def count_up(at, shared, how):
    if how == "raise" and at == 1:
        raise ValueError("this one does")
    if how == "exit":
        raise SystemExit(3)
    shared[at] += 1
