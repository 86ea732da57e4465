"""The pipelines of code hosts: what they may do, and what each of their steps does when it is run.

Steps are run as they are written, in a copy of the tools with a small course, by the shell that
the host uses.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.course_factory import make_example
from tests.site.conftest import clean_environment, write_pages

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GITLAB = ROOT / ".gitlab-ci.yml"
PINNED = re.compile(r"uses: (actions/[a-z-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+")
EVENTS = {"pages.yml": {"push", "pull_request"}, "gpu.yml": {"workflow_dispatch"}}
KEYS = {"name", "on", "permissions", "concurrency", "jobs"}
JOB_KEYS = {
    "needs",
    "if",
    "runs-on",
    "timeout-minutes",
    "permissions",
    "environment",
    "steps",
}
STEP_KEYS = {"id", "name", "if", "uses", "with", "env", "run"}


def read_workflow(path: Path) -> dict[str, Any]:
    read: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 takes the word for a truth.
    read["on"] = read.pop(True, read.get("on"))
    return read


def read_job(name: str, job: str) -> dict[str, Any]:
    workflow = read_workflow(ROOT / ".github" / "workflows" / name)
    found: dict[str, Any] = workflow["jobs"][job]
    return found


def list_scripts(name: str, job: str) -> list[str]:
    return [step["run"] for step in read_job(name, job)["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_well_formed_and_may_do_little(path: Path) -> None:
    workflow = read_workflow(path)
    assert workflow.keys() == KEYS
    assert set(workflow["on"]) == EVENTS[path.name]
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job.keys() <= JOB_KEYS
        assert job["timeout-minutes"]
        for step in job["steps"]:
            assert step.keys() <= STEP_KEYS
            assert ("uses" in step) != ("run" in step)
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
    text = path.read_text(encoding="utf-8")
    assert "secrets." not in text
    used = [line for line in text.splitlines() if "uses:" in line]
    assert [line for line in used if not PINNED.search(line)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_text_of_strangers_is_put_into_a_script(path: Path) -> None:
    for job in read_workflow(path)["jobs"].values():
        for step in job["steps"]:
            script = step.get("run", "")
            assert "${{" not in script
            done = subprocess.run(["bash", "-n", "-c", script], check=False)
            assert done.returncode == 0


def test_only_the_publishing_job_may_publish_and_only_what_was_clean() -> None:
    publish = read_job("pages.yml", "publish")
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert publish["needs"] == "site"
    assert publish["if"] == "github.event_name == 'push' && github.ref == 'refs/heads/main'"
    assert "permissions" not in read_job("pages.yml", "site")
    assert [s for s in read_job("pages.yml", "site")["steps"] if "continue-on-error" in s] == []


def test_the_gpu_is_never_lent_to_a_pull_request_or_a_fork() -> None:
    measure = read_job("gpu.yml", "measure")
    assert "self-hosted" in measure["runs-on"]
    assert "!github.event.repository.fork" in measure["if"]
    assert "permissions" not in measure
    for path in WORKFLOWS:
        for job in read_workflow(path)["jobs"].values():
            if "self-hosted" in job["runs-on"]:
                assert "pull_request" not in read_workflow(path)["on"]
                assert "pull_request_target" not in read_workflow(path)["on"]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tools with a course without findings, and an environment that is installed already."""
    root = tmp_path_factory.mktemp("checkout")
    for name in (".ci", "build_tools", "requirements", "Makefile", "pyproject.toml", "README.md"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, root / name)
    (root / "README.md").write_text("# A course\n")
    make_example(root)
    write_pages(root)
    lend_environment(root)
    return root


def lend_environment(root: Path) -> None:
    """An environment of the checkout's own that finds the packages of this one."""
    venv = root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    folder = next(venv.glob("lib/python3*/site-packages"))
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (folder / "lent.pth").write_text("\n".join([str(root), *packages]) + "\n")
    (venv / ".made-in").write_text(f"{root}\n")
    for stamp in (".site", ".test"):
        (venv / stamp).touch()


def run_script(root: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=root,
        env=clean_environment(CI="true", GITHUB_WORKSPACE=str(root), **environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def wrong(checkout: Path) -> Iterator[Path]:
    """The checkout with a claim that does not hold."""
    page = checkout / "docs" / "lessons" / "one.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("[256](claim:", "[257](claim:", 1), encoding="utf-8")
    yield checkout
    page.write_text(text, encoding="utf-8")


def test_the_steps_of_the_site_build_it(checkout: Path) -> None:
    shutil.rmtree(checkout / "site", ignore_errors=True)
    for script in list_scripts("pages.yml", "site"):
        done = run_script(checkout, script)
        assert done.returncode == 0, (script, done.stdout, done.stderr)
    assert (checkout / "site" / "index.html").is_file()


def test_a_wrong_claim_is_annotated_and_stops_the_job(wrong: Path) -> None:
    install, check, build = list_scripts("pages.yml", "site")
    assert run_script(wrong, install).returncode == 0
    checked = run_script(wrong, check)
    assert checked.returncode == 1
    assert "::error file=docs/lessons/one.md,line=" in checked.stdout
    # Even without the step before it nothing is published.
    shutil.rmtree(wrong / "site", ignore_errors=True)
    assert run_script(wrong, build).returncode != 0
    assert not (wrong / "site").exists()


def test_a_measurement_without_a_gpu_says_so(checkout: Path) -> None:
    _, measure, _ = list_scripts("gpu.yml", "measure")
    done = run_script(checkout, measure, PROGRAMS="add")
    assert done.returncode == 2
    assert "NVIDIA" in done.stdout + done.stderr
    assert not (checkout / "evidence.tar.gz").exists()
    unknown = run_script(checkout, measure, PROGRAMS="--help")
    assert "Usage:" not in unknown.stdout


def list_gitlab(job: str) -> str:
    return "\n".join(yaml.safe_load(GITLAB.read_text(encoding="utf-8"))[job]["script"])


def test_gitlab_builds_and_publishes_what_is_clean(checkout: Path) -> None:
    shutil.rmtree(checkout / "site", ignore_errors=True)
    done = run_script(checkout, list_gitlab("site"))
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert json.loads((checkout / "code-quality.json").read_text()) == []
    assert run_script(checkout, list_gitlab("pages")).returncode == 0
    assert (checkout / "public" / "index.html").is_file()
    shutil.rmtree(checkout / "public")
    pages = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))["pages"]
    assert pages["needs"] == ["site"]
    assert pages["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]


def test_gitlab_is_told_of_a_wrong_claim(wrong: Path) -> None:
    shutil.rmtree(wrong / "site", ignore_errors=True)
    done = run_script(wrong, list_gitlab("site"))
    assert done.returncode == 1
    assert "`257`" in done.stdout
    assert not (wrong / "site").exists()
    (entry,) = json.loads((wrong / "code-quality.json").read_text())
    assert entry["location"]["path"] == "docs/lessons/one.md"
    assert entry["location"]["lines"]["begin"] > 1
    assert entry["severity"] == "major"
    assert len(entry["fingerprint"]) == 64
    assert "257" in entry["description"]
