"""A lighter style sheet or script means what the author wrote, as a browser reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from build_tools.pages import __file__ as pages
from build_tools.site.light_assets import lighten_script, lighten_style
from tests.site.browsing import open_browser
from tests.site.conftest import ASSETS, MKDOCS, Build

STYLES = {
    "a comment": ("/* one\n two */\na { color: red }\n", "a{color:red}"),
    "a licence": ("/*! mine */\na { color: red }\n", "/*! mine */ a{color:red}"),
    "a descendant": (".a :is(b, p) , i > q { top: 0 }", ".a :is(b,p),i > q{top:0}"),
    "a comment between": (".a/* not a descendant */.b { top: 0 }", ".a/**/.b{top:0}"),
    "a comment for a space": (".a/* a */ .b { margin: 0/* and */1px }", ".a .b{margin:0/**/1px}"),
    "a string": (
        'a::after { content: "/* b */  ; { \'c\\" }"; top: 0 }',
        'a::after{content:"/* b */  ; { \'c\\" }";top:0}',
    ),
    "an address": (
        "a { background: url(data:image/png;base64,/*a; b*/) }",
        "a{background:url(data:image/png;base64,/*a; b*/)}",
    ),
    "a sum": ("a { width: calc(1px  +  2px  -\n1px) }", "a{width:calc(1px + 2px - 1px)}"),
    "an escape": (".a\\31  b, .a\\31\n{ top: 0 }", ".a\\31  b,.a\\31\n{top:0}"),
    "a property of one's own": ("a { --b: c  d; --e: ; --f:g }", "a{--b:c d;--e:;--f:g}"),
    "a query": (
        "@media (min-width: 1px) and (color) {\n  a { top: 0; }\n}\n",
        "@media (min-width:1px) and (color){a{top:0;}}",
    ),
    "no end": ("a { top: 0 }\n/* and  so on", "a{top:0}/* and so on"),
}

SCRIPTS = {
    "a comment": ("// one\n  // two\nconst a = 1; // three\n", "const a = 1; // three\n"),
    "an indent": ("if (b) {\n  c();\n\t}\n", "if (b) {\nc();\n}\n"),
    "a licence": ("  //! mine\n//# sourceMappingURL=x\n", "//! mine\n//# sourceMappingURL=x\n"),
    "a switch": ("/*\n  f();\n  //*/\n", "/*\nf();\n//*/\n"),
    "a text on one line": ("f(`a${b}`, `c`);\n  g();\n", "f(`a${b}`, `c`);\ng();\n"),
    "a text of two lines": ("f(`a\n  // b`);\n", None),
    "texts in a text": ("f(`a ${b ? `\n  // c` : `d`}`);\n", None),
    "a line that goes on": ("f('a\\\n  b');\n", None),
}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with open_browser() as browser:
        yield browser.new_page()


def read_rules(page: Page, text: str) -> list[str]:
    """The rules of a style sheet, as the browser understood them.

    It keeps the white space of properties that it does not know, which is of no account.
    """
    rules: list[str] = page.evaluate(
        """text => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(text);
            return [...sheet.cssRules].map((rule) => rule.cssText);
        }""",
        text,
    )
    return [re.sub(r"\s*,\s*", ",", " ".join(rule.split())) for rule in rules]


@pytest.mark.parametrize(("text", "light"), STYLES.values(), ids=STYLES)
@pytest.mark.browser
def test_a_light_style_sheet_has_the_same_rules(page: Page, text: str, light: str) -> None:
    assert lighten_style(text) == light
    assert lighten_style(light) == light
    rules = read_rules(page, text)
    assert rules
    assert read_rules(page, light) == rules


@pytest.mark.browser
def test_our_own_style_sheet_keeps_its_rules(page: Page) -> None:
    text = (ASSETS / "course.css").read_text()
    light = lighten_style(text)
    assert len(light) < 0.8 * len(text)
    rules = read_rules(page, text)
    assert len(rules) > 100
    assert read_rules(page, light) == rules


@pytest.mark.parametrize(("text", "light"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_light_script_lacks_comments_and_indents(text: str, light: str | None) -> None:
    assert lighten_script(text) == (text if light is None else light)


@pytest.mark.parametrize("name", ["course.js", "kernels.js", "chart.js"])
def test_our_own_scripts_are_light(name: str) -> None:
    folder = Path(pages).parent / "assets" if name == "chart.js" else ASSETS
    text = (folder / name).read_text()
    light = lighten_script(text)
    assert len(light) < 0.8 * len(text)
    # A comment behind code stays, and nothing else is lost.
    assert [line.strip() for line in text.split("\n") if not line.strip().startswith("//")] == (
        light.split("\n")
    )


def test_the_site_holds_light_files_and_leaves_others_alone(course: Path, build: Build) -> None:
    text = "/* mine */\na { color: red }\n"
    files = {"own.css": text, "other.css": text, "lib.min.css": text, "own.mjs": "  // mine\n"}
    for name, held in files.items():
        (course / "docs" / "assets" / name).write_text(held)
    (course / "docs" / "assets" / "old.js").write_bytes(b"// \xe9\nf();\n")
    more = "".join(
        f"  - assets/{name}\n" for name in ("own.css", "lib.min.css", "https://x.y/z.css")
    )
    settings = MKDOCS.replace("  - assets/course.css\n", f"  - assets/course.css\n{more}")
    settings = settings.replace("extra_javascript:\n", "extra_javascript:\n  - assets/old.js\n")
    (course / "mkdocs.yml").write_text(settings)
    before = {path: path.read_bytes() for path in (course / "docs").rglob("*") if path.is_file()}
    done = build(course)
    assert done.exit_code == 0, done.output
    built = course / "site" / "assets"
    assert (built / "own.css").read_text() == "a{color:red}"
    assert (built / "course.css").read_text() == lighten_style((ASSETS / "course.css").read_text())
    assert (built / "course.js").read_text() == lighten_script((ASSETS / "course.js").read_text())
    for name in ("other.css", "lib.min.css", "own.mjs", "old.js"):
        assert (built / name).read_bytes() == (course / "docs" / "assets" / name).read_bytes()
    assert {path: path.read_bytes() for path in before} == before
