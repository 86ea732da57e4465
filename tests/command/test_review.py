"""``course review``: what an author is shown, what is taken, and what reaches the file."""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import re
import select
import shutil
import stat
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from filelock import FileLock

from build_tools.claims.course import load_course
from build_tools.claims.reviewing import read_course_pages
from build_tools.command import review
from build_tools.command.accept import KINDS
from build_tools.command.main import cli
from build_tools.command.page_files import LOCK
from build_tools.command.review_ask import Asking, ask_item
from build_tools.command.write_mends import MendedPage, write_mends
from build_tools.diagnostics.finding import Kind
from tests.course_factory import make_example

ROOT = Path(__file__).parents[2]
PAGE = """\
# Adding

Two vectors are added, element by element.
The wide kernel is [2.2×](claim:add.speedup["large"]) as fast, é µ and
[255](claim:add.source.kBlock) threads share a block.

- On the small case: [1.5×](claim:add.speedup["small"]).
- Or [slower](claim:add.speedup["large"] < 1), with 7 of them.

/// snippet | add#add-kernel
///
"""
WRONG = ["2.2×", "255"]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("review")
    make_example(root)
    (root / "docs").mkdir()
    return root


@dataclass
class Course:
    """A course of the test's own, with one page or more."""

    root: Path

    def write(self, text: str | bytes, name: str = "page.md") -> Path:
        path = self.root / "docs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name: str = "page.md") -> str:
        return (self.root / "docs" / name).read_bytes().decode()

    def run(self, *arguments: str, keys: str | None = None) -> tuple[int, str, str]:
        """Exit status, stdout and stderr of the command, typed at with ``keys`` if given."""
        before = Path.cwd()
        os.chdir(self.root)
        try:
            done = CliRunner().invoke(cli, arguments, input=keys, catch_exceptions=False)
        finally:
            os.chdir(before)
        return done.exit_code, done.stdout, done.stderr

    def type(self, *keys: str, arguments: tuple[str, ...] = ()) -> tuple[int, str]:
        """Exit status and stdout of a review that is answered line by line."""
        lines = "".join(f"{key}\n" for key in keys)
        status, out, err = self.run("review", "--plain", *arguments, keys=lines)
        assert not err
        return status, out


@pytest.fixture
def course(example: Path, tmp_path: Path) -> Course:
    root = Path(shutil.copytree(example, tmp_path / "course"))
    course = Course(root)
    course.write(PAGE)
    return course


def mended(text: str = PAGE) -> str:
    return text.replace("2.2×", "2.1×").replace("255", "256")


def test_an_item_shows_all_that_is_needed_to_decide(course: Course) -> None:
    course.write('[2.05×](claim:add.speedup["large"]) and [2](claim:len(add.case[:]))\n', "b.md")
    status, out = course.type("q")
    assert status == 1
    assert "[1/4] docs/page.md:4:20: drift" in out
    shown = out.split("[a]")[0]
    # The paragraph with its line numbers, the claim marked.
    assert "  3 | Two vectors are added, element by element.\n" in shown
    row = '  4 | The wide kernel is [2.2×](claim:add.speedup["large"]) as fast, é µ and\n'
    assert row + "    |                    ^~~~~~\n" in shown
    assert "  5 | [255]" in shown
    assert "Or [slower]" not in shown  # the next paragraph
    assert "  old:    2.2×\n  new:    2.1×\n" in shown
    assert re.search(r"  true:   2\.05\d* .*does not round to it\n", shown)
    assert re.search(r"  value:  2\.05\d*\n", shown)
    assert re.search(r"  band:   2\.0\d* to 2\.0\d*\n", shown)
    assert "  gpu:    NVIDIA H200\n" in shown
    assert "  record: evidence/add/nvidia-h200/run-2026-12-01.json\n" in shown
    assert "  do:     write `2.1×`" in shown
    # What rests on the same measurement, wherever it stands and whether it holds.
    assert "    docs/b.md:1:1: `2.05×` holds (the same expression)\n" in shown
    assert "    docs/page.md:8:6: `slower` false\n" in shown
    assert '"small"' not in shown.split("resting on the same:")[1]
    assert course.read() == PAGE


def test_neighbours_are_shown_as_they_will_be(course: Course) -> None:
    """What was accepted stands in the paragraph of the next item, before and behind it."""
    course.write(
        'It is [2.2×](claim:add.speedup["large"]), a block has [255](claim:add.source.kBlock)\n'
        'threads; [2.3×](claim:add.speedup["large"]), I say.\n'
    )
    _, out = course.type("a", "a", "q")
    second, third = out.split("[2/3]")[1].split("[3/3]")
    line = (
        '1 | It is [2.1×](claim:add.speedup["large"]), a block has [255](claim:add.source.kBlock)'
    )
    assert f"  {line}\n" in second
    mark = next(row for row in second.splitlines() if "^" in row)
    assert mark.index("^") == f"  {line}".index("[255]")
    assert '[2.1×](claim:add.speedup["large"]), a block has [256]' in third
    # What was skipped stays as it was.
    course.write('It is [2.2×](claim:add.speedup["large"]), [255](claim:add.source.kBlock).\n')
    _, out = course.type("s", "q")
    assert "It is [2.2×]" in out.split("[2/")[1]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (
            'It is about [3×](claim:add.speedup["large"]) as fast.',
            "about [3×](…)",
            "[about 2×](…)",
        ),
        ('It is [2.1](claim:add.speedup["large"])× as fast.', "[2.1](…)×", "[2.1×](…)"),
    ],
)
def test_part_of_a_link_is_shown_as_a_link(course: Course, text: str, old: str, new: str) -> None:
    course.write(text + "\n")
    _, shown = course.type("q")
    assert f"  old:    {old}\n  new:    {new}\n" in shown
    _, out, _ = course.run("review", "--accept", "all")
    assert f"`{old}` → `{new}`" in out


def test_accept_skip_and_what_remains(course: Course) -> None:
    status, out = course.type("a", "s", "s", "s")
    assert status == 1
    assert course.read() == PAGE.replace("2.2×", "2.1×")
    assert "docs/page.md:4:21: `2.2×` → `2.1×`\n" in out
    assert out.splitlines()[-4:] == [
        "docs/page.md:5:1: drift: `255`",
        "docs/page.md:8:6: false: `slower`",
        "docs/page.md:8:53: unbound: `7`",
        "what remains: 3 findings; `course check` says more of each",
    ]


def test_all_in_this_file_still_asks_about_what_has_no_new_text(course: Course) -> None:
    course.write("It is [9](claim:add.source.kBlock).\n", "z.md")
    status, out = course.type("f", "s", "s", "s")
    assert status == 1
    assert course.read() == mended()
    assert course.read("z.md") == "It is [9](claim:add.source.kBlock).\n"
    assert "[2/5]" not in out
    assert "[3/5] docs/page.md:8:6: false" in out
    assert "[5/5] docs/z.md:1:7: drift" in out


def test_quit_writes_what_was_accepted_and_asks_no_more(course: Course) -> None:
    course.write("It is [9](claim:add.source.kBlock).\n", "z.md")
    for keys in (("a", "q"), ("a",)):  # the end of the input quits as well
        course.write(PAGE)
        _, out = course.type(*keys)
        assert course.read() == PAGE.replace("2.2×", "2.1×")
        assert "[3/5]" not in out


@pytest.mark.parametrize("key", ["?", "x", "yes", "", "\x1b[A", "7", "é"])
def test_help_and_keys_without_meaning(course: Course, key: str) -> None:
    _, out = course.type(key, "q")
    for line in (
        "a   put the new text",
        "f   accept this and every",
        "e   type",
        "s   leave",
        "q   ",
    ):
        assert f"  {line}" in out
    assert course.read() == PAGE


def test_keys_that_an_item_has_not(course: Course) -> None:
    _, out = course.type("s", "s", "a", "f", "q")
    item = out.split("[3/4]")[1]
    assert "[a]" not in item
    assert "[e] edit, [s] skip, [q] quit, [?] help: " in item
    assert item.count("  s   leave it as it is") == 2
    assert course.read() == PAGE


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("2.05×", "[2.05×]"),
        ("about 2×", "[about 2×]"),
        ("**2.1×**", "[**2.1×**]"),
        ("`2.1x`", "[`2.1x`]"),
        ("  2.1\u202f×", "[2.1\u202f×]"),
        ("twice", None),  # more than five percent away would be no "twice"; 2.05 is
    ],
)
def test_an_edit_that_holds_is_taken(course: Course, typed: str, written: str | None) -> None:
    course.type("e", typed, "q")
    wanted = written or f"[{typed}]"
    assert course.read() == PAGE.replace("[2.2×]", wanted)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("2.3×", "does not round to it; write `2.1×`"),
        ("2.2×", "does not round to it"),
        ("fast", "does not start with a number"),
        ("2.1 ms", "the value is a bare number"),
        ("", "nothing was typed"),
        ("   ", "nothing was typed"),
        ('2.1×](claim:add.speedup["large"]) [2.1×', "read otherwise"),
        ("2.1×] [", "its text is empty"),
        ("`2.1×", "does not start with a number"),
        ("2.1×](x)", "not a link with its text on the same line"),
        ("<!-- 2.1×", "does not start with a number"),
        ("<!-- -->2.1×", "does not start with a number"),
        ('[2.1×](claim:add.speedup["huge"])', 'has no case "huge"'),
        ('[2.1×](claim:add.speedup["large"]) [x](claim:1)', "inside another link"),
        ("2.1×\x00", "a control character"),
        ("2|1", "holds `|`"),
    ],
)
def test_an_edit_that_does_not_hold_is_refused_with_why(
    course: Course, typed: str, why: str
) -> None:
    _, out = course.type("e", typed, "q")
    assert re.search(rf"  not taken: .*{re.escape(why)}", out), out
    assert course.read() == PAGE


def test_a_whole_link_can_be_typed(course: Course) -> None:
    course.type("s", "s", "e", '[faster](claim:add.speedup["large"] > 1)', "q")
    assert course.read() == PAGE.replace("[slower]", "[faster]").replace("< 1", "> 1")


def test_a_statement_is_mended_by_another_only_when_that_is_true(course: Course) -> None:
    _, out = course.type("s", "s", "e", "much slower", "q")
    assert 'not taken: `much slower`: `add.speedup["large"] < 1` is false' in out
    assert course.read() == PAGE


def test_an_unbound_number_is_bound_by_what_is_typed(course: Course) -> None:
    _, out = course.type("s", "s", "s", "e", "add.source.kBlock", "e", "stated:", "q")
    assert "not taken: `7`: it is 256, not 7" in out
    assert course.read() == PAGE.replace("with 7 of", "with [7](stated:) of")


@pytest.mark.parametrize("number", ["`256`", "$256$", "256", "``256``", "**256**"])
def test_ticks_and_dollars_around_a_number(course: Course, number: str) -> None:
    course.write(f"A block has {number} threads.\n")
    course.type("e", "add.source.kBlock")
    shown = number.strip("$")
    link = f"[{shown}](claim:add.source.kBlock)"
    if "**" in number:
        link = "**[256](claim:add.source.kBlock)**"
    assert course.read() == f"A block has {link} threads.\n"
    assert course.run("check")[1].count("docs/") == 0


def test_binding_a_number_before_a_mended_claim(course: Course) -> None:
    """The new link moves the later claims on by one; each is judged as itself all the same."""
    text = "A block has 256 and [255](claim:add.source.kBlock), 256 again, [9](claim:1 + 2).\n"
    course.write(text)
    course.type("e", "add.source.kBlock", "a", "e", "claim:add.source.kBlock", "a")
    bound = "[256](claim:add.source.kBlock)"
    assert course.read() == f"A block has {bound} and {bound}, {bound} again, [3](claim:1 + 2).\n"


def press(*keys: str, said: list[str]) -> Asking:
    """An author who presses these keys; what is asked is added to ``said``."""
    waiting = iter(keys)

    def read_key(question: str) -> str:
        said.append(question)
        return next(waiting)

    return Asking(read_key, lambda _question, start: start)


def test_candidates_are_offered_where_they_hold(course: Course) -> None:
    course.write("A block has 256 threads, and 4.8 of them.\n")
    reading = read_course_pages(load_course(course.root))
    page = reading.reviewed[0]
    first, second = page.items
    names = (
        "add.source.kBlok",
        "add.source.kBlock",
        "add.source.kBlock + 0",
        "add.device.sm_count",
    )
    item = replace(first, finding=replace(first.finding, candidates=names))
    for key, target in (("1", "add.source.kBlock"), ("2", "add.source.kBlock + 0")):
        said: list[str] = []
        answer = ask_item(reading, page, item, press("3", key, said=said), said.append)
        assert answer.mend is not None
        # The word is no unit of the value, so it stays behind the link.
        assert answer.mend.patch.old == "256"
        assert answer.mend.patch.new == f"[256](claim:{target})"
        assert said[:2] == [
            "  1:      [256](claim:add.source.kBlock)",
            "  2:      [256](claim:add.source.kBlock + 0)",
        ]
        assert said[2].startswith("[1-2] bind, [e] edit")
        assert any("bind the number as" in line for line in said)  # `3` is none of them
    none = replace(second, finding=replace(second.finding, candidates=("1", "bad |")))
    said = []
    ask_item(reading, page, none, press("s", said=said), said.append)
    assert said == ["[e] edit, [s] skip, [q] quit, [?] help: "]


def test_a_page_is_written_whole_or_not_at_all(course: Course) -> None:
    reading = read_course_pages(load_course(course.root))
    page = reading.reviewed[0]
    first, second = (item.mend for item in page.items[:2])
    assert first is not None
    assert second is not None
    wrong = replace(second, patch=replace(second.patch, new="257"))
    kept, findings = write_mends(course.root, reading.course, [MendedPage(page, (first, wrong))])
    assert not kept
    assert [finding.true for finding in findings] == [
        "it is 256, not 257; the page stays as it was"
    ]
    kept, findings = write_mends(course.root, reading.course, [MendedPage(page, (first, first))])
    assert not kept
    assert "overlap" in findings[0].true
    assert "take one of them" in findings[0].advice
    assert course.read() == PAGE


def test_a_number_in_a_heading_is_not_bound_without_an_id(course: Course) -> None:
    course.write("# A block of 256\n")
    _, out = course.type("e", "add.source.kBlock")
    assert "no id of its own" in out
    assert course.read() == "# A block of 256\n"


HARD = {
    "bom": b"\xef\xbb\xbf" + PAGE.encode(),
    "crlf": PAGE.replace("\n", "\r\n").encode(),
    "cr": PAGE.replace("\n", "\r").encode(),
    "mixed": PAGE.replace("\n", "\r\n", 3).encode(),
    "bom and crlf": b"\xef\xbb\xbf" + PAGE.replace("\n", "\r\n").encode(),
    "no last newline": PAGE.rstrip("\n").encode(),
    "tabs and spaces at line ends": PAGE.replace(" as fast", "\tas fast \t").encode(),
    "form feed and line separator": PAGE.replace("Two", "\x0cTwo\u2028\u0085").encode(),
    "decomposed": PAGE.replace("é", "e\u0301").encode(),
}


@pytest.mark.parametrize("name", HARD)
def test_only_the_literals_bytes_change(course: Course, name: str) -> None:
    path = course.write(HARD[name])
    path.chmod(0o640)
    status, out, _ = course.run("review", "--accept", "drift")
    assert status == 1
    wanted = HARD[name].replace("2.2×".encode(), "2.1×".encode()).replace(b"255", b"256")
    assert path.read_bytes() == wanted
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in path.parent.iterdir()] == ["page.md"]
    assert "2 findings" in out.splitlines()[-1]


def test_several_on_a_line_and_one_literal_many_times(course: Course) -> None:
    line = (
        "| [255](claim:add.source.kBlock) | 256th [255](claim:add.source.kBlock), "
        '[2.2×](claim:add.speedup["large"]) | [255](claim:add.source.kBlock) |\n'
    )
    text = f"## In a heading: [255](claim:add.source.kBlock) {{#block}}\n\n| a | b | c |\n|-|-|-|\n{line}"
    course.write(text)
    course.type("a", "s", "a", "a", "s")
    first, _, last = text.rpartition("255")
    expected = (first + "255" + last).replace("255", "256", 1)
    head, tail = expected.split("| [255]")[0], expected.split("| [255]", 1)[1]
    tail = tail.replace("255", "256", 1).replace("2.2×", "2.1×")
    assert course.read() == head + "| [255]" + tail


def test_accept_by_kind_place_page_program_and_all(course: Course) -> None:
    other = "It has [9](claim:add.source.kBlock) threads and [2](claim:1 + 2) more.\n"
    cases: list[tuple[tuple[str, ...], str, str]] = [
        (
            ("drift",),
            mended(),
            "It has [256](claim:add.source.kBlock) threads and [3](claim:1 + 2) more.\n",
        ),
        (("docs/page.md:4",), PAGE.replace("2.2×", "2.1×"), other),
        (("docs/page.md:4:20",), PAGE.replace("2.2×", "2.1×"), other),
        (("docs/page.md:4", "docs/page.md:5"), mended(), other),
        (("docs/page.md",), mended(), other),
        (("./docs/../docs/page.md",), mended(), other),
        (("add",), mended(), other.replace("[9]", "[256]")),
        (("all",), mended(), other.replace("[9]", "[256]").replace("[2]", "[3]")),
    ]
    for values, page, second in cases:
        course.write(PAGE)
        course.write(other, "other.md")
        arguments = [part for value in values for part in ("--accept", value)]
        status, _, err = course.run("review", *arguments)
        assert (status, err) == (1, "")
        assert (course.read(), course.read("other.md")) == (page, second), values


def test_accept_keeps_to_the_pages_named(course: Course) -> None:
    course.write(PAGE, "other.md")
    course.run("review", "docs/other.md", "--accept", "all")
    assert course.read() == PAGE
    assert course.read("other.md") == mended()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("drif", "did you mean `drift`?"),
        ("ad", "did you mean `add`?"),
        ("docs/pag.md", "did you mean `docs/page.md`?"),
        ("docs/pag.md:4", "did you mean `docs/page.md`?"),
        ("docs/page.md:3", "no finding stands there; those of the page stand at 4:20, 5:1"),
        ("docs/page.md:4:1", "no finding stands there"),
        ("unbound", "have no literal to accept; those that can are `drift`, `unit`"),
        ("", "is no kind, program or reviewed page; name `all`, a kind (`drift`, `unit`,"),
        ("nothing", "`unreadable`), a program (`add`), PATH or PATH:LINE"),
        ("false", "have no literal to accept"),
    ],
)
def test_accept_of_what_is_not_there(course: Course, value: str, said: str) -> None:
    status, out, err = course.run("review", "--accept", "drift", "--accept", value)
    assert status == 2
    assert f"course: --accept `{value}`" in err
    assert said in err
    assert not out
    assert course.read() == PAGE


def test_the_help_lists_every_kind_that_can_be_accepted(course: Course) -> None:
    _, out, _ = course.run("review", "--help")
    listed = " ".join(out.split())
    for kind in KINDS:
        assert kind.value in listed


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        (Kind.DRIFT, "[255](claim:add.source.kBlock)", "[256](claim:add.source.kBlock)"),
        (Kind.UNIT, "[60](claim:add.device.l2_bytes)", "[60 MiB](claim:add.device.l2_bytes)"),
        (
            Kind.OVER_PRECISE,
            '[{small}×](claim:add.speedup["small"])',
            '[1.53×](claim:add.speedup["small"])',
        ),
        (Kind.LOOSE, "[over 3](claim:add.source.kBlock)", "[over 255](claim:add.source.kBlock)"),
        (
            Kind.HEDGE,
            "about [256](claim:add.source.kBlock)",
            "[about 256](claim:add.source.kBlock)",
        ),
        (Kind.UNREADABLE, "[0256](claim:add.source.kBlock)", "[256](claim:add.source.kBlock)"),
    ],
)
def test_each_kind_that_can_be_accepted(course: Course, kind: Kind, text: str, wanted: str) -> None:
    value = course.run("eval", 'add.speedup["small"]')[1].split()[1]
    course.write(f"It is {text.replace('{small}', value)}.\n")
    assert f": {kind.value}\n" in course.run("check")[1]
    status, _, err = course.run("review", "--accept", kind.value)
    assert not err
    assert course.read() == f"It is {wanted}.\n"
    assert course.run("check", "docs/page.md")[0] == 0
    assert status == 1  # the region that no page shows


def test_dry_run_prints_a_diff_that_git_applies(course: Course) -> None:
    for name, data in HARD.items():
        path = course.write(data)
        before = path.read_bytes()
        done = CliRunner().invoke(cli, ["--root", str(course.root), "review", "--dry-run"])
        assert done.exit_code == 1
        assert done.stderr == "2 of 4 findings would be mended; nothing was written\n"
        assert path.read_bytes() == before
        subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=course.root,
            input=done.stdout_bytes,
            check=True,
            env=os.environ | {"GIT_CEILING_DIRECTORIES": str(course.root.parent)},
        )
        assert path.read_bytes() == data.replace("2.2×".encode(), "2.1×".encode()).replace(
            b"255", b"256"
        ), name


def test_dry_run_of_a_selection(course: Course) -> None:
    status, out, err = course.run("review", "--dry-run", "--accept", "docs/page.md:5")
    assert status == 1
    assert "1 of 4 findings would be mended" in err
    assert [line for line in out.splitlines() if line.startswith(("-", "+"))] == [
        "--- a/docs/page.md",
        "+++ b/docs/page.md",
        "-[255](claim:add.source.kBlock) threads share a block.",
        "+[256](claim:add.source.kBlock) threads share a block.",
    ]


def test_without_a_terminal_it_says_which_flags_to_use(course: Course) -> None:
    status, out, err = course.run("review")
    assert status == 2
    assert not out
    assert err.startswith("course: 4 findings to review, and no terminal to ask on; ")
    for flag in ("--accept all", "--dry-run", "--plain"):
        assert flag in err
    assert course.read() == PAGE


def test_nothing_to_review_needs_no_terminal(course: Course) -> None:
    course.write("Nothing.\n\n/// snippet | add#add-kernel\n///\n")
    assert course.run("review") == (0, "what remains: no findings\n", "")


def test_a_page_that_is_not_there(course: Course) -> None:
    status, out, err = course.run("review", "docs/none.md", "--accept", "all")
    assert (status, out) == (2, "")
    assert err.startswith("course: `docs/none.md`: there is no such page, folder or program; ")


def test_two_reviews_at_once(course: Course) -> None:
    with FileLock(course.root / LOCK):
        status, out, err = course.run("review", "--accept", "all")
        assert (status, out) == (2, "")
        assert "another `course review` is at work in this tree; let it end" in err
        assert course.run("review", "--dry-run")[0] == 1  # it writes nothing
    assert course.read() == PAGE
    assert course.run("review", "--accept", "drift")[0] == 1
    assert course.read() == mended()


def run_while_asked(
    course: Course, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]
) -> tuple[int, str]:
    """Accept the first item, but let something happen while the author is asked about the next."""
    keys = iter("aq")

    def read_key(question: str) -> str:
        key = next(keys)
        if key == "q":
            act()
        return key

    asking = Asking(read_key, lambda _question, start: start)
    monkeypatch.setattr(review, "ask_lines", lambda: asking)
    status, out, _ = course.run("review", "--plain")
    return status, out


def test_a_page_that_changed_meanwhile_is_left(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = PAGE + "More.\n"
    status, out = run_while_asked(course, monkeypatch, lambda: course.write(changed))
    assert status == 2
    assert course.read() == changed
    assert "docs/page.md:1:1: page: could not check" in out
    assert "the page changed since it was read" in out
    assert "run `course review` again" in out


def test_a_page_that_vanished_meanwhile(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    path = course.root / "docs" / "page.md"
    status, out = run_while_asked(course, monkeypatch, path.unlink)
    assert status == 2
    assert "it cannot be written: No such file" in out
    assert not path.exists()


def test_evidence_that_changed_meanwhile_puts_the_page_back(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure_less() -> None:
        source = course.root / "snippets" / "add" / "add.cu"
        source.write_text(source.read_text().replace("c[i] = a[i]", "c[i] = 2 * a[i]"))

    status, out = run_while_asked(course, monkeypatch, measure_less)
    assert course.read() == PAGE
    assert "`add` has no fresh record; the page was put back" in out
    assert status == 1


def test_an_interrupt_leaves_the_page(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    assert run_while_asked(course, monkeypatch, interrupt)[0] != 0
    assert course.read() == PAGE
    assert course.run("review", "--accept", "drift")[0] == 1  # the lock is free again


def test_a_link_within_the_course_is_followed(course: Course) -> None:
    path = course.root / "docs" / "page.md"
    real = course.root / "texts" / "real.md"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to("../texts/real.md")
    course.run("review", "--accept", "all")
    assert path.is_symlink()
    assert real.read_text() == mended()


def test_a_link_out_of_the_course_is_not(course: Course, tmp_path: Path) -> None:
    path = course.root / "docs" / "page.md"
    real = tmp_path / "outside.md"
    path.rename(real)
    path.symlink_to(real)
    status, out, _ = course.run("review", "--accept", "all")
    assert status == 2
    assert "its file lies outside the course" in out
    assert "change that file by hand" in out
    assert real.read_text() == PAGE


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(course: Course) -> None:
    folder = course.root / "docs"
    folder.chmod(0o500)
    try:
        status, out, _ = course.run("review", "--accept", "all")
    finally:
        folder.chmod(0o700)
    assert status == 2
    assert "it cannot be written" in out
    assert course.read() == PAGE


def test_a_disk_that_fails_leaves_the_page(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    status, out, _ = course.run("review", "--accept", "all")
    assert status == 2
    assert "it cannot be written: No space left on device" in out
    assert course.read() == PAGE
    assert [p.name for p in (course.root / "docs").iterdir()] == ["page.md"]


def test_what_could_steer_a_terminal_is_made_visible(course: Course) -> None:
    text = "Here \x1b[2K and \u202e stand, [255](claim:add.source.kBlock).\n"
    course.write(text)
    _, out = course.type("s", "s", "a")  # The sequence holds a number, the mark turns the line.
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "␛[2K" in out
    assert course.read() == text.replace("255", "256")


def test_a_very_long_line_is_cut_around_the_claim(course: Course) -> None:
    text = "word " * 5000 + "[255](claim:add.source.kBlock) " + "word " * 5000
    course.write(text)
    _, out = course.type("a")
    assert len(out) < 6000
    assert "…" in out
    rows = out.splitlines()
    index = next(i for i, row in enumerate(rows) if "^~~~~" in row)
    column = rows[index].index("^")
    assert rows[index - 1][column : column + 5] == "[255]"
    assert course.read() == text.replace("255", "256")


def test_a_real_terminal(course: Course) -> None:
    """Single keys without Enter, a line edited from what is proposed, colours."""
    child, master = pty.fork()
    if child == 0:
        os.chdir(course.root)
        os.environ["PYTHONPATH"] = str(ROOT)
        os.environ["TERM"] = "xterm"
        command = [sys.executable, "-m", "build_tools", "review"]
        os.execv(sys.executable, command)  # noqa: S606 - no shell is wanted
    out = b""

    def wait_for(text: str) -> None:
        nonlocal out
        until = time.monotonic() + 60
        while text.encode() not in out or reads_lines():
            assert time.monotonic() < until, out.decode(errors="replace")
            if select.select([master], [], [], 0.05)[0]:
                out += os.read(master, 65536)

    def reads_lines() -> bool:
        """Whether the terminal still waits for Enter: a key typed now would be thrown away."""
        return bool(termios.tcgetattr(master)[3] & termios.ICANON)

    try:
        wait_for("[?] help: ")
        out = b""
        os.write(master, b"e")
        wait_for("new text: 2.1")
        os.write(master, "\x15about 2×\n".encode())
        wait_for("[2/4]")
        wait_for("[?] help: ")
        out = b""
        os.write(master, b"a")
        wait_for("[?] help: ")
        os.write(master, b"q")
        # A terminal whose other side is gone is an error, not an end.
        with contextlib.suppress(OSError):
            while data := os.read(master, 65536):
                out += data
        assert b"what remains: 2 findings" in out
    finally:
        os.close(master)
        _, ended = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(ended) == 1
    assert course.read() == mended().replace("2.1×", "about 2×")
