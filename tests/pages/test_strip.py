"""The picture of a record's processes: a dot each, and nothing where there is no spread."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from build_tools.pages.strip import Strip, draw_strip

VALUES = [1.0, 1.1, 1.2, 1.1, 3.0]


def list_places(path: str) -> list[float]:
    return [float(x) for x in re.findall(r"M([\d.]+) ", path)]


def test_each_process_is_a_dot_at_its_value() -> None:
    strip = Strip(VALUES, 0.5, 2.5, 1.1, (4,), "10 <processes>")
    drawn = ET.fromstring(str(draw_strip(strip)))  # noqa: S314 - our own picture
    paths = {node.get("class"): node.get("d") or "" for node in drawn.iter() if node.get("d")}
    dots = list_places(paths["course-strip__dots"])
    assert len(dots) == len(VALUES)
    # Linear from the band's low end to the largest value.
    assert dots == pytest.approx([5 + (v - 0.5) / 2.5 * 110 for v in VALUES], abs=0.5)
    assert list_places(paths["course-strip__median"]) == [dots[1]]
    (ring,) = [node for node in drawn.iter() if node.get("class") == "course-strip__apart"]
    assert float(ring.get("cx") or "") == dots[4]
    assert drawn.get("aria-label") == "10 <processes>"


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0]])
def test_without_spread_there_is_no_picture(values: list[float]) -> None:
    middle = values[0] if values else 0.0
    assert draw_strip(Strip(values, middle, middle, middle)) == ""
