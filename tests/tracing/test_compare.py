"""What differs between two traces, in words."""

import pytest

import glassgrad as gg
from checks import together
from glassgrad import nn
from glassgrad.core.errors import ArgumentError
from glassgrad.tracing import Trace
from tracing.classics import CLASSICS


def trace(f, record=gg.record):
    x = gg.tensor([1.0, 2.0], requires_grad=True)
    w = gg.tensor([0.5, -1.0], requires_grad=True)
    x.name, w.name = "x", "w"
    return record(f(x, w).sum())


def base(x, w):
    return (x * w).exp() + w


def compare(f, g, record=gg.record):
    return gg.compare(trace(f, record), trace(g, record))


def kinds(found):
    return [difference.kind for difference in found.differences]


def test_equal_programs_do_not_differ():
    found = compare(base, lambda x, w: (x * w).exp() + w)
    assert found
    assert found.differences == ()
    assert str(found).startswith("the same in structure and values")
    assert found.pairs == {f"n{k}": f"n{k}" for k in range(6)}


def test_another_op_is_named_and_what_is_behind_it_still_matched():
    found = compare(base, lambda x, w: (x * w).sin() + w)
    assert not found
    (other,) = found.of_kind("other op")
    assert other.text.startswith("n3 ExpBackward0 in a is n3 SinBackward0 in b (test_compare.py")
    assert (other.a, other.b) == ("n3", "n3")
    assert len(found.pairs) == 6


def test_a_detached_tensor_is_named_with_what_is_lost():
    found = compare(base, lambda x, w: (x * w).detach().exp() + w)
    (cut,) = found.of_kind("detached")
    assert cut.text.startswith(
        "edge 1 of n4 AddBackward0 leads to n3 ExpBackward0 in a, nowhere in b (test_compare.py"
    )
    assert cut.text.endswith("3 nodes behind it are missing there")
    assert not found.of_kind("only in a")
    assert kinds(found) == ["detached", "other .grad"]


def test_a_missing_accumulate_grad_is_named():
    found = compare(lambda x, w: (x * w).exp(), lambda x, w: (x * w.detach()).exp())
    (cut,) = found.of_kind("no AccumulateGrad")
    assert cut.text.startswith(
        "edge 2 of n2 MulBackward0 leads to n1 AccumulateGrad of 'w' in a, nowhere in b "
        "(test_compare.py, line "
    )


def test_the_same_from_the_other_side():
    found = compare(lambda x, w: (x * w.detach()).exp(), lambda x, w: (x * w).exp())
    (cut,) = found.of_kind("no AccumulateGrad")
    assert "leads nowhere in a, to n1 AccumulateGrad of 'w' in b (test_comp" in cut.text
    assert kinds(found) == ["no AccumulateGrad"]  # and nothing that only follows from it


def test_a_cut_edge_is_told_with_the_line_in_each_program():
    def whole(x, w):
        return x * w

    def detached(x, w):
        return x.detach() * w

    (cut,) = compare(whole, detached).of_kind("no AccumulateGrad")
    assert "`return x * w` in a" in cut.text
    assert "`return x.detach() * w` in b" in cut.text


# Broadcasting --------------------------------------------------------------------------------


def broadcasting(lib, *, op="tanh", detached=False):
    weight = lib.tensor([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]], requires_grad=True)
    bias = lib.tensor([0.1, 0.2, 0.3], requires_grad=True)
    scale = lib.tensor(2.0, requires_grad=True)
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    h = getattr(x @ weight.t() + bias, op)()
    mean = h.detach().mean(0) if detached else h.mean(0)
    return (h * scale - mean).pow(2).sum() / scale


def on_torch(**options):
    torch = pytest.importorskip("torch")
    from glassgrad.tracing.torch import record

    return record(broadcasting(torch, **options))


def test_a_program_with_broadcasting_is_the_same_on_pytorch():
    found = gg.compare(gg.record(broadcasting(gg)), on_torch())
    assert found, str(found)


@pytest.mark.parametrize("program", CLASSICS, ids=lambda program: program.__name__)
def test_a_classic_is_the_same_on_pytorch(program):
    torch = pytest.importorskip("torch")
    from glassgrad.tracing.torch import record

    found = gg.compare(gg.record(program(gg)[1]), record(program(torch)[1]))
    assert found, str(found)


def test_a_pass_for_some_inputs_is_the_same_on_pytorch():
    torch = pytest.importorskip("torch")
    from glassgrad.tracing.torch import record

    def run(lib, recorder):
        x = lib.tensor([1.0, 2.0], requires_grad=True)
        w = lib.tensor([3.0, 4.0], requires_grad=True)
        return recorder((x * w.exp()).sum(), inputs=[x])

    assert gg.compare(run(gg, gg.record), run(torch, record))


def test_what_a_rule_made_meanwhile_is_left_to_the_pass_that_runs_through_it():
    def run():
        x = gg.tensor([1.0, 2.0], requires_grad=True)
        return gg.record((x**3).sum(), create_graph=True)

    found = gg.compare(run(), run())
    assert found, str(found)
    assert any("origin" in node for node in found.a.nodes)


def test_what_differs_from_pytorch_is_named_in_spite_of_broadcasting():
    found = gg.compare(gg.record(broadcasting(gg)), on_torch(op="sigmoid"))
    (other,) = found.of_kind("other op")
    assert "TanhBackward0 in a is n5 SigmoidBackward0 in b (test_compare.py" in other.text
    found = gg.compare(gg.record(broadcasting(gg)), on_torch(detached=True))
    (cut,) = found.of_kind("detached")
    assert "leads to n6 MeanBackward1 in a, nowhere in b" in cut.text


def test_a_wrong_sum_over_a_broadcast_is_still_found():
    one, other = gg.record(broadcasting(gg)), gg.record(broadcasting(gg))
    last = [event for event in other.events if event["type"] == "accumulate"][-1]
    last["grad"] = next(iter(other.arrays))
    assert gg.compare(one, other).of_kind("other .grad")


@together
@pytest.mark.parametrize(
    "program",
    [
        lambda x, w: (-(x * w)).exp() + w,
        lambda x, w: -(x * w).exp() + w,
        lambda x, w: -((x * w).exp() + w),
        lambda x, w: ((-x) * w).exp() + w,
        lambda x, w: (x * w).exp() + (-w),
    ],
)
def test_a_node_put_in_between_is_the_only_one_without_partner(program):
    found = compare(base, program, gg.snapshot)
    assert [d.text.partition(" (")[0].split()[1] for d in found.of_kind("only in b")] == [
        "NegBackward0"
    ]
    assert len(found.pairs) == 6
    assert set(kinds(found)) <= {"only in b", "other value"}
    back = compare(program, base, gg.snapshot)
    assert len(back.of_kind("only in a")) == 1


def test_several_nodes_put_in_between_are_passed():
    found = compare(base, lambda x, w: (x * w).sin().cos().tanh().exp() + w, gg.snapshot)
    assert len(found.of_kind("only in b")) == 3
    assert len(found.pairs) == 6


def test_swapped_operands_are_matched_across():
    found = compare(base, lambda x, w: w + (x * w).exp(), gg.snapshot)
    assert kinds(found) == ["other edge", "other edge"]
    assert len(found.pairs) == 6


def test_the_first_node_with_another_gradient_is_named():
    found = compare(lambda x, w: x.exp() + w, lambda x, w: (x + 1).exp() + w)
    (other,) = found.of_kind("other gradient")
    assert "first at n1 ExpBackward0, which makes of the same gradient" in other.text
    (other,) = found.of_kind("other .grad")
    assert "of 'x'" in other.text


def test_a_hook_that_changes_a_gradient_is_found():
    def hooked(x, w):
        y = (x * w).exp()
        y.register_hook(lambda grad: grad * 3)
        return y + w

    found = compare(base, hooked)
    assert "tensor '<lambda>' in b" in found.of_kind("other hooks")[0].text
    assert found.of_kind("other gradient")[0].a == "n3"


def test_another_order_is_named():
    def later(x, w):
        a, b = x.exp(), w.sin()
        return a + b

    def sooner(x, w):
        b, a = w.sin(), x.exp()
        return a + b

    found = compare(later, sooner)
    assert kinds(found) == ["other order"]
    assert "number 3 to run is n3 SinBackward0 in a, n3 ExpBackward0 in b" in str(found)


def test_other_values_and_shapes_are_named():
    one = gg.snapshot(gg.tensor([1.0, 2.0], requires_grad=True).exp())
    other = gg.snapshot(gg.tensor([1.0, 2.0, 3.0], requires_grad=True).exp())
    assert kinds(gg.compare(one, other)) == ["other shape"] * 2 + ["other value"] * 2


def test_rounding_is_no_difference_unless_asked_for():
    one = gg.record((gg.tensor([1.0], requires_grad=True) * 3).sum())
    other = gg.record((gg.tensor([1.0], requires_grad=True) * 3.00001).sum())
    assert gg.compare(one, other)
    assert not gg.compare(one, other, rtol=0)


def test_nan_is_equal_to_nan_and_to_nothing_else():
    nan, one = ([gg.nan, 1.0], [1.0, 1.0])
    traces = [gg.record(gg.tensor(v, requires_grad=True).sum()) for v in (nan, nan, one)]
    assert gg.compare(*traces[:2])
    assert "other value" in kinds(gg.compare(*traces[1:]))


def test_marks_are_what_a_picture_needs():
    found = compare(base, lambda x, w: (-(x * w)).sin() + w, gg.snapshot)
    marks = found.marks()
    assert set(marks["a"]) <= {f"n{k}" for k in range(6)}
    assert "other op" in marks["b"].values()
    assert "only in b" in marks["b"].values()


def test_a_trace_from_a_file_is_as_good(tmp_path):
    one = trace(base)
    assert gg.compare(one, Trace.load(one.save(tmp_path / "a.json")))


def test_a_long_name_is_cut_short():
    x = gg.tensor([1.0], requires_grad=True)
    x.name = "<script>\n" * 2_000
    text = str(
        gg.compare(gg.snapshot(x * 2), gg.snapshot(gg.tensor([2.0], requires_grad=True) * 2))
    )
    assert len(text) < 1_000
    assert "<script>\n" not in text


def test_deep_and_shared_graphs_are_compared_without_recursion():
    def chain(extra):
        x = gg.tensor([1.0], requires_grad=True)
        y = x
        for step in range(3_000):
            y = y * x if step % 2 else y + x
            if step == extra:
                y = y.tanh()
        return gg.snapshot(y)

    found = gg.compare(chain(None), chain(1_500))
    assert len(found.of_kind("only in b")) == 1
    assert len(found.pairs) == 3_001


def test_modules_are_compared_too():
    def net(act):
        model = nn.Sequential(nn.Linear(2, 3), act, nn.Linear(3, 1))
        for parameter in model.parameters():
            nn.init.constant_(parameter, 0.5)
        return gg.record(model(gg.ones(4, 2)).sum())

    assert gg.compare(net(nn.ReLU()), net(nn.ReLU()))
    (other,) = gg.compare(net(nn.ReLU()), net(nn.Tanh())).of_kind("other op")
    assert "ReluBackward0 in a is" in other.text


def test_the_report_does_not_depend_on_the_hash_seed(told_elsewhere):
    program = (
        "import glassgrad as gg\n"
        "def run(f):\n"
        "    x = gg.tensor([1.0, 2.0], requires_grad=True)\n"
        "    return gg.record(f(x).sum())\n"
        "one = run(lambda x: (x * x).exp() + x)\n"
        "print(gg.compare(one, run(lambda x: x.sin() + (x * x.tanh()))))\n"
    )
    (told,) = told_elsewhere(program)
    assert told


def test_bad_input_is_explained():
    one = trace(base)
    with pytest.raises(TypeError, match="compare\\(\\) was given a Tensor"):
        gg.compare(one, gg.ones(1))
    with pytest.raises(ArgumentError, match="rtol must be at least 0"):
        gg.compare(one, one, rtol=-1)
