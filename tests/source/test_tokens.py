import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.source.syntax import blank_source, parse_scan
from build_tools.source.tokens import scan_source


def texts(source: str) -> list[str]:
    return [token.text for token in scan_source(source).tokens]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a+++b;", ["a", "++", "+", "b", ";"]),
        ("f<<<g, b>>>(x);", ["f", "<<<", "g", ",", "b", ">>>", "(", "x", ")", ";"]),
        ("1'000'000u + 0x1.8p-3f - .5e+2", ["1'000'000u", "+", "0x1.8p-3f", "-", ".5e+2"]),
        ("\"a // b\" '\\'' '\"'", ['"a // b"', "'\\''", "'\"'"]),
        ('R"x(// a)" )x" u8R"(\n)" LR"()"', ['R"x(// a)" )x"', 'u8R"(\n)"', 'LR"()"']),
        ('u8"a" L\'b\' "c"_s', ['u8"a"', "L'b'", '"c"_s']),
        ("int /* a */ x; // b\ny", ["int", "x", ";", "y"]),
        ("// a \\\nint x;\ny", ["y"]),
        ("a \\\n b", ["a", "b"]),
        ('"a\\\nb"', ['"a\\\nb"']),
        ("/* open", []),
        ('R"(open', ['R"(open']),
        ('"open\nx', ['"open', "x"]),
        ("größe = 1;", ["größe", "=", "1", ";"]),
        ("#include <a//b>\nx", ["#", "include", "<a//b>", "\n", "x"]),
        ("#include <a", ["#", "include", "<", "a", ""]),
        ("# define F(x) x // c\n", ["#", "define", "F(", "x", ")", "x", "\n"]),
        ("#define F (x)\n", ["#", "define", "F", "(", "x", ")", "\n"]),
        ("#define A 1 \\\n + 2\nb", ["#", "define", "A", "1", "+", "2", "\n", "b"]),
        ("#define A /* a\n b */ 1\nb", ["#", "define", "A", "1", "\n", "b"]),
        ("a # b\nc", ["a", "#", "b", "c"]),
        ("#error don't // stop\nx", ["#", "error", "don", "'t // stop", "\n", "x"]),
    ],
)
def test_tokens(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def test_comments_have_places_and_know_what_shares_their_lines() -> None:
    scan = scan_source("// a\n  /* b\n c */\nint x; // d\n/* e */ int y;\n\t// f \\\n g\n")
    assert [(c.line, c.column, c.is_block, c.is_alone) for c in scan.comments] == [
        (1, 1, False, True),
        (2, 3, True, True),
        (4, 8, False, False),
        (5, 1, True, False),
        (6, 2, False, True),
    ]


@pytest.mark.parametrize(
    "directive", ['#define GLOB "src/*.cu"', "#define A 1 // see src/*.cu", "#pragma once // /*"]
)
def test_comment_signs_in_a_directive_hide_no_code(directive: str) -> None:
    """The grammar alone would swallow all up to the next ``*/``: hence a scanner of our own."""
    source = f"{directive}\nint hidden;\n/* c */ int y;\n"
    assert "hidden" in texts(source)
    scan = scan_source(source)
    tree = parse_scan(scan)
    assert not tree.root_node.has_error
    assert "hidden" in blank_source(scan)


PARTS = [*"ab1.'\"/*\\#<>(){}+-=;: \n\té", "R", "u8", "//", "/*", "*/", 'R"(', "#define A"]
SOURCES = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


@given(SOURCES)
def test_every_character_is_in_a_token_or_a_comment_or_is_space(source: str) -> None:
    scan = scan_source(source)
    covered = [False] * len(source)
    for start, text in [(t.start, t.text) for t in scan.tokens] + [
        (c.start, c.text) for c in scan.comments
    ]:
        assert source[start : start + len(text)] == text
        for index in range(start, start + len(text)):
            assert not covered[index]
            covered[index] = True
    rest = "".join(c for c, seen in zip(source, covered, strict=True) if not seen)
    assert rest.replace("\\\n", "").strip() == ""


@given(SOURCES)
def test_blanked_text_keeps_offsets_and_lines(source: str) -> None:
    scan = scan_source(source)
    blanked = blank_source(scan)
    assert len(blanked) == len(source)
    assert blanked.isascii()
    if all("\n" not in token.text[:-1] for token in scan.tokens):
        assert [i for i, c in enumerate(blanked) if c == "\n"] == [
            i for i, c in enumerate(source) if c == "\n"
        ]
