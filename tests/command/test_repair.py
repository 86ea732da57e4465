"""A lesson is broken in more than twenty ways and repaired with ``course review`` alone.

The lesson is the course's own with its own evidence, and a section with the places a claim can
stand in. Each way is found by ``course check``; after the review there is no finding, and no
character of the page is another than before, but for literals that came back in an equivalent
form, each named below.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from build_tools.command.main import cli

ROOT = Path(__file__).parents[2]
LESSON = "docs/lessons/day-16-tiled-matmul.md"
MORE = """
## Places for [256](claim:tiled_matmul.source.kTile ** 2) threads {#places}

| case | speed-up | time |
|:-----|---------:|-----:|
| small | [1.3×](claim:tiled_matmul.speedup["256x256x256"]) | [8.3 µs](claim:tiled_matmul.time["256x256x256", "tiled"]) |
| larger | [1.49×](claim:tiled_matmul.speedup["512x512x512"]) | [39.2 µs](claim:tiled_matmul.time["512x512x512", "tiled"]) |

1. First:
    - nested, [sixteen-fold](claim:tiled_matmul.source.kTile) fewer loads
    - and then [more than 1.2×](claim:tiled_matmul.speedup["611x613x617"]) as fast
2. Then [132](claim:tiled_matmul.device.sm_count) multiprocessors.

!!! note "By [16](claim:tiled_matmul.source.kTile)"

    A warp has [32-way](claim:tiled_matmul.device.warp_size) parallelism.

=== "One tab"

    It makes [**6.8 TFLOP/s**](claim:tiled_matmul.gflops["512x512x512", "tiled"]).

=== "Another"

    It makes [`6.85×10¹²` FLOP/s](claim:tiled_matmul.gflops["512x512x512", "tiled"]).

> Quoted: *[nearly 40 µs](claim:tiled_matmul.time["512x512x512", "tiled"])*, as [3.9e-05 s](claim:tiled_matmul.time["512x512x512", "tiled"]).

A footnote[^note] and a half, [1/16](claim:1 / tiled_matmul.source.kTile) or [0.0625](claim:1 / tiled_matmul.source.kTile).

[^note]: Of [60 MiB](claim:tiled_matmul.device.l2_bytes) and [228 KiB](claim:tiled_matmul.device.shared_bytes_per_sm).
"""


@dataclass(frozen=True)
class Way:
    """One way to break a lesson: what stands there, what is written instead."""

    name: str
    true: str
    broken: str
    repaired: str = ""
    """What the review makes of it, when that is another true text than the first."""


WAYS = (
    Way("a digit", "threads make [16×]", "threads make [17×]"),
    Way("two digits swapped", "needs [1,024]", "needs [1,042]"),
    Way("the upper end of a range", "is\n[1.3–1.5×]", "is\n[1.3–1.7×]"),
    Way("the lower end of a range", "by [1.3–1.5×]", "by [1.1–1.5×]"),
    Way("a shape", "squares of [16 x 16]", "squares of [16 x 32]"),
    Way("a key that is a shape", "On [611x613x617]", "On [611x613x671]"),
    Way("a power", "[up to 2^24]", "[up to 2^23]"),
    Way("a number in words", "All [three]", "All [four]"),
    Way("a fold in words", "[sixteen-fold]", "[twelve-fold]"),
    Way("percent", "[5.1 %]", "[5.2 %]"),
    Way("percent taken for a factor", "[10 %]", "[10×]"),
    Way("a factor taken for a time", "says [15.8×]", "says [15.8 ms]"),
    Way("the prefix of a unit", "GPU holds [60 MiB]", "GPU holds [60 MB]"),
    Way("another unit of the same", "and [4.5 MB]", "and [4.5 GB]"),
    Way("the value of another key", "[3.1 MB]", "[4.5 MB]"),
    Way("two numbers swapped, one", "remainder of [3]", "remainder of [5]"),
    Way("two numbers swapped, the other", "rows,\n[5]", "rows,\n[3]"),
    Way(
        "a hedge that is false",
        "resolves [about 0.5 µs]",
        "resolves [over 0.5 µs]",
        "[over 0.49 µs]",
    ),
    Way("a hedge outside the link", "and [about 2 ms]", "and about [2 ms]"),
    Way("a bound that says nothing", "batch of\n[at least 20]", "batch of\n[at least 5]"),
    Way("a bound that is not reached", "[more than 1.2×]", "[more than 1.4×]"),
    Way("the digits behind commas", "[39,488]", "[39,489]"),
    Way("commas in the wrong place", "hold [1,056]", "hold [10,56]"),
    Way("too many digits", "[39.2 µs]", "[39.209 µs]"),
    Way("in a table", "small | [1.3×]", "small | [1.4×]"),
    Way("in a heading", "for [256]", "for [255]"),
    Way("in a list", "Then [132]", "Then [128]"),
    Way("in an admonition's title", "By [16]", "By [61]"),
    Way("in an admonition, N-way", "[32-way]", "[23-way]"),
    Way("in a tab, with emphasis", "[**6.8 TFLOP/s**]", "[**8.6 TFLOP/s**]"),
    Way("with code ticks, a power of ten", "[`6.85×10¹²` FLOP/s]", "[`6.85×10¹³` FLOP/s]"),
    Way("in a quotation, hedged", "*[nearly 40 µs]", "*[nearly 30 µs]"),
    Way("in scientific notation", "[3.9e-05 s]", "[3.9e-04 s]"),
    Way("in a footnote", "Of [60 MiB]", "Of [61 MiB]"),
    Way("in a footnote, behind another", "[228 KiB]", "[288 KiB]"),
    Way("a fraction", "[1/16]", "[1/15]"),
    Way("no digit before the point", "or [0.0625]", "or [.0625]"),
)


def replace_once(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repair")
    for name in ("snippets/tiled_matmul", "evidence/tiled_matmul"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "snippets/quantities.toml", root / "snippets")
    settings = (ROOT / "course.toml").read_text()
    prose = next(line for line in settings.split("\n") if line.startswith("prose"))
    (root / "course.toml").write_text(settings.replace(prose, 'prose = ["docs/**/*.md"]'))
    (root / LESSON).parent.mkdir(parents=True)
    return root


@pytest.fixture(scope="module")
def lesson() -> str:
    return (ROOT / LESSON).read_text(encoding="utf-8") + MORE


def run(root: Path, *arguments: str, keys: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["--root", str(root), *arguments], input=keys)
    return done.exit_code, done.stdout


FORMS = {
    "plain": ("", "\n"),
    "with BOM and CRLF": ("\ufeff", "\r\n"),
    "with CR, no last line end": ("", "\r"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way_of_asking", ["accept", "keys"])
def test_a_broken_lesson_is_repaired_by_review_alone(
    tree: Path, lesson: str, form: str, way_of_asking: str
) -> None:
    bom, end = FORMS[form]
    broken, repaired = lesson, lesson
    for way in WAYS:
        broken = replace_once(broken, way.true, way.broken)
        if way.repaired:
            link = way.true[way.true.index("[") : way.true.index("]") + 1]
            back = way.true.replace(link, way.repaired)
            repaired = replace_once(repaired, way.true, back)
    if form.endswith("no last line end"):
        broken, repaired = broken.rstrip("\n"), repaired.rstrip("\n")
    page = tree / LESSON
    page.write_bytes((bom + broken.replace("\n", end)).encode())

    status, out = run(tree, "check")
    assert status == 1
    places = [line for line in out.splitlines() if line.startswith(LESSON)]
    assert len(places) == len(WAYS)
    assert f"{len(WAYS)} findings" in out.splitlines()[-1]

    if way_of_asking == "accept":
        status, out = run(tree, "review", "--accept", "all")
    else:
        status, out = run(tree, "review", "--plain", keys="a\n" * len(WAYS))
    assert (status, out.splitlines()[-1]) == (0, "what remains: no findings")

    assert run(tree, "check")[0] == 0
    assert page.read_bytes().decode() == bom + repaired.replace("\n", end)


def test_the_lesson_and_its_places_are_true_before(tree: Path, lesson: str) -> None:
    (tree / LESSON).write_text(lesson, encoding="utf-8")
    assert run(tree, "check") == (0, "checked 1 page, 1 program: no findings\n")
