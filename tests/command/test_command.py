"""The command line as a user meets it: what it prints, and with which status it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from build_tools.claims.course import load_course
from build_tools.claims.describe import evaluate_report
from build_tools.command.main import cli
from tests.course_factory import PROGRAM, make_course, make_example

ROOT = Path(__file__).parents[2]
PAGE = """\
# Adding

The wide kernel is [2.1×](claim:add.speedup["large"]) as fast.

/// snippet | add#add-kernel
///
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("command")
    make_example(root)
    (root / "docs").mkdir()
    (root / "docs" / "page.md").write_text(PAGE)
    return root


def run_course(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "build_tools", *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_check_agrees(example: Path) -> None:
    done = run_course(example, "check")
    assert done.stdout == "checked 1 page, 1 program: no findings\n"
    assert done.returncode == 0


def test_check_works_from_a_folder_within_and_on_named_pages(example: Path) -> None:
    done = run_course(example / "docs", "check", "page.md")
    assert done.stdout.startswith("checked 1 page,")
    assert done.returncode == 0


def test_check_tells_place_statement_truth_and_advice(example: Path, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(example, root)
    page = root / "docs" / "page.md"
    page.write_text(PAGE.replace("2.1×", "2.2×"))
    done = run_course(root, "check")
    assert done.returncode == 1
    place, line, marks, *said, _, summary = done.stdout.splitlines()
    assert place == "docs/page.md:3:20: drift"
    assert line.endswith('| The wide kernel is [2.2×](claim:add.speedup["large"]) as fast.')
    assert marks.index("^") == line.index("[2.2×]")
    texts = {label.strip(): text.strip() for label, text in (part.split(":", 1) for part in said)}
    assert texts["stated"] == "`2.2×`"
    assert re.match(r"2\.05\d* \(band .* to .*\) does not round to it", texts["true"])
    assert texts["nearest"] == "`2.1×`"
    assert texts["do"] == "write `2.1×`, or find out what changed"
    assert summary == "checked 1 page, 1 program: 1 finding"


def test_check_of_a_page_that_is_not_there_is_status_two(example: Path) -> None:
    done = run_course(example, "check", "docs/none.md")
    assert done.returncode == 2
    assert "docs/none.md:1:1: page: could not check" in done.stdout
    assert "1 check could not be made" in done.stdout


def test_outside_a_course(tmp_path: Path) -> None:
    done = run_course(tmp_path, "check")
    assert done.returncode == 2
    assert "no course.toml" in done.stderr
    assert "--root" in done.stderr


def test_eval(example: Path) -> None:
    done = run_course(example, "eval", 'add.time["large", "wide"]')
    assert done.returncode == 0
    lines = dict(line.split(":", 1) for line in done.stdout.splitlines())
    assert lines["value"].strip().endswith("µs")
    assert lines["unit"].strip() == "s"
    assert " to " in lines["band"]
    assert "run-2026-12-01.json (NVIDIA H200" in lines["from"]
    assert "10 processes" in lines["from"]


def test_eval_points_at_what_is_wrong(example: Path) -> None:
    done = run_course(example, "eval", "1 + add.sped")
    assert done.returncode == 2
    assert done.stdout.splitlines()[:2] == ["1 + add.sped", "    ^"]
    assert "did you mean `speedup`?" in done.stdout


@pytest.mark.parametrize(
    "typed",
    [
        'claim:add.time["large", "wide"]',
        '[0.63 ms](claim:add.time["large", "wide"])',
        ' claim: add.time["large", "wide"]',
    ],
)
def test_eval_reads_a_link(example: Path, typed: str) -> None:
    plain = CliRunner().invoke(cli, ["--root", str(example), "eval", 'add.time["large", "wide"]'])
    done = CliRunner().invoke(cli, ["--root", str(example), "eval", typed])
    assert done.exit_code == 0
    assert done.stdout == plain.stdout


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            "add.speedup",
            [
                "add.speedup",
                "^",
                "no value: `add.speedup` is the measurement `speedup`, not a value",
                'do: write `add.speedup["small"]` or `add.speedup["large"]`, or `add.speedup[:]` for all of them',
            ],
        ),
        (
            "[2×](claim:1 + add.case)",
            [
                "1 + add.case",
                "    ^",
                "no value: `add.case` is a column of keys, not a value",
                'do: write `add.case["small"]` or `add.case["large"]`',
            ],
        ),
        (
            "stated:",
            [
                "stated:",
                "^",
                "no value: `stated:` cites nothing: it is an example, a choice or a definition",
                "do: ask for an expression",
            ],
        ),
    ],
)
def test_eval_says_which_values_there_are(example: Path, typed: str, said: list[str]) -> None:
    done = CliRunner().invoke(cli, ["--root", str(example), "eval", typed])
    assert done.exit_code == 2
    assert done.stdout.splitlines() == said


def test_list(example: Path) -> None:
    done = run_course(example, "list")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    for line in (
        "  region  add#add-kernel  lines 20-23  kernel, needs block",
        "  source  add.source.kBlock = 256",
        '  name    add.case["small"], add.case["large"]',
        "  name    add.time[case, kernel]",
        "  name    add.speedup[case]",
        "  device  add.device.sm_count = 132",
        "  device  add.device.shared_bytes_per_block = 48 KiB",
        "  device  add.device.l2_bytes = 60 MiB",
        '  kernel  add.compiler["add"].registers = 12',
        '  kernel  add.compiler["add"].shared_bytes = 0 B',
        "  check   add.check.passed = true",
        "  check   add.check.seeds = 2",
        '  choice  add.on["nvidia-h200"].…',
        '  choice  add.records["run-2026-12-01"].…',
    ):
        assert line in lines, line
    rows = [line for line in lines if line.startswith(" " * 12 + "add.time[")]
    assert len(rows) == 4
    assert re.fullmatch(r' +add\.time\["large", "wide"\] = 625\.\d µs', rows[-1])


def test_every_name_of_the_list_can_be_pasted(example: Path) -> None:
    """Each row with keys as well, and each comes to what is printed beside it."""
    lines = run_course(example, "list").stdout.splitlines()
    names = dict(
        line.split(maxsplit=1)[1].split(" = ")
        if not line.startswith(" " * 12)
        else line.strip().split(" = ")
        for line in lines
        if " = " in line
    )
    assert len(names) > 30
    course = load_course(example)
    for name, shown in names.items():
        evaluation = evaluate_report(course, name)
        assert evaluation.figure is not None, name
        assert evaluation.figure.shown == shown


def test_list_of_several_tables_names_them_and_cuts_long_ones(tmp_path: Path) -> None:
    rows = "".join(f"{n:4d}   1.0\n" for n in range(14))
    transcript = f"size    ms\n----   ---\n{rows}\nsize  loads\n----  -----\n   1      3\n"
    declaration = (
        '[tables.times]\ncolumns = { size = "key", time = "ms" }\nrows = 14\n'
        '[tables.loads]\ncolumns = { size = "key", count = "loads" }\nrows = 1\n'
    )
    make_course(
        tmp_path,
        programs={"add": PROGRAM.format(name="add")},
        declarations={"add": declaration},
        transcripts={"add": [transcript] * 10},
    )
    done = CliRunner().invoke(cli, ["--root", str(tmp_path), "list"])
    lines = done.stdout.splitlines()
    start = lines.index("  name    add.times.time[size]")
    assert lines[start + 1] == '            add.times.time["0"] = 1 ms'
    assert lines[start + 12] == '            add.times.time["11"] = 1 ms'
    assert lines[start + 13] == "            … and 2 more"
    assert '  name    add.loads.size["1"]' in lines
    assert any(line.endswith('add.times.size["11"], and 2 more') for line in lines)
    answer = json.loads(CliRunner().invoke(cli, ["--root", str(tmp_path), "list", "--json"]).stdout)
    names = {name["name"]: name for name in answer["programs"][0]["names"]}
    assert names["add.times.time"]["figure"] is None
    assert [row["keys"] for row in names["add.times.time"]["rows"]] == [[str(n)] for n in range(14)]


@pytest.mark.compiler
def test_compile(example: Path, tmp_path: Path) -> None:
    done = run_course(example, "compile")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == "compiled 1 program: no findings"
    root = tmp_path / "course"
    shutil.copytree(example, root)
    source = root / "snippets" / "add" / "add.cu"
    source.write_text(source.read_text().replace("c[i] = a[i]", "c[i] = oops[i]"))
    done = run_course(root, "compile", "add")
    assert done.returncode == 2
    assert "snippets/add/add.cu:22:" in done.stdout
    assert "oops" in done.stdout


def test_a_program_nobody_knows(example: Path) -> None:
    done = run_course(example, "compile", "ad")
    assert done.returncode == 1
    assert "did you mean `add`?" in done.stdout


def test_run_without_a_gpu_could_not_check(example: Path) -> None:
    if Path("/dev/nvidiactl").exists():
        pytest.skip("this machine has a GPU")
    done = run_course(example, "run", "--force")
    assert done.returncode == 2
    assert "no NVIDIA driver" in done.stdout
    assert "could not check" in done.stdout


def test_run_of_what_is_fresh_runs_nothing(example: Path) -> None:
    done = run_course(example, "run")
    assert "verified by run-2026-12-01, not run again" in done.stderr
    assert done.returncode == 0


def test_record_of_no_bundle(example: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bundle.tar.gz"
    bad.write_bytes(b"not a bundle")
    done = run_course(example, "record", str(bad))
    assert done.returncode == 1
    assert "cannot be read" in done.stdout
    assert "course run --bundle" in done.stdout


def test_verify_of_no_site(example: Path) -> None:
    done = run_course(example, "verify", "site")
    assert done.returncode == 2
    assert "could not check" in done.stdout


def test_schema_is_the_published_one() -> None:
    done = run_course(ROOT, "schema")
    published = ROOT / "build_tools" / "evidence" / "record.schema.json"
    assert done.stdout == published.read_text(encoding="utf-8")
    assert json.loads(done.stdout)["title"].startswith("A record")


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, command in cli.commands.items():
        assert f"`course {name}" in readme, name
        assert command.help


def test_check_imports_nothing_heavy(example: Path) -> None:
    code = (
        "import sys\n"
        "from build_tools.command.main import cli\n"
        "try:\n    cli.main(['check'], standalone_mode=False)\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'mkdocs', 'cupy', 'numpy', 'plotly', 'markdown', 'pygments', 'jinja2',"
        " 'build_tools.measure', 'build_tools.site', 'build_tools.pages'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=example,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
