"""What does each step of the code hosts' pipelines do when it is run?

Steps are run as they are written, by the shell that the hosts use: in a fresh clone of this tree,
and in a copy of the tools with a small course where something has to be wrong. Actions are the
hosts' own; what they are given must be there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_tools.measure.bundle import write_bundle
from tests.course_factory import make_example
from tests.repository.pipelines import (
    GITLAB,
    Step,
    clone_tree,
    copy_tools,
    fill_expressions,
    lend_environment,
    list_jobs,
    list_scripts,
    list_steps,
    read_gitlab,
    run_script,
)
from tests.site.conftest import write_pages

VALUES = {
    "github.server_url": "https://example.org",
    "github.repository": "someone/course",
    "inputs.programs": "add",
    "steps.pages.outputs.base_url": "https://someone.example.org/course",
}
"""What the host puts in the place of expressions."""

NEEDS_A_GPU = ("gpu.yml", "measure")
NOT_HERE = {
    "Install what a GPU machine needs": "it brings CUDA's libraries from the registry of packages",
    "Measure": "it needs a GPU; that it says so without one is tested below",
}
"""Scripts that are not run for their success, by name, and why."""

WITHOUT_FILES = {"actions/checkout", "actions/configure-pages", "actions/deploy-pages"}
"""Actions that need no file: one makes the clone, one asks the host, one takes what was uploaded."""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone of this tree, with an environment that is installed already."""
    clone = clone_tree(tmp_path_factory.mktemp("cloned"))
    lend_environment(clone)
    return clone


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tools with a small course without findings."""
    root = tmp_path_factory.mktemp("checkout")
    copy_tools(root)
    make_example(root)
    write_pages(root)
    lend_environment(root)
    return root


@pytest.fixture
def wrong(checkout: Path) -> Iterator[Path]:
    """The checkout with a claim that does not hold."""
    page = checkout / "docs" / "lessons" / "one.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("[256](claim:", "[257](claim:", 1), encoding="utf-8")
    yield checkout
    page.write_text(text, encoding="utf-8")


def run_steps(root: Path, steps: list[Step]) -> None:
    """Run what can be run here, and look whether actions find the files that they are given."""
    for step in steps:
        if step.script and step.name not in NOT_HERE:
            environment = {k: fill_expressions(v, VALUES) for k, v in step.environment.items()}
            done = run_script(root, step.script, **environment)
            assert done.returncode == 0, (step.name, done.stdout, done.stderr)
        elif step.action not in WITHOUT_FILES and not step.script:
            assert (root / step.given["path"]).exists(), step.name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "job"), [job for job in list_jobs() if job != NEEDS_A_GPU], ids="-".join
)
def test_the_steps_of_a_job_pass_in_a_fresh_clone(clone: Path, name: str, job: str) -> None:
    if (name, job) == (GITLAB.name, "pages"):
        assert (clone / "site").is_dir()  # what the job before it leaves
    run_steps(clone, list_steps(name, job))
    if name == GITLAB.name:
        paths = read_gitlab()[job]["artifacts"]["paths"]
        assert [path for path in paths if not (clone / path / "index.html").is_file()] == []


def test_the_evidence_of_a_gpu_is_taken_in_and_checked(checkout: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(checkout, tmp_path / "checkout", symlinks=True))
    (root / ".venv" / ".made-in").write_text(f"{root}\n")
    packages = next((root / ".venv").glob("lib/python3*/site-packages/lent.pth"))
    packages.write_text(packages.read_text().replace(str(checkout), str(root)))
    evidence = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in (root / "evidence").rglob("*")
        if path.is_file()
    }
    # As the step that measures leaves it: a bundle, and no evidence in the tree.
    (root / "evidence.tar.gz").write_bytes(write_bundle(evidence))
    shutil.rmtree(root / "evidence")
    run_steps(root, list_steps(*NEEDS_A_GPU))
    assert {path for path in evidence if (root / path).is_file()} == evidence.keys()


def test_what_is_not_run_here_is_still_a_step() -> None:
    names = [step.name for job in list_jobs() for step in list_steps(*job) if step.script]
    assert NOT_HERE.keys() <= set(names)
    assert len(names) == len(set(names) | NOT_HERE.keys())


def test_a_wrong_claim_is_annotated_and_stops_the_job(wrong: Path, tmp_path: Path) -> None:
    install, check, build = list_scripts("pages.yml", "site")
    assert run_script(wrong, install).returncode == 0
    summary = tmp_path / "summary.md"
    checked = run_script(wrong, check, GITHUB_STEP_SUMMARY=str(summary))
    assert checked.returncode == 1
    assert "::error file=docs/lessons/one.md,line=" in checked.stdout
    assert summary.read_text().startswith("### ")
    assert "    docs/lessons/one.md:" in summary.read_text()
    # Even without the step before it nothing is published.
    shutil.rmtree(wrong / "site", ignore_errors=True)
    assert run_script(wrong, build).returncode != 0
    assert not (wrong / "site").exists()


@pytest.fixture
def tampered(checkout: Path) -> Iterator[Path]:
    """The checkout with a template that shows another number than was checked, on every page."""
    overrides = checkout / "overrides"
    overrides.mkdir()
    (overrides / "main.html").write_text(
        '{% extends "base.html" %}{% block content %}'
        '{% set page_content = page.content | replace("0.626 ms</a>", "0.526 ms</a>") %}'
        "{{ page_content }}{% endblock %}"
    )
    settings = checkout / "mkdocs.yml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(
        text.replace("  name: material\n", "  name: material\n  custom_dir: overrides\n"),
        encoding="utf-8",
    )
    yield checkout
    settings.write_text(text, encoding="utf-8")
    shutil.rmtree(overrides)


def test_what_a_built_page_shows_wrongly_is_annotated_too(tampered: Path, tmp_path: Path) -> None:
    install, check, build = list_scripts("pages.yml", "site")
    assert run_script(tampered, install).returncode == 0
    summary = tmp_path / "summary.md"
    assert run_script(tampered, check, GITHUB_STEP_SUMMARY=str(summary)).returncode == 0
    assert not summary.exists(), "there is nothing wrong with sources, evidence and prose"
    shutil.rmtree(tampered / "site", ignore_errors=True)
    built = run_script(tampered, build, GITHUB_STEP_SUMMARY=str(summary))
    assert built.returncode != 0
    (command,) = [line for line in built.stdout.splitlines() if line.startswith("::error ")]
    assert command.startswith("::error file=docs/lessons/one.md,line=")
    assert "title=page::" in command
    assert "0.526 ms" in command
    assert "0.526 ms" in summary.read_text()
    assert not (tampered / "site").exists()


def test_a_summary_holds_more_findings_than_github_draws(checkout: Path, tmp_path: Path) -> None:
    finding = {
        "kind": "page",
        "checked": True,
        "place": {"path": "docs/a.md", "line": 3, "column": 5, "length": 0},
        "stated": "`a` <b>\x1b[1m```",
        "true": "it is\nnot so: 100%",
        "advice": "build again",
    }
    source, summary = tmp_path / "findings.json", tmp_path / "summary.md"
    for count in (30, 30_000):
        listed = {"summary": f"{count} findings", "findings": [finding] * count}
        source.write_text(json.dumps(listed))
        summary.unlink(missing_ok=True)
        script = f".venv/bin/python .ci/github_findings.py {source}"
        done = run_script(checkout, script, GITHUB_STEP_SUMMARY=str(summary))
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("::error file=docs/a.md,line=3,col=5,title=page::") == count
        assert "\x1b" not in done.stdout + summary.read_text()
        told = summary.read_text().count("docs/a.md:3:5: page")
        assert told == count or (told < count and f"{count - told} more" in summary.read_text())
        assert summary.stat().st_size < 1024 * 1024
        assert all(
            line[:4] in ("", "    ", "### ", "and ") for line in summary.read_text().splitlines()
        )
    source.write_text("{")
    assert run_script(checkout, f".venv/bin/python .ci/github_findings.py {source}").stdout == ""


def test_a_measurement_without_a_gpu_says_so(checkout: Path) -> None:
    _, measure, _ = list_scripts("gpu.yml", "measure")
    done = run_script(checkout, measure, PROGRAMS="add")
    assert done.returncode == 2
    assert "NVIDIA" in done.stdout + done.stderr
    assert not (checkout / "evidence.tar.gz").exists()
    unknown = run_script(checkout, measure, PROGRAMS="--help")
    assert "Usage:" not in unknown.stdout


def test_gitlab_has_an_empty_report_where_nothing_is_wrong(checkout: Path) -> None:
    shutil.rmtree(checkout / "site", ignore_errors=True)
    (script,) = list_scripts(GITLAB.name, "site")
    done = run_script(checkout, script)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert json.loads((checkout / "code-quality.json").read_text()) == []


def test_gitlab_is_told_of_a_wrong_claim(wrong: Path) -> None:
    shutil.rmtree(wrong / "site", ignore_errors=True)
    (script,) = list_scripts(GITLAB.name, "site")
    done = run_script(wrong, script)
    assert done.returncode == 1
    assert "`257`" in done.stdout
    assert not (wrong / "site").exists()
    (entry,) = json.loads((wrong / "code-quality.json").read_text())
    assert entry["location"]["path"] == "docs/lessons/one.md"
    assert entry["location"]["lines"]["begin"] > 1
    assert entry["severity"] == "major"
    assert len(entry["fingerprint"]) == 64
    assert "257" in entry["description"]
