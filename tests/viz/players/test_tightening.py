import pytest

from glassgrad.viz.players.tightening import tight


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("a = b + c;", "a=b+c;"),
        ("a = b + +c - -d;", "a=b + +c - -d;"),
        ("if (a) {\n  b();\n} else {\n  c();\n}", "if(a){b();}else{c();}"),
        ("const f = (a) => a\n  .b()\n  .c(1,\n    2);", "const f=(a)=>a.b().c(1,2);"),
        ("let a = {}\nlet b = 1", "let a={}\nlet b=1"),  # what ends a statement stays
        ("return typeof a === b;", "return typeof a===b;"),
    ],
)
def test_spaces_and_breaks_that_nobody_needs_are_left_out(source, found):
    assert tight(source) == found


@pytest.mark.parametrize(
    "kept",
    [
        '" = , \\" // { "',
        "` ${ a ? `b { c` : d } = // `",
        "/[^/ = ]+ = \\/ /g",
        '"https://example.org"',
    ],
)
def test_strings_templates_and_regular_expressions_stay_as_they_are(kept):
    assert tight(f"say({kept}, 1 ); // {kept}") == f"say({kept},1);"
