"""Does the built site hold each starter as the file that was compiled and tried?"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from build_tools.claims.course import load_course
from build_tools.diagnostics.finding import Kind
from build_tools.measure.toolchain import find_nvcc
from build_tools.site.verify import verify_site
from build_tools.source.starters import compose_starter
from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts
from tests.site.browsing import open_browser, serve_site, watch_page
from tests.site.conftest import Build, write_pages

LINE = "    if (i < n) c[i] = a[i] + b[i];\n"
MARKED = f"""\
    // solution: sum
    // starter: if (i < n) c[i] = a[i];  // Your turn.
{LINE}    // end solution
"""
PAGE = """\
# Adding vectors

/// exercise | add#sum
    task: Add both.
    hint: One is missing.
///

/// snippet | add#block
///
"""
STARTER = "site/downloads/add/starters/sum.cu"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with an exercise; no part is declared but the one that the exercise asks for."""
    text = PROGRAM.format(name="add").replace(LINE, MARKED)
    make_course(
        tmp_path,
        programs={"add": text},
        declarations={"add": DECLARATION},
        transcripts={"add": make_transcripts()},
        checks={"add": CHECK},
    )
    settings = tmp_path / "course.toml"
    settings.write_text(settings.read_text() + 'findings = "warn"\n')
    write_pages(tmp_path, PAGE)
    return tmp_path


def test_a_starter_is_downloaded_as_it_was_tried(course: Path, build: Build) -> None:
    done = build(course)
    assert done.exit_code == 0, done.output
    program = load_course(course).programs["add"]
    text = (course / STARTER).read_text()
    assert text == compose_starter(program, program.exercises["sum"])
    assert "c[i] = a[i];  // Your turn." in text
    assert "Verified" not in text
    html = (course / "site/lessons/one/index.html").read_text()
    assert 'href="../../downloads/add/starters/sum.cu" download="sum.cu"' in html


def test_another_starter_on_the_site_is_found(course: Path, build: Build) -> None:
    assert build(course).exit_code == 0
    read_back = load_course(course)
    place = course / STARTER
    before = verify_site(read_back, course / "site")
    place.write_text(place.read_text().replace("a[i];", "b[i];"))
    (finding,) = [f for f in verify_site(read_back, course / "site") if f not in before]
    assert finding.kind is Kind.PAGE
    program = read_back.programs["add"]
    assert finding.place == program.exercises["sum"].place
    assert finding.stated == "the site holds it as downloads/add/starters/sum.cu"
    assert "another text" in finding.true
    assert finding.advice == "build the site again"
    place.unlink()
    (finding,) = [f for f in verify_site(read_back, course / "site") if f not in before]
    assert finding.place.path == "docs/lessons/one.md"
    assert "the site has no downloads/add/starters/sum.cu" in finding.true


@pytest.mark.compiler
def test_a_starter_compiles_by_its_own_header(course: Path, build: Build, tmp_path: Path) -> None:
    assert build(course).exit_code == 0
    text = (course / STARTER).read_text()
    (line,) = [x for x in text.split("\n") if x.startswith("// Build: ")]
    nvcc, *words = shlex.split(line.removeprefix("// Build: "))
    assert nvcc == "nvcc"
    toolchain = find_nvcc()
    assert not isinstance(toolchain, str), toolchain
    folder = tmp_path / "reader"
    folder.mkdir()
    (folder / "sum.cu").write_text(text)
    done = subprocess.run(
        [str(toolchain.nvcc), *toolchain.extra, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "sum").is_file()


@pytest.mark.browser
def test_what_is_to_be_written_is_in_sight_and_both_texts_are_copied(
    course: Path, build: Build
) -> None:
    source = course / "snippets/add/add.cu"
    longer = "    // A long comment.\n" * 60 + "    // solution: sum"
    source.write_text(source.read_text().replace("    // solution: sum", longer))
    assert build(course).exit_code == 0
    program = load_course(course).programs["add"]
    inside = (
        "line => { const a = line.getBoundingClientRect(), "
        "b = line.closest('pre').getBoundingClientRect(); "
        "return b.height < 600 && a.top >= b.top && a.bottom <= b.bottom }"
    )
    with serve_site(course / "site") as address, open_browser() as browser:
        context = browser.new_context()
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
        with watch_page(context, address) as page:
            page.goto(address + "lessons/one/")
            page.wait_for_function("window.coursePanes")
            starter, solution = page.locator(".course-exercise__code").all()
            line = starter.locator("[data-changed]")
            expect(line).to_contain_text("Your turn.")
            assert line.evaluate(inside)
            # The box begins with a whole line, and the mark is as wide as the box.
            assert starter.locator("pre").evaluate(
                """pre => {
                    const top = pre.getBoundingClientRect().top;
                    const cut = (line) => {
                        const box = line.getBoundingClientRect();
                        return box.top < top - 1 && box.bottom > top + 1;
                    };
                    const mark = pre.querySelector("[data-changed]");
                    return pre.scrollTop > 0
                        && ![...pre.querySelectorAll(".course-line")].some(cut)
                        && mark.offsetWidth > pre.clientWidth - 40;
                }"""
            )
            page.locator(".course-exercise__solution > summary").click()
            expect(solution.locator("[data-changed]")).to_have_text(LINE.rstrip("\n"))
            page.wait_for_function(f"({inside})(document.querySelectorAll('[data-changed]')[1])")
            for within, name, text in (
                (starter, "the whole starter", compose_starter(program, program.exercises["sum"])),
                (solution, "the solution", program.regions["add-kernel"].text),
            ):
                button = within.get_by_role("button", name=f"Copy {name}", exact=True)
                button.click()
                expect(button).to_have_text("Copied")
                assert page.evaluate("navigator.clipboard.readText()") == text
            assert page.locator(".course-exercise [data-clipboard-target]").count() == 0
