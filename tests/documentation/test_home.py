"""Does the home page show a kernel that a reader can open elsewhere, and lead to everything?"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from build_tools.claims.check import check_page
from build_tools.claims.course import load_course
from build_tools.pages.explorer import explore_region

ROOT = Path(__file__).parents[2]
HOME = "docs/index.md"


def read_nav() -> dict[str, str]:
    """The titles of lessons in the navigation, by their page."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    lines = re.findall(r'^      - "(.+)": (lessons/.+)$', text, re.MULTILINE)
    return {path: yaml.safe_load(f'"{title}"') for title, path in lines}


def test_the_kernel_of_the_home_page_opens_elsewhere_and_has_its_number() -> None:
    course = load_course(ROOT)
    scan, findings = check_page(course, HOME)
    assert findings == []
    assert scan is not None
    (name,) = [d.argument for d in scan.directives if d.name == "snippet"]
    program, _, region = name.partition("#")
    link = explore_region(
        course, course.programs[program], course.programs[program].regions[region]
    )
    assert link.url
    text = (ROOT / HOME).read_text(encoding="utf-8")
    proof = text.partition("course-home__proof")[2].partition("</div>")[0]
    assert f"](claim:{program}.time[" in proof


def test_lessons_are_called_alike_on_the_home_page_and_in_the_navigation() -> None:
    text = (ROOT / HOME).read_text(encoding="utf-8")
    cards = text.partition("course-cards")[2]
    titles = {path: title for title, path in re.findall(r"^\[(.+)\]\((.+)\)$", cards, re.MULTILINE)}
    named = read_nav()
    assert len(named) == 3
    assert named.items() <= titles.items()
    assert list(titles)[: len(named)] == list(named)


def test_the_home_page_leads_to_programs_claims_and_reference() -> None:
    text = (ROOT / HOME).read_text(encoding="utf-8")
    for path in ("programs/index.md", "claims.md", "reference/commands.md"):
        assert f"]({path})" in text
