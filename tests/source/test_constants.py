from fractions import Fraction

import pytest

from build_tools.source.constants import find_macros_set, read_constants
from build_tools.source.model import Constant
from build_tools.source.syntax import parse_scan
from build_tools.source.tokens import scan_source


def read(text: str, build: str = "nvcc -o p p.cu") -> dict[str, Constant]:
    scan = scan_source(text)
    return read_constants(parse_scan(scan), scan, "p.cu", build)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("16", 16),
        ("0x1F", 31),
        ("0b101", 5),
        ("017", 15),
        ("0", 0),
        ("1'000'000u", 1_000_000),
        ("0xFFFFFFFF", 2**32 - 1),
        ("1ull << 40", 2**40),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 / -2", -3),
        ("-7 % 2", -1),
        ("7 % -2", 1),
        ("1 + 2 * 3 - 4", 3),
        ("(1 + 2) * 3", 9),
        ("100 / 3 / 2", 16),
        ("2 - 1 - 1", 0),
        ("1 << 2 + 1", 8),
        ("-8 >> 1", -4),
        ("6 & 3 | 8 ^ 1", 11),
        ("~0u", 2**32 - 1),
        ("~5", -6),
        ("+5 - -5", 10),
        ("1u - 2u", 2**32 - 1),
        ("1u - 2", 2**32 - 1),
        ("1ll - 2u", -1),
        ("1ul - 2", 2**64 - 1),
        ("2147483647u + 1", 2**31),
        ("3 > 2 && 2 >= 2 && 1 != 2", 1),
        ("3 < 2 || 2 <= 1 || 1 == 2", 0),
        ("!3", 0),
        ("-1 < 0u", 0),
        ("true ? 3 : 4", 3),
        ("false ? 3 : true ? 4 : 5", 4),
        ("int(7.9) + (int)1.5 + static_cast<int>(2.5f)", 10),
        ("static_cast<unsigned char>(257)", 1),
        ("size_t{4} * std::size_t(2)", 8),
        ("(unsigned long long)1 << 63", 2**63),
        ("bool(3)", 1),
        ("sizeof(float) + sizeof(double) + sizeof(int) + sizeof(char) + sizeof(uint16_t)", 19),
        ("sizeof(bool) + sizeof(long long)", 9),
    ],
)
def test_integer_arithmetic_is_that_of_cpp(expression: str, value: int) -> None:
    constants = read(f"constexpr auto k = {expression};\n")
    assert constants["k"] == Constant("k", Fraction(value), constants["k"].place)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.1f", "1/10"),
        ("2.5e-3", "1/400"),
        (".5", "1/2"),
        ("1.", "1"),
        ("1e3", "1000"),
        ("0x1.8p1", "3"),
        ("1.0 / 3", "1/3"),
        ("7 / 2 * 1.5f", "9/2"),
        ("true ? 1 : 2.5", "1"),
        ("-1.5", "-3/2"),
    ],
)
def test_floating_point_is_exact_as_written(expression: str, value: str) -> None:
    assert read(f"const double k = {expression};\n")["k"].value == Fraction(value)


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        ("constexpr int k = 5;", 5),
        ("constexpr int k{5};", 5),
        ("constexpr int k{};", 0),
        ("constexpr int k(5);", 5),
        ("const int k = 5;", 5),
        ("static const unsigned int k = 5;", 5),
        ("inline constexpr std::uint32_t k = 5;", 5),
        ("__device__ constexpr int k = 5;", 5),
        ("static __device__ const int k = 5;", 5),
        ("namespace a { namespace { constexpr int k = 5; } }", 5),
        ('extern "C" { const int k = 5; }', 5),
        ("constexpr int j = 2, k = j + 3;", 5),
        ("constexpr int k = 5.9;", 5),
        ("constexpr short k = 5;", 5),
        ("constexpr bool k = 5;", 1),
        ("namespace a { constexpr int j = 5; } constexpr int k = a::j;", 5),
        ("#define k 5", 5),
        ("#define k 5 // five", 5),
        ("#define k (2 /* two */ + \\\n  3)", 5),
        ("#ifndef k\n#define k 5\n#endif", 5),
        ("#define j 2 + 1\nconstexpr int k = j * 2;", 4),
        ("#define k j\n#define j 5", 5),
        ("#define k 5\n#define k 5", 5),
        ("const int k = 5;\n#if 1\n#endif", 5),
        ("constexpr int k = 5; int main() { const int k = 6; return k; }", 5),
        ("const int a[] = {1, 2 + 3,}; constexpr int k = a[0 + 1];", 5),
    ],
)
def test_declarations(declaration: str, value: int) -> None:
    constant = read(f"{declaration}\n")["k"]
    assert (constant.value, constant.reason) == (Fraction(value), "")


@pytest.mark.parametrize(
    ("declaration", "values"),
    [
        ("constexpr int k[] = {1, 0x2, 3};", ["1", "2", "3"]),
        ("static const float k[3] = {1.5f, 2e-1};", ["3/2", "1/5", "0"]),
        ("constexpr int k[2 * 2] = {};", ["0"] * 4),
        ("constexpr int k[]{7};", ["7"]),
        ("constexpr std::array<int, 2> k = {1, 2};", ["1", "2"]),
        ("constexpr std::array<int, 3> k = {{1, 2}};", ["1", "2", "0"]),
        ("const std::array<float, 1> k{{(1 + 2) * 3}};", ["9"]),
    ],
)
def test_arrays(declaration: str, values: list[str]) -> None:
    constant = read(f"{declaration}\n")["k"]
    assert (constant.value, constant.reason) == (tuple(Fraction(v) for v in values), "")


@pytest.mark.parametrize(
    ("declaration", "reason"),
    [
        ("constexpr int k = f(3);", "`f` is called or is a template"),
        ("constexpr int k = j;", "`j` is no constant declared above"),
        ("constexpr int k = 1 / 0;", "it divides by zero"),
        ("constexpr double k = 1.0 / 0;", "it divides by zero"),
        ("constexpr int k = 0x7fffffff + 1;", "the value does not fit int"),
        ("constexpr int k = 1 << 32;", "a shift by 32 of int"),
        ("constexpr int k = 1.0 << 2;", "a shift of a floating-point number"),
        ("constexpr int k = 5.0 % 2;", "`%` of floating-point numbers"),
        ("constexpr int k = ~1.0;", "`~` of a floating-point number"),
        ("constexpr char k = 300;", "the value does not fit char"),
        ("constexpr int k = 3000000000;", "the value does not fit int"),
        ("constexpr auto k = 99999999999999999999;", "does not fit 64 bits"),
        ("constexpr int k = 09;", "`09` is no octal number"),
        ("constexpr auto k = 1e9999;", "too large"),
        ("constexpr auto k = 0x1p99999;", "too large"),
        (f"constexpr int k = {'1' * 100_000};", "`11111111111111111111…` has 100000 characters"),
        (f"constexpr double k = 1e{'1' * 5_000};", "more than is read"),
        ("constexpr auto k = 1_km;", "`1_km` is no number that is read"),
        ("constexpr int k = 'a';", "it is text, not a number"),
        ('const int k = "a";', "it is text, not a number"),
        ('const char k[] = "abc";', "an array of something else than numbers"),
        ("constexpr int k[2] = {1, 2, 3};", "its length 2 is not that of what it holds"),
        ("constexpr int k[1000000] = {};", "its length 1000000"),
        ("constexpr int k[1][2] = {{1, 2}};", "it is an array of arrays"),
        ("constexpr int k[] = {{1}};", "`{` is beyond the arithmetic"),
        ("constexpr auto k = {1};", "it is a list, not a number"),
        ("constexpr int k = {1, 2};", "it is a list, not a number"),
        ("constexpr std::array<T, 2> k = {1, 2};", "an array of something else than numbers"),
        ("const dim3 k(16, 16);", "its type `dim3` is no number's"),
        ("const int a[] = {1}; constexpr int k = a[1];", "the index is outside of `a`"),
        ("const int a[] = {1}; constexpr int k = a;", "`the end` stands where `[` should"),
        ("const int a = f(); constexpr int k = a;", "`a` has no value: `f` is called"),
        ("template <int N> constexpr int k = N;", "it is a template"),
        ("constexpr int k = (1;", "`the end` stands where `)` should"),
        ("constexpr int k = sizeof(T);", "`T` is no arithmetic type"),
        ("constexpr int k = 1, 2;", ""),
        ("#define k do_it", "`do_it` is no constant declared above"),
        ("#define k k", "`k` is no constant declared above"),
        ("#define k 1 +", "the expression ends too early"),
        ("#define k 1 2", "`2` is beyond the arithmetic that is read"),
        ("#define k ; 2", "`;` is beyond the arithmetic that is read"),
        ("#define k 1\n#define k 2", "it is declared more than once, first at line 1"),
        ("#define k 1\n#define k 2\n#define k 1", "it is declared more than once, first at line 1"),
        ("constexpr int k = 1;\n#define k 2", "it is declared more than once, first at line 1"),
        ("#define k 2\nconstexpr int k = 1;", "it is declared more than once, first at line 1"),
        (
            "constexpr int k = 1;\nnamespace a { constexpr int k = 2; }",
            "it is declared more than once, first at line 1",
        ),
        ("#ifdef A\nconst int k = 1;\n#endif", "the preprocessor condition at line 1 decides"),
        ("#if A\n#elif B\n#define k 1\n#endif", "the preprocessor condition at line 2 decides"),
        ("#ifndef A\n#define k 1\n#endif", "the preprocessor condition at line 1 decides"),
        ("#define k " + "(" * 40 + "1" + ")" * 40, "nested too deeply"),
        ("#define k " + "-" * 2 + " -" * 40 + "1", "beyond the arithmetic"),
        ("#define k " + "- " * 40 + "1", "nested too deeply"),
        ("#define k " + "1 + " * 5000 + "1", "its macros are too long"),
    ],
)
def test_what_is_beyond_reading_says_why(declaration: str, reason: str) -> None:
    constants = read(f"{declaration}\n")
    if reason:
        assert constants["k"].value is None
        assert reason in constants["k"].reason
    else:
        assert constants["k"].value == 1


@pytest.mark.parametrize(
    "declaration",
    [
        "int k = 1;",
        "const int* k = nullptr;",
        "const int& k = j;",
        'constexpr const char* k = "a";',
        "extern const int k;",
        "constexpr int k(int x);",
        "#define k",
        "#define k(x) x",
        "#define",
        "#define 3 k",
        "constexpr int = 3;",
        "constexpr int [",
        "struct S { static constexpr int k = 1; };",
        "void f() { constexpr int k = 1; }",
        "#define CHECK(x) \\\n  do { \\\n    const int k = 1; \\\n  } while (0)",
        "// constexpr int k = 1;",
        'const char* s = R"(\nconstexpr int k = 1;\n)";',
    ],
)
def test_what_is_no_constant(declaration: str) -> None:
    assert "k" not in read(f"{declaration}\n")


def test_bombs_end_soon() -> None:
    doubling = "#define A0 1\n" + "".join(
        f"#define A{i} A{i - 1} + A{i - 1}\n" for i in range(1, 40)
    )
    assert read(doubling)["A39"].reason == "its macros are too long"
    chain = "#define A0 1\n" + "".join(f"#define A{i} A{i - 1}\n" for i in range(1, 900))
    assert read(chain)["A899"].reason == "its macros are nested too deeply"
    squares = "constexpr double a0 = 1e300;\n" + "".join(
        f"constexpr double a{i} = a{i - 1} * a{i - 1};\n" for i in range(1, 20)
    )
    constants = read(squares)
    assert constants["a2"].value == Fraction(10) ** 1200
    assert constants["a3"].reason == "the value is too large"
    nested = "constexpr int k = " + "(" * 3000 + "1" + ")" * 3000 + ";\n" + "{" * 3000
    read(nested)


def test_what_the_build_command_sets_has_no_value_here() -> None:
    source = "#ifndef TILE\n#define TILE 16\n#endif\n#define N 3\n"
    constants = read(source, "nvcc -DTILE=32 -D N -o p p.cu")
    assert {c.name: c.reason for c in constants.values()} == {
        "TILE": "the Build command sets it with -D",
        "N": "the Build command sets it with -D",
    }
    assert find_macros_set("nvcc 'open") == frozenset()


def test_places_are_those_of_the_names() -> None:
    constants = read("/* ü */ constexpr int a = 1,\n    b = 2;\n#define C 3\n")
    assert [str(c.place) for c in constants.values()] == ["p.cu:1:23", "p.cu:2:5", "p.cu:3:9"]
