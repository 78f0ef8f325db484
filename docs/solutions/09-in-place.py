"""Chapter 9: an answer to each task, and typical wrong ones with words of their hints."""

import glassgrad as gg

# 09.saved ----------------------------------------------------------------------------------------


class SavedPlaces:
    def __init__(self, view):
        self.view = view
        self.version = len(view.storage.writes)

    def unpack(self):
        for places in self.view.storage.writes[self.version :]:
            if not set(places).isdisjoint(self.view.places):
                raise RuntimeError("one of the numbers was written since it was saved")
        return self.view.read()


class SavedByTheCount(SavedPlaces):
    def unpack(self):
        if len(self.view.storage.writes) != self.version:
            raise RuntimeError("written")
        return self.view.read()


class SavedThatNeverForgets(SavedPlaces):
    def unpack(self):
        for places in self.view.storage.writes:
            if not set(places).isdisjoint(self.view.places):
                raise RuntimeError("written")
        return self.view.read()


class SavedThatKnowsItself(SavedPlaces):
    def unpack(self):
        if self.view.places in self.view.storage.writes[self.version :]:
            raise RuntimeError("written")
        return self.view.read()


class SavedThatCopies(SavedPlaces):
    def __init__(self, view):
        super().__init__(view)
        self.numbers = view.read()

    def unpack(self):
        if self.view.read() != self.numbers:
            raise RuntimeError("written")
        return self.numbers


# 09.rebase ---------------------------------------------------------------------------------------


def before_the_write(grad, part, rule):
    before = grad.clone()  # of the rest nothing changes
    before[part] = rule(grad[part])
    return before


def before_the_write_in_place(grad, part, rule):
    grad[part] = rule(grad[part])
    return grad


def before_the_write_inside(grad, part, rule):
    before = gg.zeros_like(grad)
    before[part] = rule(grad[part])
    return before


def before_the_write_everywhere(grad, part, rule):
    return rule(grad)


def before_the_write_added(grad, part, rule):
    before = grad.clone()
    before[part] += rule(grad[part])
    return before


# 09.mend -----------------------------------------------------------------------------------------


class Mended:
    @staticmethod
    def shifted(x):
        y = x.exp()
        y = y + 1  # new numbers: the node of exp needs the old ones
        return y.sum()

    @staticmethod
    def clipped(x):
        x = x.clamp(min=0)  # the leaf stays what it is
        return (x * x).sum()

    @staticmethod
    def halves(x):
        left, right = (x * 2).chunk(2)
        left = left + right
        return (left * right).sum()

    @staticmethod
    def row(x):
        h = x * 2
        first = h[0].clone()  # one row of fifty is needed as it was
        energy = (first * first).sum()
        h[0] = 0.0
        return energy + h.exp().sum()

    @staticmethod
    def steps(x):
        states = [gg.zeros(3)]  # each state has its own memory, and nothing is written
        for k in range(20):
            states.append(states[k].sin() + x[k])
        return gg.stack(states).sum()


class MendedByCloningFirst(Mended):
    @staticmethod
    def shifted(x):
        y = x.exp().clone()
        y += 1
        return y.sum()


class MendedByData(Mended):
    @staticmethod
    def clipped(x):
        x.data.clamp_(min=0)
        return (x * x).sum()


class MendedWithoutGrad(Mended):
    @staticmethod
    def halves(x):
        left, right = (x * 2).chunk(2)
        left = left + right.detach()
        return (left * right).sum()


class MendedAsTold(Mended):
    @staticmethod
    def row(x):
        h = x * 2
        first = h[0]
        energy = (first * first).sum()
        h = h.clone()
        h[0] = 0.0
        return energy + h.exp().sum()


class MendedByCloningAll(Mended):
    @staticmethod
    def steps(x):
        states = gg.zeros(21, 3)
        for k in range(20):
            states[k + 1] = states.clone()[k].sin() + x[k]
        return states.sum()


WRONG = {
    "09.saved": [
        (SavedByTheCount, "none of its numbers was written since"),
        (SavedThatNeverForgets, "none of its numbers was written since"),
        (SavedThatKnowsItself, "maybe by another view"),
        (SavedThatCopies, "the copy which was to be spared"),
    ],
    "09.rebase": [
        (before_the_write_in_place, "is not what it was"),
        (before_the_write_inside, "Nobody wrote to the rest"),
        (before_the_write_everywhere, "Which numbers went through the write?"),
        (before_the_write_added, "two gradients in one"),
    ],
    "09.mend": [
        (MendedByCloningFirst, "none has to be"),
        (MendedByData, "it changes its argument"),
        (MendedWithoutGrad, "the loss is right, and its gradient is not"),
        (MendedAsTold, "clones 800 bytes, where 16 are enough"),
        (MendedByCloningAll, "clones 4788 bytes, where 240 are enough"),
    ],
}
