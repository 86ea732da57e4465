"""Built pages against their sources: each change of a built page is found and placed."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.command.main import cli
from build_tools.diagnostics.finding import Finding, Kind
from build_tools.site.verify import verify_site
from tests.course_factory import make_example
from tests.site.conftest import PAGE, build_apart, write_pages

LESSON = "docs/lessons/one.md"
HTML = "lessons/one/index.html"
NOTES = """\
# Notes

See the note[^1].

[^1]: A block has [256](claim:add.source.kBlock) threads.

Then [132](claim:add.device.sm_count) multiprocessors, of [warps](stated:).
"""
"""A footnote in the middle of the page, which is shown at its end."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with its clean site, which no test changes."""
    root = tmp_path_factory.mktemp("built")
    make_example(root)
    write_pages(root)
    (root / "docs" / "lessons" / "notes.md").write_text(NOTES)
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def loaded(built: Path) -> Course:
    return load_course(built)


def copy_site(built: Path, target: Path) -> Path:
    """The clean site again, in a moment: its files are the same ones until they are replaced."""
    shutil.copytree(built / "site", target, copy_function=os.link)
    return target


def replace_text(path: Path, text: str) -> None:
    path.unlink()
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def verify(built: Path, loaded: Course, tmp_path: Path) -> Callable[..., list[Finding]]:
    """``verify(path, change)`` changes one file of a copy of the site, and checks that."""

    def run(path: str, change: Callable[[str], str]) -> list[Finding]:
        site = copy_site(built, tmp_path / "site")
        before = (site / path).read_text(encoding="utf-8")
        after = change(before)
        assert after != before
        replace_text(site / path, after)
        return verify_site(loaded, site)

    return run


def replace(old: str, new: str, count: int = 1) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, count)


def substitute(pattern: str, new: str) -> Callable[[str], str]:
    return lambda text: re.sub(pattern, new, text, count=1, flags=re.DOTALL)


def place_of(text: str) -> str:
    """The place of the claim or directive that starts with a text of the lesson."""
    for number, line in enumerate(PAGE.splitlines(), start=1):
        if text in line:
            return f"{LESSON}:{number}:{line.index(text) + 1}"
    raise AssertionError(text)


def test_a_clean_site_is_clean(built: Path, loaded: Course) -> None:
    assert verify_site(loaded, built / "site") == []


def test_a_site_that_is_not_there_could_not_be_checked(
    built: Path, loaded: Course, tmp_path: Path
) -> None:
    findings = verify_site(loaded, tmp_path / "none")
    assert [f.checked for f in findings] == [False]
    assert "build the site first" in findings[0].advice


BLOCK = "/// snippet | add#block"
KERNEL = "/// snippet | add#add-kernel"

CHANGES = {
    "a character of a kernel": (
        substitute(r"(data-course-region=\"add#add-kernel\".*?)blockIdx", r"\1blockIdy"),
        KERNEL,
        "line 2 shows",
    ),
    "an indent of a kernel": (
        substitute(r"(data-course-region=\"add#add-kernel\".*?)    ", r"\1   "),
        KERNEL,
        "line 2 shows",
    ),
    "a second block of code": (
        substitute(r"(data-course-region=\"add#block\".*?</pre>)", r"\1<pre><code>x</code></pre>"),
        BLOCK,
        "2 blocks of code",
    ),
    "a digit of a table": (
        substitute(r"(data-course-table.*?>)0\.6255<", r"\g<1>0.6256<"),
        "/// table | add",
        "row 4 shows",
    ),
    "what a table is sorted by": (
        substitute(r"(data-course-table.*?)data-value=\"0\.6255\"", r'\g<1>data-value="0.6256"'),
        "/// table | add",
        'a cell holds data-value="0.6256"',
    ),
    "a key of a table": (
        substitute(r"(data-course-table.*?<th scope=\"row\">)small", r"\1tiny"),
        "/// table | add",
        "row 1 shows tiny | narrow",
    ),
    "a row of a table": (
        substitute(r"(data-course-table.*?<tbody>\s*)<tr>.*?</tr>", r"\1"),
        "/// table | add",
        "3 rows are shown",
    ),
    "a line of a transcript": (
        substitute(r"(data-course-transcript.*?)all cases match", r"\1all cases matched"),
        "/// transcript | add",
        "line 13 shows",
    ),
    "a flag of a command": (
        substitute(r"(data-course-program=.*?)-O3", r"\1-O2"),
        "/// program | add",
        "line 1 shows",
    ),
    "a digit of a claim": (
        substitute(r"(data-course-claim=\"0\".*?)256", r"\g<1>257"),
        "[256]",
        "the page shows '257'",
    ),
    "a claim in a heading": (
        substitute(r"(<h2.*?data-course-claim=\"1\".*?)2\.06", r"\g<1>2.07"),
        "[2.06×]",
        "the page shows '2.07×'",
    ),
    "the GPU of a caption": (
        substitute(r"(data-course-table.*?)NVIDIA H200", r"\1NVIDIA H100"),
        "/// table | add",
        "the page says 'add on NVIDIA H100,'",
    ),
    "the date of a snippet": (
        substitute(r"(data-course-region=\"add#block\".*?)2026-12-01<", r"\g<1>2026-12-02<"),
        BLOCK,
        "2026-12-02",
    ),
    "the band behind a claim": (
        substitute(r"(data-course-claim=\"2\".*?)0\.6247", r"\g<1>0.6237"),
        "[0.626 ms]",
        "Next process: 0.6237",
    ),
    "what kind of proof a claim has": (
        replace("course-claim--exact", "course-claim--measured"),
        "[256]",
        "the claim is marked `course-claim course-claim--measured`",
    ),
    "a claim's mark": (replace(' data-course-claim="2"', ""), "[0.626 ms]", "does not show it"),
    "a directive's mark": (replace(' data-course-directive="0"', ""), BLOCK, "does not show it"),
    "a claim shown twice": (
        replace('data-course-claim="2"', 'data-course-claim="0"'),
        "[256]",
        "shows it 2 times",
    ),
    "a link to a program's line": (
        substitute(r"programs/add/#L\d+", "programs/add/#L999"),
        None,
        "has no anchor L999",
    ),
    "a description's id": (
        substitute(r"aria-describedby=\"[^\"]+\"", 'aria-describedby="none"'),
        None,
        "no such element",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_page_is_found_at_the_source_line(
    verify: Callable[..., list[Finding]], name: str
) -> None:
    change, start, words = CHANGES[name]
    findings = verify(HTML, change)
    assert findings
    # A claim that lost its mark is a number like any other.
    assert all(f.kind in (Kind.PAGE, Kind.UNBOUND) and f.checked for f in findings)
    said = [f"{f.stated} / {f.true}" for f in findings]
    assert any(words in text for text in said), said
    if start is not None:
        assert place_of(start) in [str(f.place) for f in findings]
    assert all(f.place.path == LESSON for f in findings)


REPORT = {
    "a state": (replace(">holds<", ">is true<"), "exact is"),
    "a margin": (replace(">−50 %<", ">−5 %<"), "−5"),
    "a key": (replace('data-value="0.0006255"', 'data-value="0.6255"'), 'data-value="0.6255"'),
    "a count": (substitute(r"(<tfoot>.*?\">)3(</td>)", r"\g<1>2\2"), "All pages 2"),
    "a row": (substitute(r"<tr>\s*<th scope=\"row\" class=\"course-claims__first\">256.*?</tr>", ""), "256"),
    "the anchor of a claim": (replace("#claim-2", "#claim-9"), "no anchor claim-9"),
    "a table": (
        substitute(r"<div class=\"course-claims\"[^>]*data-course-directive=\"1\".*?</table>", "<div>"),
        "does not show it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPORT)
def test_a_changed_report_of_claims_is_found(
    verify: Callable[..., list[Finding]], name: str
) -> None:
    change, words = REPORT[name]
    findings = verify("claims/index.html", change)
    assert {f.place.path for f in findings} == {"docs/claims.md"}
    assert any(words in f"{f.stated} / {f.true}" for f in findings), findings


UNRENDERED = {
    "a directive": ("/// snippet | add#block ///", "/// snippet"),
    "the end of a directive": ("a line\n///\nbelow", "'///'"),
    "a claim": ("Of [256](claim:add.source.kBlock) threads", "](claim:"),
    "a fact": ("Of [141 GB](given:memory)", "](given:"),
    "an unfinished link": ('<a href="course:program/add">x</a>', "did not finish"),
    "a number too many": ('<b data-course-claim="9">9</b>', "no such claim"),
    "a used id": ('<i id="wide"></i><i id="wide"></i>', None),
}


@pytest.mark.parametrize("name", UNRENDERED)
def test_what_was_not_rendered_is_found(verify: Callable[..., list[Finding]], name: str) -> None:
    text, words = UNRENDERED[name]
    findings = verify(HTML, replace("</article>", f"<p>{text}</p></article>"))
    said = [f"{f.stated} / {f.true}" for f in findings]
    if words is None:
        assert findings == []  # An author's own ids are the author's.
    else:
        assert any(words in line for line in said), said


def test_a_link_that_cites_and_was_not_read_is_found(
    verify: Callable[..., list[Finding]],
) -> None:
    refused = '<span class="course-claim course-claim--refused">512</span>'
    (finding,) = verify(HTML, replace("<h1", f"<p>{refused}</p><h1"))
    assert finding.kind is Kind.PAGE
    assert finding.place.path == LESSON
    assert finding.stated == "the page shows `512` as a link that cites"
    assert "nothing was checked" in finding.true
    assert "outside of HTML and code" in finding.advice


def test_syntax_shown_as_code_is_no_finding(verify: Callable[..., list[Finding]]) -> None:
    shown = "<p><code>[256](claim:x)</code></p><pre><code>/// snippet | a#b\n///</code></pre>"
    assert verify(HTML, replace("</article>", f"{shown}</article>")) == []


def test_an_id_of_ours_there_twice_is_found(built: Path, loaded: Course, tmp_path: Path) -> None:
    site = copy_site(built, tmp_path / "site")
    html = (site / HTML).read_text()
    ours = re.search(r'id="(snippet-[^"]+|[^"]*add-block[^"]*)" data-course-directive', html)
    assert ours is not None
    doubled = html.replace("</article>", f'<i id="{ours[1]}"></i></article>')
    replace_text(site / HTML, doubled)
    findings = verify_site(loaded, site)
    assert [f.stated for f in findings] == [f"the page holds the id `{ours[1]}` 2 times"]


def test_directives_in_another_order_are_found(verify: Callable[..., list[Finding]]) -> None:
    def swap(text: str) -> str:
        for old, new in (("0", "x"), ("1", "0"), ("x", "1")):
            text = text.replace(f'data-course-directive="{old}"', f'data-course-directive="{new}"')
        return text

    said = [f.stated for f in verify(HTML, swap)]
    assert any("in the order 1, 0, 2" in line for line in said), said


def test_a_footnote_is_out_of_the_order_and_still_checked(
    verify: Callable[..., list[Finding]],
) -> None:
    (finding,) = verify("lessons/notes/index.html", replace("256</", "255</"))
    assert str(finding.place) == "docs/lessons/notes.md:5:19"
    assert "255" in finding.stated


def test_claims_in_another_order_are_found_beside_a_footnote(
    verify: Callable[..., list[Finding]],
) -> None:
    def swap(text: str) -> str:
        names = {'data-course-claim="1"': 'data-course-claim="2"'}
        names |= {after: before for before, after in names.items()}
        return re.sub("|".join(names), lambda match: names[match[0]], text)

    said = [finding.stated for finding in verify("lessons/notes/index.html", swap)]
    assert any("in the order 2, 1" in line for line in said), said


def test_generated_pages_are_checked_too(verify: Callable[..., list[Finding]]) -> None:
    findings = verify("programs/add/index.html", substitute(r"kBlock", "kBlok"))
    assert [f.place.path for f in findings] == ["docs/programs/add.md"]


def test_every_link_of_a_generated_page_is_followed(
    built: Path, loaded: Course, tmp_path: Path
) -> None:
    site = copy_site(built, tmp_path / "site")
    (site / "downloads/add/add.cu").unlink()
    shutil.rmtree(site / "evidence/add/nvidia-h200/run-2026-12-01")
    findings = verify_site(loaded, site)
    paths = {f.place.path for f in findings}
    assert "docs/records/add/nvidia-h200/run-2026-12-01.md" in paths
    assert LESSON in paths
    assert any("downloads/add/add.cu" in f.true for f in findings)


def test_a_page_that_was_not_built_is_found(built: Path, loaded: Course, tmp_path: Path) -> None:
    site = copy_site(built, tmp_path / "site")
    shutil.rmtree(site / "lessons")
    findings = verify_site(loaded, site)
    assert any(f.place.path == LESSON and f"the site has no {HTML}" in f.true for f in findings)


def test_a_page_that_truly_shows_a_wrong_number_is_not_verified(
    built: Path, tmp_path: Path
) -> None:
    root = tmp_path / "course"
    shutil.copytree(built, root)
    for path, old, new in ((LESSON, "[256]", "[257]"), (f"site/{HTML}", ">256</a>", ">257</a>")):
        text = (root / path).read_text()
        assert old in text
        (root / path).write_text(text.replace(old, new))
    findings = verify_site(load_course(root), root / "site")
    # The report of all claims was built before, and is not that of the page as it is now.
    report = [f for f in findings if f.place.path == "docs/claims.md"]
    assert {f.kind for f in report} == {Kind.PAGE}
    (drift,) = (f for f in findings if f not in report)
    assert str(drift.place) == place_of("[256]")
    assert drift.kind is not Kind.PAGE


def test_what_is_known_of_a_line_is_not_said_again(
    built: Path, loaded: Course, tmp_path: Path
) -> None:
    site = copy_site(built, tmp_path / "site")
    html = (site / HTML).read_text()
    replace_text(site / HTML, html.replace('data-course-directive="0"', "", 1))
    first = verify_site(loaded, site)
    assert first
    assert verify_site(loaded, site, known=first) == []


@pytest.fixture(scope="module")
def rewritten(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """``rewritten(old, new)`` is ``course verify site`` after the lesson was written otherwise.

    What is said of the lesson, each with its place, what is stated and true, and what to do.
    """
    root = tmp_path_factory.mktemp("rewritten") / "course"
    shutil.copytree(built, root)

    def run(old: str, new: str) -> list[str]:
        assert old in PAGE
        (root / LESSON).write_text(PAGE.replace(old, new, 1))
        words = ["--root", str(root), "verify", str(root / "site"), "--format", "json"]
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 1
        said = [f for f in json.loads(done.stdout)["findings"] if f["place"]["path"] == LESSON]
        assert {f["kind"] for f in said} == {"page"}
        places = ["{path}:{line}:{column}".format(**f["place"]) for f in said]
        told = [f"{f['stated']} / {f['true']} / {f['advice']}" for f in said]
        return [f"{place}: {text}" for place, text in zip(places, told, strict=True)]

    return run


OTHER = "the site was built from another text of this page; build it again"


def test_a_claim_more_in_the_source_is_one_finding(rewritten: Callable[..., list[str]]) -> None:
    more = "# Adding [132](claim:add.device.sm_count) vectors {#adding}"
    assert rewritten("# Adding vectors", more) == [
        f"{LESSON}:4:10: the claim `132` / the page does not show it / {OTHER}"
    ]


def test_a_claim_less_in_the_source_is_one_finding(rewritten: Callable[..., list[str]]) -> None:
    (said,) = rewritten("Each block has [256](claim:add.source.kBlock) threads.", "Nothing.")
    # The one that stands there now.
    assert said.startswith(f"{LESSON}:26:12: the page shows the claim `256` / the source has no")
    assert said.endswith(OTHER)


def test_one_more_and_one_less_do_not_shift_what_is_between(
    rewritten: Callable[..., list[str]],
) -> None:
    page = PAGE.replace("Each block has [256](claim:add.source.kBlock) threads.\n", "Nothing.\n")
    said = rewritten(PAGE, page + "\nSo are [132](claim:add.device.sm_count).\n")
    assert [line.split(" / ")[0].split(": ", 1)[1] for line in said] == [
        "the page shows the claim `256`",
        "the claim `132`",
    ]


def test_another_text_of_one_claim_is_told_at_that_claim(
    rewritten: Callable[..., list[str]],
) -> None:
    assert rewritten("[256](claim", "[2^8](claim") == [
        f"{LESSON}:6:16: the page shows '256' / the claim says '2^8' / build the site again"
    ]


def test_a_block_more_in_the_source_is_one_finding(rewritten: Callable[..., list[str]]) -> None:
    block = "/// transcript | add\n///\n\n/// snippet | add#block"
    assert rewritten("/// snippet | add#block", block) == [
        f"{LESSON}:8:1: the directive `transcript | add` / the page does not show it / {OTHER}"
    ]


def test_two_long_pages_of_other_texts_are_told_as_a_whole(
    rewritten: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("build_tools.site.pairing.MOST_COMPARED", 3)
    page = PAGE.replace("0.626 ms", "626 µs")
    more = "[132](claim:add.device.sm_count) [2](claim:1 + 1)"
    said = rewritten(PAGE, page.replace("[256](claim:add.source.kBlock)", more))
    (told,) = said
    assert told.startswith(f"{LESSON}:1:1: the page shows 3 claims from its number 1 on / ")
    assert told.endswith(f"the source has 4 others there / {OTHER}")
