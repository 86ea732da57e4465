"""The pipelines of code hosts: are they well formed, what may they do, and do the linters watch?"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository.pipelines import (
    GITLAB,
    ROOT,
    WORKFLOWS,
    copy_tools,
    lend_environment,
    list_jobs,
    list_scripts,
    read_gitlab,
    read_job,
    read_workflow,
    run_script,
)

PINNED = re.compile(r"uses: (actions/[a-z-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+")
EVENTS = {"pages.yml": {"push", "pull_request"}, "gpu.yml": {"workflow_dispatch"}}
KEYS = {"name", "on", "permissions", "concurrency", "jobs"}
JOB_KEYS = {
    "name",
    "needs",
    "if",
    "runs-on",
    "timeout-minutes",
    "permissions",
    "environment",
    "steps",
}
PAGES, GPU = (f".github/workflows/{name}" for name in ("pages.yml", "gpu.yml"))
CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 #"
EXPRESSION = re.compile(r"\$\{\{(.+?)\}\}")
CONTEXTS = {"github", "inputs", "steps"}
FUNCTIONS = {"always"}
STEP_KEYS = {"id", "name", "if", "uses", "with", "env", "run"}


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
            assert "${{" not in step.get("run", "")


def test_only_the_publishing_job_may_publish_and_only_what_was_clean() -> None:
    publish = read_job("pages.yml", "publish")
    assert publish["permissions"] == {"pages": "write", "id-token": "write"}
    assert publish["needs"] == "site"
    assert publish["if"] == "github.event_name == 'push' && github.ref == 'refs/heads/main'"
    assert read_job("pages.yml", "site")["permissions"] == {"contents": "read", "pages": "read"}
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


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_what_a_workflow_names_is_there(path: Path) -> None:
    workflow = read_workflow(path)
    inputs = (workflow["on"].get("workflow_dispatch") or {}).get("inputs", {})
    jobs = list(workflow["jobs"])
    for name, job in workflow["jobs"].items():
        needs = job.get("needs", [])
        for needed in [needs] if isinstance(needs, str) else needs:
            assert jobs.index(needed) < jobs.index(name)
        ids = {step["id"] for step in job["steps"] if "id" in step}
        texts = [str(job.get("if", "")), *EXPRESSION.findall(repr(job))]
        assert set(re.findall(r"steps\.(\w+)", " ".join(texts))) <= ids
        assert set(re.findall(r"inputs\.(\w+)", " ".join(texts))) <= inputs.keys()
        for text in texts:
            words = re.sub(r"'[^']*'", "", text)
            assert set(re.findall(r"(?<![\w.])([a-z]+)\.", words)) <= CONTEXTS
            assert set(re.findall(r"([a-zA-Z]+)\(", words)) <= FUNCTIONS


def test_what_gitlabs_pipeline_names_is_there() -> None:
    pipeline = read_gitlab()
    stages = pipeline["stages"]
    jobs = {job for name, job in list_jobs() if name == GITLAB.name}
    assert {pipeline[job]["stage"] for job in jobs} == set(stages)
    for job in jobs:
        for needed in pipeline[job].get("needs", []):
            before = stages.index(pipeline[needed]["stage"])
            assert before <= stages.index(pipeline[job]["stage"])
    # Pages publishes what the job of this name leaves in a folder of this name.
    assert pipeline["pages"]["artifacts"]["paths"] == ["public"]
    assert pipeline["pages"]["needs"] == ["site"]
    assert pipeline["pages"]["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]


@pytest.mark.parametrize(("name", "job"), list_jobs())
def test_a_script_has_no_fault_of_shell(name: str, job: str) -> None:
    checker = Path(sys.executable).with_name("shellcheck")
    for script in list_scripts(name, job):
        words = [str(checker), "--shell=bash", "-"]
        done = subprocess.run(words, input=script, capture_output=True, text=True, check=False)
        assert done.stdout == ""
        assert done.returncode == 0


@pytest.mark.parametrize(("name", "job"), list_jobs())
def test_what_a_script_makes_can_be_made(name: str, job: str) -> None:
    for script in list_scripts(name, job):
        for target in re.findall(r"\bmake ([\w./-]+)", script):
            words = ["make", "--dry-run", "--always-make", target]
            done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


@pytest.fixture
def pipelines(tmp_path: Path) -> Path:
    """What the linters read, and an environment that is installed already."""
    copy_tools(tmp_path)
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    shutil.copy2(GITLAB, tmp_path)
    lend_environment(tmp_path)
    return tmp_path


def spoil(root: Path, path: str, text: str, other: str) -> None:
    file = root / path
    before = file.read_text(encoding="utf-8")
    assert text in before
    file.write_text(before.replace(text, other, 1), encoding="utf-8")


def test_the_linters_pass_what_stands_here(pipelines: Path) -> None:
    done = run_script(pipelines, "make pipelines")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "other", "said"),
    [
        (PAGES, "branches: [main]", "branchs: [main]", "branchs"),
        (PAGES, "    runs-on: ubuntu-24.04\n", "    run-on: ubuntu-24.04\n", "run-on"),
        (PAGES, "        with:\n          path: site", "        with: site", "with"),
        (PAGES, "permissions:\n  contents: read", "permissions: write-all", "overly broad"),
        (PAGES, "        with:\n          persist-credentials: false\n", "", "credential"),
        (PAGES, "make site ||", "make ${{ github.head_ref }} ||", "template-injection"),
        (PAGES, CHECKOUT, "actions/checkout@v5 #", "unpinned"),
        (PAGES, "  pull_request:", "  pull_request_target:", "dangerous-triggers"),
        (GPU, "type: string", "type: words", "gpu.yml as workflow"),
        (".gitlab-ci.yml", "expire_in: 1 week", "expires_in: 1 week", "expires_in"),
        (".gitlab-ci.yml", "when: always", "when: alway", "when"),
        (".gitlab-ci.yml", "mv site public", "if mv site public; the fi", "SC-10"),
        (".ci/prepare", '"$(id -u)"', "$(id -u)", "SC2046"),
    ],
)
def test_the_linters_tell_a_fault(
    pipelines: Path, path: str, text: str, other: str, said: str
) -> None:
    spoil(pipelines, path, text, other)
    done = run_script(pipelines, "make pipelines")
    assert done.returncode == 2
    assert said in done.stdout + done.stderr


def test_the_gate_asks_the_linters() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "lint"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for tool in ("check-jsonschema", "zizmor", "gitlab-ci-verify", "shellcheck"):
        assert f"bin/{tool} " in done.stdout
