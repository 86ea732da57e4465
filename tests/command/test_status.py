"""`course status`: fresh, stale and why, missing, waived, unused, orphaned, and how old."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import msgspec
import pytest

from tests.command.asking import (
    PAGE,
    ask,
    ask_json,
    commit_all,
    make_asked,
    write_page,
)
from tests.course_factory import DEVICE, add_record, make_transcripts

RECORD = "evidence/add/nvidia-h200/run-2026-12-01.json"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("status")
    make_asked(root)
    return root


@pytest.fixture
def changed(course: Path, tmp_path: Path) -> Path:
    root = tmp_path / "course"
    shutil.copytree(course, root)
    return root


def edit(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new, 1))


def test_a_course_in_order(course: Path) -> None:
    status, output = ask(course, "status")
    assert status == 0
    today = dt.datetime.now(dt.UTC).date()
    days = (today - dt.date(2026, 12, 1)).days
    age = "today" if not days else f"{days} day" if days > 0 else f"in {-days} day"
    for part in (
        f"NVIDIA H200, {today}: 1 program, 1 page\n",
        "fresh     add  (snippets/add/add.cu)\n",
        f"  record  {RECORD}\n",
        f"2026-12-01, {age}",
        "NVIDIA H200, driver 580.159.03; 10 processes; fresh, shown, newest pool; in 7 claims\n",
        "claims    5 measured, 3 exact, 1 cited, 1 stated\n",
        "waived    none\n",
        "unused    none\n",
        "orphans   none\n",
        "findings  none in sources and evidence\n",
    ):
        assert part in output, part


def test_its_json(course: Path) -> None:
    status = ask_json(course, "status")
    (program,) = status["programs"]
    assert (program["name"], program["state"], program["reasons"]) == ("add", "fresh", [])
    (record,) = program["records"]
    assert record["is_shown"]
    assert record["is_pooled"]
    assert record["is_reference"]
    assert "docs/page.md:3:20" in record["claims"]
    assert {c["kind"]: c["agrees"] for c in status["claims"]} == {
        "measured": 5,
        "exact": 3,
        "cited": 1,
        "stated": 1,
    }


@pytest.mark.parametrize(
    ("path", "old", "new", "what", "line", "detail"),
    [
        ("add.cu", "a[i] + b[i]", "a[i] - b[i]", "token", 22, "was `+` and is `-`"),
        ("add.cu", "    return 0;\n", "", "token", 28, "was `return` and is `}`"),
        ("add.cu", "#include <cstdio>\n", "#include <cstdio>\n#define X\n", "token", 14, "`#`"),
        ("add.cu", "-O3", "-O2", "Build", 5, "and is `nvcc -std=c++17 -O2"),
        ("add.cu", "./add", "./add --n 5", "Run", 6, "was `./add` and is `./add --n 5`"),
        (
            "program.toml",
            "[quantities]",
            '[requires]\ncompute_capability = "9.0"\n\n[quantities]',
            "requires",
            1,
            "`9.0` is new",
        ),
        (
            "program.toml",
            "[quantities]",
            '[runs.small]\nargs = "--n 67"\n\n[quantities]',
            "runs",
            1,
            "`small: --n 67`",
        ),
    ],
)
def test_why_a_program_is_stale(
    changed: Path, path: str, old: str, new: str, what: str, line: int, detail: str
) -> None:
    edit(changed, f"snippets/add/{path}", old, new)
    status = ask_json(changed, "status")
    (program,) = status["programs"]
    assert program["state"] == "stale"
    (reason,) = program["reasons"]
    assert (reason["what"], reason["line"]) == (what, line)
    assert reason["path"] == f"snippets/add/{path}"
    assert detail in reason["detail"]
    assert status["findings"][-1]["kind"] == "stale"
    assert {c["kind"] for c in status["claims"]} >= {"none"}


def test_a_reader_check_that_is_stale_alone(changed: Path) -> None:
    edit(changed, "snippets/add/check.py", "agrees", "agrees well")
    (program,) = ask_json(changed, "status")["programs"]
    assert program["state"] == "fresh"
    (reason,) = program["reasons"]
    assert (reason["what"], reason["path"]) == ("check", "snippets/add/check.py")
    assert reason["detail"] == "check.py, a region or its needs changed since"


def test_a_comment_makes_nothing_stale(changed: Path) -> None:
    edit(changed, "snippets/add/add.cu", "int main() {", "int main() {  // starts here")
    assert ask_json(changed, "status")["programs"][0]["state"] == "fresh"


def test_what_changed_in_an_included_file(changed: Path) -> None:
    header = changed / "snippets" / "add" / "more.cuh"
    header.write_text("constexpr int kMore = 1;\n")
    edit(
        changed,
        "snippets/add/add.cu",
        "#include <cstdio>",
        '#include <cstdio>\n#include "more.cuh"',
    )
    (reason, other) = ask_json(changed, "status")["programs"][0]["reasons"]
    assert (reason["what"], reason["path"], reason["line"]) == ("token", "snippets/add/add.cu", 14)
    assert (other["what"], other["path"]) == ("include", "snippets/add/more.cuh")
    add_record(changed, "add", make_transcripts(), started="2026-12-02T09:30:00Z")
    commit_all(changed)
    header.write_text("constexpr int kMore = 2;\n")
    (reason,) = ask_json(changed, "status")["programs"][0]["reasons"]
    assert (reason["path"], reason["line"]) == ("snippets/add/more.cuh", 1)
    assert reason["detail"] == "was `1` and is `2`"


def test_a_record_of_another_device_does_not_count(changed: Path) -> None:
    device = msgspec.structs.replace(DEVICE, model="NVIDIA A100")
    add_record(changed, "add", make_transcripts(), device=device, stamp=False)
    shutil.rmtree(changed / "evidence" / "add" / "nvidia-h200")
    (program,) = ask_json(changed, "status")["programs"]
    assert program["state"] == "missing"
    (reason,) = program["reasons"]
    assert reason["detail"] == "no record of an NVIDIA H200, only of NVIDIA A100"
    (record,) = program["records"]
    assert not record["is_reference"]
    assert "NVIDIA A100 (not the reference), driver" in ask(changed, "status")[1]


def test_what_is_waived(changed: Path) -> None:
    edit(changed, "course.toml", 'unbound = "all"', 'unbound = "units"\nfindings = "warn"')
    edit(changed, "course.toml", "[course]", '[course]\npatterns_off = ["year", "date"]')
    waived = {(w["what"], w["line"]): w["detail"] for w in ask_json(changed, "status")["waived"]}
    assert waived == {
        ('findings = "warn"', 6): "a build with findings makes a site all the same",
        ('unbound = "units"', 5): "a number without a unit need not be bound",
        ("patterns_off = date, year", 2): "numbers of these patterns must be bound",
    }
    assert 'waived    course.toml:6: findings = "warn": a build with' in ask(changed, "status")[1]
    edit(changed, "course.toml", 'unbound = "units"', 'unbound = "off"')
    assert "no number of the prose has to be bound" in ask(changed, "status")[1]


def test_what_is_unused_and_orphaned(changed: Path) -> None:
    edit(
        changed,
        "snippets/add/program.toml",
        "doubled",
        "spare = 'doubled * 2'\nchained = 'spare'\ndoubled",
    )
    write_page(changed, "Nothing here.\n")
    stray = changed / "evidence" / "add" / "nvidia-h200" / "notes.txt"
    stray.write_text("kept by hand")
    (changed / "evidence" / "gone").mkdir()
    status = ask_json(changed, "status")
    assert [(f["path"], f["stated"]) for f in status["unused"]] == [
        ("snippets/add/add.cu", "region `block`"),
        ("snippets/add/add.cu", "region `add-kernel`"),
        ("snippets/quantities.toml", "fact `peak`"),
        ("snippets/add/program.toml", "quantity `chained`"),
    ]
    assert {f["path"] for f in status["orphans"]} == {
        "evidence/add/nvidia-h200/notes.txt",
        "evidence/gone",
    }
    output = ask(changed, "status")[1]
    assert "quantity `chained`: no page and no other quantity uses it" in output


def test_evidence_of_a_program_that_cannot_be_read_is_no_orphan(changed: Path) -> None:
    (changed / "snippets" / "add" / "add.cu").write_bytes(b"// \xff\n")
    status = ask_json(changed, "status")
    assert status["orphans"] == []
    assert "encoding" in {f["kind"] for f in status["findings"]}


def test_claims_without_a_value_are_not_called_wrong_as_well(changed: Path) -> None:
    write_page(changed, "[1](claim:add.sped) [2](claim:add.nothing) [3](claim:1 + 2)\n")
    assert "1 exact, 2 without a value\n" in ask(changed, "status")[1]


def test_wrong_and_unchecked_claims_are_counted(changed: Path) -> None:
    write_page(changed, PAGE.replace("[256]", "[257]").replace("0.63 ms", "0.64 ms"))
    counts = {c["kind"]: c for c in ask_json(changed, "status")["claims"]}
    assert counts["exact"]["findings"] == 1
    assert counts["measured"]["findings"] == 1
    assert "5 measured (1 wrong), 3 exact (1 wrong)" in ask(changed, "status")[1]
    shutil.rmtree(changed / "evidence")
    add_record(changed, "add", make_transcripts(3))
    counts = {c["kind"]: c for c in ask_json(changed, "status")["claims"]}
    assert counts["measured"]["unchecked"] == 5


def test_it_needs_no_version_control(changed: Path) -> None:
    shutil.rmtree(changed / ".git")
    edit(changed, "snippets/add/add.cu", "-O3", "-O2")
    edit(changed, "snippets/add/add.cu", "a[i] + b[i]", "a[i] - b[i]")
    (reason,) = ask_json(changed, "status")["programs"][0]["reasons"]
    assert reason["what"] == "Build"
    edit(changed, "snippets/add/add.cu", "-O2", "-O3")
    (reason,) = ask_json(changed, "status")["programs"][0]["reasons"]
    assert reason["what"] == "code"
    assert "no revision of it was found" in reason["detail"]


def test_a_hooks_environment_is_not_ours(changed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(changed, "snippets/add/add.cu", "a[i] + b[i]", "a[i] - b[i]")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    (reason,) = ask_json(changed, "status")["programs"][0]["reasons"]
    assert reason["what"] == "token"


def test_code_that_included_what_is_gone_now(changed: Path) -> None:
    shared = changed / "snippets" / "shared"
    shared.mkdir()
    (shared / "more.cuh").write_text("constexpr int kMore = 1;\n")
    line = '#include <cstdio>\n#include "../shared/more.cuh"'
    edit(changed, "snippets/add/add.cu", "#include <cstdio>", line)
    add_record(changed, "add", make_transcripts(), started="2026-12-02T09:30:00Z")
    commit_all(changed)
    edit(changed, "snippets/add/add.cu", line, "#include <cstdio>")
    edit(changed, "snippets/add/add.cu", "a[i] + b[i]", "a[i] - b[i]")
    shutil.rmtree(shared)
    token, include = ask_json(changed, "status")["programs"][0]["reasons"]
    assert (token["what"], token["line"]) == ("token", 16)
    assert include["detail"] == "`snippets/shared/more.cuh` is gone"


def test_a_course_within_a_larger_repository(course: Path, tmp_path: Path) -> None:
    root = tmp_path / "larger" / "course"
    shutil.copytree(course, root, ignore=shutil.ignore_patterns(".git"))
    (tmp_path / "larger" / "other.txt").write_text("beside it")
    commit_all(tmp_path / "larger")
    edit(root, "snippets/add/add.cu", "a[i] + b[i]", "a[i] - b[i]")
    (reason,) = ask_json(root, "status")["programs"][0]["reasons"]
    assert (reason["what"], reason["line"]) == ("token", 22)


def test_no_program_at_all(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('[course]\nreference_gpu = "NVIDIA H200"\n')
    status, output = ask(tmp_path, "status")
    assert status == 0
    assert "0 programs, 0 pages" in output
    assert "claims    none\n" in output


def test_the_age_counts_whole_days() -> None:
    from build_tools.claims.evidence_chain import count_days
    from build_tools.command.why import say_age

    today = dt.date(2026, 12, 3)
    assert [
        say_age(count_days(f"{day}T23:59:59Z", today))
        for day in ("2026-12-03", "2026-12-02", "2026-11-01", "2026-12-04")
    ] == ["today", "1 day ago", "32 days ago", "in 1 day"]
    assert count_days("no date", today) == 0


def test_records_in_the_pool_and_out_of_it(changed: Path) -> None:
    driver = msgspec.structs.replace(DEVICE, driver="590.10")
    path = add_record(
        changed, "add", make_transcripts(), started="2026-12-05T09:30:00Z", device=driver
    )
    (program,) = ask_json(changed, "status")["programs"]
    newest, older = program["records"]
    assert (newest["path"], newest["is_shown"], newest["is_pooled"]) == (path, True, True)
    assert (older["path"], older["is_shown"], older["is_pooled"]) == (RECORD, False, False)
    assert {newest["state"], older["state"]} == {"fresh"}
