"""`course diff` and `course history`: values over records, what moved, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from build_tools.claims.course import load_course
from tests.command.asking import (
    PAGE,
    ask,
    ask_json,
    commit_all,
    make_asked,
    run_git,
    write_page,
)
from tests.course_factory import DEVICE, PROGRAM, add_record, make_transcripts

FOLDER = "evidence/add/nvidia-h200"


def scale_transcripts(old: str, new: str, count: int = 10) -> list[str]:
    """The example's transcripts with one text in them replaced."""
    return [text.replace(old, new) for text in make_transcripts(count)]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three records: the first, one alike, and one on a new driver with a faster large case."""
    root = tmp_path_factory.mktemp("diff")
    make_asked(root)
    add_record(root, "add", make_transcripts()[::-1], started="2026-12-02T09:30:00Z")
    faster = scale_transcripts("is 2.0", "is 2.3")
    device = msgspec.structs.replace(DEVICE, driver="590.10")
    add_record(root, "add", faster, started="2026-12-05T09:30:00Z", device=device)
    write_page(root, PAGE)
    commit_all(root)
    return root


@pytest.fixture
def changed(course: Path, tmp_path: Path) -> Path:
    root = tmp_path / "course"
    shutil.copytree(course, root)
    return root


def find_value(diff: Any, name: str) -> Any:
    return next(value for value in diff["values"] if value["name"] == name)


def test_what_moved_and_what_did_not(course: Path) -> None:
    answer = ask_json(course, "diff", "run-2026-12-01", "run-2026-12-05")
    (diff,) = answer["records"]
    assert diff["before"] == f"{FOLDER}/run-2026-12-01.json"
    assert diff["after"] == f"{FOLDER}/run-2026-12-05.json"
    speedup = find_value(diff, 'speedup["large"]')
    assert speedup["move"] == "moved up"
    assert speedup["ratio"] == pytest.approx(2.35 / 2.05, rel=0.01)
    assert speedup["before"]["band_high"] < speedup["after"]["band_low"]
    doubled = find_value(diff, "doubled")
    assert doubled["move"] == "moved up"
    assert doubled["after"]["value"] == pytest.approx(2 * speedup["after"]["value"])
    assert find_value(diff, 'time["large", "wide"]')["move"] == "same"
    assert diff["circumstances"] == [
        {"what": "device driver", "before": "580.159.03", "after": "590.10"}
    ]


def test_which_claims_move(course: Path) -> None:
    (diff,) = ask_json(course, "diff", "run-2026-12-01", "run-2026-12-05")["records"]
    moved = {(m["line"], m["text"]): m for m in diff["moved"]}
    assert set(moved) == {(3, "2.1×"), (9, "2.1×")}
    first = moved[3, "2.1×"]
    assert (first["before"], first["after"], first["stands"]) == ("2.1×", "2.4×", False)
    assert diff["held"] == 5
    status, output = ask(course, "diff", "run-2026-12-01", "run-2026-12-05")
    assert status == 0
    assert "docs/page.md:3:20: [2.1×] 2.1× → 2.4×; it does not hold now" in output
    assert "  claims   2 moved, 5 held\n" in output
    assert '    speedup["large"]  moved up' in output
    assert "time[" not in output  # what is the same is counted
    assert "time[" in ask(course, "diff", "run-2026-12-01", "run-2026-12-05", "--all")[1]


def test_records_alike(course: Path) -> None:
    answer = ask_json(course, "diff", "add@run-2026-12-01", f"{FOLDER}/run-2026-12-02.txt")
    (diff,) = answer["records"]
    assert {value["move"] for value in diff["values"]} == {"same"}
    assert (diff["moved"], diff["circumstances"]) == ([], [])
    output = ask(course, "diff", "run-2026-12-01", "run-2026-12-02")[1]
    assert "  changed  nothing but the values\n" in output


def test_without_a_second_side_it_is_what_is_shown(course: Path) -> None:
    (diff,) = ask_json(course, "diff", "run-2026-12-02")["records"]
    assert diff["after"] == f"{FOLDER}/run-2026-12-05.json"
    (diff,) = ask_json(course, "diff", "run-2026-12-01", "add")["records"]
    assert diff["after"] == f"{FOLDER}/run-2026-12-05.json"


def test_bands_that_overlap_and_too_few_processes(changed: Path) -> None:
    some = [t.replace("is 1.5", "is 1.58") for t in make_transcripts()]
    spread = [t.replace("is 1.5", f"is 1.{47 + i}") for i, t in enumerate(make_transcripts())]
    for day, texts in (("06", some), ("07", spread), ("08", make_transcripts(3))):
        add_record(changed, "add", texts, started=f"2026-12-{day}T09:30:00Z")
    (diff,) = ask_json(changed, "diff", "run-2026-12-06", "run-2026-12-07")["records"]
    value = find_value(diff, 'speedup["small"]')
    assert value["move"] == "ambiguous"
    assert "the bands overlap" in value["why"]
    (diff,) = ask_json(changed, "diff", "run-2026-12-06", "run-2026-12-08")["records"]
    assert "a band needs 10 processes" in find_value(diff, 'speedup["small"]')["why"]
    assert {"what": "processes", "before": "10", "after": "3"} in diff["circumstances"]


@pytest.mark.parametrize(
    ("narrow", "move", "why"),
    [
        # Six percent more time at a clock of 1755 instead of 1980 MHz: fewer cycles.
        ("1.33", "moved, but not in cycles", "clocks 1980 → 1755 MHz"),
        # As many cycles as before: the clock alone moved it.
        ("1.41", "moved, but not in cycles", "clocks 1980 → 1755 MHz"),
        ("1.55", "moved up", ""),
        ("1.05", "moved down", ""),
        ("1.25", "same", ""),
    ],
)
def test_a_time_that_moves_with_the_clock(changed: Path, narrow: str, move: str, why: str) -> None:
    texts = scale_transcripts("narrow    1.25", f"narrow    {narrow}")
    add_record(changed, "add", texts, started="2026-12-06T09:30:00Z", sm_clock=1_755_000_000)
    (diff,) = ask_json(changed, "diff", "run-2026-12-01", "run-2026-12-06")["records"]
    value = find_value(diff, 'time["large", "narrow"]')
    assert (value["move"], value["why"]) == (move, why)
    assert find_value(diff, 'speedup["large"]')["move"] == "same"  # no time
    assert {"what": "SM clock", "before": "1980 MHz", "after": "1755 MHz"} in diff["circumstances"]
    output = ask(changed, "diff", "run-2026-12-01", "run-2026-12-06")[1]
    if why:
        (counted,) = (line for line in output.splitlines() if line.startswith("  values"))
        assert "1 moved, but not in cycles" in counted
        (line,) = (line for line in output.splitlines() if 'time["large", "narrow"]' in line)
        assert line.startswith('    time["large", "narrow"]  moved, but not in cycles  1.2')
        assert line.endswith(" (clocks 1980 → 1755 MHz)")


def test_a_rate_that_moves_with_the_clock(changed: Path) -> None:
    texts = [
        text.replace("narrow    1.25", "narrow    1.41").replace("   510.", "   452.")
        for text in make_transcripts()
    ]
    add_record(changed, "add", texts, started="2026-12-06T09:30:00Z", sm_clock=1_755_000_000)
    (diff,) = ask_json(changed, "diff", "run-2026-12-01", "run-2026-12-06")["records"]
    value = find_value(diff, 'rate["large", "narrow"]')
    assert value["move"] == "moved, but not in cycles"
    assert value["ratio"] < 0.9


def test_what_never_varies_moves_by_its_digits() -> None:
    from fractions import Fraction

    from build_tools.claims.moves import Move, judge_move
    from build_tools.quantity.value import Number, Series, make_exact

    def steady(value: int) -> Number:
        samples = (Fraction(value),) * 10
        series = Series(frozenset({"a"}), Fraction(value), samples, Fraction(1, 2))
        return Number((), None, (series,))

    assert judge_move(steady(3), steady(4), 10) == (Move.UP, "")
    assert judge_move(steady(4), steady(3), 3) == (Move.DOWN, "")
    assert judge_move(steady(3), steady(3), 10) == (Move.SAME, "")
    assert judge_move(make_exact(3), make_exact(2), 10) == (Move.DOWN, "")


def test_build_and_kernels_and_measurements_that_come_and_go(changed: Path) -> None:
    declaration = changed / "snippets" / "add" / "program.toml"
    declaration.write_text(
        declaration.read_text().replace(
            "[quantities]",
            '[lines.more]\npattern = "took {took:g} ms"\nunits = { took = "ms" }\n\n[quantities]',
        )
    )
    add_record(
        changed,
        "add",
        [text + "\ntook 5 ms\n" for text in make_transcripts()],
        started="2026-12-09T09:30:00Z",
        machine_code="6" * 64,
        report=(changed / FOLDER / "run-2026-12-01" / "build.txt")
        .read_text()
        .replace("12 registers", "16 registers"),
    )
    (diff,) = ask_json(changed, "diff", "run-2026-12-02")["records"]
    assert find_value(diff, "took")["move"] == "only after"
    changes = {c["what"]: (c["before"], c["after"]) for c in diff["circumstances"]}
    assert changes["kernel add registers"] == ("12", "16")
    assert changes["machine code"] == ("5" * 16, "6" * 16)
    (diff,) = ask_json(changed, "diff", "run-2026-12-09", "run-2026-12-02")["records"]
    assert find_value(diff, "took")["move"] == "only before"


def test_other_devices_only_when_told(changed: Path) -> None:
    device = msgspec.structs.replace(DEVICE, model="NVIDIA A100", sm_count=108)
    slower = scale_transcripts("0.62", "0.99")
    path = add_record(changed, "add", slower, device=device, stamp=False)
    status, output = ask(changed, "diff", path, "add")
    assert status == 2
    assert "the records are of two devices, NVIDIA A100 and NVIDIA H200" in output
    assert "do: name records of one device, or say --across-devices" in output
    (diff,) = ask_json(changed, "diff", path, "add", "--across-devices")["records"]
    changes = {c["what"]: (c["before"], c["after"]) for c in diff["circumstances"]}
    assert changes["device sm_count"] == ("108", "132")
    assert find_value(diff, 'time["large", "wide"]')["move"] == "moved down"


def test_other_programs_only_when_told(changed: Path) -> None:
    folder = changed / "snippets" / "sub"
    shutil.copytree(changed / "snippets" / "add", folder)
    (folder / "add.cu").unlink()
    (folder / "sub.cu").write_text(PROGRAM.format(name="sub"))
    add_record(changed, "sub", scale_transcripts("0.62", "0.99"))
    status, output = ask(changed, "diff", "add", "sub")
    assert status == 2
    assert "the records are of two programs, `add` and `sub`" in output
    assert "--across-programs" in output
    (diff,) = ask_json(changed, "diff", "add", "sub", "--across-programs")["records"]
    assert find_value(diff, 'time["large", "wide"]')["move"] == "moved up"
    assert diff["moved"] == []


@pytest.mark.parametrize(
    ("sides", "said", "advice"),
    [
        (("run-2026-12-09", "add"), "there is no record `run-2026-12-09`", "did you mean `add@run"),
        (("ad",), "`ad` is no record, no program and no revision", "did you mean `add`?"),
        (("add@nope",), "`nope` is no record, no program and no revision", "PROGRAM@run-DATE"),
        (("add", "add"), f"both sides are the record {FOLDER}/run-2026-12-05", "different ones"),
        (("--", "-x"), "`-x` is no record, no program and no revision", "PROGRAM@run-DATE"),
        (("",), "`` is no record, no program and no revision", "PROGRAM@run-DATE"),
    ],
)
def test_what_cannot_be_compared(
    course: Path, sides: tuple[str, ...], said: str, advice: str
) -> None:
    status, output = ask(course, "diff", *sides)
    assert status == 2
    assert said in output
    assert advice in output


def test_an_edited_record_is_not_compared(changed: Path) -> None:
    path = changed / FOLDER / "run-2026-12-01" / "process-02.stdout.txt"
    path.write_text(path.read_text().replace("is 2.0", "is 2.4"))
    status, output = ask(changed, "diff", "run-2026-12-01")
    assert status == 2
    assert f"{FOLDER}/run-2026-12-01/process-02.stdout.txt:11:1: the record is not as it" in output
    assert "restore the file from version control" in output


def test_a_revision_of_the_course(changed: Path) -> None:
    first = run_git(changed, "rev-list", "--max-parents=0", "HEAD").strip()
    for query in ((first,), (f"add@{first[:10]}",), (f"add@{first}", "add")):
        (diff,) = ask_json(changed, "diff", *query)["records"]
        assert diff["before"] == f"{FOLDER}/run-2026-12-01.json", query
        assert (diff["before_revision"], diff["after_revision"]) == (first, "")
        assert [m["text"] for m in diff["moved"]] == ["2.1×", "2.1×"]
    assert f"(fresh, at {first[:12]})" in ask(changed, "diff", first)[1]
    shutil.rmtree(changed / FOLDER / "run-2026-12-01")  # it is read from git, not from the tree
    (changed / FOLDER / "run-2026-12-01.json").unlink()
    (diff,) = ask_json(changed, "diff", first)["records"]
    assert find_value(diff, 'speedup["large"]')["move"] == "moved up"
    answer = ask_json(changed, "diff", "HEAD")
    assert (answer["records"], answer["unchanged"]) == ([], ["add"])
    assert run_git(changed, "status", "--porcelain").count(" D ") == 21


def test_a_revision_whose_code_is_stale_now(changed: Path) -> None:
    source = changed / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("kBlock = 256", "kBlock = 512"))
    status, output = ask(changed, "diff", "HEAD", "add")
    assert status == 2
    assert "`add` has no fresh record" in output
    assert "`course history add` lists them" in output
    add_record(changed, "add", make_transcripts(), started="2026-12-10T09:30:00Z")
    (diff,) = ask_json(changed, "diff", "HEAD")["records"]
    assert (diff["before_state"], diff["after_state"]) == ("stale", "fresh")
    assert "code digest" in {c["what"] for c in diff["circumstances"]}
    (diff,) = ask_json(changed, "diff", "run-2026-12-05", "run-2026-12-10")["records"]
    assert find_value(diff, 'speedup["large"]')["move"] == "moved down"


def test_without_version_control(changed: Path) -> None:
    shutil.rmtree(changed / ".git")
    status, output = ask(changed, "diff", "HEAD~1")
    assert status == 2
    assert "`HEAD~1` is no record and no program, and as a revision it cannot be read" in output
    assert ask(changed, "diff", "run-2026-12-01")[0] == 0


def test_history_of_an_expression(course: Path) -> None:
    history = ask_json(course, "history", "add", 'speedup["large"]')
    assert [r["identity"] for r in history["records"]] == [
        "run-2026-12-01",
        "run-2026-12-02",
        "run-2026-12-05",
    ]
    assert [r["is_pooled"] for r in history["records"]] == [False, False, True]
    (line,) = history["lines"]
    low, again, high = (figure["value"] for figure in line["figures"])
    assert low < again + 0.02 < high
    assert line["change"] == pytest.approx(high / low - 1)
    assert line["strip"][0] in "▁▂"
    assert line["strip"][2] in "▇█"
    status, output = ask(course, "history", "add", 'speedup["large"]')
    assert status == 0
    lines = output.splitlines()
    assert lines[0] == "add, nvidia-h200: 3 records"
    assert lines[2].startswith(f'speedup["large"]  {line["strip"]}  +14.')
    assert "run-2026-12-05  09:30  fresh, shown, newest pool  driver 590.10, CUDA 13.0" in lines[-1]


def test_history_says_which_band_pages_are_held_to(changed: Path) -> None:
    """Each record has its own band; a page's number is held to those of the pool together."""
    alone = ask_json(changed, "history", "add", 'speedup["large"]')["lines"][0]
    assert alone["pool"]["band"] == alone["figures"][-1]["band"]
    assert "pages are held to" not in ask(changed, "history", "add", 'speedup["large"]')[1]
    shelf = load_course(changed).shelves["add"]
    newest = shelf.records[0].record
    texts = [
        text.replace("wide is 2.35", "wide is 2.36")
        for text in scale_transcripts("is 2.0", "is 2.3")
    ]
    add_record(
        changed,
        "add",
        texts,
        started="2026-12-06T09:30:00Z",
        device=newest.device,
        machine_code=newest.build.machine_code_digest,
    )
    (line,) = ask_json(changed, "history", "add", 'speedup["large"]')["lines"]
    evaluated = ask_json(changed, "eval", 'add.speedup["large"]')["figure"]
    assert line["pool"] == evaluated
    assert line["pool"]["band"] not in [figure["band"] for figure in line["figures"]]
    output = ask(changed, "history", "add", 'speedup["large"]')[1]
    assert (
        f"  pages are held to {evaluated['shown']} (band {evaluated['band']}): the bands of the "
        "newest pool's 2 records together\n"
    ) in output


def test_history_takes_a_link(course: Path) -> None:
    plain = ask(course, "history", "add", 'add.speedup["large"]')
    assert ask(course, "history", "add", '[2.1×](claim:add.speedup["large"])') == plain
    assert plain[0] == 0


def test_history_of_everything_and_of_slices(course: Path) -> None:
    history = ask_json(course, "history", "add")
    names = [line["name"] for line in history["lines"]]
    assert 'time["small", "narrow"]' in names
    assert 'speedup["large"]' in names
    assert names[-1] == "doubled"
    sliced = ask_json(course, "history", "add", "speedup[:]")
    assert [line["name"] for line in sliced["lines"]] == ['speedup["small"]', 'speedup["large"]']
    output = ask(course, "history", "add")[1]
    assert "→" in next(line for line in output.splitlines() if line.startswith("  doubled"))


def test_history_reads_stale_records_too(changed: Path) -> None:
    source = changed / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("kBlock = 256", "kBlock = 512"))
    add_record(changed, "add", make_transcripts(), started="2026-12-10T09:30:00Z")
    (changed / FOLDER / "run-2026-12-02" / "process-01.stdout.txt").unlink()
    history = ask_json(changed, "history", "add", 'speedup["large"]')
    assert [r["state"] for r in history["records"]] == ["stale", "stale", "stale", "fresh"]
    (line,) = history["lines"]
    assert [figure is not None for figure in line["figures"]] == [True, False, True, True]
    assert line["errors"][1] == "its transcripts cannot be read"
    assert line["strip"][1] == "·"
    output = ask(changed, "history", "add", 'speedup["large"]')[1]
    assert "(its transcripts cannot be read)" in output
    assert "stale records are read with the constants and quantities" in output


def test_history_of_another_device(changed: Path) -> None:
    device = msgspec.structs.replace(DEVICE, model="NVIDIA A100")
    add_record(changed, "add", make_transcripts(), device=device, stamp=False)
    for name in ("NVIDIA A100", "nvidia-a100"):
        history = ask_json(changed, "history", "add", 'speedup["large"]', "--device", name)
        assert [r["device"] for r in history["records"]] == ["NVIDIA A100"]
        assert history["lines"][0]["figures"][0]["value"] == pytest.approx(2.05, rel=0.01)


@pytest.mark.parametrize(
    ("arguments", "said", "advice"),
    [
        (("ad",), "there is no program `ad`", "did you mean `add`?"),
        (("add", "sped[:]"), "`add` has no `sped`", "did you mean `speedup`?"),
        (("add", "1 +"), "not an expression", "mend the syntax"),
        (("add", "--device", "NVIDIA H20"), "no record of the device `NVIDIA H20`", "nvidia-h200"),
    ],
)
def test_no_history(course: Path, arguments: tuple[str, ...], said: str, advice: str) -> None:
    status, output = ask(course, "history", *arguments)
    assert status == 2
    assert said in output
    assert advice in output


def test_no_record_at_all(changed: Path) -> None:
    shutil.rmtree(changed / "evidence")
    status, output = ask(changed, "history", "add")
    assert status == 2
    assert "`add` has no record of nvidia-h200" in output
    assert "do: run `course run add` there" in output
