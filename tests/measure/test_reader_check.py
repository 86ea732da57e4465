"""Is what a reader copies tried as it is, in processes of their own?"""

import os
from pathlib import Path

import msgspec
import pytest

from build_tools.diagnostics.finding import Finding, Kind
from build_tools.evidence.model import ReaderCheck
from build_tools.evidence.reader import is_check_current
from build_tools.measure.campaign_findings import report_check
from build_tools.measure.reader_check import check_reader_units, make_trial, try_text
from build_tools.measure.room import Room
from tests.course_factory import CHECK, load_program
from tests.measure.fake_cupy import CHECK as SOUND
from tests.measure.fake_cupy import install_cupy


def check_by(course: Path, text: str) -> ReaderCheck:
    (course / "snippets/add/check.py").write_text(text)
    return check_reader_units(course, load_program(course, "add"))


def test_a_region_that_works_and_a_need_that_is_one(course: Path) -> None:
    check = check_by(course, CHECK)
    assert check.passed
    assert not check.could_not_check
    assert len(set(check.seeds)) == 2
    (verdict,) = check.regions
    assert verdict.said == f"add-kernel agrees for seed {check.seeds[1]}"
    assert verdict.needs_shown_necessary == {"block": "identifier kBlock is undefined"}
    assert check.digest.startswith("tokens:")


def test_the_text_is_exactly_what_a_reader_copies(course: Path) -> None:
    kept = course / "kept.txt"
    text = f"""
from pathlib import Path
REGIONS = ("add-kernel",)
def check(region, source, seed):
    kept = Path({str(kept)!r})
    assert "kBlock = " in source
    if ") {{ return;" not in source:  # nor is a kernel that writes nothing what readers copy
        kept.write_text(source)
    return "fine"
"""
    check_by(course, text)
    lines = kept.read_text().split("\n")
    program = load_program(course, "add")
    block, kernel = program.regions["block"], program.regions["add-kernel"]
    assert lines[0] == f'#line {block.first} "add.cu"'
    expected = (
        f'#line {block.first} "add.cu"\n{block.text}#line {kernel.first} "add.cu"\n{kernel.text}'
    )
    assert kept.read_text() == expected


def test_a_need_that_is_none_fails_the_check(course: Path) -> None:
    check = check_by(course, CHECK.replace("assert ", "True or "))
    assert not check.passed
    assert check.regions[0].passed
    assert check.regions[0].needs_shown_necessary == {"block": ""}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "assert seed < 0, 'shape 5x3: element 2, got 1, want 2'",
            "shape 5x3: element 2, got 1, want 2",
        ),
        ("raise ValueError('odd')", "ValueError: odd"),
        ("assert seed < 0", "AssertionError"),
        ("pass", "the check says nothing of what it compared"),
        ("import os; os.abort()", "it was ended by SIGABRT"),
        ("raise SystemExit(3)", "it ended with exit status 3"),
        ("raise ValueError('in /tmp/abc-1/x/unit.cu(3): bad')", "ValueError: in unit.cu(3): bad"),
    ],
)
def test_a_region_that_fails_says_how(course: Path, body: str, said: str) -> None:
    text = f'REGIONS = ("add-kernel",)\ndef check(region, source, seed):\n    {body}\n'
    check = check_by(course, text)
    assert not check.passed
    assert not check.regions[0].passed
    assert said in check.regions[0].said


@pytest.mark.parametrize("module", ["no_such_module", "cupy.no_such_module"])
def test_what_cannot_be_imported_could_not_be_checked(course: Path, module: str) -> None:
    check = check_by(course, f"import {module}\n{CHECK}")
    assert not check.passed
    assert check.regions == ()
    assert check.could_not_check.startswith("check.py cannot be imported: No module named")


def test_cupy_without_a_gpu_says_so_in_its_own_words(course: Path) -> None:
    """Stands in for CuPy where it is not installed or finds no GPU: only its own word counts."""
    (course / "cupy.py").write_text(
        "__version__ = '14.2.0'\n"
        "class runtime:\n"
        "    @staticmethod\n"
        "    def getDeviceCount():\n"
        "        raise RuntimeError('cudaErrorNoDevice: no CUDA-capable device is detected')\n"
        "class cuda:\n"
        "    runtime = runtime\n"
    )
    text = f"import sys; sys.path.insert(0, {str(course)!r})\nimport cupy\n{CHECK}"
    check = check_by(course, text)
    assert check.cupy == "14.2.0"
    assert check.could_not_check == (
        "CuPy 14.2.0 finds no GPU it can use: cudaErrorNoDevice: no CUDA-capable device is detected"
    )


def test_trials_do_not_share_a_process(course: Path) -> None:
    program = load_program(course, "add")
    (course / "snippets/add/check.py").write_text(
        'REGIONS = ("add-kernel",)\ndef check(region, source, seed):\n    import os; return str(os.getpid())\n'
    )
    pids = {try_text(course, program, "add-kernel", "x", [1]).said for _ in range(2)}
    assert len(pids | {str(os.getpid())}) == 3


def test_trials_go_side_by_side_as_many_as_there_is_room_for(course: Path, tmp_path: Path) -> None:
    """Both trials wait for each other, which can only end well when they run at the same time."""
    text = f"""
import time
from pathlib import Path
REGIONS = ("add-kernel",)
def check(region, source, seed):
    folder = Path({str(tmp_path)!r})
    (folder / ("whole" if "kBlock = " in source else "without")).touch()
    for _ in range(600):
        if (folder / "whole").exists() and (folder / "without").exists():
            break
        time.sleep(0.05)
    else:
        return "alone"
    assert "kBlock = " in source
    assert ") {{ return;" not in source
    return "not alone"
"""
    check = check_by(course, text)
    assert check.passed
    assert check.regions[0].said == "not alone"


def test_trials_share_the_place_where_cupy_keeps_its_kernels(course: Path, tmp_path: Path) -> None:
    (course / "snippets/add/check.py").write_text(
        'REGIONS = ("add-kernel",)\ndef check(region, source, seed):\n'
        '    import os; return os.environ["CUPY_CACHE_DIR"].replace("/", "|")\n'
    )
    program = load_program(course, "add")
    shared = Room(tmp_path / "cupy")
    said = {try_text(course, program, "add-kernel", "x", [1], shared).said for _ in range(2)}
    assert said == {str(tmp_path / "cupy").replace("/", "|")}
    said = {try_text(course, program, "add-kernel", "x", [1]).said for _ in range(2)}
    assert len(said) == 2  # a place of its own each, where nobody gives one


def test_a_need_that_could_not_be_tried_is_not_shown_needless(course: Path) -> None:
    text = """
import sys
REGIONS = ("add-kernel",)
def check(region, source, seed):
    return "fine"
if "kBlock = " not in open(sys.argv[3]).read():
    raise ImportError("no memory left")
"""
    check = check_by(course, text)
    assert check.could_not_check == "check.py cannot be imported: no memory left"
    assert not check.passed


def test_one_trial_in_this_process(course: Path) -> None:
    trial = make_trial(course / "snippets/add/check.py", "add-kernel", "constexpr int kBlock", [7])
    assert (trial.outcome, trial.said) == ("agrees", "add-kernel agrees for seed 7")


# --- what CuPy would let pass, with a stand-in that runs kernels on the host


@pytest.fixture
def cupy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install_cupy(tmp_path / "cupy")
    monkeypatch.syspath_prepend(str(tmp_path / "cupy"))
    return tmp_path


def try_edited(course: Path, old: str = "", new: str = "") -> tuple[ReaderCheck, list[Finding]]:
    """A sound check with one of its demands edited, and the findings on it."""
    assert old in SOUND
    check = check_by(course, SOUND.replace(old, new))
    return check, report_check(load_program(course, "add"), check)


@pytest.mark.usefixtures("cupy")
def test_a_sound_check_rejects_whatever_unwritten_outputs_hold(course: Path) -> None:
    check, findings = try_edited(course)
    assert findings == []
    assert check.passed
    assert (check.cupy, check.nvrtc) == ("14.2.0", "13.0")
    (verdict,) = check.regions
    assert verdict.said == "add: three sizes agree"
    assert verdict.rejects
    assert {
        left: said.split(" is ")[1].split(",")[0] for left, said in verdict.rejects.items()
    } == {
        "nothing": "nan",
        "zeros": "0.0",
        "NaN": "nan",
    }


@pytest.mark.usefixtures("cupy")
@pytest.mark.parametrize(
    ("old", "new", "true"),
    [
        ("cupy.int32(size)", "size", "the Python int 1 as argument 4, which CuPy passes as 64 bits"),
        ("cupy.int32(size)", "1.5", "the Python float 1.5 as argument 4, which CuPy passes as a d"),
        ("cupy.int32(size)", "cupy.float32(size)", "numpy.float32 as argument 4, and takes `int`"),
        (", cupy.int32(size)", "", "launched with 3 arguments and takes 4"),
        ("(1, 255, 700)", "(700,)", "every launch has the same sizes, so no guard is tried"),
        ("Random(seed)", "Random(5)", "two seeds give the same inputs"),
        ('.RawModule(code=source, name_expressions=("add",)).get_function("add")',
         '.RawKernel(source, "add", ())', ""),
        ("kernel(grid, (BLOCK,), (", "tuple((", "launches no kernel through cupy.RawModule"),
    ],
)  # fmt: skip
def test_what_a_launch_passes_is_looked_at(course: Path, old: str, new: str, true: str) -> None:
    text = SOUND.replace("assert abs", "assert True or abs") if "tuple" in new else SOUND
    assert old in text
    check = check_by(course, text.replace(old, new))
    if not true:
        assert check.passed
        return
    finding = report_check(load_program(course, "add"), check)[0]
    assert finding.kind is Kind.CHECK
    assert finding.stated == "region `add-kernel` works as a reader copies it"
    assert true in finding.true
    assert finding.place == load_program(course, "add").regions["add-kernel"].place


@pytest.mark.usefixtures("cupy")
def test_a_check_that_breaks_off_rejects_nothing(course: Path) -> None:
    """Where the output is NaN it fails by an error of its own, which is no verdict."""
    check, findings = try_edited(course, "want = a[i] + b[i]", "want = a[i] + b[i]; got = int(got)")
    assert not check.passed
    assert "fails for another reason than a wrong result" in findings[0].true
    assert "ValueError: cannot convert float NaN to integer" in findings[0].true


def test_an_early_verdict_is_read_and_made_again(course: Path) -> None:
    program = load_program(course, "add")
    (course / "snippets/add/check.py").write_text(CHECK)
    check = check_reader_units(course, program)
    assert is_check_current(course, program, check)
    early = tuple(msgspec.structs.replace(v, rejects=msgspec.UNSET) for v in check.regions)
    assert b"rejects" not in msgspec.json.encode(early)  # so its seal stays what it was
    assert not is_check_current(course, program, msgspec.structs.replace(check, regions=early))
