"""The card of a program, its whole source, and the page of a record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace as replace_struct

from build_tools.claims.course import load_course
from build_tools.claims.model import Course
from build_tools.evidence.loaded import State
from build_tools.evidence.model import Ending, Rejection
from tests.course_factory import WINDOW, add_record, make_course, make_example
from tests.pages.conftest import Page, swap_source

Convert = Callable[..., Page]

CARD = "/// program | add\n///\n"
SOURCE = "/// program-source | add\n///\n"
RECORD = "/// record | evidence/add/nvidia-h200/run-2026-12-01\n///\n"


def test_the_card_says_what_the_program_is_and_how_it_is_built(convert: Convert) -> None:
    page = convert(CARD)
    card = page.one("[data-course-program]")
    assert card.attributes["data-course-program"] == "add"
    assert card.attributes["data-course-directive"] == "0"
    said = " ".join(card.text().split())
    assert "Day 1: add two vectors." in said
    assert (
        "Verified 2026-12-01 on NVIDIA H200 (compute capability 9.0), driver 580.159.03, "
        "CUDA 13.0 (V13.0.88), in 10 processes." in said
    )
    # One block to copy: both commands.
    assert page.text("[data-course-program] pre > code") == (
        "nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu\n./add\n"
    )


def test_the_card_links_to_page_download_and_record(convert: Convert) -> None:
    page = convert(CARD)
    hrefs = [a.attributes["href"] for a in page.tree.css(".course-program__links a")]
    assert hrefs.pop() == "course:program/add#compiler-explorer"
    assert hrefs == [
        "course:program/add",
        "course:download/add/add.cu",
        "course:record/add/nvidia-h200/run-2026-12-01",
    ]
    assert "download" in page.tree.css(".course-program__links a")[1].attributes


def test_nothing_is_said_twice_above_the_source_and_in_the_index(convert: Convert) -> None:
    head = convert("/// program-head | add\n///\n")
    said = " ".join(head.one("[data-course-program]").text().split())
    assert "add two vectors" not in said
    assert "Verified 2026-12-01 on NVIDIA H200" in said
    assert "-o add add.cu" in head.text("[data-course-program] pre > code")
    links = [a.text() for a in head.tree.css("a")]
    assert links == ["Download", "Its record", "Open its kernels in Compiler Explorer"]
    entry = convert("/// program-entry | add\n///\n")
    said = " ".join(entry.one("[data-course-program]").text().split())
    assert said.startswith("Day 1: add two vectors. Verified 2026-12-01")
    assert not entry.tree.css("pre, .course-program__title")
    assert [a.text() for a in entry.tree.css("a")] == [
        "The whole program",
        "Download",
        "Its record",
    ]


def test_a_program_without_a_record_says_so_on_its_card(example: Course, convert: Convert) -> None:
    page = convert(CARD, course=replace(example, shelves={}))
    assert page.text(".course-unverified") == "Not verified: there is no record of add."
    said = [a.text() for a in page.tree.css(".course-program__links a")]
    assert said == ["The whole program", "Download", "Its kernels in Compiler Explorer"]


def test_a_stale_record_says_so_on_the_card(tmp_path: Path, convert: Convert) -> None:
    make_example(tmp_path)
    path = tmp_path / "snippets/add/add.cu"
    path.write_text(path.read_text().replace("kBlock = 256", "kBlock = 128"))
    page = convert(CARD, course=load_course(tmp_path))
    assert "the record of add is stale: the code changed since" in page.text(".course-unverified")


def test_the_source_page_holds_the_program_character_for_character(
    example: Course, convert: Convert
) -> None:
    page = convert(SOURCE)
    text = example.programs["add"].text
    assert page.text("[data-course-program-source] pre > code") == text
    ids = [node.attributes["id"] for node in page.tree.css(".course-line")]
    assert ids == [f"L{number}" for number in range(1, text.count("\n") + 1)]


def test_a_program_without_a_last_line_end_is_shown_without(
    example: Course, convert: Convert
) -> None:
    course = swap_source(example, "// snippet: a\nint a;\n// end snippet: a\nint b;")
    page = convert(SOURCE, course=course)
    assert page.text("pre > code") == course.programs["add"].text
    assert len(page.tree.css(".course-line")) == 4


def test_regions_are_named_at_their_first_lines_and_linked(convert: Convert) -> None:
    page = convert(SOURCE)
    opens = {
        node.attributes["id"]: node.attributes["data-opens"]
        for node in page.tree.css(".course-line[data-opens]")
    }
    assert opens == {"L16": "block", "L20": "add-kernel"}
    links = page.tree.css(".course-source__regions a")
    assert [(a.text(), a.attributes["href"]) for a in links] == [
        ("block", "#region-block"),
        ("add-kernel", "#region-add-kernel"),
    ]
    # Each leads to the region's first line.
    assert 'id="region-add-kernel"></span><span class="course-line" data-line="20"' in page.html
    assert [n.attributes["id"] for n in page.tree.css("[data-depth]")] == [
        "L16",
        "L20",
        "L21",
        "L22",
        "L23",
    ]


def test_nested_regions_have_their_depth(example: Course, convert: Convert) -> None:
    text = "// snippet: o\nint a;\n// snippet: i\nint b;\n// end snippet: i\n// end snippet: o\n"
    page = convert(SOURCE, course=swap_source(example, text))
    depth = {n.attributes["id"]: n.attributes["data-depth"] for n in page.tree.css("[data-depth]")}
    assert depth == {"L2": "1", "L4": "2"}


def test_no_line_is_a_direct_child_of_the_code_element(convert: Convert) -> None:
    # The theme takes `code > span[id]` for line numbers of its own.
    assert not convert(SOURCE).tree.css("code > span[id]")


def test_the_record_names_device_build_and_processes(example: Course, convert: Convert) -> None:
    page = convert(RECORD)
    wrapper = page.one("[data-course-record]")
    assert wrapper.attributes["data-course-record"] == (
        "evidence/add/nvidia-h200/run-2026-12-01.json"
    )
    said = " ".join(wrapper.text().split())
    for part in (
        "10 processes of it on NVIDIA H200, 2026-12-01 09:30 UTC",
        "The record is fresh",
        "580.159.03, CUDA up to 13.0",
        "60 MiB (62,914,560 B)",
        "140.4 GiB (150,754,820,096 B)",
        "1,980 MHz (1,965 to 1,980)",
        "No process stands apart.",
        "Executions that did not count were not recorded.",
        "without block: identifier of block is undefined",
        "V13.0.88, CUDA 13.0",
        "51 samples, back to back",
        "add-kernel agrees for seed 2",
    ):
        assert part in said, part
    assert len(page.tree.css("#processes + div tbody tr")) == 10


def test_each_measurement_shows_median_band_and_the_digits_of_every_process(
    example: Course, convert: Convert
) -> None:
    page = convert(RECORD)
    record = example.shelves["add"].shown_record
    assert record is not None
    for name in ("time", "rate", "speedup"):
        rows = page.tree.css(f"#measurement-{name} + div tbody tr")
        readings = [transcript.measurements[name].readings for transcript in record.transcripts]
        keys = list(readings[0])
        # In the order of the transcript, not that of the record's sorted keys.
        assert [tuple(cell.text() for cell in row.css("th")) for row in rows] == keys
        for row in rows:
            values = [cell.text() for cell in row.css("td")]
            assert len(values) == 3
            assert " to " in values[2]
            (strip,) = row.css("svg")
            assert (strip.attributes["aria-label"] or "").startswith("10 processes, ")
        each = page.tree.css(f"#measurement-{name} + div + details tbody tr")
        for row in each:
            key = tuple(cell.text() for cell in row.css("th"))
            values = [cell.text() for cell in row.css("td")]
            assert values == [reading[key].text for reading in readings]
        assert len(each) == len(rows)
    heads = [node.text() for node in page.tree.css("#measurement-time + div thead th")]
    assert heads == ["case", "kernel", "Median", "All processes", "Next process of the session"]
    assert page.text("h3#measurement-time") == "time (ms)"


def test_the_records_files_are_linked(example: Course, convert: Convert) -> None:
    record = example.shelves["add"].shown_record
    assert record is not None
    page = convert(RECORD)
    hrefs = {a.attributes["href"] for a in page.tree.css("a")}
    files = [record.path]
    for process in record.record.processes:
        files += [process.stdout.path, process.stderr.path]
    assert record.record.build.report is not None
    files.append(record.record.build.report.path)
    for path in files:
        assert "course:transcript/" + path.removeprefix("evidence/") in hrefs
        assert (example.root / path).is_file()


def test_a_record_without_a_readers_check_says_so(convert: Convert, tmp_path: Path) -> None:
    make_course(tmp_path, {"add": "int main() { return 0; }\n"})
    text = (
        "// A program.\n//\n// Build: nvcc -o add add.cu\n// Run:   ./add\n"
        "int main() { return 0; }\n"
    )
    (tmp_path / "snippets/add/add.cu").write_text(text)
    add_record(tmp_path, "add", ["done\n"] * 2)
    page = convert(RECORD, course=load_course(tmp_path))
    assert "The record was made without one." in page.text(".course-record")
    assert "The program declares nothing to measure." in page.text(".course-record")


def test_a_check_that_could_not_run_is_not_called_passed(example: Course, convert: Convert) -> None:
    shelf = example.shelves["add"]
    loaded = shelf.records[0]
    check = loaded.record.reader_check
    assert check is not None
    broken = type(check)(
        digest=check.digest,
        passed=False,
        seeds=check.seeds,
        cupy="",
        nvrtc="",
        regions=(),
        could_not_check="CuPy says: no <device>",
    )
    record = replace(loaded, record=replace_struct(loaded.record, reader_check=broken))
    course = replace(example, shelves={"add": replace(shelf, records=(record,))})
    page = convert(RECORD, course=course)
    assert "Could not check: CuPy says: no <device>" in page.text(".course-record")
    foot = convert("/// snippet | add#add-kernel\n///\n", course=course)
    assert "checked against CuPy" not in foot.text(".course-snippet__foot")


def test_a_stale_record_is_shown_with_what_it_still_says(example: Course, convert: Convert) -> None:
    shelf = example.shelves["add"]
    stale = replace(shelf.records[0], state=State.STALE, transcripts=(), shown_text="")
    course = replace(example, shelves={"add": replace(shelf, records=(stale,))})
    page = convert(RECORD, course=course)
    assert "The record is stale" in page.text(".course-record")
    row = page.tree.css("#measurement-time + div tbody tr")[0]
    assert len(row.css("td")) == 3
    assert len(page.tree.css("#measurement-time + div + details tbody tr")[0].css("td")) == 10


def test_an_early_record_says_what_was_not_recorded(convert: Convert) -> None:
    said = convert(RECORD).text(".course-record")
    assert "Why no more were run was not recorded." in said
    assert "Executions that did not count were not recorded." in said
    assert "campaign" not in said


def test_what_a_campaign_saw_is_told(example: Course, convert: Convert) -> None:
    """Each window by its name over all processes, what did not count, and why it ended."""
    from msgspec.structs import replace as change

    shelf = example.shelves["add"]
    loaded = shelf.records[0]
    whole = change(WINDOW, memory_before_bytes=0)
    calm = change(WINDOW, seconds_per_reading=0.0004)
    capped = change(
        calm,
        sm_clock_hz_median=1_650_000_000,
        power_cap_share=0.5,
        throttle_reasons=("software power cap",),
    )
    processes = tuple(
        change(
            p,
            window=whole,
            windows={"read": calm, "product": change(capped, power_cap_share=0.5 + i / 100)},
        )
        for i, p in enumerate(loaded.record.processes)
    )
    record = change(
        loaded.record,
        processes=processes,
        rejections=(Rejection(process=3, reasons=("power brake",), seconds=2.25),),
        ending=Ending(least=10, most=20, unmet=("docs/a.md:3:4: `1.25x`: it varies",)),
        campaign="0123456789ab",
        turns_with=("mul",),
        host={"system": "Debian 12", "compiler": "g++ 12.2"},
    )
    course = replace(
        example, shelves={"add": replace(shelf, records=(replace(loaded, record=record),))}
    )
    page = convert(RECORD, course=course)
    rows = [
        [cell.text() for cell in row.css("th, td")]
        for row in page.tree.css("#clocks + div tbody tr")
    ]
    assert [row[0] for row in rows] == ["read", "product"]
    assert rows[0][4] == "0 %"
    assert rows[1][4] == "50 to 59 %"
    assert rows[1][1] == "1,650 MHz (1,965 to 1,980)"
    assert rows[1][6] == "software power cap"
    said = " ".join(page.text(".course-record").split())
    for part in (
        "before process 4, after 2.2 s: power brake",
        "At least 10 were to be run, and at most 20. At that limit this was not met, as the pages",
        "docs/a.md:3:4: 1.25x: it varies",
        "campaign 0123456789ab",
        "They took turns with those of mul",
        "A reading took 0.4 ms at most, on a thread of its own.",
        "and 0 MiB of its memory were in use before",
        "g++ 12.2",
    ):
        assert part in said, part


def test_neighbours_that_could_not_be_seen_are_not_called_none(
    example: Course, convert: Convert
) -> None:
    from msgspec.structs import replace as change

    shelf = example.shelves["add"]
    loaded = shelf.records[0]
    blind = change(WINDOW, unknown={"processes": "NVML listed no process at all"})
    processes = tuple(change(p, window=blind) for p in loaded.record.processes)
    record = replace(loaded, record=change(loaded.record, processes=processes))
    course = replace(example, shelves={"add": replace(shelf, records=(record,))})
    said = convert(RECORD, course=course).text(".course-record")
    assert "Whether other processes used the GPU was not seen: NVML listed no process" in said
    assert "No other process was seen" not in said


def test_a_record_names_both_compilers_and_what_the_check_rejects(convert: Convert) -> None:
    said = " ".join(convert(RECORD).one("main").text().split())
    assert "CuPy 14.2.0, NVRTC 13.0" in said
    assert "The program itself was compiled by nvcc V13.0.88." in said
    assert "a check has to reject outputs that no kernel has written" in said
    assert "nothing: element 0 is nan, want 3" in said


def test_a_check_never_tried_with_nothing_written_says_so(
    convert: Convert, example: Course
) -> None:
    shelf = example.shelves["add"]
    loaded = shelf.records[0]
    check = loaded.record.reader_check
    assert check is not None
    early = tuple(replace_struct(verdict, rejects=UNSET) for verdict in check.regions)
    record = replace_struct(loaded.record, reader_check=replace_struct(check, regions=early))
    records = (replace(loaded, record=record),)
    course = replace(example, shelves={"add": replace(shelf, records=records)})
    assert "not tried with nothing written" in convert(RECORD, course=course).one("main").text()
    assert "not tried with nothing written" not in convert(RECORD).one("main").text()


def test_marker_lines_step_back_and_stay_where_they_are(example: Course, convert: Convert) -> None:
    text = """\
// snippet: o
// solution: x
// starter: int a = 0;  // Your turn.
int a = 1;  // solution of x
// end solution: x
// end snippet: o
const char *said = "// snippet: o";
"""
    page = convert(SOURCE, course=swap_source(example, text))
    assert page.text("pre > code") == text
    assert [n.attributes["data-line"] for n in page.tree.css(".course-line")] == list("1234567")
    marked = [n.attributes["data-line"] for n in page.tree.css(".course-line[data-marker]")]
    assert marked == list("12356")
    assert "mark regions" in page.text(".course-source__marks")
    bare = convert(SOURCE, course=swap_source(example, "int a;\n"))
    assert not bare.tree.css("[data-marker], .course-source__marks")
