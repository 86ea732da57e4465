"""Which processes stand apart: named, and never for what the printed digits leave open."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from build_tools.evidence.outliers import describe_apart, find_outliers, list_apart
from build_tools.evidence.transcript import read_transcript
from tests.course_factory import TRANSCRIPT, load_program, make_example


@pytest.mark.parametrize(
    ("values", "half", "outliers"),
    [
        ((10, 11, 12, 13, 14, 15, 16, 17), 0, ()),
        ((10, 11, 12, 13, 14, 15, 16, 40), 0, (7,)),
        ((1, 111, 112, 113, 114, 115, 116, 300), 0, (0, 7)),
        ((5, 5, 5, 5, 5, 5, 5, 5), 0, ()),
        ((5, 5, 5, 5, 5, 5, 5, 6), 0, (7,)),
        # A last digit that flips is no outlier, however steady all others are.
        ((5, 5, 5, 5, 5, 5, 5, 6), "0.5", ()),
        ((5, 5, 5, 5, 5, 5, 5, 7), "0.5", (7,)),
        ((1, 100, 1000), 0, ()),
        ((), 0, ()),
        # Two modes are noise, not outliers.
        ((10, 10, 10, 10, 20, 20, 20, 20), 0, ()),
    ],
)
def test_what_stands_apart(
    values: tuple[int, ...], half: int | str, outliers: tuple[int, ...]
) -> None:
    assert find_outliers([Fraction(v) for v in values], Fraction(half)) == outliers


def test_processes_are_named_by_what_they_stand_apart_in(tmp_path: Path) -> None:
    make_example(tmp_path)
    declaration = load_program(tmp_path, "add").declaration
    texts = [TRANSCRIPT.format(a=f"{20 + i % 4}", b="54") for i in range(12)]
    texts[6] = texts[6].replace("large  narrow    1.25", "large  narrow    9.25")
    transcripts = [read_transcript(text, declaration, "t")[0] for text in texts]
    (apart,) = list_apart(transcripts)
    assert (apart.process, apart.values) == (6, (("time", ("large", "narrow")),))
    assert describe_apart(transcripts) == [
        "process 7 stands apart in `time` for case `large`, kernel `narrow`; it is kept"
    ]
    assert list_apart(transcripts[:3]) == ()
    assert list_apart([]) == ()
