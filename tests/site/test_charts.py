"""Charts in a real browser: drawn where they are seen, in both schemes, and a picture without."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.course_factory import CHECK, DECLARATION, PROGRAM, make_course, make_transcripts
from tests.site.browsing import serve_site
from tests.site.conftest import Build, build_apart, snapshot, write_pages

TIMES = "/// chart | add\n    x: case\n    y: time\n    by: kernel\n    title: Times\n///\n"
SPEEDUP = "/// chart | add\n    x: case\n    y: speedup\n///\n"
SNIPPETS = "/// snippet | add#block\n///\n\n/// snippet | add#add-kernel\n///\n"
FAR = "\n\n".join(["Words."] * 120)
"""Taller than any window."""

LESSON = f"# Lesson\n\n{FAR}\n\n{TIMES}\n{SNIPPETS}\n[Other](two.md)\n"
OTHER = f"# Other\n\n{SPEEDUP}\n{FAR}\n"

LONG_NAMES = ("naive 16x16", "naive 32x8", "tiled", "padded by 1", "padded by 4", "B padded by 1")
MANY = """\
[tables.rates]
columns = { kernel = "key", rate = "GFLOP/s" }

[quantities]
flop = { expression = '1000 * source.kBlock', unit = "FLOP" }
bytes = { expression = '500 * source.kBlock', unit = "B" }
intensity = 'flop / bytes'

[regions.add-kernel]
needs = ["block"]
"""
WIDE = f"""\
# Wide

/// chart | many
    x: kernel
    y: rate
///

/// chart | many
    kind: roofline
    y: naive = rate["naive 16x16"]; tiled = rate["tiled"]
    x: naive, L2 = intensity; naive, DRAM = 8 * intensity; tiled, L2 = intensity
    roofs: L2 = rate["padded by 4"] / intensity; all = 2 * rate["padded by 4"]
///

{SNIPPETS.replace("add#", "many#")}
"""

SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""


def write_course(root: Path, address: str) -> None:
    """Lessons with charts. The theme loads a page into another only where it knows its site."""
    rows = "".join(f"{name:13}  {n + 3}.{{n}}\n" for n, name in enumerate(LONG_NAMES))
    table = f"kernel         GFLOP/s\n-------------  -------\n{rows}"
    make_course(
        root,
        {name: PROGRAM.format(name=name) for name in ("add", "many")},
        {"add": DECLARATION, "many": MANY},
        {"add": make_transcripts(), "many": [table.format(n=10 + n) for n in range(10)]},
        checks={"add": CHECK, "many": CHECK},
    )
    write_pages(root, LESSON)
    config = root / "mkdocs.yml"
    palette = """\
  palette:
    - scheme: default
      media: "(prefers-color-scheme: light)"
      toggle: {icon: material/brightness-7, name: Dark}
    - scheme: slate
      media: "(prefers-color-scheme: dark)"
      toggle: {icon: material/brightness-4, name: Light}
"""
    text = config.read_text().replace("  font: false\n", f"  font: false\n{palette}")
    config.write_text(f"site_url: {address}\n{text}")
    (root / "docs" / "lessons" / "two.md").write_text(OTHER)
    (root / "docs" / "lessons" / "three.md").write_text(WIDE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("charts")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serve_site(folder / "site") as address:
        yield address


@pytest.fixture(scope="module", autouse=True)
def site(folder: Path, address: str) -> Path:
    write_course(folder, address)
    done = build_apart(folder, "--strict")
    assert done.returncode == 0, done.stderr
    return folder / "site"


SLOW = 20_000
"""Milliseconds that loading and running Plotly may take beside other work."""


class Tab:
    """A tab that remembers what it asked for, and what its scripts complained of."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 800}, **options}
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(SLOW)
        self.page.add_init_script(SHIFTS)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self.listen)
        self.host = urlsplit(address).netloc

    def listen(self, said: ConsoleMessage) -> None:
        """The theme looks for the site's map beside each page first, which is nobody's fault."""
        looks = str(said.location.get("url", "")).endswith("/sitemap.xml")
        if said.type in ("error", "warning") and not looks:
            self.complaints.append(said.text)

    def has_plotly(self) -> bool:
        return any("/assets/course/plotly-" in url for url in self.asked)

    def close(self) -> None:
        foreign = [url for url in self.asked if urlsplit(url).netloc not in (self.host, "")]
        self.context.close()
        assert foreign == []
        assert self.complaints == []


def draw(tab: Tab, address: str) -> None:
    """Open the lesson and scroll to its chart."""
    tab.page.goto(address + "lessons/one/")
    tab.page.locator(".course-chart").scroll_into_view_if_needed()
    expect(
        tab.page.locator(".course-chart--drawn .course-chart__plot svg.main-svg").first
    ).to_be_visible(timeout=SLOW)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_chart_is_drawn_where_it_is_seen(
    browser: Browser, address: str, scheme: Literal["light", "dark"], width: int
) -> None:
    tab = Tab(browser, address, color_scheme=scheme, viewport={"width": width, "height": 800})
    page = tab.page
    page.goto(address + "lessons/one/", wait_until="networkidle")
    assert not tab.has_plotly()
    figure = page.locator(".course-chart")
    before = figure.locator(".course-chart__frame").bounding_box()
    whole = figure.bounding_box()
    assert before is not None
    assert whole is not None
    picture = figure.locator("svg.course-chart__picture:visible")
    expect(picture).to_have_count(1)
    assert picture.bounding_box() == before
    draw(tab, address)
    assert tab.has_plotly()
    plot = figure.locator(".course-chart__plot")
    frame = figure.locator(".course-chart__frame")
    assert plot.bounding_box() == frame.bounding_box()
    after = frame.bounding_box()
    assert after is not None
    assert (after["width"], after["height"]) == (before["width"], before["height"])
    expect(picture).not_to_be_visible()
    # As many bars as the record has rows, in the colours that the picture has in this scheme.
    bars = plot.locator(".bars .point path")
    expect(bars).to_have_count(4, timeout=SLOW)
    for number in (0, 1):
        wanted = figure.locator(f".course-chart--{number}").first
        colour = wanted.evaluate("node => getComputedStyle(node).color")
        drawn = plot.locator(".trace.bars").nth(number).locator(".point path").first
        assert drawn.evaluate("node => getComputedStyle(node).fill") == colour
    assert plot.locator(".xtick text").all_text_contents() == ["small", "large"]
    words = plot.locator(".xtick text").first
    assert words.evaluate("node => getComputedStyle(node).fontFamily") == figure.evaluate(
        "node => getComputedStyle(node).fontFamily"
    )
    assert page.evaluate("window.shifts") == []
    tab.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_every_key_and_level_is_named(browser: Browser, address: str, width: int) -> None:
    tab = Tab(browser, address, viewport={"width": width, "height": 800})
    tab.page.goto(address + "lessons/three/")
    for figure in tab.page.locator(".course-chart").all():
        figure.scroll_into_view_if_needed()
    plots = tab.page.locator(".course-chart--drawn .course-chart__plot")
    expect(plots).to_have_count(2, timeout=SLOW)
    labels = plots.first.locator(".xtick text").all_text_contents()
    assert [label.replace(" ", "") for label in labels] == [n.replace(" ", "") for n in LONG_NAMES]
    boxes = [label.bounding_box() for label in plots.first.locator(".xtick text").all()]
    for left, right in itertools.pairwise(boxes):
        assert left is not None
        assert right is not None
        assert left["x"] + left["width"] <= right["x"]
    roofline = plots.last
    levels = roofline.locator(".textpoint text").all_text_contents()
    assert [level for level in levels if level] == ["L2", "DRAM", "L2"]
    expect(roofline.locator(".scatterlayer .js-line")).to_have_count(2)
    # The legend stands above the axes, and what the vertical axis says between the two.
    legend = roofline.locator(".legend .bg").bounding_box()
    said = roofline.locator(".annotation-text").bounding_box()
    assert legend is not None
    assert said is not None
    assert legend["y"] + legend["height"] <= said["y"] + 4
    tab.close()


@pytest.mark.browser
def test_a_window_that_is_turned_shows_the_other_lay_out(browser: Browser, address: str) -> None:
    tab = Tab(browser, address)
    tab.page.goto(address + "lessons/three/")
    plot = tab.page.locator(".course-chart--drawn .course-chart__plot").first
    expect(plot.locator(".xtick text").first).to_have_text("naive 16x16", timeout=SLOW)
    expect(plot.locator(".xtick text").first.locator("tspan")).to_have_count(0, timeout=SLOW)
    tab.page.set_viewport_size({"width": 390, "height": 800})
    expect(plot.locator(".xtick text").first.locator("tspan")).to_have_count(2, timeout=SLOW)
    frame = tab.page.locator(".course-chart__frame").first.bounding_box()
    assert frame is not None
    tab.page.wait_for_function(
        "width => Math.abs(document.querySelector('.course-chart__plot svg.main-svg')"
        ".getBoundingClientRect().width - width) < 1",
        arg=frame["width"],
    )
    tab.page.set_viewport_size({"width": 1280, "height": 800})
    expect(plot.locator(".xtick text").first.locator("tspan")).to_have_count(0, timeout=SLOW)
    tab.close()


@pytest.mark.browser
def test_the_scheme_is_followed(browser: Browser, address: str) -> None:
    tab = Tab(browser, address, color_scheme="light")
    draw(tab, address)
    bar = tab.page.locator(".course-chart__plot .bars .point path").first
    light = bar.evaluate("node => getComputedStyle(node).fill")
    tab.page.evaluate("document.body.setAttribute('data-md-color-scheme', 'slate')")
    tab.page.wait_for_function(
        "before => getComputedStyle(document.querySelector('.course-chart__plot .point path')).fill"
        " !== before",
        arg=light,
    )
    wanted = tab.page.locator(".course-chart--0").first
    assert bar.evaluate("node => getComputedStyle(node).fill") == wanted.evaluate(
        "node => getComputedStyle(node).color"
    )
    tab.close()


@pytest.mark.browser
def test_charts_of_pages_that_are_loaded_into_the_open_one_are_drawn(
    browser: Browser, address: str
) -> None:
    tab = Tab(browser, address)
    draw(tab, address)
    tab.page.evaluate("window.stays = true")
    tab.page.locator("article a[href*='two']").click()
    expect(tab.page).to_have_url(address + "lessons/two/")
    assert tab.page.evaluate("window.stays")
    plot = tab.page.locator(".course-chart--drawn .course-chart__plot")
    expect(plot.locator("svg.main-svg").first).to_be_visible(timeout=SLOW)
    # What Plotly says of its own layers must still hold: they lie above each other.
    assert plot.locator("svg.main-svg").first.evaluate(
        "node => getComputedStyle(node).position"
    ) == ("absolute")
    expect(plot.locator(".scatterlayer .point")).to_have_count(2)
    assert len([url for url in tab.asked if "/plotly-" in url]) == 1
    tab.page.go_back()
    expect(tab.page.locator("article h1")).to_contain_text("Lesson")
    tab.page.locator(".course-chart").scroll_into_view_if_needed()
    expect(tab.page.locator(".course-chart--drawn .bars .point path")).to_have_count(
        4, timeout=SLOW
    )
    tab.close()


@pytest.mark.browser
def test_arrow_keys_read_the_points(browser: Browser, address: str) -> None:
    tab = Tab(browser, address)
    draw(tab, address)
    plot = tab.page.locator(".course-chart__plot")
    plot.focus()
    said = tab.page.locator(".course-chart__said")
    tab.page.keyboard.press("ArrowRight")
    expect(said).to_have_text(re.compile(r"^narrow, small, 0\.01\d+ ms, next process: "))
    expect(plot.locator(".hoverlayer .hovertext")).to_be_visible()
    tab.page.keyboard.press("ArrowLeft")
    expect(said).to_have_text(re.compile(r"^wide, large, 0\.62\d+ ms, next process: "))
    tab.page.keyboard.press("Escape")
    expect(said).to_have_text("")
    expect(plot.locator(".hoverlayer .hovertext")).to_have_count(0)
    tab.close()


@pytest.mark.browser
def test_without_scripts_the_picture_stands(browser: Browser, address: str) -> None:
    tab = Tab(browser, address, java_script_enabled=False)
    tab.page.goto(address + "lessons/one/")
    expect(tab.page.locator(".course-chart svg.course-chart__picture:visible")).to_have_count(1)
    bar = tab.page.locator(".course-chart__picture--wide .course-chart__bar").first
    expect(bar).to_be_visible()
    tab.page.locator(".course-chart summary").click()
    expect(tab.page.locator(".course-chart table")).to_be_visible()
    assert not tab.has_plotly()
    tab.close()


@pytest.mark.browser
def test_print_has_the_picture(browser: Browser, address: str) -> None:
    tab = Tab(browser, address)
    draw(tab, address)
    tab.page.emulate_media(media="print")
    expect(tab.page.locator(".course-chart__plot")).not_to_be_visible()
    expect(tab.page.locator(".course-chart__picture--wide")).to_be_visible()
    tab.close()


@pytest.mark.browser
def test_another_bundle_is_not_run(browser: Browser, address: str) -> None:
    tab = Tab(browser, address)
    tab.page.route(
        "**/plotly-*", lambda route: route.fulfill(body="window.Plotly = {}; window.ran = true")
    )
    tab.page.goto(address + "lessons/one/")
    tab.page.locator(".course-chart").scroll_into_view_if_needed()
    for _ in range(50):
        if any("could not be loaded" in said for said in tab.complaints):
            break
        tab.page.wait_for_timeout(100)
    assert [said for said in tab.complaints if "could not be loaded" in said]
    assert tab.page.evaluate("window.ran") is None
    expect(tab.page.locator(".course-chart svg.course-chart__picture--wide")).to_be_visible()
    tab.complaints.clear()
    tab.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("is_drawn", [False, True])
def test_a_chart_bars_nobody(
    browser: Browser, address: str, scheme: Literal["light", "dark"], is_drawn: bool
) -> None:
    tab = Tab(browser, address, color_scheme=scheme)
    if is_drawn:
        draw(tab, address)
    else:
        tab.page.goto(address + "lessons/one/")
    tab.page.locator(".course-chart details").evaluate("node => { node.open = true; }")
    results = Axe().run(tab.page, context=".course-chart")
    assert results.response["violations"] == [], results.generate_report()
    tab.close()


def test_two_builds_have_the_same_bytes(
    site: Path, address: str, build: Build, tmp_path: Path
) -> None:
    write_course(tmp_path, address)
    assert build(tmp_path, "--strict").exit_code == 0
    first, second = snapshot(site), snapshot(tmp_path / "site")
    assert first.keys() == second.keys()
    # These two tell when they were built.
    told = ("sitemap.xml", "sitemap.xml.gz")
    assert [name for name in first if first[name] != second[name] and name not in told] == []


def test_a_site_without_charts_has_no_scripts_of_charts(build: Build, course: Path) -> None:
    assert build(course, "--strict").exit_code == 0
    assert not (course / "site" / "assets" / "course").exists()
    assert "chart.js" not in (course / "site" / "lessons" / "one" / "index.html").read_text()


def test_a_file_in_the_place_of_a_script_is_told(build: Build, tmp_path: Path) -> None:
    write_course(tmp_path, "http://localhost/")
    taken = tmp_path / "docs" / "assets" / "course" / "chart.js"
    taken.parent.mkdir()
    taken.write_text("// mine\n")
    done = build(tmp_path)
    assert done.exit_code == 1
    assert "docs/assets/course/chart.js" in done.output
    assert "charts need a file of this name" in done.output
    assert "rename yours" in done.output


def test_a_picture_that_draws_something_else_is_found(site: Path) -> None:
    from build_tools.claims.course import load_course
    from build_tools.site.verify import verify_site

    course = load_course(site.parent)
    assert verify_site(course, site) == []
    page = site / "lessons" / "one" / "index.html"
    text = page.read_text()
    bar = re.search(r'<path class="course-chart__bar [^"]*" d="M[\d.]+ [\d.]+V([\d.]+)', text)
    assert bar is not None
    lower = f"{float(bar[1]) - 20:.1f}"
    page.write_text(text[: bar.start(1)] + lower + text[bar.end(1) :])
    try:
        (finding,) = verify_site(course, site)
    finally:
        page.write_text(text)
    assert finding.place.path == "docs/lessons/one.md"
    assert "`chart | add`: the picture draws `path class=course-chart__bar" in finding.stated
    assert f"V{lower}" in finding.stated
    assert f"V{bar[1]}" in finding.true
    figure = re.search(r"data-course-figure='(\{.*?)'>", text)
    assert figure is not None
    changed = text.replace(figure[1], figure[1].replace('"bargap":0.25', '"bargap":0.5'))
    page.write_text(changed)
    try:
        (finding,) = verify_site(course, site)
    finally:
        page.write_text(text)
    assert '"bargap":0.5' in finding.stated


def test_a_picture_is_not_searched(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    texts = [doc["text"] for doc in index["docs"] if doc["location"].startswith("lessons/one/")]
    text = " ".join(texts)
    assert "error bars span" in text
    assert "bargap" not in text
    # The caption and the table have it, and not the two pictures.
    assert text.count("time (ms)") == 2
