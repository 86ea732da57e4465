"""A page with many claims: what stands behind them is light, whole when asked for, and checked."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from selectolax.lexbor import LexborHTMLParser

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.site.proofs import MOST
from build_tools.site.verify import verify_site
from tests.course_factory import make_example
from tests.site.browsing import serve_site
from tests.site.conftest import MKDOCS, build_apart, snapshot, write_pages

MANY = 200
CLAIMS = ('[0.626 ms](claim:add.time["large", "wide"])', "[256](claim:add.source.kBlock)")
"""One with lines of a transcript and a strip, one with nothing but its expression."""
REGIONS = "\n\n/// snippet | add#block\n///\n\n/// snippet | add#add-kernel\n///\n"
PAGE = "# Many\n\n" + "\n\n".join(f"It is {CLAIMS[i % 2]}." for i in range(MANY)) + REGIONS
FEW = "# Few\n\n" + "\n\n".join(f"It is {CLAIMS[i % 2]}." for i in range(10)) + "\n"
PATH = "docs/lessons/one.md"
HTML = "lessons/one/index.html"
FILE = "lessons/one/proofs.json"
RECORD = "records/add/nvidia-h200/run-2026-12-01/"


def make_site(root: Path, mkdocs: str = MKDOCS) -> None:
    make_example(root)
    write_pages(root, PAGE, mkdocs)
    (root / "docs" / "lessons" / "few.md").write_text(FEW)
    done = build_apart(root, "--strict")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root: Path = tmp_path_factory.mktemp("many")
    make_site(root)
    return root


@pytest.fixture(scope="module")
def loaded(built: Path) -> Course:
    return load_course(built)


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    with serve_site(built / "site") as address:
        yield address


def find_number(page: Page, claim: int = 0) -> Locator:
    return page.locator(f"#claim-{claim} > .course-claim__text")


def find_proof(page: Page, claim: int = 0) -> Locator:
    return page.locator(f"#claim-{claim} > .course-proof")


def watch_file(page: Page) -> list[str]:
    """The requests for what lies beside the page, as they come."""
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url) if r.url.endswith("proofs.json") else None)
    return asked


def read_words(html: str) -> str:
    return " ".join(LexborHTMLParser(html).text(separator=" ").split())


def test_the_page_says_what_and_the_file_says_how(built: Path) -> None:
    tree = LexborHTMLParser((built / "site" / HTML).read_text())
    held = json.loads((built / "site" / FILE).read_text())
    proofs = tree.css(".course-proof")
    assert len(proofs) == len(held) == MANY
    assert not tree.css(".course-proof :is(svg, code)")
    assert sum(map(len, held.values())) > MOST
    for proof in proofs:
        said = " ".join(proof.text().split())
        assert said.endswith("Program")
        assert ("Measured: 0.6255 ms" in said) != ("Exact: 256" in said)
        assert ("NVIDIA H200, driver" in said) == ("Measured" in said)
    assert "Line 8: large wide 0.6255 980.55" in read_words(held["claim-0-proof"])
    assert "<svg" in held["claim-0-proof"]
    assert read_words(held["claim-1-proof"]) == "add.source.kBlock"


def test_a_page_with_few_claims_holds_all_itself(built: Path) -> None:
    html = (built / "site/lessons/few/index.html").read_text()
    assert html.count('class="course-proof__more"') == 10
    assert [p.relative_to(built).as_posix() for p in built.rglob("*proofs.json")] == [
        f"site/{FILE}"
    ]


def test_nothing_is_asked_for_until_a_number_is_looked_at_and_then_once(
    page: Page, address: str
) -> None:
    asked = watch_file(page)
    page.goto(f"{address}lessons/one/", wait_until="networkidle")
    page.locator("h1").hover()
    assert asked == []
    for claim in (0, 2):
        find_number(page, claim).hover()
        proof = find_proof(page, claim)
        expect(proof).to_contain_text("Line 8: large wide 0.6255 980.55")
        expect(proof.locator("svg.course-strip")).to_be_visible()
        # In its place: before the links, once.
        assert proof.evaluate("p => [...p.children].at(-1).className") == "course-proof__links"
        assert proof.locator(".course-proof__more").count() == 1
        find_number(page, claim + 1).hover()
        find_number(page, claim).hover()
        assert proof.locator(".course-proof__more").count() == 1
        box = proof.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 720
    assert asked == [f"{address}{FILE}"]


def test_a_page_with_few_claims_asks_for_nothing(page: Page, address: str) -> None:
    asked = watch_file(page)
    page.goto(f"{address}lessons/few/")
    find_number(page).hover()
    expect(find_proof(page).locator("svg.course-strip")).to_be_visible()
    assert asked == []


def test_the_file_is_found_from_a_page_that_the_theme_loaded(page: Page, address: str) -> None:
    page.goto(f"{address}lessons/few/")
    page.get_by_role("link", name="Many", exact=True).first.click()
    page.wait_for_url("**/lessons/one/")
    find_number(page, 4).hover()
    expect(find_proof(page, 4)).to_contain_text("Line 8: large wide")


def test_enter_goes_into_the_whole_proof(page: Page, address: str) -> None:
    page.goto(f"{address}lessons/one/")
    find_number(page).focus()
    links = find_proof(page).get_by_role("link")
    expect(links).to_have_count(3)
    page.keyboard.press("Tab")
    expect(find_number(page, 1)).to_be_focused()  # Passing by stops once a number.
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(links.first).to_be_focused()
    expect(links.first).to_contain_text("Line 8")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{RECORD}#T8")


def test_a_file_that_does_not_come_is_asked_for_again(page: Page, address: str) -> None:
    fails = [True]

    def answer(route: Route) -> None:
        if fails:
            route.abort()
        else:
            route.continue_()

    page.route("**/proofs.json", answer)
    page.goto(f"{address}lessons/one/")
    with page.expect_event("requestfailed"):
        find_number(page).hover()
    expect(find_proof(page)).to_contain_text("Measured: 0.6255 ms")
    expect(find_proof(page).get_by_role("link", name="Record", exact=True)).to_be_visible()
    fails.clear()
    find_number(page, 2).hover()
    expect(find_proof(page, 2)).to_contain_text("Line 8: large wide")
    find_number(page).hover()
    expect(find_proof(page)).to_contain_text("Line 8: large wide")


def test_without_scripts_the_record_is_a_click_away(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}lessons/one/")
    find_number(page).hover()
    expect(find_proof(page)).to_be_visible()
    expect(find_proof(page)).to_contain_text("Next process: 0.6247 to 0.6262 ms")
    find_number(page).click()
    page.wait_for_url(f"**/{RECORD}#measurement-time")
    context.close()


def spoil(built: Path, target: Path, change: Callable[[dict[str, str]], Mapping[str, str]]) -> Path:
    """The clean site again, with another file beside the page."""
    shutil.copytree(built / "site", target, copy_function=os.link)
    held = json.loads((target / FILE).read_text())
    (target / FILE).unlink()
    (target / FILE).write_text(json.dumps(change(held)))
    return target


@pytest.mark.parametrize(
    ("change", "line", "stated", "true"),
    [
        (
            lambda held: (
                held | {"claim-2-proof": held["claim-2-proof"].replace("980.55", "981.55")}
            ),
            7,
            "wide 0.6255 981.55",
            "wide 0.6255 980.55",
        ),
        (
            lambda held: held | {"claim-3-proof": held["claim-2-proof"]},
            9,
            "the page says",
            "add.source.kBlock",
        ),
        (
            lambda held: {key: held[key] for key in held if key != "claim-1-proof"},
            5,
            "Program",
            "add.source.kBlock",
        ),
        (
            lambda held: (
                held
                | {"claim-0-proof": held["claim-0-proof"].replace(f"{RECORD}#T8", f"{RECORD}#T888")}
            ),
            3,
            "#T888",
            "has no anchor T888",
        ),
    ],
    ids=["a digit", "another's", "missing", "a link"],
)
def test_the_check_reads_the_page_with_its_file(
    built: Path,
    loaded: Course,
    tmp_path: Path,
    change: Callable[[dict[str, str]], Mapping[str, str]],
    line: int,
    stated: str,
    true: str,
) -> None:
    assert verify_site(loaded, built / "site") == []
    (finding,) = verify_site(loaded, spoil(built, tmp_path / "site", change))
    assert (finding.place.path, finding.place.line) == (PATH, line)
    assert stated in finding.stated
    assert true in finding.true


@pytest.mark.parametrize("text", ["", "[]", '{"claim-0-proof": 1}', None])
def test_a_file_that_cannot_be_read_is_missed_with_every_claim(
    built: Path, loaded: Course, tmp_path: Path, text: str | None
) -> None:
    site = spoil(built, tmp_path / "site", dict)
    (site / FILE).unlink()
    if text is not None:
        (site / FILE).write_text(text)
    assert len(verify_site(loaded, site)) == MANY


def test_a_file_of_the_course_keeps_its_place(course: Path) -> None:
    (course / "docs/lessons/one").mkdir(parents=True)
    (course / "docs/lessons/one/proofs.json").write_text("{}\n")
    (course / "docs/lessons/one.md").write_text(PAGE)
    done = build_apart(course, "--strict")
    assert done.returncode == 0, done.stderr
    assert (course / "site" / FILE).read_text() == "{}\n"
    html = (course / "site" / HTML).read_text()
    assert html.count('class="course-proof__more"') == MANY
    assert "data-course-proofs" not in html


def test_a_build_after_no_change_makes_the_same(tmp_path: Path) -> None:
    make_site(tmp_path)
    before = snapshot(tmp_path / "site")
    assert FILE in before
    shutil.rmtree(tmp_path / "site")
    assert build_apart(tmp_path, "--strict").returncode == 0
    after = snapshot(tmp_path / "site")
    assert after.keys() == before.keys()
    assert [name for name in after if after[name] != before[name]] == []


def test_pages_that_are_files_have_files_of_their_own_beside_them(tmp_path: Path) -> None:
    make_site(tmp_path, f"use_directory_urls: false\n{MKDOCS}")
    site = tmp_path / "site"
    assert 'data-course-proofs="one.proofs.json"' in (site / "lessons/one.html").read_text()
    assert len(json.loads((site / "lessons/one.proofs.json").read_text())) == MANY
    assert verify_site(load_course(tmp_path), site) == []
