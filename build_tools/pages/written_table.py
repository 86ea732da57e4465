"""How does a table written in Markdown stand on a page? As those do that the blocks make.

It gets the same box and classes, and the first cell of a row becomes its header: so it scrolls
within itself where it is wide, says what a row is about, and is sorted by its heads. What it says
stays as it was written.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor


class WrittenTables(Treeprocessor):
    """Puts each table that no author gave a class into such a box."""

    def run(self, root: Element) -> None:
        """Change the page's tables in place."""
        for parent in list(root.iter()):
            for index, child in enumerate(parent):
                if child.tag == "table" and not child.get("class"):
                    parent[index] = _frame(child)


def _frame(table: Element) -> Element:
    box = Element("div", {"class": "course-table__scroll"})
    box.tail, table.tail = table.tail, None
    table.set("class", "course-table__table course-table--written")
    table.set("data-course-sort", "")
    for head in table.iterfind("thead/tr/th"):
        head.set("scope", "col")
    for row in table.iterfind("tbody/tr"):
        cell = row.find("*")
        if cell is not None and cell.tag == "td":
            cell.tag = "th"
            cell.set("scope", "row")
    box.append(table)
    return box
