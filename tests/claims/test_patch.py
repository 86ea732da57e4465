"""Patches change exactly their characters, whatever else a page's file holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.claims.page_text import decode_page
from build_tools.claims.patch import PatchError, apply_patches, patch_bytes
from build_tools.diagnostics.finding import Patch, Place


def make_patch(line: int, column: int, old: str, new: str) -> Patch:
    return Patch(Place("docs/a.md", line, column), old, new)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("last", [b"", b"end"])
def test_bom_line_ends_and_tabs_stay(bom: bytes, end: bytes, last: bytes) -> None:
    lines = ["é\tµ [1.5×](claim:a)\t", "", "[1.5×](claim:a) and 1.5× — \u2028 [2 ms](claim:b)", ""]
    data = bom + end.join(line.encode() for line in lines) + last
    patches = [
        make_patch(3, lines[2].index("2 ms") + 1, "2 ms", "26.4 µs"),
        make_patch(1, 6, "1.5×", "1.6×"),
        make_patch(3, 2, "1.5×", "1.49×"),
    ]
    lines[0] = "é\tµ [1.6×](claim:a)\t"
    lines[2] = "[1.49×](claim:a) and 1.5× — \u2028 [26.4 µs](claim:b)"
    assert patch_bytes(data, patches) == bom + end.join(line.encode() for line in lines) + last


def test_no_patch_changes_nothing() -> None:
    data = b"\xef\xbb\xbfa\r\nb\rc\n\r\r\n\xc2\xa0"
    assert patch_bytes(data, []) == data


@given(
    st.lists(st.text(st.sampled_from("a[é\t\u2028\x0b\x0c\x85\u2009🙂"), max_size=6), min_size=1),
    st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=8, max_size=8),
    st.booleans(),
    st.data(),
)
def test_places_are_those_of_the_scanned_text(
    lines: list[str], ends: list[str], bom: bool, draw: st.DataObject
) -> None:
    lines = lines[:8]
    index = draw.draw(st.integers(0, len(lines) - 1))
    raw = ("\ufeff" if bom else "") + "".join(
        line + end for line, end in zip(lines, ends, strict=False)
    )
    at = len(
        ("\ufeff" if bom else "")
        + "".join(line + end for line, end in zip(lines[:index], ends, strict=False))
    )
    column = draw.draw(st.integers(0, len(lines[index])))
    raw = raw[: at + column] + "§§" + raw[at + column :]
    text, _ = decode_page(raw.encode(), "docs/a.md")
    assert text is not None
    line = text.count("\n", 0, text.index("§")) + 1
    where = text.index("§") - (text.rfind("\n", 0, text.index("§")) + 1) + 1
    patched = patch_bytes(raw.encode(), [make_patch(line, where, "§§", "2.1×")]).decode()
    assert patched == raw.replace("§§", "2.1×")


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (make_patch(1, 1, "1.7×", "1.6×"), "`1.5×` stands there, not `1.7×`"),
        (make_patch(1, 3, "1.5×", "1.6×"), "not `1.5×`"),
        (make_patch(2, 1, "1.5×", "1.6×"), "`` stands there"),
        (make_patch(9, 1, "1.5×", "1.6×"), "`` stands there"),
        (make_patch(0, 1, "1.5×", "1.6×"), "`` stands there"),
        (make_patch(1, 0, "1.5×", "1.6×"), "`` stands there"),
        (make_patch(1, 1, "", "1.6×"), "`` stands there"),
        (make_patch(1, 1, "1.5×", "1.6\n×"), "a line end"),
        (make_patch(1, 1, "1.5×", "1.6\r×"), "a line end"),
    ],
)
def test_what_does_not_fit(patch: Patch, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        apply_patches("1.5× here\n", [patch])
    assert message in str(caught.value)
    assert caught.value.place == patch.place
    assert "review it again" in caught.value.advice or "one line" in caught.value.advice


def test_overlapping_patches_are_refused() -> None:
    first, second = make_patch(1, 1, "1.5×", "1.6×"), make_patch(1, 4, "× h", "x")
    for patches in ([first, second], [second, first], [first, first]):
        with pytest.raises(PatchError) as caught:
            apply_patches("1.5× here", patches)
        assert "overlap" in str(caught.value)
        assert "take one of them" in caught.value.advice


def test_patches_side_by_side_are_taken() -> None:
    patches = [
        make_patch(1, 3, "cd", "Z"),
        make_patch(1, 1, "ab", "XYY"),
        make_patch(1, 5, "e", ""),
    ]
    assert apply_patches("abcdef", patches) == "XYYZf"
