"""`course why`: the whole chain behind what a question names, and what it says when none is."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from tests.command.asking import FACTS, PAGE, ask, ask_json, commit_all, make_asked, write_page
from tests.course_factory import DEVICE, add_record, make_transcripts

RECORD = "evidence/add/nvidia-h200/run-2026-12-01.json"
TRANSCRIPT = "evidence/add/nvidia-h200/run-2026-12-01.txt"


def at(link: str) -> str:
    """Line and column of a link on the page."""
    before = PAGE[: PAGE.index(link)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("why")
    make_asked(root)
    return root


@pytest.fixture
def changed(course: Path, tmp_path: Path) -> Path:
    """A copy of the course to change."""
    root = tmp_path / "course"
    shutil.copytree(course, root)
    return root


def test_the_chain_of_a_measured_claim(course: Path) -> None:
    status, output = ask(course, "why", "docs/page.md:3:20")
    assert status == 0
    lines = output.splitlines()
    assert lines[:3] == [
        'docs/page.md:3:20: [2.1×](claim:add.speedup["large"])',
        "    agrees",
        "    The wide kernel is 2.1× as fast.",
    ]
    text = (course / TRANSCRIPT).read_text()
    printed = next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith("large: "))
    shown = text.splitlines()[printed - 1]
    for part in (
        'expression  add.speedup["large"]',
        "value       2.05",
        "(band 2.0",
        "proof       measured",
        f"{TRANSCRIPT}:{printed}  (process ",
        f"    {shown}\n",
        f"record      {RECORD}\n",
        "state     fresh, shown on pages, in the newest pool",
        "run       ./add  (10 processes; shown is process ",
        "device    NVIDIA H200 (compute capability 9.0), driver 580.159.03",
        "build     nvcc -std=c++17 -O3 -arch=sm_90 -o add add.cu",
        "CUDA 13.0 (V13.0.88)",
        "machine code 5555555555555555",
        "the compiler's report: evidence/add/nvidia-h200/run-2026-12-01/build.txt",
        "as the program's is now",
        "check     passed for add-kernel with the seeds 1, 2 (CuPy 14.2.0)\n",
        "  stale if  another token in snippets/add/add.cu; another list of files that it includes;\n",
        "            another Build command; another Run command;",
        "program     snippets/add/add.cu  (fresh)",
        "  regions   block, add-kernel\n",
    ):
        assert part in output, part
    assert "process  1" not in output


@pytest.mark.parametrize(
    ("text", "value"),
    [("62.9 MB", "62.915 MB"), ("60 MiB", "60 MiB"), ("0.06 GiB", "0.058594 GiB")],
)
def test_a_claims_value_is_told_in_the_unit_of_its_text(
    changed: Path, text: str, value: str
) -> None:
    write_page(changed, f"It holds [{text}](claim:add.device.l2_bytes).\n")
    answer = ask_json(changed, "why", "docs/page.md:1")
    assert answer["figure"]["shown"] == value
    assert answer["figure"]["value"] == 62_914_560
    assert f"value       {value}\n" in ask(changed, "why", "docs/page.md:1")[1]
    both = f"[{text}](claim:add.device.l2_bytes), [60 MiB](claim:add.device.l2_bytes)\n"
    write_page(changed, both)
    assert ask_json(changed, "why", "add.device.l2_bytes")["figure"]["shown"] == "60 MiB"


def test_all_processes_with_their_places(course: Path) -> None:
    _, output = ask(course, "why", "docs/page.md:3:20", "--all")
    shown = int(output.partition("shown is process ")[2].partition(")")[0])
    others = [n for n in range(1, 11) if n != shown]
    for number in others:
        side = f"evidence/add/nvidia-h200/run-2026-12-01/process-{number:02}.stdout.txt:11"
        assert f"process {number:>2}  2.05" in output
        assert side in output


def test_a_claims_text_that_cites_one_thing_is_one_chain(course: Path) -> None:
    status, output = ask(course, "why", "2.1×")
    assert status == 0
    assert output.startswith("docs/page.md:3:20: [2.1×]")
    assert "docs/page.md:9:" in output
    assert output.count("expression  ") == 1


def test_a_text_that_cites_several_things_lists_them(course: Path) -> None:
    status, output = ask(course, "why", "2")
    assert status == 2
    assert "`2` names 5 claims that cite different things" in output
    assert '    docs/page.md:3:20  [2.1×](claim:add.speedup["large"])\n' in output
    assert f"    docs/page.md:{at('[256]')}  [256](claim:add.source.kBlock)\n" in output
    assert "do: name one by its PATH:LINE:COLUMN" in output


def test_pages_limit_where_a_text_is_looked_for(changed: Path) -> None:
    (changed / "docs" / "other.md").write_text("[2.1×](claim:add.doubled / 2)\n")
    assert ask(changed, "why", "2.1×")[0] == 2
    status, output = ask(changed, "why", "2.1×", str(changed / "docs" / "other.md"))
    assert status == 0
    assert output.startswith("docs/other.md:1:1: [2.1×](claim:add.doubled / 2)")


def test_a_line_with_several_claims_needs_a_column(course: Path) -> None:
    status, output = ask(course, "why", "docs/page.md:9")
    assert status == 2
    assert "docs/page.md:9 holds several claims" in output
    assert output.count("docs/page.md:9:") == 3
    status, output = ask(course, "why", "docs/page.md:9:300")
    assert status == 2
    assert "docs/page.md:9:300 stands in no claim of its line" in output


def test_a_line_without_a_claim_tells_the_nearest(course: Path) -> None:
    status, output = ask(course, "why", "docs/page.md:1")
    assert status == 2
    assert "no claim stands at docs/page.md:1" in output
    assert "docs/page.md:3:20 `2.1×`" in output


@pytest.mark.parametrize(
    ("place", "kind", "name", "path", "text"),
    [
        (
            "[256]",
            "constant",
            "add.source.kBlock",
            "snippets/add/add.cu",
            "constexpr int kBlock = 256;",
        ),
        ("[132]", "device", "add.device.sm_count", RECORD, '"sm_count": 132,'),
        ("[12]", "compiler", 'add.compiler["add"].registers', RECORD, '"registers": 12,'),
        ("[4.8 TB/s]", "fact", 'given["peak"]', "snippets/quantities.toml", "4.8 TB/s of memory"),
    ],
)
def test_where_exact_things_are_read(
    course: Path, place: str, kind: str, name: str, path: str, text: str
) -> None:
    chain = ask_json(course, "why", f"docs/page.md:{at(place)}")
    (found,) = chain["names"]
    assert (found["kind"], found["name"]) == (kind, name)
    origin = found["origins"][-1]
    assert origin["path"] == path
    assert origin["text"].startswith(text)
    line = (course / path).read_text().splitlines()[origin["line"] - 1]
    assert text in line or kind == "fact"


def test_a_quantity_is_followed_to_what_was_measured(course: Path) -> None:
    chain = ask_json(course, "why", "add.doubled")
    assert chain["subject"] == "expression"
    quantity, measured = chain["names"]
    assert quantity["kind"] == "quantity"
    assert quantity["expression"] == 'speedup["large"] * 2'
    assert quantity["origins"][0]["path"] == "snippets/add/program.toml"
    assert (measured["name"], measured["depth"]) == ('add.speedup["large"]', 1)
    assert len(measured["figure"]["samples"]) == 10
    assert measured["figure"]["value"] == pytest.approx(quantity["figure"]["value"] / 2)
    assert {o["process"] for o in measured["origins"]} == set(range(1, 11))


def test_names_over_devices_records_and_the_course(changed: Path) -> None:
    device = msgspec.structs.replace(DEVICE, model="NVIDIA A100")
    add_record(changed, "add", make_transcripts(), device=device, stamp=False)
    (changed / "snippets" / "quantities.toml").write_text(
        FACTS
        + '\n[peak.gpu."NVIDIA A100"]\nvalue = "1.5"\nquote = "1.5 TB/s of memory"\n'
        + "\n[quantities]\n"
        + "both = 'add.on[\"NVIDIA A100\"].of_peak / add.of_peak'\n"
        + 'then = \'add.records["run-2026-12-01"].speedup["large"]\'\n'
    )
    declaration = changed / "snippets" / "add" / "program.toml"
    of_peak = 'of_peak = \'max(rate[:, "wide"]) / given["peak"]\'\n'
    declaration.write_text(declaration.read_text() + of_peak)
    chain = ask_json(changed, "why", "both")
    found = [
        (n["depth"], n["name"], n["origins"][0]["path"].split("/")[-2]) for n in chain["names"]
    ]
    assert found == [
        (0, "both", "snippets"),
        (1, 'add.on["NVIDIA A100"].of_peak', "add"),
        (2, 'add.on["NVIDIA A100"].rate[:, "wide"]', "nvidia-a100"),
        (2, 'given["peak"]', "snippets"),
        (1, "add.of_peak", "add"),
        (2, 'add.rate[:, "wide"]', "nvidia-h200"),
        (2, 'given["peak"]', "snippets"),
    ]
    facts = [n["figure"]["shown"] for n in chain["names"] if n["kind"] == "fact"]
    assert facts == ["1.5 TB/s", "4.8 TB/s"]
    assert [(r["device"]["model"], r["is_reference"]) for r in chain["records"]] == [
        ("NVIDIA H200", True),
        ("NVIDIA A100", False),
    ]
    output = ask(changed, "why", 'add.on["NVIDIA A100"].of_peak')[1]
    assert "state     fresh, not of the reference device\n" in output
    (measured,) = ask_json(changed, "why", "then")["names"][1:]
    assert measured["name"] == 'add.records["run-2026-12-01"].speedup["large"]'
    assert measured["origins"][0]["path"] == TRANSCRIPT


def test_keys_are_placed_where_they_first_stand(course: Path) -> None:
    (key,) = ask_json(course, "why", "add.case[:]")["names"]
    assert [(o["line"], o["keys"]) for o in key["origins"]] == [(5, ["small"]), (7, ["large"])]
    (key,) = ask_json(course, "why", 'add.kernel["wide"]')["names"]
    assert [(o["line"], o["keys"]) for o in key["origins"]] == [(6, ["wide"])]
    (check,) = ask_json(course, "why", "add.check.passed")["names"]
    assert check["origins"][0]["text"] == '"passed": true,'


def test_an_example_has_nothing_behind_it(course: Path) -> None:
    chain = ask_json(course, "why", f"docs/page.md:{at('[5]')}")
    assert chain["proof"] == "stated"
    assert chain["names"] == []
    assert chain["records"] == []


def test_a_program_and_a_record(course: Path) -> None:
    chain = ask_json(course, "why", "add")
    assert chain["subject"] == "program"
    (program,) = chain["programs"]
    assert program["state"] == "fresh"
    assert program["records"] == [RECORD]
    assert "docs/page.md:3:20" in program["claims"]
    for query in (RECORD, TRANSCRIPT, "run-2026-12-01", "add@run-2026-12-01"):
        chain = ask_json(course, "why", query)
        assert chain["subject"] == "record", query
        assert chain["records"][0]["path"] == RECORD
        assert "docs/page.md:3:20" in {
            f"{s['path']}:{s['line']}:{s['column']}" for s in chain["sentences"]
        }


def test_places_in_sources_and_transcripts(course: Path) -> None:
    assert ask_json(course, "why", "snippets/add/add.cu:16")["expression"] == "add.source.kBlock"
    assert ask_json(course, "why", "snippets/add/add.cu:20")["subject"] == "program"
    assert ask_json(course, "why", "snippets/quantities.toml:3")["expression"] == 'given["peak"]'
    chain = ask_json(course, "why", f"{TRANSCRIPT}:11")
    assert chain["expression"] == 'add.speedup["large"]'
    several = ask_json(course, "why", f"{TRANSCRIPT}:6")
    assert several["subject"] == "several"
    assert [m["target"] for m in several["matches"]] == [
        'add.time["small", "wide"]',
        'add.rate["small", "wide"]',
    ]


@pytest.mark.parametrize(
    ("query", "said", "advice"),
    [
        ("add.sped", "`add` has no `sped` (column 1)", "did you mean `speedup`?"),
        ("ad", "`ad` is no program, no record", "did you mean `add`?"),
        ("qqq", "`qqq` is no program, no record", "name a program, a record, PATH:LINE"),
        ("course.toml:1", "`course.toml` is no page", "name a page that course.toml's `prose`"),
        ("add@run-2020-01-01", "there is no record", "did you mean `add@run-2026-12-01`?"),
        ("run-2026-12-02", "there is no record", "did you mean `add@run-2026-12-01`?"),
        ("sub@run-2026-12-01", "there is no record", "did you mean `add@run-2026-12-01`?"),
        ("1 +", "is no program, no record", "name a program"),
        (
            "docs",
            "`docs` is a folder",
            "name a claim of a page in it, by PATH:LINE: `docs/page.md`",
        ),
        ("snippets/add", "`snippets/add` is a folder", "name a program, a record"),
        ("course.toml", "`course.toml` is no page", "name a page that course.toml's `prose`"),
        ("speedup", "`speedup` is no program", "name its program: write `add.speedup`"),
        ('speedup["large"]', "is no program", "name its program: write `add.speedup`"),
        ("kBlock", "`kBlock` is no program", "name its program: write `add.source.kBlock`"),
        (
            "add.speedup",
            "`add.speedup` is the measurement `speedup`, not a value",
            'write `add.speedup["small"]` or `add.speedup["large"]`, or `add.speedup[:]` for all',
        ),
        ("[7](claim:add.sped)", "`add` has no `sped` (column 1)", "did you mean `speedup`?"),
        ("[7](claim:1 +)", "not an expression", "mend the syntax"),
        ("[7](given:pea)", "given has no `pea`", "did you mean `peak`?"),
        ("[7](stated:)", "no page holds the link `[7](stated:)`", "`stated:` cites nothing"),
    ],
)
def test_what_nothing_is_known_of(course: Path, query: str, said: str, advice: str) -> None:
    status, output = ask(course, "why", query)
    assert status == 2
    assert said in output
    assert f"do: {advice}" in output


@pytest.mark.parametrize(
    ("query", "subject", "expression"),
    [
        ('[2.1×](claim:add.speedup["large"])', "claim", 'add.speedup["large"]'),
        (' [2.1×](claim: add.speedup[ "large" ]) ', "claim", 'add.speedup["large"]'),
        # Of other words, on no page, and of a fact.
        ('[two times](claim:add.speedup["large"])', "claim", 'add.speedup["large"]'),
        ("[1.3–1.5×](claim:add.speedup[:])", "expression", "add.speedup[:]"),
        ('claim:add.speedup["small"]', "expression", 'add.speedup["small"]'),
        ("[4.8 TB/s](given:peak)", "claim", "peak"),
        ("[5](stated:)", "claim", ""),
        ("claim:max(add.time[:])", "expression", "max(add.time[:])"),
    ],
)
def test_a_link_as_it_is_printed(course: Path, query: str, subject: str, expression: str) -> None:
    chain = ask_json(course, "why", query)
    assert (chain["error"], chain["subject"], chain["expression"]) == ("", subject, expression)


def test_a_fact_that_no_page_cites_is_read_by_its_link(changed: Path) -> None:
    write_page(changed, "# Nothing\n")
    chain = ask_json(changed, "why", "[4.8 TB/s](given:peak)")
    assert (chain["expression"], chain["figure"]["shown"]) == ('given["peak"]', "4.8 TB/s")


def test_a_page_lists_what_can_be_asked_of_it(course: Path) -> None:
    status, output = ask(course, "why", "docs/page.md")
    assert status == 2
    lines = output.splitlines()
    assert lines[0] == "the page `docs/page.md` holds 10 claims"
    assert lines[1] == '    docs/page.md:3:20  [2.1×](claim:add.speedup["large"])'
    assert lines[-1] == "    do: name one by its PATH:LINE:COLUMN"


def test_a_page_of_many_claims_lists_some_of_them(changed: Path) -> None:
    write_page(changed, "[2](claim:1 + 1) " * 30 + "\n")
    _, output = ask(changed, "why", "docs/page.md")
    assert output.count("docs/page.md:1:") == 20
    assert "    and 10 more, which --all names\n" in output
    assert ask(changed, "why", "docs/page.md", "--all")[1].count("docs/page.md:1:") == 30
    assert len(ask_json(changed, "why", "docs/page.md")["matches"]) == 30


def test_the_chain_of_a_claim_is_told_on_one_screen(course: Path) -> None:
    output = ask(course, "why", "docs/page.md:3:20")[1]
    assert len(output.splitlines()) < 40
    assert all(len(line) <= 120 for line in output.splitlines())
    whole = ask(course, "why", "docs/page.md:3:20", "--all")[1]
    assert "add#add-kernel  lines 20-23, kernel, needs block, shown at docs/page.md:11:1" in whole
    assert "shown at docs/page.md:11:1" in ask(course, "why", "add")[1]
    assert "shown at docs/page.md:11:1" in ask(course, "why", "snippets/add/add.cu")[1]


def test_a_wrong_claim_tells_its_finding(changed: Path) -> None:
    write_page(changed, 'It is [2.7×](claim:add.speedup["large"]) as fast.\n')
    status, output = ask(changed, "why", "2.7×")
    assert status == 0
    assert "    finding\n    drift: `2.7×`\n" in output
    assert "        do:   write `2.1×`" in output


def test_what_made_a_record_stale(changed: Path) -> None:
    source = changed / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("a[i] + b[i]", "a[i]  -  b[i]"))
    chain = ask_json(changed, "why", "docs/page.md:3:20")
    assert "no fresh record" in chain["error"]
    (record,) = chain["records"]
    assert record["state"] == "stale"
    so = [c for c in record["conditions"] if c["so"]]
    token, check = so
    assert (token["path"], token["line"], token["column"]) == ("snippets/add/add.cu", 22, 29)
    assert token["detail"] == "was `+` and is `-`"
    assert check["path"] == "snippets/add/check.py"
    assert record["check"]["is_stale"]
    status, output = ask(changed, "why", "add")
    assert status == 0
    assert (
        "  stale by  another token in snippets/add/add.cu: snippets/add/add.cu:22:29 was `+` and is "
        "`-`\n            another check.py, or another token in a region that readers copy (the "
        "reader's check alone): snippets/add/check.py:1:1\n"
        "  stale if  another list of files that it includes; another Build command;"
    ) in output
    assert "\n            another token" not in output[output.index("stale if") :]


def test_two_records_of_one_name(changed: Path) -> None:
    shutil.copytree(changed / "snippets" / "add", changed / "snippets" / "sub")
    (changed / "snippets" / "sub" / "add.cu").rename(changed / "snippets" / "sub" / "sub.cu")
    shutil.copytree(changed / "evidence" / "add", changed / "evidence" / "sub")
    status, output = ask(changed, "why", "run-2026-12-01")
    assert status == 2
    assert "`run-2026-12-01` names 2 records" in output
    assert "or as PROGRAM@run-2026-12-01" in output


def test_an_edited_record_says_so(changed: Path) -> None:
    record = changed / RECORD
    record.write_text(record.read_text().replace('"driver": "580', '"driver": "590'))
    chain = ask_json(changed, "why", "add@run-2026-12-01")
    assert any(
        "its seal was made for another" in f["true"] for f in chain["records"][0]["findings"]
    )
    record.write_text("{")
    status, output = ask(changed, "why", RECORD)
    assert status == 2
    assert f"the record {RECORD} cannot be read" in output


def test_it_needs_no_version_control(changed: Path) -> None:
    shutil.rmtree(changed / ".git")
    source = changed / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("a[i] + b[i]", "a[i] - b[i]"))
    chain = ask_json(changed, "why", "add")
    details = [c["detail"] for c in chain["records"][0]["conditions"] if c["so"]]
    assert details[0] == "which token changed is not known: no revision of it was found"


def test_the_code_is_found_among_older_revisions(changed: Path) -> None:
    source = changed / "snippets" / "add" / "add.cu"
    for text in ("a[i] - b[i]", "a[i] - b[i] * 1", "a[i] - b[i] * 2"):
        source.write_text(source.read_text().replace("a[i] + b[i]", "a[i] - b[i]"))
        source.write_text(source.read_text().replace("a[i] - b[i]", text, 1))
        commit_all(changed)
    chain = ask_json(changed, "why", "add")
    assert chain["records"][0]["conditions"][0]["detail"] == "was `+` and is `-`"
