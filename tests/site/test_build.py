"""``mkdocs build``: what it publishes, what it refuses, and how it ends."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.site.conftest import MKDOCS, PAGE, Build, build_apart, clean_environment, snapshot

LESSON = "docs/lessons/one.md"


def list_left_behind(root: Path) -> list[str]:
    return sorted(p.name for p in root.iterdir() if "-staging-" in p.name or "-old-" in p.name)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) >= 1, old
    path.write_text(text.replace(old, new, 1))


def find_column(root: Path, text: str) -> str:
    """``path:line:column`` of a text in the lesson."""
    for number, line in enumerate((root / LESSON).read_text().splitlines(), start=1):
        if text in line:
            return f"{LESSON}:{number}:{line.index(text) + 1}"
    raise AssertionError(text)


def test_a_clean_course_becomes_a_whole_site(course: Path, build: Build) -> None:
    before = snapshot(course)
    done = build_apart(course, "--strict")
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert "stated:" not in done.stderr
    site = course / "site"
    assert list_left_behind(course) == []
    for page in (
        "index",
        "lessons/one/index",
        "programs/index",
        "programs/add/index",
        "claims/index",
    ):
        assert (site / f"{page}.html").is_file(), page
    assert (site / "records/add/nvidia-h200/run-2026-12-01/index.html").is_file()
    program = (course / "snippets/add/add.cu").read_bytes()
    assert (site / "downloads/add/add.cu").read_bytes() == program
    evidence = snapshot(course / "evidence")
    assert snapshot(site / "evidence") == evidence
    after = {path: data for path, data in snapshot(course).items() if path in before}
    assert after == before
    # A second build takes the first one's place.
    (site / "left.html").write_text("x")
    assert build(course).exit_code == 0
    assert not (site / "left.html").exists()
    assert "Programs" in (site / "index.html").read_text()


def test_addresses_without_folders_work_too(course: Path, build: Build) -> None:
    (course / "mkdocs.yml").write_text(MKDOCS + "use_directory_urls: false\n")
    done = build(course, "--strict")
    assert done.exit_code == 0, done.stderr
    html = (course / "site/lessons/one.html").read_text()
    assert 'href="../programs/add.html#L' in html
    assert "course:" not in html
    assert 'href="lessons/one.html#claim-2"' in (course / "site/claims.html").read_text()


def test_mkdocs_yml_may_stand_elsewhere(course: Path, build: Build) -> None:
    settings = (
        (course / "mkdocs.yml").read_text().replace("  - course\n", "  - course: {root: ..}\n")
    )
    (course / "mkdocs.yml").unlink()
    (course / "web").mkdir()
    (course / "web/mkdocs.yml").write_text(settings + "docs_dir: ../docs\nsite_dir: ../site\n")
    done = build(course / "web", "--strict")
    assert done.exit_code == 0, done.stderr
    assert 'href="../lessons/one/#claim-2"' in (course / "site/claims/index.html").read_text()
    edit(course / LESSON, "[256]", "[257]")
    done = build(course, "-f", "web/mkdocs.yml")
    assert done.exit_code == 1
    assert f"{LESSON}:6:16: " in done.stderr


def test_a_nav_gets_a_section_of_programs_unless_it_has_one(course: Path, build: Build) -> None:
    nav = "nav:\n  - index.md\n  - One: lessons/one.md\n"
    (course / "mkdocs.yml").write_text(MKDOCS + nav)
    done = build(course, "--strict")
    assert done.exit_code == 0, done.stderr
    assert 'href="programs/add/"' in (course / "site/index.html").read_text()
    assert 'href="claims/"' in (course / "site/index.html").read_text()
    own = "  - Sources: programs/add.md\n  - How each number stands: claims.md\n"
    (course / "mkdocs.yml").write_text(MKDOCS + nav + own)
    done = build(course)
    assert done.exit_code == 0, done.stderr
    home = (course / "site/index.html").read_text()
    assert "Sources" in home
    assert 'href="programs/"' not in home
    assert home.count('href="claims/"') == home.count("How each number stands") > 0


def test_findings_keep_the_old_site_and_exit_with_one(course: Path, build: Build) -> None:
    assert build(course).exit_code == 0
    old = snapshot(course / "site")
    edit(course / LESSON, "[0.626 ms]", "[0.636 ms]")
    edit(course / LESSON, "[256]", "[257]")
    done = build(course)
    assert done.exit_code == 1
    assert f"{find_column(course, '[0.636 ms]')}: " in done.stderr
    assert f"{find_column(course, '[257]')}: " in done.stderr
    assert "do: " in done.stderr
    assert "2 findings" in done.stdout + done.stderr
    assert snapshot(course / "site") == old
    assert list_left_behind(course) == []


def test_findings_of_sources_evidence_and_prose_come_together(course: Path, build: Build) -> None:
    edit(course / LESSON, "/// snippet | add#block\n///", "/// snippet | add#blocks\n///")
    edit(course / LESSON, "[256]", "[257]")
    edit(course / "snippets/add/add.cu", "// end snippet: add-kernel", "// end snippet: ad-kernel")
    done = build(course)
    assert done.exit_code == 2  # what a page shows of the broken region could not be checked
    for place in (f"{LESSON}:8:1", f"{LESSON}:6:16", "snippets/add/add.cu:"):
        assert place in done.stderr
    assert not (course / "site").exists()


def test_a_claim_where_the_check_reads_none_is_a_finding(course: Path, build: Build) -> None:
    edit(course / LESSON, "Each block", "So <pre>[257](claim:add.source.kBlock)</pre>. Each block")
    done = build(course)
    assert done.exit_code == 1
    assert f"{LESSON}:6:9: page" in done.stderr
    assert "the page shows `257` as a link that cites" in done.stderr


def test_a_region_removed_while_a_page_shows_it(course: Path, build: Build) -> None:
    source = course / "snippets/add/add.cu"
    edit(source, "// snippet: block\n", "")
    edit(source, "// end snippet: block\n", "")
    done = build(course)
    assert done.exit_code == 1
    assert f"{find_column(course, '/// snippet | add#block')}: directive" in done.stderr
    assert "has no region `block`" in done.stderr


def test_a_page_that_is_not_utf8_could_not_be_checked(course: Path, build: Build) -> None:
    (course / "docs/index.md").write_bytes(b"# Home\n\nna\xefve\n")
    edit(course / LESSON, "[256]", "[257]")
    done = build(course)
    assert done.exit_code == 2
    assert "docs/index.md:3:3: encoding: could not check" in done.stderr
    assert f"{LESSON}:6:16" in done.stderr
    assert list_left_behind(course) == []


def test_without_evidence_nothing_is_published(course: Path, build: Build) -> None:
    shutil.rmtree(course / "evidence")
    done = build(course)
    assert done.exit_code == 1
    assert "missing" in done.stderr
    assert "course run add" in done.stderr
    assert not (course / "site").exists()


@pytest.mark.parametrize(
    ("choice", "code", "said"),
    [("never", 0, ""), ("auto", 0, ""), ("always", 2, "COURSE_RUN:1:1: device"), ("", 0, "")],
)
def test_course_run_on_a_machine_without_a_gpu(
    course: Path, build: Build, choice: str, code: int, said: str
) -> None:
    done = build(course, COURSE_RUN=choice)
    assert done.exit_code == code, done.stderr
    assert said in done.stderr


def test_course_run_knows_three_words(course: Path, build: Build) -> None:
    done = build(course, COURSE_RUN="allways")
    assert done.exit_code == 1
    assert "COURSE_RUN:1:1: settings" in done.stderr
    assert "did you mean `always`?" in done.stderr


def test_a_stale_program_is_a_finding_where_it_cannot_be_run(course: Path, build: Build) -> None:
    edit(course / "snippets/add/add.cu", 'puts("done")', 'puts("done!")')
    done = build(course, COURSE_RUN="auto")
    assert done.exit_code == 1
    assert "stale" in done.stderr
    assert "course run add" in done.stderr


def test_a_course_under_construction_is_published_and_marked(course: Path, build: Build) -> None:
    edit(course / "course.toml", "[course]\n", '[course]\nfindings = "warn"\n')
    edit(course / LESSON, "[256]", "[257]")
    done = build(course)
    assert done.exit_code == 0, done.stderr
    assert f"{LESSON}:6:16" in done.stderr
    for page in ("index.html", "lessons/one/index.html", "programs/add/index.html"):
        assert "course-unchecked" in (course / "site" / page).read_text(), page
    assert f"{LESSON}:6:16" in (course / "site/lessons/one/index.html").read_text()
    assert (
        '<td class="course-unverified">drift</td>'
        in (course / "site/claims/index.html").read_text()
    )
    # What could not be checked still stops it.
    done = build(course, COURSE_RUN="always")
    assert done.exit_code == 2


def test_a_switch_turns_the_checks_off_and_the_pages_say_so(course: Path, build: Build) -> None:
    edit(course / LESSON, "[256]", "[257]")
    done = build(course, COURSE_ENABLED="0")
    assert done.exit_code == 0, done.stderr
    assert "switched off" in done.stderr
    assert "switched off" in (course / "site/lessons/one/index.html").read_text()
    assert not (course / "site/programs").exists()
    # It never passes for a checked site.
    assert build(course, "--strict", COURSE_ENABLED="0").exit_code == 1


def test_a_warning_of_mkdocs_under_strict_keeps_the_old_site(course: Path, build: Build) -> None:
    assert build(course, "--strict").exit_code == 0
    old = snapshot(course / "site")
    (course / "docs/index.md").write_text("# Home\n\n[none](none.md)\n")
    assert build(course, "--strict").exit_code == 1
    assert snapshot(course / "site") == old
    assert list_left_behind(course) == []


def test_claims_on_a_page_outside_the_prose_are_a_finding(course: Path, build: Build) -> None:
    edit(course / "course.toml", "[course]\n", '[course]\nprose = ["docs/lessons/*.md"]\n')
    (course / "docs/index.md").write_text("# Home\n\nOf [256](claim:add.source.kBlock).\n")
    done = build(course)
    assert done.exit_code == 1
    assert "docs/index.md:3:4: page" in done.stderr
    assert "`prose`" in done.stderr


def test_a_page_that_nothing_checks_is_a_finding(course: Path, build: Build) -> None:
    lie = "# A page\n\nIt takes 42 ms.\n"
    (course / "docs/lie.markdown").write_text(lie)
    (course / "docs/bare.html").write_text("<p>It takes 42 ms.</p>")
    (course / "docs/left.html").write_text("<p>It takes 42 ms.</p>")
    edit(course / "mkdocs.yml", "site_name", "exclude_docs: left.html\nsite_name")
    elsewhere = course / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "page.md").write_text(lie)
    (course / "docs/linked").symlink_to(elsewhere)
    done = build(course)
    assert done.exit_code == 1
    true = "no glob of `prose` in course.toml covers it, so nothing on it was checked"
    assert done.stderr.count(true) == 2
    assert "docs/lie.markdown:1:1: page" in done.stderr
    assert "add `docs/lie.markdown` to `prose`, or leave it out with `exclude_docs`" in done.stderr
    assert "docs/linked/page.md:1:1: page" in done.stderr
    assert "put the pages themselves into docs/linked, which is a link" in done.stderr
    assert "docs/bare.html:1:1: page" in done.stderr
    assert "it is HTML, which is copied as it is: nothing on it was checked" in done.stderr
    assert "left.html:" not in done.stderr


def test_a_page_of_the_author_in_a_programs_place_is_a_finding(course: Path, build: Build) -> None:
    (course / "docs/programs").mkdir()
    (course / "docs/programs/index.md").write_text("# My programs\n")
    assert build(course).exit_code == 0
    (course / "docs/programs/add.md").write_text("# Mine\n")
    (course / "docs/claims.md").write_text("# Mine\n")
    done = build(course)
    assert done.exit_code == 1
    assert "docs/programs/add.md:1:1: page" in done.stderr
    assert "docs/claims.md:1:1: page" in done.stderr
    assert "rename yours" in done.stderr


def test_the_report_links_to_each_claim_and_leaves_pages_beyond_the_site_unlinked(
    course: Path, build: Build
) -> None:
    edit(course / "course.toml", "[course]\n", '[course]\nprose = ["docs/**/*.md", "README.md"]\n')
    (course / "README.md").write_text("# Read me\n\nOf [256](claim:add.source.kBlock).\n")
    done = build(course, "--strict")
    assert done.exit_code == 0, done.stderr
    html = (course / "site/claims/index.html").read_text()
    report = LexborHTMLParser(html)
    first, second = report.css("article .course-claims table")[1:]
    rows = [row.css("td")[0] for row in first.css("tbody tr")]
    assert [cell.text().strip() for cell in rows] == ["3"]
    assert not first.css("tbody td a[href*=README]")
    links = [row.css("td")[0].css("a")[0].attributes["href"] for row in second.css("tbody tr")]
    assert links == [
        "../lessons/one/#claim-0",
        "../lessons/one/#wide",
        "../lessons/one/#claim-2",
        "../lessons/one/#claim-3",
    ]
    lesson = LexborHTMLParser((course / "site/lessons/one/index.html").read_text())
    for link in links:
        assert len(lesson.css("#" + str(link).partition("#")[2])) == 1


def test_findings_of_a_build_as_a_file(course: Path, build: Build) -> None:
    edit(course / LESSON, "[256]", "[257]")
    found = course / "out.sarif"
    assert build(course, COURSE_FINDINGS=str(found)).exit_code == 1
    (result,) = json.loads(found.read_text())["runs"][0]["results"]
    assert result["ruleId"] == "drift"
    edit(course / LESSON, "[257]", "[256]")
    assert build(course, COURSE_FINDINGS="out.json").exit_code == 0
    assert json.loads((course / "out.json").read_text())["findings"] == []
    # What is wrong with the built page is among them.
    done = build(course, COURSE_FINDINGS="out.json", COURSE_RUN="always")
    assert done.exit_code == 2
    assert [f["kind"] for f in json.loads((course / "out.json").read_text())["findings"]] == [
        "device"
    ]


def test_the_findings_of_an_earlier_build_are_never_taken_for_this_ones(
    course: Path, build: Build
) -> None:
    found = course / "out.json"
    found.write_text("old")
    (course / "docs/index.md").write_bytes(b"# Home\n\nna\xefve\n")
    assert build(course, COURSE_FINDINGS="out.json").exit_code == 2
    document = json.loads(found.read_text())
    assert document["exit_status"] == 2
    assert [f["kind"] for f in document["findings"]] == ["encoding", "page"]
    (course / "docs/index.md").write_text("# Home\n")
    assert build(course, COURSE_FINDINGS="out.json", COURSE_ENABLED="0").exit_code == 0
    assert not found.exists()


@pytest.mark.parametrize(
    ("name", "code", "said", "advice"),
    [
        ("out.xml", 1, "its name ends in none of .json, .sarif, .txt", "findings.sarif"),
        ("none/out.json", 2, "it cannot be written: No such file", "that is there and writable"),
    ],
)
def test_a_findings_file_that_cannot_be_is_a_finding(
    course: Path, build: Build, name: str, code: int, said: str, advice: str
) -> None:
    done = build(course, COURSE_FINDINGS=name)
    assert done.exit_code == code
    assert "COURSE_FINDINGS:1:1: settings" in done.stderr
    assert said in done.stderr
    assert advice in done.stderr
    assert not (course / "site").exists()


@pytest.mark.parametrize("name", ["course.toml", "snippets/add/program.toml"])
def test_broken_toml_is_one_clear_message(course: Path, build: Build, name: str) -> None:
    with (course / name).open("a") as file:
        file.write("\n[unclosed\n")
    done = build(course)
    assert done.exit_code in (1, 2)
    assert f"{name}:" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (course / "site").exists()


def test_two_builds_at_once_each_end_well(course: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    builds = [
        subprocess.Popen(
            command, cwd=course, env=clean_environment(), stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for running in builds:
        _, said = running.communicate(timeout=120)
        assert running.returncode == 0, said
    assert (course / "site/lessons/one/index.html").is_file()
    assert list_left_behind(course) == []


def test_ctrl_c_leaves_nothing_behind(course: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "build"],
        cwd=course,
        env=clean_environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list_left_behind(course) and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode != 0
    assert list_left_behind(course) == []
    assert not (course / "site").exists()


def give_up_roots_way() -> None:
    """Let this process, if it is root, be bound by the permissions of files like anyone."""
    drop_from_bounding_set, write_anywhere, read_anywhere = 24, 1, 2
    if os.geteuid() == 0:
        for capability in (write_anywhere, read_anywhere):
            ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0)


@contextlib.contextmanager
def read_only(root: Path) -> Iterator[None]:
    folders = [root, *(p for p in root.rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        yield
    finally:
        for folder in folders:
            folder.chmod(0o755)


def test_a_read_only_tree_builds_elsewhere_or_says_why_not(
    course: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", *arguments],
            cwd=course,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=give_up_roots_way,
        )

    site = tmp_path_factory.mktemp("elsewhere") / "site"
    with read_only(course):
        refused = run()
        done = run("--site-dir", str(site))
    assert refused.returncode == 2, refused.stderr
    assert "site:1:1: page: could not check" in refused.stderr
    assert "--site-dir" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert done.returncode == 0, done.stderr
    assert (site / "lessons/one/index.html").is_file()


def test_the_page_of_these_tests_holds_what_they_edit() -> None:
    assert PAGE.splitlines()[5].index("[256]") == 15
    assert PAGE.splitlines()[7] == "/// snippet | add#block"


def test_front_matter_that_is_no_yaml_is_told(course: Path, build: Build) -> None:
    lesson = course / LESSON
    text = lesson.read_text()
    body = text.split("---\n", 2)[2] if text.startswith("---\n") else text
    lesson.write_text("---\ntitle: CUDA: Tiled\ndescription: x\n---\n" + body)
    done = build(course)
    assert done.exit_code == 1
    assert f"{LESSON}:2:12: page" in done.output
    assert "mapping values are not allowed here; MkDocs prints it as text" in done.output
    assert "put values with" in done.output
    lesson.write_text('---\ntitle: "CUDA: Tiled"\ndescription: x\n---\n' + body)
    assert build(course).exit_code == 0


def test_a_transcript_of_50_mb_ends_the_build_soon(course: Path, build: Build) -> None:
    assert build(course, "--strict").exit_code == 0
    before = snapshot(course / "site")
    with (course / "evidence/add/nvidia-h200/run-2026-12-01.txt").open("ab") as grown:
        grown.write(b"large  wide  0.626 ms  \x1b[1mno more\x1b[0m <script> {{ ``` \n" * 1_000_000)
    began = time.process_time()
    done = build(course, "--strict")
    assert time.process_time() - began < 15
    assert done.exit_code == 2, "its claims could not be checked"
    said = "the file `evidence/add/nvidia-h200/run-2026-12-01.txt`"
    assert said in done.stderr
    assert "it holds more than 1024 KiB" in done.stderr
    assert len(done.stderr) < 20_000
    assert snapshot(course / "site") == before


@pytest.mark.parametrize(
    ("address", "href", "status"),
    [
        ("https://example.org/en/", "/de/", 0),
        ("https://example.org/en/", "/en/", 0),
        ("https://example.org/en/", "/en/none/", 1),
        ("", "/de/", 1),
    ],
)
def test_a_theme_may_link_to_other_sites_of_the_host(
    course: Path, build: Build, address: str, href: str, status: int
) -> None:
    with (course / "mkdocs.yml").open("a", encoding="utf-8") as file:
        file.write(f"site_url: {address or '!!str'}\n")
        file.write(f"extra:\n  alternate:\n    - {{name: Deutsch, lang: de, link: {href}}}\n")
    done = build(course)
    assert done.exit_code == status, done.output
    assert ("the page links to" in done.output) == bool(status)
