"""The predict mode in the browser: what is hidden, how answers are judged, and what is counted."""

from importlib import resources

import pytest

import glassgrad as gg

STATIC = resources.files("glassgrad.viz.players").joinpath("static")

# All that a reader can see, hear or point at; not what the pass itself is written in.
TOLD = """() => {
    const texts = [document.body.innerText];
    for (const each of document.querySelectorAll("*")) {
        for (const name of ["title", "aria-label", "aria-valuetext", "placeholder", "alt"]) {
            if (each.hasAttribute(name)) texts.push(each.getAttribute(name));
        }
    }
    for (const each of document.querySelectorAll("svg title, svg text")) {
        if (getComputedStyle(each).visibility !== "hidden") texts.push(each.textContent);
    }
    return texts.join("\\n");
}"""


def neuron():
    w, b = gg.tensor(0.5, requires_grad=True), gg.tensor(0.1, requires_grad=True)
    w.name, b.name = "w", "<b>"
    loss = (gg.tanh(w * gg.tensor(2.0) + b) - 1) ** 2
    loss.name = "loss"
    return loss


@pytest.fixture
def asked(play):
    def open_asking(loss, predict, **options):
        shown = play(gg.player(loss, predict=predict), **options)
        shown.card = shown.page.locator(".gg-predict")
        shown.verdict = shown.page.locator(".gg-verdict")
        return shown

    return open_asking


def reopen(shown):
    shown.page.reload()
    shown.page.locator(".gg-bar").wait_for()


def answer(shown, text):
    shown.page.keyboard.type(text)
    shown.press("Enter")
    return shown.verdict.inner_text()


def test_a_whole_page_is_answered_with_the_keyboard(asked):
    shown = asked(neuron(), True, stored=True)  # from a file, without a network
    assert "7 questions on the way" in shown.card.inner_text()
    shown.press("End")
    assert shown.at == 2
    assert "PowBackward0 got 1." in shown.card.inner_text()
    told = shown.page.evaluate(TOLD)
    for hidden in ("-0.399", "0.143", "0.287", "#2", "1·2·"):
        assert hidden not in told

    # One digit is not judged; a sign is hinted at; the rule is shown in symbols.
    assert "look at the sign" in answer(shown, "0.40")
    assert shown.page.locator(".gg-hint math").count() >= 2
    assert shown.page.locator(".gg-showme").count() == 0
    assert "Not yet" in answer(shown, "7")
    assert shown.page.locator(".gg-showme").count() == 1
    assert "0.399" not in shown.page.evaluate(TOLD)
    assert "Right" in answer(shown, "-0.40")
    assert "PowBackward0 sends -0.399 to SubBackward0." in shown.card.inner_text()
    assert "3 tries · 1 asked" in shown.card.inner_text()
    assert shown.at == 3

    # What was answered is known when the page is opened again.
    reopen(shown)
    assert "3 tries · 1 asked" in shown.card.inner_text()
    shown.card.get_by_role("textbox").focus()
    assert "Right at first try" in answer(shown, "-0.399")
    shown.press("Enter")
    assert "current" in shown.classes("n4")
    told = shown.page.evaluate(TOLD)
    assert "-0.143" not in told
    answer(shown, "1")
    answer(shown, "2")
    shown.button("Show me").click()
    assert "TanhBackward0 sends -0.1433 to AddBackward0." in shown.card.inner_text()
    assert "1 shown" in shown.card.inner_text()
    for text in ("-0.1433", "-0.143"):  # two questions before one event
        shown.press("Enter")
        assert "Right" in answer(shown, text)

    # Which runs next: by a click in the picture; a wrong one says the rule.
    shown.press("Enter")
    assert "Which node runs next?" in shown.card.inner_text()
    shown.page.locator("#gg-n1").click()
    assert "an AccumulateGrad comes first" in shown.verdict.inner_text()
    shown.page.locator("#gg-n4").click()
    assert "is not ready" in shown.verdict.inner_text()
    shown.button("AccumulateGrad of <b>").click()
    assert "Right" in shown.verdict.inner_text()
    shown.press("Enter")
    answer(shown, "-0.287")
    shown.press("Enter")
    assert shown.at == 26
    assert "All questions are answered." in shown.card.inner_text()
    assert "-0.287" in shown.page.evaluate(TOLD)
    shown.button("Ask again").click()
    assert (shown.at, "-0.287" in shown.page.evaluate(TOLD)) == (0, False)
    assert shown.button("Start over").is_hidden()
    shown.press("End")
    answer(shown, "7")
    reopen(shown)
    assert "1 try" in shown.card.inner_text()
    shown.button("Start over").click()
    assert "7 questions on the way" in shown.card.inner_text()
    reopen(shown)
    assert "7 questions on the way" in shown.card.inner_text()


# What a sandbox does, and some browsers with files.
NO_MEMORY = """() => {
    const own = Object.getOwnPropertyDescriptor(window, "localStorage");
    window.remember = () => Object.defineProperty(window, "localStorage", own);
    Object.defineProperty(window, "localStorage", { ...own, get() { throw new Error("none"); } });
}"""


def test_where_nothing_can_be_kept_the_questions_are_asked_all_the_same(asked):
    shown = asked(neuron(), True)
    shown.page.evaluate(NO_MEMORY)
    try:
        shown.press("End")
        assert "Right" in answer(shown, "-0.40")
        shown.button("Start over").click()
        assert "7 questions on the way" in shown.card.inner_text()
    finally:
        shown.page.evaluate("remember()")


def test_vectors_shapes_and_matrices(asked):
    weight = gg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    weight.name = "W"
    shown = asked((gg.tensor([[1.0, 2.0]]) @ weight).exp().sum(), True)
    shown.press("End")
    assert "(1 × 2 numbers)" in shown.card.inner_text()
    assert "2 numbers to type" in answer(shown, "1")
    assert "1 of 2 numbers is right" in answer(shown, "1, 3")
    assert "Right" in answer(shown, "[1 1]")
    shown.press("Enter")
    assert "Which shape" in shown.card.inner_text()
    assert "whole numbers" in answer(shown, "one")
    assert "not in this order" in answer(shown, "(2, 1)")
    assert "Right" in answer(shown, "(1, 2)")
    shown.press("Enter")
    assert "Right" in answer(shown, "[[1097, 22026], [2.19e3, 4.405e4]]")
    # The keys still step, and nobody is asked again.
    shown.press("Home", "ArrowRight")
    assert shown.at > 0
    assert "All questions" in shown.card.inner_text()


def test_a_node_that_a_rule_made_is_said_to_be_of_no_line(asked):
    x = gg.tensor(2.0, requires_grad=True)
    (slope,) = gg.autograd.grad(x**3, x, create_graph=True)
    shown = asked(slope, ["MulBackward0"])
    shown.press("End")
    told = shown.card.inner_text()
    assert "inside glassgrad's Pow.gradient" in told
    assert "line 0" not in told


def test_a_teacher_marks_a_node_and_its_label_and_verdict_are_announced(asked):
    shown = asked(neuron(), ["MulBackward0"], width=390, height=844)
    shown.button("First question").click()
    field = shown.page.get_by_role("textbox")
    assert field.get_attribute("aria-labelledby") == shown.page.locator(".gg-ask").get_attribute(
        "id"
    )
    assert shown.verdict.get_attribute("aria-live") == "polite"
    assert shown.page.locator(".gg-ask").inner_text().endswith("What does it send to w?")
    box = shown.card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    shown.press("Escape", "ArrowLeft")  # out of the field, and a step back
    assert "First question" in shown.card.inner_text()


JUDGED = [
    ([0.4199], "0.42", "right"),
    ([0.4199], "0.4", "close"),
    ([0.4199], "0.43", "wrong"),
    ([0.4199], "0.419", "right"),  # cut off, from three digits on
    ([0.4199], "0.4199000", "right"),
    ([0.4199], "0,42", "unclear"),
    ([0.4199], "about 0.42", "unclear"),
    ([0.4199], "", "unclear"),
    ([2.0], "2", "right"),
    ([2.0], "−2", "wrong"),
    ([99.6], "100", "right"),
    ([1 / 3], "1/3", "right"),
    ([0.0], "0", "right"),
    ([0.0], "0.1", "wrong"),
    ([1e-9], "0", "wrong"),
    ([1e-9], "1.0e-9", "right"),
    (["nan"], "nan", "right"),
    (["nan"], "0", "wrong"),
    (["-inf"], "-inf", "right"),
    (["-inf"], "∞", "wrong"),
    ([1.0, 2.0, 3.0], "1, 2, 3", "right"),
    ([1.0, 2.0, 3.0], "tensor([1., 2., 3.])", "right"),
    ([1.0, 2.0, 3.0], "[1 2 3]", "right"),
    ([1.0, 2.0, 3.0], "1 2", "unclear"),
    ([5.0, 1e-9], "5 0", "right"),  # where others are so large that it is rounding
    ([[1.0, 2.0], [3.0, 4.0]], "[[1, 2], [3, 4]]", "right"),
    ([[1.0, 2.0], [3.0, 4.0]], "1 2; 3 4", "right"),
    ([[1.0, 2.0], [3.0, 4.0]], "[[1], [2, 3, 4]]", "unclear"),
    ("(3, 4)", "(3, 4)", "right"),
    ("(3, 4)", "3x4", "right"),
    ("(3, 4)", "(4, 3)", "wrong"),
    ("(3, 4)", "three", "unclear"),
    ("(3, 4)", "3.4", "unclear"),
    ("()", "()", "right"),
    ("()", "(1,)", "wrong"),
]


def as_question(answer):
    if isinstance(answer, str):
        sizes = [int(each) for each in answer.strip("()").split(",") if each]
        return {"kind": "shape", "answer": {"shape": sizes}}
    is_matrix = isinstance(answer[0], list)
    values = [*answer[0], *answer[1]] if is_matrix else answer
    shape = [2, 2] if is_matrix else [len(answer)] if len(answer) > 1 else []
    return {"kind": "value", "answer": {"shape": shape, "values": values}}


def test_answers_are_held_against_the_record_in_as_many_digits_as_are_typed(visit):
    page = visit("<!DOCTYPE html><p>judge")
    source = STATIC.joinpath("answers.js").read_text("utf-8").replace("export ", "")
    given = [[as_question(answer), text] for answer, text, _ in JUDGED]
    judged = "cases => cases.map(([question, text]) => judge(question, text).verdict)"
    found = page.evaluate(f"(cases) => {{ {source}; return ({judged})(cases); }}", given)
    assert list(zip(given, found, strict=True)) == list(
        zip(given, [verdict for *_, verdict in JUDGED], strict=True)
    )
