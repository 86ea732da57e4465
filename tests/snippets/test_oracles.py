"""Do the programs' own checks reject what is wrong? Their host regions, compiled and tried.

The regions are taken from the programs as readers copy them; only what calls them is written here.
"""

import subprocess
from pathlib import Path

import pytest

from build_tools.source.model import Program
from build_tools.source.programs import read_program

ROOT = Path(__file__).parents[2]

HEADERS = [
    "algorithm",
    "climits",
    "cmath",
    "cstdio",
    "cstdlib",
    "cstring",
    "limits",
    "optional",
    "random",
    "string",
    "vector",
]

SHAPE = "struct Shape {\n    int M, N, K;\n};\n"

CALLS = r"""
using tiling::Shape;

// A product of whole numbers, changed in a way of that name.
int tryFreivalds(const std::string& change) {
    const Shape shape{13, 7, 11};
    const std::vector<float> A = tiling::makeInputs(13 * 11, 1), B = tiling::makeInputs(11 * 7, 2);
    std::vector<float> C(13 * 7, 0.0f);
    for (int i = 0; i < 13; ++i)
        for (int j = 0; j < 7; ++j)
            for (int k = 0; k < 11; ++k) C[i * 7 + j] += A[i * 11 + k] * B[k * 7 + j];
    float& element = C[5 * 7 + 3];
    if (change == "one more") element += 1.0f;
    if (change == "two that cancel") { element += 1.0f; C[5 * 7 + 4] -= 1.0f; }
    if (change == "half of one") element += 0.5f;
    if (change == "NaN") element = std::numeric_limits<float>::quiet_NaN();
    if (change == "infinity") element = std::numeric_limits<float>::infinity();
    if (change == "huge") element = 3e38f;
    if (change == "nothing written") std::memset(C.data(), 0xff, C.size() * sizeof(float));
    if (change == "zeros") std::fill(C.begin(), C.end(), 0.0f);
    if (change == "rows swapped") std::swap_ranges(&C[5 * 7], &C[6 * 7], &C[6 * 7]);
    if (change == "last element") C.back() -= 2.0f;
    const auto check = tiling::prepareFreivalds(shape, A, B, 3);
    const auto wrong = tiling::findWrongElement(shape, A, B, C, check);
    if (wrong) std::printf("row %d, column %d\n", wrong->row, wrong->column);
    else std::printf("right\n");
    return 0;
}

float cutTo(float value, unsigned mask) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof(bits));
    bits &= mask;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

// The error of a product of random numbers, made in a way of that name.
int tryError(const std::string& way) {
    const tensor::Shape shape{9, 5, 64};
    std::mt19937 random(1);
    std::vector<float> A(9 * 64), B(64 * 5), C(9 * 5, 0.0f);
    for (float& value : A) value = random() / 2147483648.0f - 1.0f;
    for (float& value : B) value = random() / 2147483648.0f - 1.0f;
    const unsigned mask = way == "TF32" ? 0xffffe000u : 0xffffffffu;
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 5; ++j)
            for (int k = 0; k < 64; ++k)
                C[i * 5 + j] += cutTo(A[i * 64 + k], mask) * cutTo(B[k * 5 + j], mask);
    if (way == "one NaN, then more") C[7] = std::numeric_limits<float>::quiet_NaN();
    if (way == "last is NaN") C.back() = std::numeric_limits<float>::quiet_NaN();
    if (way == "zeros") std::fill(C.begin(), C.end(), 0.0f);
    if (way == "one element") C[7] += 1e-3f;
    const double error = tensor::findLargestError(C, tensor::multiplyOnHost(shape, A, B));
    std::printf("%s\n", error <= tensor::kErrorLimit ? "accepted" : "rejected");
    return 0;
}

int main(int argc, char** argv) {
    const std::string what = argv[1];
    if (what == "freivalds") return tryFreivalds(argv[2]);
    if (what == "error") return tryError(argv[2]);
    const tensor::Shape shape{std::atoi(argv[2]), std::atoi(argv[3]), std::atoi(argv[4])};
    std::printf("%s\n", tensor::explainRefusal(shape).c_str());
    return argc == 5 ? 0 : 1;
}
"""


def read_program_of_course(name: str) -> Program:
    program, findings = read_program(ROOT, name)
    assert program is not None
    assert not findings
    return program


def join_regions(name: str, *regions: str) -> str:
    program = read_program_of_course(name)
    return "".join(program.regions[region].text for region in regions)


@pytest.fixture(scope="module")
def oracles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that calls the regions as its arguments say."""
    parts = [
        *(f"#include <{header}>\n" for header in HEADERS),
        "namespace tiling {\n",
        SHAPE,
        join_regions("tiling_traffic", "inputs", "freivalds"),
        "}\nnamespace tensor {\n",
        SHAPE,
        join_regions("wmma_matmul", "inputs", "wmma-tile", "refused-sizes", "oracle"),
        "}\n",
        CALLS,
    ]
    folder = tmp_path_factory.mktemp("oracles")
    source = folder / "oracles.cpp"
    source.write_text("".join(parts), encoding="utf-8")
    binary = folder / "oracles"
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(binary)],
        check=True,
    )
    return binary


def ask(oracles: Path, *arguments: str) -> str:
    done = subprocess.run([str(oracles), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("none", "right"),
        ("one more", "row 5, column 3"),
        ("two that cancel", "row 5, column 3"),
        ("half of one", "row 5, column 3"),
        ("NaN", "row 5, column 3"),
        ("infinity", "row 5, column 3"),
        ("huge", "row 5, column 3"),
        ("last element", "row 12, column 6"),
    ],
)
def test_freivalds_names_the_wrong_element(oracles: Path, change: str, said: str) -> None:
    assert ask(oracles, "freivalds", change) == said


@pytest.mark.parametrize("change", ["nothing written", "zeros", "rows swapped"])
def test_freivalds_rejects_whole_rows(oracles: Path, change: str) -> None:
    assert ask(oracles, "freivalds", change).startswith("row ")


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("float32", "accepted"),
        ("TF32", "rejected"),
        ("zeros", "rejected"),
        ("one element", "rejected"),
        ("last is NaN", "rejected"),
        ("one NaN, then more", "rejected"),
    ],
)
def test_the_error_limit_takes_float32_and_nothing_less(oracles: Path, way: str, said: str) -> None:
    assert ask(oracles, "error", way) == said


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        ("48 80 112", ""),
        ("16 16 16", ""),
        ("47 80 112", "M is 47, no positive multiple of 16"),
        ("48 8 112", "N is 8, no positive multiple of 16"),
        ("48 80 0", "K is 0, no positive multiple of 16"),
        ("48 80 -16", "K is -16, no positive multiple of 16"),
        ("46352 80 112", "M is 46352, more than 46340"),
    ],
)
def test_sizes_that_tiles_do_not_cover_are_refused(oracles: Path, sides: str, said: str) -> None:
    assert ask(oracles, "refused", *sides.split()) == said
