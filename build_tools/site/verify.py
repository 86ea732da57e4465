"""Does a built site show what the course holds? Its pages, compared with sources and evidence.

This works on the files of a site alone, whichever generator made them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from build_tools.claims.check import check_course
from build_tools.claims.memo import OF_PAGES, digest_text, may_show_pages
from build_tools.claims.model import Claim, Course, Directive, PageScan
from build_tools.claims.page_text import digest_prose, list_pages, read_page
from build_tools.diagnostics.finding import Finding, Kind, Place, sort_findings
from build_tools.pages.conversion import Conversion
from build_tools.site.copies import check_copies
from build_tools.site.generate import compose_pages
from build_tools.site.links import SiteReader, follow_link
from build_tools.site.pairing import REBUILD, Pairing, pair_claims, pair_directives
from build_tools.site.rendered import compare_element, compare_foot, compare_proof
from build_tools.site.shown import compare_claim, compare_directive
from build_tools.site.visible_numbers import check_visible

RAW = ("](claim:", "](given:", "](stated:")
"""Text of a link of ours that no renderer turned into one."""


class EmittedLink(NamedTuple):
    """A link of a built page that has to lead somewhere; a site has many thousands."""

    page: str
    """The built page, relative to the site's folder."""
    href: str
    place: Place
    """What a finding names."""


@dataclass(frozen=True)
class CheckedPage:
    """What the check of the whole site needs of a page that shows what it should."""

    anchors: frozenset[str]
    links: tuple[EmittedLink, ...]


@dataclass(frozen=True)
class SitePage:
    """A page as it was written and where the site holds it."""

    path: str
    """The source from the project's root; what a finding names."""
    text: str
    html: str
    """The built page, relative to the site's folder."""
    generated: bool = False


def verify_site(
    course: Course,
    folder: Path,
    pages: Sequence[SitePage] | None = None,
    known: Sequence[Finding] | None = None,
    address: str = "",
) -> list[Finding]:
    """Every disagreement between the site in ``folder`` and the course.

    ``address`` is the site's where it is known: links of the theme may lead to others on its host.

    ``pages`` are those a generator says it built; without it they are looked for at the places
    where generators put them. ``known`` are the findings of sources, evidence and prose where
    they are told already; what they say of a line is not said again. Without it they are made
    and told here: a page that truly shows a wrong number is not verified.
    """
    if not folder.is_dir():
        place = Place(str(folder))
        said = "a built site is checked", "there is no such folder", "build the site first"
        return [Finding(Kind.PAGE, place, *said, checked=False)]
    told = check_course(course) if known is None else []
    site = SiteReader(folder, address)
    listed = find_pages(course, site) if pages is None else pages
    said_of = {(finding.place.path, finding.place.line) for finding in (*told, *(known or ()))}
    findings = []
    followed: dict[tuple[str, str], Place] = {}
    wrong = {path for path, _ in said_of}
    prose = frozenset(list_pages(course))
    for page in listed:
        found, links = check_page(course, site, page, prose, told=page.path in wrong)
        findings += found
        for link in links:
            followed.setdefault((link.page, link.href), link.place)
    # Last, when each page has been parsed once and its anchors are known.
    findings += _follow_known(course, site, followed)
    return sort_findings(
        [
            *told,
            *_check_left_out(course, site, {page.html for page in listed}),
            *check_copies(course, site),
            *(f for f in findings if (f.place.path, f.place.line) not in said_of),
        ]
    )


def _check_left_out(
    course: Course, site: SiteReader, built: AbstractSet[str], docs: str = "docs"
) -> Iterator[Finding]:
    """No draft may be on the site: what it says was not checked."""
    for path in sorted(course.left_out):
        html = _guess_html(site, path.removeprefix(docs + "/"))
        if path.startswith(docs + "/") and html not in built and site.has_file(html):
            advice = "leave the page out of the build, or `draft: true` out of its front matter"
            true = f"the site holds it as {html}, and nothing on it was checked"
            yield _place_finding(Place(path), "this page is a draft", true, advice)


def find_pages(course: Course, site: SiteReader, docs: str = "docs") -> list[SitePage]:
    """The prose pages of the ``docs`` folder, and the generated pages that the site has."""
    pages = []
    for path in list_pages(course):
        text, _ = read_page(course.root, path)
        if text is not None and path.startswith(docs + "/"):
            html = _guess_html(site, path.removeprefix(docs + "/"))
            pages.append(SitePage(path, text, html))
    for page in compose_pages(course):
        html = _guess_html(site, page.source)
        if site.has_file(html):
            pages.append(SitePage(f"{docs}/{page.source}", page.markdown, html, generated=True))
    return pages


def check_page(
    course: Course, site: SiteReader, page: SitePage, prose: Collection[str], *, told: bool = False
) -> tuple[list[Finding], Sequence[EmittedLink]]:
    """Every disagreement between one built page and its source, and the links to be followed.

    ``prose`` are the paths of the pages whose prose is checked. The foot sums the page up: where
    something else of it is wrong, or ``told`` already, what the foot says follows from that.
    """
    try:
        html = site.read_html(page.html)
    except FileNotFoundError:
        advice = f"{REBUILD}, or leave the page out of `prose` in course.toml"
        stated, true = "the page is part of the course", f"the site has no {page.html}"
        return [_place_finding(Place(page.path), stated, true, advice)], []
    except (OSError, UnicodeDecodeError) as error:
        stated = "a page of the site is read"
        place = Place(page.html)
        return [Finding(Kind.PAGE, place, stated, str(error), REBUILD, checked=False)], []
    return check_html(course, site, page, html, prose, told=told)


def check_html(
    course: Course,
    site: SiteReader,
    page: SitePage,
    html: str,
    prose: Collection[str],
    *,
    told: bool = False,
) -> tuple[list[Finding], Sequence[EmittedLink]]:
    """The same of a page whose HTML is at hand; the site knows its anchors then."""
    is_prose = not page.generated and page.path in prose
    shown = digest_prose(course) if may_show_pages(page.text) else ""
    key = ("page", page.path, page.html, is_prose, shown, *map(digest_text, (page.text, html)))
    known = course.memo.recall(key)
    if isinstance(known, CheckedPage):
        site.note_anchors(page.html, known.anchors)
        return [], known.links
    tree = site.read_tree(page.html, html)
    # As the renderer scans it; that an author may not write a directive of ours is said elsewhere.
    conversion = Conversion(course, page.text, page.path)
    scan = conversion.scan
    directives, claims = pair_directives(scan, tree), pair_claims(scan, tree)
    findings = [
        *_check_directives(conversion, directives),
        *_check_claims(conversion, claims),
        *_check_refused(page, scan, tree),
        *_check_ids(page, tree),
    ]
    if not scan.findings:
        # What the scanner could not read stays on the page as text, and is said already.
        findings += _check_raw_text(page, tree)
    if is_prose:
        findings += check_visible(course, scan, tree)
    if not findings and not told:
        findings += [_place_finding(Place(page.path), *d) for d in compare_foot(conversion, tree)]
    links = tuple(dict.fromkeys(_list_links(page, (directives, claims), tree)))
    covered = bool(shown) or not any(d.name in OF_PAGES for d in scan.directives)
    if not findings and not told and covered:
        course.memo.keep(key, CheckedPage(site.list_anchors(page.html), links))
    return findings, links


def _check_directives(conversion: Conversion, pairing: Pairing) -> Iterator[Finding]:
    yield from pairing.findings
    for node in pairing.nodes:
        directive = pairing.find_item(node)
        if not isinstance(directive, Directive):
            continue
        differences = compare_directive(conversion.course, directive, node)
        for shown, true in differences or compare_element(conversion, directive, node):
            stated = f"`{directive.name} | {directive.argument}`: {shown}"
            yield _place_finding(directive.place, stated, true)


def _check_claims(conversion: Conversion, pairing: Pairing) -> Iterator[Finding]:
    yield from pairing.findings
    for node in pairing.nodes:
        claim = pairing.find_item(node)
        if not isinstance(claim, Claim):
            continue
        differences = compare_claim(claim, node) or compare_proof(conversion, claim, node)
        for shown, true in differences:
            yield _place_finding(claim.place, shown, true)


def _check_refused(page: SitePage, scan: PageScan, tree: LexborHTMLParser) -> Iterator[Finding]:
    """A link that cites and that the scanner did not see is one that nothing checked."""
    if any(finding.kind is Kind.LINK for finding in scan.findings):
        return  # Told already, each at its place.
    for node in tree.css(".course-claim--refused"):
        text = " ".join((node.text(deep=True) or "").split())
        yield _place_finding(
            _find_line(page, f"[{text}]("),
            f"the page shows `{text}` as a link that cites",
            "the check reads no such claim there, so nothing was checked",
            "write it in prose, outside of HTML and code",
        )


def _check_ids(page: SitePage, tree: LexborHTMLParser) -> Iterator[Finding]:
    """The ids of our elements must be the only ones of their name, and what they name exist."""
    ids = Counter(node.attributes.get("id") or "" for node in tree.css("[id]"))
    ours = {
        node.attributes.get("id") or ""
        for root in tree.css("[data-course-directive], [data-course-claim]")
        for node in [root, *root.css("[id]")]
    } - {""}
    for name in sorted(ours):
        if ids[name] > 1:
            stated = f"the page holds the id `{name}` {ids[name]} times"
            yield _place_finding(Place(page.path), stated, "an id may be there once")
    for node in tree.css("[data-course-claim] [aria-describedby]"):
        name = node.attributes.get("aria-describedby") or ""
        if name not in ids:
            stated = f"a claim is described by the element `{name}`"
            yield _place_finding(Place(page.path), stated, "the page has no such element")


def _list_links(
    page: SitePage, pairings: Sequence[Pairing], tree: LexborHTMLParser
) -> Iterator[EmittedLink]:
    """Every link that the course emitted; on its own pages, every link at all."""
    for pairing in pairings:
        for root in pairing.nodes:
            item = pairing.find_item(root)
            place = item.place if item is not None else Place(page.path)
            yield from _read_links(page, place, root.css("a[href]"))
    if page.generated:
        yield from _read_links(page, Place(page.path), tree.css("a[href]"))
    else:
        unfinished = tree.css("a[href^='course:']")
        yield from _read_links(page, Place(page.path), unfinished)


def _read_links(page: SitePage, place: Place, nodes: Sequence[LexborNode]) -> Iterator[EmittedLink]:
    for href in dict.fromkeys(node.attributes.get("href") or "" for node in nodes):
        yield EmittedLink(page.html, href, place)


def _follow_known(
    course: Course, site: SiteReader, links: Mapping[tuple[str, str], Place]
) -> list[Finding]:
    """What is wrong with the links of the site, unless it is known that nothing is.

    Where they lead hangs on the files that the site has, and on the anchors of its pages.
    """
    key = ("links", digest_text(repr(list(links))), site.digest_targets())
    if course.memo.recall(key) is True:
        return []
    findings = list(_follow_links(site, links))
    if not findings:
        course.memo.keep(key, True)
    return findings


def _follow_links(site: SiteReader, links: Mapping[tuple[str, str], Place]) -> Iterator[Finding]:
    for (page, href), place in links.items():
        why = follow_link(site, page, href)
        if why:
            yield _place_finding(place, f"the page links to {href}", why)


def _check_raw_text(page: SitePage, tree: LexborHTMLParser) -> Iterator[Finding]:
    """No directive or claim may have stayed on the page as text; code may show how they look."""
    tree = tree.clone()
    tree.strip_tags(["script", "style", "pre", "code", "head"], recursive=True)
    body = tree.body
    whole = body.text(deep=True, separator="\n") if body else ""
    if "///" not in whole and not any(raw in whole for raw in RAW):
        return  # Most pages: nothing that looks so, wherever its line begins.
    for node in body.traverse(include_text=True) if body else ():
        if node.tag != "-text":
            continue
        for line in (node.text_content or "").splitlines():
            if _looks_unrendered(line):
                place = _find_line(page, line)
                stated = f"the page shows the text {line!r}"
                yield _place_finding(place, stated, "it was not rendered")


def _looks_unrendered(line: str) -> bool:
    marks = line.strip()
    return marks == "///" or marks.startswith("/// ") or any(raw in line for raw in RAW)


def _find_line(page: SitePage, text: str) -> Place:
    """Where a line of the source starts with ``text``; the page's first line if nowhere."""
    for number, line in enumerate(page.text.splitlines(), start=1):
        if text and text.strip() in line:
            return Place(page.path, number, line.index(text.strip()) + 1)
    return Place(page.path)


def _place_finding(place: Place, stated: str, true: str, advice: str = REBUILD) -> Finding:
    return Finding(Kind.PAGE, place, stated, true, advice)


def _guess_html(site: SiteReader, source: str) -> str:
    """Where a generator puts the page written at ``source``: ``x/index.html`` or ``x.html``."""
    stem = source.removesuffix(".md")
    folder, _, name = stem.rpartition("/")
    if name.lower() in ("index", "readme"):
        return f"{folder}/index.html".lstrip("/")
    flat = f"{stem}.html"
    return flat if site.has_file(flat) else f"{stem}/index.html"
