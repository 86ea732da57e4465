"""The GPU a lesson speaks of, what another changes, and records of other GPUs as tabs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from build_tools.claims.check import check_page
from build_tools.claims.course import load_course
from build_tools.pages.device import adapt_build
from tests.course_factory import DEVICE, add_record, make_example, make_transcripts
from tests.pages.conftest import Page

BLOCK = "/// device | add\n///\n"
OTHER = msgspec.structs.replace(
    DEVICE,
    model="NVIDIA L4",
    compute_capability="8.9",
    l2_bytes=50_331_648,
    sm_count=58,
    memory_bus_bits=192,
    max_memory_clock_hz=6_251_000_000,
    max_sm_clock_hz=2_040_000_000,
    driver="570.10",
)
Convert = Callable[..., Page]


def test_a_lesson_says_what_a_fact_changes_here(convert: Convert) -> None:
    page = convert("/// device | add\n    l2: whether `a` fits\n    toolkit: nothing\n///\n")
    rows = read_rows(page)
    assert rows[2][2].endswith("has to come from DRAM. Here: whether a fits")
    assert rows[6][2].endswith("every count of instructions. Here: nothing")
    assert len(page.tree.css(".course-device__here")) == 2


def test_the_measured_bandwidth_stands_beside_the_path_to_memory(convert: Convert) -> None:
    page = convert('/// device | add\n    bandwidth: add.rate["large", "wide"]\n///\n')
    assert read_rows(page)[3][1].endswith("two transfers a clock; measured 980.55 GB/s")
    link = page.one(".course-device__facts td > a")
    assert link.attributes["href"] == "course:record/add/nvidia-h200/run-2026-12-01"


@pytest.mark.parametrize(
    ("option", "true"),
    [
        ("l2: up to 60 MiB fit", "`l2` holds a number, which nothing checks there"),
        ("bandwidth: add.nothing", "`add` has no `nothing`"),
        ('bandwidth: add.time["large", "wide"]', "is no measured bandwidth"),
        ("bandwidth: add.device.l2_bytes", "is no measured bandwidth"),
    ],
)
def test_what_nothing_checks_is_refused(convert: Convert, option: str, true: str) -> None:
    page = convert(f"/// device | add\n    {option}\n///\n")
    assert not page.tree.css(".course-device")
    assert true in " ".join(page.html.replace("<code>", "`").replace("</code>", "`").split())


def add_other(root: Path) -> None:
    slower = [t.replace("0.62", "2.62").replace("1.25", "5.25") for t in make_transcripts()]
    add_record(root, "add", slower, device=OTHER, stamp=False)


def read_rows(page: Page, table: int = 0) -> list[list[str]]:
    rows = page.tree.css(".course-device table")[table].css("tr")
    return [[" ".join(cell.text().split()) for cell in row.css("th, td")] for row in rows]


def test_a_lesson_tells_its_device_and_what_another_changes(convert: Convert) -> None:
    page = convert(BLOCK)
    assert read_rows(page) == [
        ["Property", "NVIDIA H200", "What it decides"],
        [
            "Clock of the multiprocessors",
            "1,980 MHz while it was timed, 1,980 MHz at most",
            "times of kernels that wait for arithmetic, or for L1 and shared memory",
        ],
        ["L2 cache", "60 MiB", "the sizes from which on a working set has to come from DRAM"],
        [
            "Path to memory",
            "6,144 bits at 3,201 MHz: 4.92 TB/s at two transfers a clock",
            "times of kernels that wait for DRAM",
        ],
        [
            "Multiprocessors",
            "132",
            "how many blocks run at a time, and so the sizes that fill the GPU",
        ],
        ["Compute capability", "9.0", "the limits of a block, and which instructions there are"],
        [
            "Toolkit",
            "CUDA 13.0 (V13.0.88), driver 580.159.03",
            "registers, unrolling, and every count of instructions",
        ],
    ]
    assert page.text("pre > code") == ("nvcc -std=c++17 -O3 -arch=native -o add add.cu\n./add\n")
    assert "speak of NVIDIA H200 unless they name another GPU" in page.text(".course-device")
    steps = [" ".join(step.text().split()) for step in page.tree.css(".course-device ol > li")]
    assert len(steps) == 4
    assert steps[0].startswith("Take the program")
    assert "the foot of this page names their address: git clone them" in steps[1]
    assert "pip install -e '.[gpu]'" in steps[1]
    assert "course run add" in steps[2]
    assert "course record mine.tar.gz" in steps[2]
    assert "reads the record again from its transcripts" in steps[3]
    assert steps[3].endswith("shows a tab for each GPU.")
    assert not page.tree.css(".tabbed-set")


def test_records_of_other_gpus_are_tabs_behind_the_reference_device(
    tmp_path: Path, convert: Convert
) -> None:
    make_example(tmp_path)
    add_other(tmp_path)
    course = load_course(tmp_path)
    assert course.findings == ()
    page = convert(BLOCK, course)
    labels = [label.text() for label in page.tree.css(".tabbed-labels label")]
    assert labels == ["NVIDIA H200 (reference)", "NVIDIA L4"]
    assert "shows a tab for your GPU as well" in page.text(".course-device ol")
    assert "speak of NVIDIA H200 unless" in page.text(".course-device")
    inputs = page.tree.css(".tabbed-set > input")
    assert [node.attributes["id"] for node in inputs] == [
        label.attributes["for"] for label in page.tree.css(".tabbed-labels label")
    ]
    assert ["checked" in node.attributes for node in inputs] == [True, False]
    assert len(page.tree.css(".tabbed-block")) == 2
    # Each tab has its facts, then what the program printed there.
    assert read_rows(page, 2)[2][1] == "48 MiB"
    assert read_rows(page, 2)[3][1] == "192 bits at 6,251 MHz: 0.3 TB/s at two transfers a clock"
    assert read_rows(page, 1)[0] == ["case", "kernel", "time (ms)", "GB/s"]
    assert read_rows(page, 1)[4][:2] == ["large", "wide"]
    assert read_rows(page, 1)[4][2].startswith("0.62")
    assert read_rows(page, 3)[4][2].startswith("2.62")
    links = [node.attributes["href"] for node in page.tree.css(".tabbed-block a")]
    assert links == [
        "course:record/add/nvidia-h200/run-2026-12-01#device",
        "course:record/add/nvidia-l4/run-2026-12-01#device",
    ]


def test_two_blocks_of_a_page_do_not_share_their_tabs(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path)
    add_other(tmp_path)
    page = convert(BLOCK + "\n" + BLOCK, load_course(tmp_path))
    ids = [node.attributes["id"] for node in page.tree.css("[id]")]
    assert len(ids) == len(set(ids))
    assert len({node.attributes["name"] for node in page.tree.css("input")}) == 2


def test_what_the_driver_does_not_tell_is_not_made_up(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path)
    silent = msgspec.structs.replace(
        DEVICE, l2_bytes=0, memory_bus_bits=0, unknown={"l2_bytes": "not supported"}
    )
    add_record(
        tmp_path,
        "add",
        [t.replace("0.01", "0.02") for t in make_transcripts()],
        started="2026-12-02T09:30:00Z",
        device=silent,
    )
    rows = read_rows(convert(BLOCK, load_course(tmp_path)))
    assert [row[1] for row in rows[2:4]] == ["not told by the driver"] * 2


@pytest.mark.parametrize(
    ("command", "adapted"),
    [
        ("nvcc -O3 -arch=sm_90 -o a a.cu", "nvcc -O3 -arch=native -o a a.cu"),
        (
            "nvcc -O3 --gpu-architecture=sm_90 -o a a.cu",
            "nvcc -O3 --gpu-architecture=native -o a a.cu",
        ),
        ("nvcc -O3 -arch=sm_90a -o a a.cu", "nvcc -O3 -arch=sm_90a -o a a.cu"),
        (
            "nvcc -gencode arch=compute_90,code=sm_90 -o a a.cu",
            "nvcc -gencode arch=compute_90,code=sm_90 -o a a.cu",
        ),
    ],
)
def test_only_a_plain_architecture_is_replaced(command: str, adapted: str) -> None:
    assert adapt_build(command) == adapted


def test_a_program_without_a_record_shows_what_is_missing(
    convert: Convert, example: object
) -> None:
    course = replace(example, shelves={})  # type: ignore[type-var]
    page = convert(BLOCK, course)
    assert "there is no record of add" in page.text(".course-missing")


def test_an_unknown_program_is_a_finding(tmp_path: Path) -> None:
    make_example(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "one.md").write_text(
        "# One\n\n/// device | ad\n///\n\n/// snippet | add#add-kernel\n///\n"
    )
    _, findings = check_page(load_course(tmp_path), "docs/one.md")
    assert [(str(f.place), f.stated, f.true) for f in findings] == [
        ("docs/one.md:3:1", "`/// device | ad`", "there is no program `ad`")
    ]
    assert findings[0].advice == "did you mean `add`?"
