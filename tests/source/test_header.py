from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_tools.diagnostics.finding import Finding, Place
from build_tools.source.header import format_verified, read_header, write_verified
from build_tools.source.model import Header, Verified

HEAD = """\
// SPDX-License-Identifier: MIT
//
// Day 16: what it is about,
// in free prose.
//
// And a second paragraph.
//
// Build: nvcc -std=c++17 -O3 \\
//        -arch=sm_90 -o p p.cu
// Run:   ./p  --n
//        67
//
// Verified 2026-12-01 on an NVIDIA H200 (compute capability 9.0),
// driver 580.159, CUDA 13.0 (V13.0.88).
// Transcript:
// evidence/p/nvidia-h200/run-2026-12-01.txt

int main() {}
"""
VERIFIED = Verified(
    date="2026-12-01",
    device="NVIDIA H200",
    compute_capability="9.0",
    driver="580.159",
    cuda="13.0",
    nvcc="V13.0.88",
    transcript="evidence/p/nvidia-h200/run-2026-12-01.txt",
    place=Place("p.cu", 13, 4),
)
COMMANDS = "// Build: nvcc -o p p.cu\n// Run: ./p\n"


def read(text: str) -> tuple[Header, list[Finding]]:
    return read_header(text, "p.cu")


def read_bytes(data: bytes) -> Header:
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    header, findings = read(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert findings == []
    return header


def test_everything_is_read_and_wrapped_lines_are_joined() -> None:
    header, findings = read(HEAD)
    assert findings == []
    assert header.description == (
        "Day 16: what it is about, in free prose.\n\nAnd a second paragraph."
    )
    assert header.build == "nvcc -std=c++17 -O3 -arch=sm_90 -o p p.cu"
    assert str(header.build_place) == "p.cu:8:11"
    assert header.run == "./p  --n 67"
    assert str(header.run_place) == "p.cu:10:11"
    assert header.verified == VERIFIED
    assert header.insert_line == 16


def test_plain_commands_are_plain() -> None:
    header, findings = read(
        "// Build: nvcc -DA='a;b' -Xcompiler=-Wall,-Wextra #1\n// Run: ./p ~x *y\n"
    )
    assert findings == []
    assert header.build == "nvcc -DA='a;b' -Xcompiler=-Wall,-Wextra #1"


def test_a_header_ends_with_the_first_line_that_is_no_line_comment() -> None:
    header, findings = read(COMMANDS + "//\n\n// Verified 2026-12-01\n")
    assert findings == []
    assert header.verified is None
    assert header.insert_line == 2


def test_a_paragraph_may_follow_the_commands_without_a_gap() -> None:
    paragraph = "".join(f"// {line}\n" for line in format_verified(VERIFIED))
    header, findings = read(COMMANDS + paragraph)
    assert findings == []
    assert header.run == "./p"
    assert header.verified == replace(VERIFIED, place=Place("p.cu", 3, 4))


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("int main() {}\n", "p.cu:1:1", "begins without a `//` comment; it has no `Build:` line"),
        ("// Build: nvcc p.cu\n", "p.cu:1:1", "it has no `Run:` line; add a line such as"),
        ("// Run: ./p\n", "p.cu:1:1", "add a line such as `// Build: nvcc"),
        (COMMANDS + "// Build: nvcc q.cu\n", "p.cu:3:4", "second `Build`; the first is at line 1"),
        (
            COMMANDS + "//\n// Run: ./q\n",
            "p.cu:4:4",
            "second `Run`; the first is at line 2; keep one",
        ),
        ("// build: nvcc p.cu\n// Run: ./p\n", "p.cu:1:4", "spelled so; write `Build: nvcc"),
        ("// Build: nvcc p.cu\n//  Run : ./p\n", "p.cu:2:4", "spelled so"),
        ("// Compile: nvcc p.cu\n// Run: ./p\n", "p.cu:1:4", "named `Build:` and `Run:`"),
        ("// Build:\n// Run: ./p\n", "p.cu:1:10", "`Build:` has no command; write the command"),
        (
            "// Build: nvcc 'p.cu\n// Run: ./p\n",
            "p.cu:1:11",
            "no closing quotation; close the quote",
        ),
        ("// Build: nvcc p.cu\n// Run: ./p | head\n", "p.cu:2:9", "so `|` would be an argument"),
        ("// Build: nvcc p.cu && ./p\n// Run: ./p\n", "p.cu:1:11", "`&&` would be an argument"),
        ("// Build: nvcc p.cu\n// Run: ./p > a\n", "p.cu:2:9", "without a shell's operators"),
    ],
)
def test_what_is_wrong_with_commands(text: str, place: str, words: str) -> None:
    _, findings = read(text)
    said = [f"{f.stated}; {f.true}; {f.advice}" for f in findings]
    assert (place, True) in [
        (str(f.place), words in s) for f, s in zip(findings, said, strict=True)
    ], said


LINES = [f"// {line}" for line in format_verified(VERIFIED)]


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ([LINES[0].replace("2026-12-01", "01.12.2026")], "p.cu:4:4", "line 1 of the Verified"),
        ([LINES[0].replace(" on an", " on")], "p.cu:4:4", "reads `Verified DATE on an DEVICE"),
        ([LINES[0], "// driver 580.159,", "// CUDA 13.0"], "p.cu:5:4", "line 2 of the Verified"),
        ([*LINES[:2], "// Transcript: evidence/p"], "p.cu:6:4", "line 3 of the Verified paragraph"),
        ([*LINES[:3], "// results/p.txt"], "p.cu:7:4", "line 4 of the Verified paragraph reads"),
        (LINES[:3], "p.cu:7:1", "the paragraph ends after line 6"),
        ([*LINES, "// and more"], "p.cu:8:4", "the Verified paragraph has four lines"),
        ([*LINES, "//", *LINES], "p.cu:9:4", "a second `Verified`; the first is at line 4"),
        (["// verified 2026-12-01"], "p.cu:4:4", "line 1 of the Verified"),
        (["// Verified:"], "p.cu:4:4", "line 1 of the Verified"),
    ],
)
def test_a_paragraph_of_another_form(lines: list[str], place: str, words: str) -> None:
    header, findings = read(COMMANDS + "//\n" + "\n".join(lines) + "\n")
    assert [str(f.place) for f in findings] == [place]
    assert words in f"{findings[0].stated}; {findings[0].true}"
    assert findings[0].advice in (
        "let `course run` write the paragraph, or remove it",
        "keep one of them",
    )
    assert (header.verified is None) == ("second" not in words)


def test_prose_that_begins_like_the_paragraph_is_prose() -> None:
    header, findings = read("// Verified by hand, and more.\n//\n" + COMMANDS)
    assert findings == []
    assert header.description == "Verified by hand, and more."


@pytest.mark.parametrize(
    ("device", "article"),
    [("NVIDIA H200", "an"), ("Tesla T4", "a"), ("A100", "an"), ("GeForce RTX 4090", "a")],
)
def test_the_article_fits_the_device(device: str, article: str) -> None:
    first = format_verified(replace(VERIFIED, device=device))[0]
    assert first.startswith(f"Verified 2026-12-01 on {article} {device} (")


def test_replacing_keeps_every_other_byte_and_the_number_of_lines() -> None:
    new = replace(VERIFIED, date="2027-01-02", driver="600.1")
    old = b"\xef\xbb\xbf" + HEAD.replace("prose", "pr\xf6se").encode("latin-1").replace(
        b"\n", b"\r\n"
    )
    written = write_verified(old, new)
    before, after = old.split(b"\r\n"), written.split(b"\r\n")
    assert len(before) == len(after)
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [12, 13]
    assert read_bytes(written).verified == new
    assert write_verified(written, VERIFIED) == old


def test_adding_puts_the_paragraph_at_the_headers_end() -> None:
    source = (COMMANDS + "//\n\nint main() {}\n").encode()
    written = write_verified(source, VERIFIED)
    assert written.decode().split("\n") == [
        *COMMANDS.split("\n")[:2],
        "//",
        *LINES,
        "//",
        "",
        "int main() {}",
        "",
    ]
    assert write_verified(written, VERIFIED) == written


def test_adding_to_a_program_without_a_header_or_a_line_end() -> None:
    assert write_verified(b"int x;\n", VERIFIED).decode().split("\n") == [*LINES, "", "int x;", ""]
    assert write_verified(b"// Run: ./p", VERIFIED).decode().split("\n") == [
        "// Run: ./p",
        "//",
        *LINES,
    ]


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7])
def test_a_paragraph_of_another_length_is_replaced_whole(length: int) -> None:
    old = [*LINES, "// more", "// and", "// more"][:length]
    for last in ("\r", ""):
        source = (COMMANDS + "//\n" + "\n".join(old)).replace("\n", "\r") + last
        written = write_verified(source.encode(), VERIFIED).decode()
        expected = (COMMANDS + "//\n" + "\n".join(LINES)).replace("\n", "\r") + last
        assert written == expected


WORDS = st.from_regex(r"[A-Z][A-Za-z0-9]{0,8}( [A-Za-z0-9()]{1,8}){0,2}", fullmatch=True)
NUMBERS = st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}", fullmatch=True)


@given(
    device=WORDS,
    driver=NUMBERS,
    nvcc=st.from_regex(r"V[0-9.]{1,9}", fullmatch=True),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    bom=st.sampled_from(["", "\ufeff"]),
    head=st.sampled_from([HEAD, COMMANDS, COMMANDS.rstrip(), COMMANDS + "//\n// é\n\nint x;"]),
)
def test_what_is_written_is_read_back(
    device: str, driver: str, nvcc: str, end: str, bom: str, head: str
) -> None:
    verified = replace(VERIFIED, device=device, driver=driver, nvcc=nvcc)
    written = write_verified((bom + head.replace("\n", end)).encode(), verified)
    header = read_bytes(written)
    assert header.verified is not None
    assert replace(header.verified, place=VERIFIED.place) == verified
    assert write_verified(written, verified) == written
