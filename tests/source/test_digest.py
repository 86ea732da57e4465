from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.diagnostics.finding import Place
from build_tools.source.digest import compute_code_digest
from build_tools.source.includes import Included
from build_tools.source.model import Declaration, QuantityRule
from build_tools.source.programs import read_program
from build_tools.source.tokens import Token, TokenKind, scan_source

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(file.stem for file in (ROOT / "snippets").glob("*/*.cu"))
SOURCE = """\
// Build: nvcc -o p p.cu
#define SQUARE(x) ((x) * (x))  // a macro
/* a kernel */
__global__ void f(float* out, int n) {
    const char* s = "a // b";
    out[n] = SQUARE(1.5e-3f) + 'c';  // store
}
"""


def digest(text: str) -> str:
    return compute_code_digest(
        scan_source(text).tokens, (), "nvcc -o p p.cu", "./p", Declaration("")
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("// a macro", "// another"),
        ("  // a macro", ""),
        ("/* a kernel */", "// snippet: f"),
        ("    ", "\t"),
        ("{\n", "\n{\n"),
        ("(float* out, int n)", "(float *out,\n    int n)"),
        (" * ", "*"),
        (") ((x)", ") \\\n  ((x)"),
        ("// Build: nvcc -o p p.cu\n", "// Verified 2026-12-01\n"),
    ],
)
def test_comments_and_spacing_change_nothing(old: str, new: str) -> None:
    assert old in SOURCE
    assert digest(SOURCE.replace(old, new)) == digest(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a // b", "a // c"),
        ("a // b", "a  // b"),
        ("1.5e-3f", "1.5e-3"),
        ("'c'", "'d'"),
        ("SQUARE(x)", "SQUARE (x)"),
        ("(x))  //", "(x)\n)  //"),
        ("out[n]", "out[n + 1]"),
        ("const char", "constchar"),
        ("int n", "int n = 0"),
        ("out[n] =", "out[n] +="),
        ("* (x))", "*/**/* (x))"),
    ],
)
def test_any_change_of_code_changes_it(old: str, new: str) -> None:
    assert old in SOURCE
    assert digest(SOURCE.replace(old, new)) != digest(SOURCE)


def test_tokens_cannot_run_together() -> None:
    assert (
        len({digest("a b"), digest("ab"), digest('"a" b'), digest('"a b"'), digest("a\tb c")}) == 5
    )
    assert digest("a + ++b") != digest("a ++ +b")
    assert digest("#define A\nb") != digest("#define A b\n")


def test_what_is_covered_beside_the_tokens() -> None:
    tokens = scan_source(SOURCE).tokens
    included = Included("snippets/p/a.h", scan_source("int a;").tokens)
    base = Declaration("p", runs={"small": ("--n", "67")}, requires_compute_capability="7.5")

    def compute(
        includes: tuple[Included, ...] = (included,),
        build: str = "nvcc -O3",
        run: str = "./p",
        declaration: Declaration = base,
    ) -> str:
        return compute_code_digest(tokens, includes, build, run, declaration)

    same = [
        compute(),
        compute(build=" nvcc\t -O3 ", run="./p "),
        compute(
            declaration=Declaration(
                "q",
                runs=base.runs,
                requires_compute_capability="7.5",
                quantities={"q": QuantityRule("q", "1", "", Place("p"), Place("p"), Place("p"))},
                time_limit=3.0,
            )
        ),
        compute(includes=(Included("snippets/p/a.h", scan_source("int /**/ a ;").tokens),)),
    ]
    assert len(set(same)) == 1
    different = [
        compute(build="nvcc -O2"),
        compute(run="./p --n 3"),
        compute(includes=()),
        compute(includes=(Included("snippets/p/a.h", scan_source("int b;").tokens),)),
        compute(includes=(Included("snippets/p/b.h", included.tokens),)),
        compute(declaration=Declaration("p", runs=base.runs)),
        compute(declaration=Declaration("p", requires_compute_capability="7.5")),
        compute(
            declaration=Declaration(
                "p", runs={"small": ("--n 67",)}, requires_compute_capability="7.5"
            )
        ),
    ]
    assert len({*same, *different}) == 1 + len(different)


TOKENS = st.lists(
    st.sampled_from(["a", "b1", "1.5f", "+", "++", "<<<", '"s // t"', "'c'", ";", "#", 'R"(\n)"']),
    max_size=15,
)
SPACES = st.sampled_from([" ", "\n", "\t", "  // c\n", " /* c \n */ ", " \\\n "])


@given(TOKENS, st.data())
def test_spacing_and_comments_never_matter(words: list[str], data: st.DataObject) -> None:
    words = [word for word in words if word != "#"]
    plain = " ".join(words)
    spaced = "".join(word + data.draw(SPACES) for word in words)
    assert digest(spaced) == digest(plain)


@given(TOKENS, TOKENS)
def test_other_tokens_are_another_digest(one: list[str], other: list[str]) -> None:
    texts = [[t.text for t in scan_source(" ".join(words)).tokens] for words in (one, other)]
    same = digest(" ".join(one)) == digest(" ".join(other))
    assert same == (texts[0] == texts[1])


def alter(token: Token) -> str:
    """Another token of the same kind and length where that can be."""
    text = token.text
    if token.kind is TokenKind.NUMBER:
        return text.replace(text[0], "7" if text[0] != "7" else "8", 1)
    if token.kind is TokenKind.PUNCTUATOR:
        return "@"
    middle = len(text) // 2
    return text[:middle] + ("q" if text[middle] != "q" else "z") + text[middle + 1 :]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_code_token_of_the_projects_programs_counts(name: str) -> None:
    program, findings = read_program(ROOT, name)
    assert program is not None
    assert findings == []
    text = program.text
    original = digest(text)
    for index, token in enumerate(scan_source(text).tokens):
        if token.kind is TokenKind.END:
            continue
        first = text.rfind("\n", 0, token.start) + 1
        last = text.find("\n", token.end)
        before, after = text[first : token.start], text[token.end : last]
        altered = alter(token)
        assert digest(before + altered + after) != digest(before + token.text + after), token
        if index % 50 == 0:  # the whole program each time would take minutes
            changed = text[: token.start] + altered + text[token.end :]
            assert digest(changed) != original, token
