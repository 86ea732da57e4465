"""Is a fault at the source told first and alone, and what rests on it once?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.command.asking import PAGE, ask, commit_all, make_asked, write_page
from tests.course_factory import (
    DECLARATION,
    DEVICE,
    PROGRAM,
    add_record,
    make_course,
    make_transcripts,
)

TOML = "snippets/add/program.toml"
SOURCE = "snippets/add/add.cu"
FACTS_FILE = "snippets/quantities.toml"
FOLDER = "evidence/add/nvidia-h200"
RECORD = f"{FOLDER}/run-2026-12-01.json"
TRANSCRIPT = f"{FOLDER}/run-2026-12-01.txt"
SHOWN = "\n/// snippet | add#block\n///\n\n/// table | add\n///\n"

Edit = Callable[[str, str, str], None]


@dataclass(frozen=True)
class Slip:
    """One slip of an author, and what `course check` must make of it."""

    path: str
    old: str
    new: str
    findings: tuple[str, ...]
    """Place and kind of each, in order; a question mark behind what could not be checked."""
    words: tuple[str, ...]
    """What the first of them says."""
    resting: str = ""
    """What rests on it, as it is counted."""


SLIPS = {
    # program.toml
    "no value": Slip(
        TOML,
        "rows = 4",
        "rows =",
        (f"{TOML}:3:7 declaration", f"{TOML}:3:7 declaration?"),
        ("not TOML",),
        "5 claims and 1 block on 1 page",
    ),
    "an open brace": Slip(
        TOML,
        '"GB/s" }',
        '"GB/s"',
        (f"{TOML}:2:76 declaration", f"{TOML}:2:76 declaration?"),
        ("not TOML",),
        "5 claims and 1 block on 1 page",
    ),
    "a misspelt key": Slip(
        TOML,
        "rows = 4",
        "row = 4",
        (f"{TOML}:3:1 declaration", f"{TOML}:3:1 declaration?"),
        ("did you mean `rows`?",),
        "1 claim and 1 block on 1 page",
    ),
    "a unit": Slip(
        TOML,
        'speedup = "{case}: wide is {speedup:g}x as fast"',
        'speedup = { pattern = "{case}: wide is {speedup:g}x as fast", units = { speedup = "sec" } }',
        (f"{TOML}:6:83 declaration", f"{TOML}:6:83 declaration?"),
        ("unknown unit `sec`", "write `s`"),
        "4 claims on 1 page",
    ),
    "too few rows": Slip(
        TOML,
        "rows = 4",
        "rows = 3",
        (f"{TOML}:3:8 transcript", f"{TOML}:3:8 transcript?"),
        ("has 3 rows", "4 rows were read", f"({TRANSCRIPT[:-4]}", "declare `rows = 4`", "too many"),
        "7 claims on 1 page",
    ),
    "too many rows": Slip(
        TOML,
        "rows = 4",
        "rows = 5",
        (f"{TOML}:3:8 transcript", f"{TOML}:3:8 transcript?"),
        ("has 5 rows", "left out, or declare `rows = 4`"),
        "7 claims on 1 page",
    ),
    "a column's header": Slip(
        TOML,
        '"time (ms)"',
        '"times (ms)"',
        (f"{TOML}:2:43 transcript", f"{TOML}:2:43 transcript?"),
        ("`times (ms)` (timings.time)", "has `time (ms)`", '`time = "time (ms)"`', "measure again"),
        "7 claims on 1 page",
    ),
    "a column more": Slip(
        TOML,
        'rate = "GB/s"',
        'rate = "GB/s", more = "more"',
        (f"{TOML}:2:78 transcript", f"{TOML}:2:78 transcript?"),
        ("`more` (timings.more)", "no such column", "take it out of the declaration"),
        "7 claims on 1 page",
    ),
    "a line's pattern": Slip(
        TOML,
        "x as fast",
        "x as quick",
        (f"{TOML}:6:1 transcript", f"{TOML}:6:1 transcript?"),
        ("describes no line", "wide is 1.5", f"({TRANSCRIPT[:-4]}", "the whole line"),
        "7 claims on 1 page",
    ),
    "a quantity": Slip(
        TOML,
        "doubled = 'speedup[\"large\"] * 2'",
        "doubled = 'speedup[large] * 2'",
        (f"{TOML}:12:20 expression", f"{TOML}:12:20 expression?"),
        ("`large` is not a key", '`"large"`'),
        "1 claim on 1 page",
    ),
    # course.toml
    "the GPU's key": Slip(
        "course.toml",
        "reference_gpu",
        "referenceGpu",
        ("course.toml:3:1 settings", "course.toml:3:1 settings?"),
        ("did you mean `reference_gpu`?",),
        "7 claims on 1 page",
    ),
    "the section": Slip(
        "course.toml",
        "[course]",
        "[coarse]",
        ("course.toml:1:2 settings", "course.toml:1:2 settings?"),
        ("did you mean `course`?",),
        "7 claims on 1 page",
    ),
    "a string without quotes": Slip(
        "course.toml",
        '"all"',
        "all",
        ("course.toml:4:11 settings", "course.toml:4:11 settings?"),
        ("not TOML",),
        "7 claims on 1 page",
    ),
    "a glob": Slip(
        "course.toml",
        '"all"\n',
        '"all"\nprose = ["doc/**/*.md", "docs/*.md"]\n',
        ("course.toml:5:10 page",),
        ('"doc/**/*.md"', "no page matches", "name the Markdown files"),
    ),
    "all globs": Slip(
        "course.toml",
        '"all"\n',
        '"all"\nprose = ["doc/**/*.md"]\n',
        ("course.toml:5:10 page",),
        ("no page matches",),
    ),
    # quantities.toml
    "a fact's quote": Slip(
        FACTS_FILE,
        '"4.8 TB/s of',
        '"4.9 TB/s of',
        (f"{FACTS_FILE}:5:9 fact", f"{FACTS_FILE}:5:9 fact?"),
        ("does not hold the value `4.8`",),
        "1 claim on 1 page",
    ),
    "a fact's key": Slip(
        FACTS_FILE,
        "quote =",
        "qoute =",
        (f"{FACTS_FILE}:5:1 fact", f"{FACTS_FILE}:5:1 fact?"),
        ("did you mean `quote`?",),
        "1 claim on 1 page",
    ),
    "a file of facts that is no TOML": Slip(
        FACTS_FILE,
        '"4.8"',
        '"4.8',
        (f"{FACTS_FILE}:2:13 fact", f"{FACTS_FILE}:2:13 fact?"),
        ("not TOML",),
        "1 claim on 1 page",
    ),
    # the program
    "an opening marker": Slip(
        SOURCE,
        "// snippet: add-kernel",
        "// snippets: add-kernel",
        (f"{SOURCE}:19:1 marker", f"{SOURCE}:19:1 marker?"),
        ("looks like a marker",),
        "1 block on 1 page",
    ),
    "a closing marker": Slip(
        SOURCE,
        "// end snippet: add-kernel\n",
        "",
        (f"{SOURCE}:19:1 region", f"{SOURCE}:19:1 region?"),
        ("nothing closes it",),
        "1 block on 1 page",
    ),
    "a needed region": Slip(
        SOURCE,
        "// end snippet: block\n",
        "",
        (f"{SOURCE}:15:1 region", f"{SOURCE}:15:1 region?"),
        ("nothing closes it",),
        "1 block on 1 page",
    ),
    "the Build line": Slip(
        SOURCE,
        "// Build: ",
        "// Built: ",
        (f"{SOURCE}:1:1 header", f"{SOURCE}:1:1 header?"),
        ("no `Build:` line",),
        "7 claims on 1 page",
    ),
    "a byte": Slip(
        SOURCE,
        "done",
        "d\udcffne",
        (f"{SOURCE}:27:17 encoding", f"{SOURCE}:27:17 encoding?"),
        ("not UTF-8",),
        "8 claims and 3 blocks on 1 page",
    ),
    # evidence
    "a device's field": Slip(
        RECORD,
        '"sm_count": 132',
        '"sm_count": 133',
        (f"{RECORD}:28:3 record", f"{RECORD}:28:3 record?"),
        ("edited after it was measured", "restore the file"),
        "7 claims on 1 page",
    ),
    "the driver": Slip(
        RECORD,
        '"driver": "580.159.03"',
        '"driver": "580.159.04"',
        (f"{RECORD}:28:3 record", f"{RECORD}:28:3 record?"),
        ("edited after it was measured",),
        "7 claims on 1 page",
    ),
    "a digit of a transcript": Slip(
        TRANSCRIPT,
        "small: wide is 1.5",
        "small: wide is 1.9",
        (f"{TRANSCRIPT}:10:1 record", f"{TRANSCRIPT}:10:1 record?"),
        ("made for another line", "restore the file"),
        "7 claims on 1 page",
    ),
    "a row of a transcript": Slip(
        TRANSCRIPT,
        "small  narrow",
        "small  nar ow",
        (f"{TRANSCRIPT}:5:1 record", f"{TRANSCRIPT}:5:1 record?"),
        ("made for another line",),
        "7 claims on 1 page",
    ),
    # pages
    "a block's option": Slip(
        "docs/page.md",
        "/// snippet | add#add-kernel\n",
        "/// snippet | add#add-kernel\n    shade: x\n",
        ("docs/page.md:12:5 directive",),
        ("no such option",),
    ),
    "a block without end": Slip(
        "docs/page.md",
        "/// snippet | add#add-kernel\n///\n",
        "/// snippet | add#add-kernel\n",
        ("docs/page.md:11:1 directive",),
        ("not closed: another opens in it, in line 13", "a line `///` after it"),
    ),
    "a block's name": Slip(
        "docs/page.md",
        "/// snippet | add#add-kernel\n",
        "/// snipet | add#add-kernel\n",
        ("docs/page.md:11:1 directive",),
        ("no such block", "`snippet`"),
    ),
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose page shows and cites everything that its program has."""
    root = tmp_path_factory.mktemp("causes")
    make_asked(root)
    write_page(root, PAGE + SHOWN)
    commit_all(root)
    assert ask(root, "check")[0] == 0
    return root


@pytest.fixture
def edit(course: Path) -> Iterator[Edit]:
    """Changes files of the course, and puts them back."""
    before: dict[Path, bytes] = {}

    def change(path: str, old: str, new: str) -> None:
        file = course / path
        before.setdefault(file, file.read_bytes())
        text = file.read_text("utf-8")
        assert old in text
        file.write_bytes(text.replace(old, new, 1).encode("utf-8", "surrogateescape"))

    yield change
    for file, data in before.items():
        file.write_bytes(data)


def replace_text(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def check(root: Path) -> tuple[int, list[dict[str, Any]]]:
    status, output = ask(root, "check", "--format", "json")
    end = output.rindex("}") + 1
    return status, json.loads(output[:end])["findings"]


def name_findings(findings: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(
        f"{f['place']['path']}:{f['place']['line']}:{f['place']['column']} {f['kind']}{'' if f['checked'] else '?'}"
        for f in findings
    )


@pytest.mark.parametrize("name", SLIPS)
def test_a_fault_is_told_first_and_alone_and_what_rests_on_it_once(
    course: Path, edit: Edit, name: str
) -> None:
    slip = SLIPS[name]
    edit(slip.path, slip.old, slip.new)
    status, findings = check(course)
    assert name_findings(findings) == slip.findings
    first = findings[0]
    said = " ".join((first["stated"], first["true"], first["advice"]))
    for words in slip.words:
        assert words in said
    assert not first.get("patch")
    if not slip.resting:
        assert status == 1
        return
    assert status == 2
    last = findings[-1]
    assert last["stated"] == "what rests on this"
    assert last["true"] == f"{slip.resting} could not be judged because of it"
    assert last["advice"] == "mend this first, then check again"
    assert not last.get("patch")


def test_two_faults_are_two_causes_in_the_order_they_are_read(course: Path, edit: Edit) -> None:
    edit(FACTS_FILE, '"4.8 TB/s of', '"4.9 TB/s of')
    edit(RECORD, '"sm_count": 132', '"sm_count": 133')
    edit("docs/page.md", "[256]", "[255]")
    edit("course.toml", "unbound", "unbond")
    status, findings = check(course)
    assert status == 2
    assert name_findings(findings) == (
        "course.toml:4:1 settings",
        f"{FACTS_FILE}:5:9 fact",
        f"{FACTS_FILE}:5:9 fact?",
        f"{RECORD}:28:3 record",
        f"{RECORD}:28:3 record?",
        "docs/page.md:6:74 drift",
    )
    assert findings[-1]["patch"]["new"] == "256"


def test_what_can_still_be_judged_is(course: Path, edit: Edit) -> None:
    edit(TOML, "rows = 4", "row = 4")
    edit("docs/page.md", "[132]", "[131]")
    _, findings = check(course)
    assert name_findings(findings)[:2] == (f"{TOML}:3:1 declaration", f"{TOML}:3:1 declaration?")
    assert (findings[2]["kind"], findings[2]["patch"]["new"]) == ("drift", "132")


def test_a_page_named_alone_tells_how_much_of_it_rests_on_the_fault(
    course: Path, edit: Edit
) -> None:
    edit(RECORD, '"sm_count": 132', '"sm_count": 133')
    status, output = ask(course, "check", "docs/page.md")
    assert status == 2
    assert "7 claims on 1 page could not be judged because of it" in output


def test_records_that_nothing_rests_on_hold_up_nothing(
    course: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("older") / "course"
    shutil.copytree(course, root)
    replace_text(root / SOURCE, "a[i] + b[i]", "b[i] + a[i]")
    add_record(root, "add", make_transcripts(), started="2026-12-02T09:30:00Z")
    add_record(
        root,
        "add",
        make_transcripts(),
        device=msgspec.structs.replace(DEVICE, model="NVIDIA L4"),
        stamp=False,
    )
    assert ask(root, "check")[0] == 0
    other = "evidence/add/nvidia-l4/run-2026-12-01.json"
    for path in (RECORD, other):
        replace_text(root / path, '"sm_count": 132', '"sm_count": 133')
    status, findings = check(root)
    assert status == 1
    assert name_findings(findings) == (f"{RECORD}:28:3 record", f"{other}:28:3 record")
    # Named, it is what is spoken of.
    write_page(root, PAGE + SHOWN + '\n[132](claim:add.on["NVIDIA L4"].device.sm_count)\n')
    assert name_findings(check(root)[1])[1:] == (f"{other}:28:3 record", f"{other}:28:3 record?")
    # The newest record cannot be read: what it would say of the older ones is not known.
    replace_text(root / RECORD, '"sm_count": 133', '"sm_count": 132')
    replace_text(root / other, '"sm_count": 133', '"sm_count": 132')
    newest = root / FOLDER / "run-2026-12-02.json"
    newest.write_text(newest.read_text()[:-3])
    cause, resting = name_findings(check(root)[1])
    assert cause.startswith(f"{FOLDER}/run-2026-12-02.json:")
    assert resting == f"{cause}?"


def test_shared_host_code_is_not_compared_with_a_region_that_is_not_closed(
    tmp_path: Path,
) -> None:
    text = PROGRAM.replace(
        "int main", "// snippet: tail\n// one\nstatic int tail;\n// end snippet: tail\n\nint main"
    )
    make_course(
        tmp_path,
        {name: text.format(name=name) for name in ("add", "sub")},
        dict.fromkeys(("add", "sub"), DECLARATION + '[regions.tail]\nkind = "host"\n'),
    )
    write_page(tmp_path, "Nothing.\n")
    replace_text(tmp_path / SOURCE, "// one\n", "// end snippet: tail\n// one\n")
    kinds = [f["kind"] for f in check(tmp_path)[1]]
    assert "region" in kinds
    assert "boilerplate" not in kinds


# --- review


def test_review_refuses_what_rests_on_faulty_evidence(course: Path, edit: Edit) -> None:
    edit(RECORD, '"sm_count": 132', '"sm_count": 133')
    edit("docs/page.md", "[256]", "[255]")
    page = course / "docs" / "page.md"
    status, output = ask(course, "review", "--dry-run")
    assert status == 2
    assert "+- A launch" in output
    assert "[256](claim:" in output
    assert "+- Memory" not in output
    assert "refused: `2.1×` and 6 claims more of this page" in output
    assert f"because of {RECORD}:28:3: `device` as it stands; mend that first" in output
    status, output = ask(course, "review", "--accept", "all")
    assert status == 2
    assert "refused: `2.1×` and 6 claims more of this page" in output
    assert "[132](claim:add.device.sm_count)" in page.read_text()
    assert "[256](claim:add.source.kBlock)" in page.read_text()
    assert "7 claims on 1 page could not be judged because of it" in output


def test_review_does_not_ask_about_what_could_not_be_judged(course: Path, edit: Edit) -> None:
    edit(RECORD, '"sm_count": 132', '"sm_count": 133')
    status, output = ask(course, "review", "--plain")
    assert status == 2
    assert "not asked: what could not be judged gets no new text" in output
    assert "[a] accept" not in output


# --- what only a word was missing for


def test_a_stale_program_says_in_check_which_token_changed(course: Path, edit: Edit) -> None:
    edit(SOURCE, "kBlock = 256", "kBlock = 128")
    _, findings = check(course)
    (stale,) = [f for f in findings if f["place"]["path"] == SOURCE]
    assert stale["kind"] == "stale"
    assert stale["true"] == f"its code changed since: {SOURCE}:16:24: was `256` and is `128`"


def test_a_changed_comment_is_refreshed_without_a_gpu(course: Path, edit: Edit) -> None:
    edit(SOURCE, "add two vectors.", "add two vectors" + " and more" * 20 + ".")
    edit("snippets/add/README.md", "add two", "add two")
    _, (stamp,) = check(course)
    assert (stamp["kind"], stamp["place"]["path"]) == ("stamp", "snippets/add/README.md")
    assert stamp["stated"] != stamp["true"]
    assert "two vectors and more" in stamp["true"]
    assert "`course run add`, which needs no GPU and runs nothing" in stamp["advice"]
    assert ask(course, "run", "add")[0] == 0
    assert check(course) == (0, [])


def test_several_statements_ask_for_all_or_any(course: Path, edit: Edit) -> None:
    edit("docs/page.md", "claim:all(add.speedup[:] > 1)", "claim:add.speedup[:] > 1")
    _, (finding,) = check(course)
    assert finding["kind"] == "type"
    assert "`add.speedup[:] > 1` is several statements, not one: true, true" in finding["true"]
    assert "wrap it in all(…) or any(…)" in finding["advice"]


@pytest.mark.parametrize(
    ("expression", "column", "words"),
    [
        ("add.speedup[512x512]", 12, ["`512x512` stands without quotes", 'write `"512x512"`']),
        ("add.time[:, very wide]", 12, ["`very wide` stands without", 'write `"very wide"`']),
        ("add.speedup[large]", 12, ["`large` is not a key", 'in quotes, `"large"`']),
        ("add.speedup[“large”]", 12, ["`“` is no quote here", "straight quotes"]),
        ("1 < 2 && 2 < 3", 6, ["`&&` is not part of the language", "write `and`"]),
        ("2 × 3", 2, ["`×` is not part", "write `*`"]),
        ("1 = 2", 2, ["`=` is not part", "write `==` for exact things, or same(a, b)"]),
        ('add.speedup["large]', 12, ['the quote `"` is not closed']),
        ("(add.source.kBlock", 0, ["the bracket `(` is not closed", "with `)`"]),
        ("1 2", 2, ["not an expression", "mend the syntax at this column"]),
        ("add.kBlock", 0, ["has no `kBlock`", "write `add.source.kBlock`"]),
        ("add.sm_count", 0, ["has no `sm_count`", "write `add.device.sm_count`"]),
        ("add.add", 0, ["has no `add`", 'write `add.compiler["add"]`']),
        ("source.kBlock", 0, ["no program or quantity `source`", "write `add.source`"]),
        ("kBlock", 0, ["no program or quantity `kBlock`", "write `add.source.kBlock`"]),
        ('add.speedup["larger"]', 0, ["did you mean `large`?"]),
        ('add.speedup["huge"]', 0, ["known: `large`, `small`"]),
    ],
)
def test_an_expression_says_what_was_meant(
    course: Path, expression: str, column: int, words: list[str]
) -> None:
    status, output = ask(course, "eval", expression)
    assert status != 0
    assert f"\n{' ' * column}^\n" in output
    for part in words:
        assert part in output


def test_a_name_that_is_nowhere_is_told_beside_a_fault(course: Path, edit: Edit) -> None:
    edit(TOML, "rows = 4", "row = 4")
    edit(SOURCE, "// end snippet: add-kernel\n", "")
    edit("docs/page.md", 'add.time["large", "wide"]', 'add.tempo["large", "wide"]')
    edit("docs/page.md", "add#block", "add#blocks")
    _, findings = check(course)
    said = [f["true"] for f in findings]
    assert "`add` has no `tempo`" in said
    assert f"{SOURCE} has no region `blocks`" in said


def test_nothing_is_offered_from_faulty_evidence(course: Path, edit: Edit) -> None:
    edit("docs/page.md", "# Adding\n", "# Adding\n\nOn 133 SMs it takes 0.626 ms.\n")
    before = [f for f in check(course)[1] if f["kind"] == "unbound"]
    assert [f["stated"] for f in before] == ["`133`", "`0.626 ms`"]
    assert before[1]["candidates"]
    edit(RECORD, '"sm_count": 132', '"sm_count": 133')
    after = [f for f in check(course)[1] if f["kind"] == "unbound"]
    assert [f["stated"] for f in after] == ["`133`", "`0.626 ms`"]
    assert not any(f.get("candidates") for f in after)
