import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.diagnostics.finding import Kind
from build_tools.source.toml_text import Route, TomlText, parse_toml

EVERYTHING = '''\
# a comment with [brackets] = and "quotes"
top = 1  # after

[a]
b.c = "x # not a comment"
"quoted key" = 'lit#eral'
"esc\\u0041ped" = 2026-12-01T10:00:00Z
multi = """
[not.a.table]
x = "y" \\""" z"""
literal = \'\'\'
it''s\'\'\'
array = [ 1, [2, 3], # with a comment
  "four ]", { five = 5, six.seven = [true] }, ]
  indented = -1_000.5e3
empty = []
none = {}
[a.d.e]
f = 0xff
[[products]]
name = "one"
[products.size]
w = 1
[[products]]
name = "two"
[[products.parts]]
n = 1
[[products.parts]]
n = 2
'''


def parse(text: str) -> TomlText:
    toml, findings = parse_toml(text, "t.toml", Kind.SETTINGS)
    assert toml is not None, findings
    return toml


def iterate_routes(value: Any, route: Route = ()) -> list[tuple[Route, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in pairs:
        found.append(((*route, key), item))
        if isinstance(item, dict | list):
            found += iterate_routes(item, (*route, key))
    return found


def test_every_key_and_value_has_its_place() -> None:
    toml = parse(EVERYTHING)
    for route, value in iterate_routes(toml.data):
        assert route in toml.spans, route
        raw = toml.write_value(*route)
        is_under_header = raw.startswith("[") and isinstance(value, dict)
        is_dotted = route in {("a", "b"), ("a", "array", 3, "six")}
        if not is_under_header and not is_dotted and route[0] != "products":
            assert tomllib.loads(f"k = {raw}")["k"] == value, route


@pytest.mark.parametrize(
    ("route", "key", "value"),
    [
        (("top",), "2:1", "2:7"),
        (("a",), "4:2", "4:1"),
        (("a", "b"), "5:1", "5:7"),
        (("a", "b", "c"), "5:3", "5:7"),
        (("a", "quoted key"), "6:1", "6:16"),
        (("a", "escAped"), "7:1", "7:18"),
        (("a", "array", 1, 0), "13:15", "13:15"),
        (("a", "array", 3, "six", "seven"), "14:29", "14:37"),
        (("a", "indented"), "15:3", "15:14"),
        (("a", "d"), "18:4", "18:1"),
        (("a", "d", "e", "f"), "19:1", "19:5"),
        (("products", 0, "size", "w"), "23:1", "23:5"),
        (("products", 1, "name"), "25:1", "25:8"),
        (("products", 1, "parts", 1, "n"), "29:1", "29:5"),
        (("a", "missing"), "4:2", "4:1"),
        (("nowhere", "at all"), "1:1", "1:1"),
    ],
)
def test_places(route: Route, key: str, value: str) -> None:
    toml = parse(EVERYTHING)
    assert str(toml.place_key(*route)) == f"t.toml:{key}"
    assert str(toml.place_value(*route)) == f"t.toml:{value}"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a = 1\nb = = 2\n", "2:5", "invalid value"),
        ("[course\n", "1:8", "expected ']'"),
        ("a = 1\na = 2\n", "2:6", "overwrite"),
        ("a = nothing\n", "1:5", "invalid value"),
        ('a = "open\n', "1:10", "illegal character"),
        ("x = 1\na = ", "2:5", "invalid value at the end of the file"),
    ],
)
def test_broken_toml_is_placed(text: str, place: str, words: str) -> None:
    toml, findings = parse_toml(text, "t.toml", Kind.SETTINGS)
    assert toml is None
    assert len(findings) == 1
    assert str(findings[0].place) == f"t.toml:{place}"
    assert findings[0].true.startswith("not TOML: ")
    assert words in findings[0].true
    assert "correct the line's TOML" in findings[0].advice


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    ("text", "column", "true", "advice"),
    [
        (f"a = {'1' * 5000}", 5, "does not fit 64 bits", "write a shorter number"),
        (f"a = {2**63}", 5, "does not fit 64 bits", "write a shorter number"),
        (f"a = [1, 0x{'f' * 5000}]", 9, "does not fit 64 bits", "write a shorter number"),
        (f"a = {'[' * 5000}{']' * 5000}", 69, "nests deeper than is read", "less deeply"),
        (f"a = {'{b=' * 5000}1{'}' * 5000}", 197, "nests deeper than is read", "less deeply"),
        (f"a{'.a' * 50_000} = 1", 129, "nests deeper than is read", "less deeply"),
        (f"[{'a.' * 50_000}a]", 130, "nests deeper than is read", "less deeply"),
    ],
)
def test_what_is_too_large_is_told_where_it_stands(
    text: str, column: int, true: str, advice: str
) -> None:
    toml, findings = parse_toml(f"# first\n{text}\n", "t.toml", Kind.SETTINGS)
    assert toml is None
    assert len(findings) == 1
    assert str(findings[0].place) == f"t.toml:2:{column}"
    assert true in findings[0].true
    assert advice in findings[0].advice
    assert len(findings[0].stated) < 60


def test_the_largest_whole_numbers_are_read() -> None:
    assert dict(parse(f"a = {2**63 - 1}\nb = -{2**63}").data) == {"a": 2**63 - 1, "b": -(2**63)}


KEYS = st.sampled_from(["a", "b-1", '"q.k"', "'l'"])
VALUES = st.recursive(
    st.sampled_from(["1", '"s,]}"', "'#'", "true", "1979-05-27", '"""m\n"""', "inf", '"\\""']),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[ {' ,'.join(items)} ]"),
        st.lists(inner, max_size=2).map(
            lambda items: "{" + ", ".join(f"k{i}.x = {v}" for i, v in enumerate(items)) + "}"
        ),
    ),
    max_leaves=6,
)


@given(st.lists(st.tuples(KEYS, VALUES), max_size=4, unique_by=lambda pair: pair[0]))
def test_every_route_of_generated_toml_is_placed(pairs: list[tuple[str, str]]) -> None:
    text = "[t]\n" + "".join(f"{key} = {value} # c\n" for key, value in pairs)
    toml = parse(text)
    for route, value in iterate_routes(toml.data):
        assert route in toml.spans
        if len(route) == 2:
            assert tomllib.loads(f"k = {toml.write_value(*route)}")["k"] == value
