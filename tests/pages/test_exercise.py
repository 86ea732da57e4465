"""Does a page set an exercise: task, hint, the starter's code, the solution, and its verdict?"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.check import check_course, check_page
from build_tools.claims.course import load_course
from build_tools.claims.describe import list_course
from build_tools.claims.model import Course
from build_tools.command.describe import describe_listing
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.part_derive import PROGRAM_CHECK
from build_tools.evidence.part_model import PartKind
from build_tools.pages.exercise import Places, count_places
from build_tools.pages.explorer import (
    ExplorerLink,
    compose_url,
    explore_starter,
    read_options,
    read_url,
)
from build_tools.pages.highlight import CodeLine, Token
from build_tools.site.shown import compare_directive
from build_tools.source.reader_unit import compose_unit
from build_tools.source.starters import begin_exercise, compose_starter
from tests.command.asking import ask_json
from tests.pages.conftest import Page
from tests.parts_factory import add_part, make_parts_course

SUM = "__host__ __device__ inline float addOne(float a, float b) { return a + b; }\n"
MARKED = f"""\
// solution: sum
// starter: __host__ __device__ inline float addOne(float a, float b) {{
// starter:     return a;  // Your turn.
// starter: }}
{SUM}// end solution
"""
BLOCK = """\
/// exercise | add#sum
    title: Both of them
    task: Add `b` < *too*.
    hint: Mind the `+`.
///
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose program holds an exercise that no check has seen yet."""
    base = tmp_path_factory.mktemp("exercise")
    make_parts_course(base)
    source = base / "snippets/add/add.cu"
    source.write_text(source.read_text().replace(SUM, MARKED))
    (base / "docs").mkdir()
    return base


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root, tmp_path / "course"))


def try_starter(root: Path, by: str = PROGRAM_CHECK) -> Course:
    add_part(root, PartKind.MUTANTS, "2026-12-02", caught={"starter-sum": by})
    return load_course(root)


def check(root: Path, text: str) -> list[Finding]:
    (root / "docs/index.md").write_text(f"# Add\n\n{text}")
    return check_page(load_course(root), "docs/index.md")[1]


def test_an_exercise_has_all_that_a_reader_needs(copy: Path) -> None:
    page = Page(try_starter(copy), BLOCK)
    assert page.text(".course-exercise__title").split() == ["Exercise", "Both", "of", "them"]
    assert "<p>Add <code>b</code> &lt; *too*.</p>" in page.html
    assert page.one("details.course-exercise__hint").attributes.get("open") is None
    assert page.one("details.course-exercise__solution").attributes.get("open") is None
    starter, solution = (code.text() for code in page.tree.css("pre > code"))
    assert "    return a;  // Your turn.\n}\n\n__global__ void add(" in starter
    assert SUM in solution
    for code in (starter, solution):
        assert "solution" not in code
        assert "starter" not in code
    link = page.one("a[download]")
    assert link.attributes["href"] == "course:download/add/starters/sum.cu"
    assert link.attributes["download"] == "sum.cu"
    told = " ".join(page.tree.css(".course-snippet__foot")[0].text().split())
    assert told == (
        "It compiles, and the program's check rejects it (record). Open in Compiler Explorer"
    )


def list_told(page: Page) -> dict[str, str]:
    """What is told of a starter, by what it is called."""
    (told,) = page.tree.css(".course-exercise__try")
    names = [" ".join(name.text().split()) for name in told.css("dt")]
    return dict(zip(names, [code.text() for code in told.css("dd > code")], strict=True))


def test_a_reader_is_told_what_to_run_and_what_it_says(copy: Path) -> None:
    """The words of the starter's trial and of the program's own, under one command."""
    page = Page(try_starter(copy), BLOCK)
    assert list_told(page) == {
        "Build it": "nvcc -std=c++17 -O3 -arch=sm_90 -o sum sum.cu",
        "Try it": "./sum --once --n 48",
        "It says now": "element 0 differs (exit status 1)",
        "Once it is right": "all elements agree (exit status 0)",
    }
    assert "-arch=native" in page.text(".course-exercise__try + .course-table__note")
    program = load_course(copy).programs["add"]
    header = compose_starter(program, program.exercises["sum"]).split("\n\n")[0]
    assert "// Build: nvcc -std=c++17 -O3 -arch=sm_90 -o sum sum.cu\n" in header
    assert "\n// Try:   ./sum --once --n 48\n" in header


def test_a_starter_that_only_a_tool_rejects_says_so(copy: Path) -> None:
    told = list_told(Page(try_starter(copy, by="memcheck"), BLOCK))
    assert list(told) == ["Build it", "Try it", "Of it says memcheck", "Of the right program"]
    assert told["Of the right program"] == "ERROR SUMMARY: 0 errors"
    assert told["Of it says memcheck"] not in ("", told["Of the right program"])


def test_without_fresh_evidence_only_the_commands_are_told(root: Path) -> None:
    assert list(list_told(Page(load_course(root), BLOCK))) == ["Build it", "Try it"]


def test_other_words_of_a_check_are_found(copy: Path) -> None:
    course = try_starter(copy)
    page = Page(course, BLOCK)
    (directive,) = page.rendered.scan.directives
    html = page.html.replace("all elements agree", "no element agrees")
    assert html != page.html
    changed = LexborHTMLParser(html).css(".course-exercise")[0]
    ((shown, true),) = compare_directive(course, directive, changed)
    assert "'no element agrees (exit status 0)' of its starter" in shown
    assert "'all elements agree (exit status 0)'" in true


def test_the_starter_opens_in_compiler_explorer_with_what_it_needs(copy: Path) -> None:
    course = load_course(copy)
    link = Page(course, BLOCK).one(".course-exercise a[data-course-explorer]")
    held = read_url(link.attributes["href"] or "")
    assert held is not None
    begun = begin_exercise(course.programs["add"], course.programs["add"].exercises["sum"])
    text = compose_unit(begun, "add-kernel")
    assert held == (text, "nvcc130u2", read_options(course.programs["add"].header.build))
    # The starter's lines and those that the region needs, and of the solution none.
    assert "return a;  // Your turn." in text
    assert "kBlock = 256" in text
    assert SUM not in text


def test_lines_of_a_kernel_open_as_the_whole_kernel(copy: Path) -> None:
    source = copy / "snippets/add/add.cu"
    (line,) = [x for x in source.read_text().splitlines() if "if (!kGuard ||" in x]
    marked = f"// snippet: guard\n// solution: guard\n// starter: return;\n{line}\n// end solution\n// end snippet: guard"
    source.write_text(source.read_text().replace(line, marked))
    course = load_course(copy)
    program = course.programs["add"]
    inside = explore_starter(course, program, program.exercises["guard"], "guard")
    whole = explore_starter(course, program, program.exercises["guard"], "add-kernel")
    assert inside == replace(whole, opens="add-kernel")
    assert inside.url
    # What the kernel needs opens with it; host code has no kernel.
    assert explore_starter(course, program, program.exercises["guard"], "block") == inside
    regions = {name: replace(region, needs=()) for name, region in program.regions.items()}
    host = replace(program, regions=regions)
    told = explore_starter(course, host, host.exercises["guard"], "block")
    assert told == ExplorerLink()


def test_the_lines_in_which_starter_and_solution_differ_are_marked(root: Path) -> None:
    page = Page(load_course(root), BLOCK)
    starter, solution = page.tree.css("pre > code")
    marked = [
        [line.text(deep=True) for line in code.css(".course-line[data-changed]")]
        for code in (starter, solution)
    ]
    assert marked == [
        [
            "__host__ __device__ inline float addOne(float a, float b) {",
            "    return a;  // Your turn.",
            "}",
        ],
        [SUM.strip()],
    ]


def test_a_solution_that_only_removes_lines_says_so(copy: Path) -> None:
    told = "Nothing takes the place of the lines that are marked in the starter."
    source = copy / "snippets/add/add.cu"
    removed = MARKED.replace(
        "// starter: __host__",
        "// starter: inline void turn() {}  // Your turn.\n// starter: __host__",
    )
    removed = removed.replace(
        "{\n// starter:     return a;  // Your turn.\n// starter: }", "{ return a + b; }"
    )
    source.write_text(source.read_text().replace(MARKED, removed))
    page = Page(load_course(copy), BLOCK)
    starter, solution = page.tree.css("pre > code")
    marked = starter.css(".course-line[data-changed]")
    assert [line.text(deep=True) for line in marked] == ["inline void turn() {}  // Your turn."]
    assert not solution.css("[data-changed]")
    assert told in page.text(".course-exercise__solution")
    source.write_text(source.read_text().replace(removed, MARKED))
    assert told not in Page(load_course(copy), BLOCK).html


def test_places_are_counted_and_those_without_a_mark_as_well() -> None:
    def write(text: str) -> list[CodeLine]:
        return [CodeLine(n, (Token("", word),)) for n, word in enumerate(text.split(), 1)]

    for starter, solution, places in (
        ("a b c", "a x y c", Places(1, 1)),
        ("a b c", "a b x c", Places(1, 0)),
        ("a b c d", "a x c d e", Places(2, 1)),
        ("a b c d", "a c x", Places(2, 2)),
    ):
        assert count_places(write(starter), write(solution)) == places


def test_a_starter_says_how_much_is_to_be_written_and_whose_numbers_a_solution_has(
    copy: Path,
) -> None:
    source = copy / "snippets/add/add.cu"
    html = Page(load_course(copy), BLOCK)
    assert "differs from these lines in" not in html.html
    said = " ".join(html.text(".course-exercise__solution").split())
    assert "Line numbers are those of add.cu, not of the starter." in said
    more = MARKED + "// solution: sum\n// A second.\n// end solution\n"
    source.write_text(
        source.read_text().replace(MARKED, f"{MARKED}// Between.\n{more[len(MARKED) :]}")
    )
    page = Page(load_course(copy), BLOCK)
    text = page.text(".highlight + .course-table__note:has(+ .course-snippet__foot)")
    told = "The solution differs from these lines in 2 places, of which 1 is marked"
    assert told in " ".join(text.split())


def test_without_fresh_evidence_no_verdict_is_told(root: Path) -> None:
    page = Page(load_course(root), BLOCK)
    assert "rejects it" not in page.html
    assert "no check has seen this starter as it is now" in page.text(".course-unverified")


def test_a_starter_that_survives_is_not_called_rejected(copy: Path) -> None:
    page = Page(try_starter(copy, by=""), BLOCK)
    assert "rejects it" not in page.html


def test_the_only_exercise_needs_no_name(root: Path) -> None:
    assert check(root, BLOCK.replace("add#sum", "add")) == []


def test_wrong_code_on_a_page_is_found(copy: Path) -> None:
    course = try_starter(copy)
    page = Page(course, BLOCK)
    (directive,) = page.rendered.scan.directives
    assert compare_directive(course, directive, page.one(".course-exercise")) == []
    head, last, tail = page.html.rpartition("kBarrier")
    assert "Solution" in head
    for html in (page.html.replace("Your turn", "My turn"), f"{head}kBarier{tail}"):
        assert html != page.html
        changed = LexborHTMLParser(html).css(".course-exercise")[0]
        ((shown, true),) = compare_directive(course, directive, changed)
        assert "My turn" in shown or "kBarier" in shown
        assert "Your turn" in true or last in true
    href = page.one("a[data-course-explorer]").attributes["href"] or ""
    other = compose_url(SUM, "nvcc130u2", "-O3")
    changed = LexborHTMLParser(page.html.replace(href, other)).css(".course-exercise")[0]
    ((shown, _),) = compare_directive(course, directive, changed)
    assert shown == "its link opens another text in Compiler Explorer"


def test_a_long_task_goes_on_below(root: Path) -> None:
    block = BLOCK.replace("Add `b`", "Add\n      `b`\n     ")
    assert check(root, block) == []
    assert "<p>Add <code>b</code> &lt; *too*.</p>" in Page(load_course(root), block).html


@pytest.mark.parametrize(
    ("block", "true", "advice"),
    [
        (BLOCK.replace("#sum", "#sun"), "has no exercise `sun`", "`sum`"),
        (BLOCK.replace("add#", "ad#"), "there is no program `ad`", "`add`"),
        (BLOCK.replace("    task: Add `b` < *too*.\n", ""), "no `task`", "write `task: …`"),
        (BLOCK.replace("    hint: Mind the `+`.\n", ""), "no `hint`", "write `hint: …`"),
        (BLOCK.replace("Mind", "[Mind](x.md)"), "can hold no link", "the text above the block"),
        (
            BLOCK.replace("    title", "    region: block\n    title"),
            "region `block` does not hold the exercise `sum`",
            "`add-kernel`",
        ),
        (BLOCK.replace("    title", "    open: true\n    title"), "no such option", "`"),
    ],
)
def test_a_mistake_in_the_block_is_told(root: Path, block: str, true: str, advice: str) -> None:
    (finding,) = check(root, block)
    assert finding.kind is Kind.DIRECTIVE
    assert finding.place.path == "docs/index.md"
    assert finding.place.line >= 3
    assert true in finding.true
    assert advice in finding.advice


def test_a_starter_without_a_line_to_show_is_told(copy: Path) -> None:
    source = copy / "snippets/add/add.cu"
    line = "constexpr int kBlock = 256;\n"
    for rest in ("", "\n"):
        marked = f"// solution: block\n{line}// end solution\n{rest}"
        text = source.read_text()
        source.write_text(text.replace(line, marked))
        (finding,) = check(copy, BLOCK.replace("add#sum", "add#block"))
        assert finding.kind is Kind.DIRECTIVE
        assert finding.true == "the starter of `block` has no line of region `block` left"
        assert "`// starter: ` line" in finding.advice
        source.write_text(text)


def test_several_exercises_must_be_told_apart(copy: Path) -> None:
    source = copy / "snippets/add/add.cu"
    line = "constexpr int kBlock = 256;\n"
    marked = f"// solution: block\n// starter: constexpr int kBlock = 1;\n{line}// end solution\n"
    source.write_text(source.read_text().replace(line, marked))
    (finding,) = check(copy, BLOCK.replace("add#sum", "add"))
    assert finding.true == "the program has several exercises"
    assert finding.advice == "name one: `add#block` or `add#sum`"


def test_a_number_in_task_or_hint_is_bound_like_any_other(copy: Path) -> None:
    settings = copy / "course.toml"
    assert 'unbound = "all"' in settings.read_text()
    more = "the `+`:\n      all 12 of it\n    region: add-kernel"
    findings = check(copy, BLOCK.replace("too", "twice 17 ms").replace("the `+`.", more))
    told = [(f.place.line, f.stated) for f in findings if f.kind is Kind.UNBOUND]
    assert (5, "`17 ms`") in told
    assert (7, "`12`") in told
    assert all("can hold no link" in f.advice for f in findings)


def test_an_exercise_that_no_page_sets_is_unused(copy: Path) -> None:
    (copy / "docs/index.md").write_text("# Add\n\n/// snippet | add#add-kernel\n///\n")
    (finding,) = [f for f in check_course(load_course(copy)) if f.kind is Kind.UNUSED]
    assert finding.place.path == "snippets/add/add.cu"
    assert finding.stated == "exercise `sum`"
    assert finding.true == "no page sets it"
    assert "`/// exercise | add#sum`" in finding.advice
    (copy / "docs/index.md").write_text(f"# Add\n\n{BLOCK}")
    unused = [f for f in check_course(load_course(copy)) if f.kind is Kind.UNUSED]
    assert not unused, "its region is shown by the exercise"
    wrong = BLOCK.replace("    title", "    region: block\n    title")
    (copy / "docs/index.md").write_text(f"# Add\n\n{wrong}")
    told = [f.stated for f in check_course(load_course(copy)) if f.kind is Kind.UNUSED]
    assert "exercise `sum`" not in told, "the block says that it is set"


def test_exercises_are_listed_for_who_writes(root: Path) -> None:
    lines = list(describe_listing(list_course(load_course(root))))
    (line,) = [x for x in lines if x.startswith("  exercise")]
    assert line.split() == ["exercise", "add#sum", "line", "21", "in", "add-kernel"]


def test_the_chain_of_a_program_says_where_an_exercise_shows_its_region(copy: Path) -> None:
    (copy / "docs/index.md").write_text(f"# Add\n\n{BLOCK}")
    (program,) = ask_json(copy, "why", "add")["programs"]
    (shown,) = [r["shown_at"] for r in program["regions"] if r["reference"] == "add#add-kernel"]
    assert shown == ["docs/index.md:3:1"]
