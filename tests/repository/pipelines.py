"""The pipelines of code hosts as they stand in this tree, and a place to run their steps in."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.site.conftest import clean_environment

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
GITLAB = ROOT / ".gitlab-ci.yml"
GITLAB_WORDS = {"stages", "default", "workflow", "include", "variables"}
"""The keys of .gitlab-ci.yml that are no jobs."""


@dataclass(frozen=True)
class Step:
    """One step of a job: a script or an action of the host."""

    name: str
    script: str = ""
    action: str = ""
    """Without its version."""
    given: Mapping[str, str] = field(default_factory=dict)
    """What the action gets."""
    environment: Mapping[str, str] = field(default_factory=dict)


def read_workflow(path: Path) -> dict[str, Any]:
    read: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 takes the word for a truth.
    read["on"] = read.pop(True, read.get("on"))
    return read


def read_gitlab() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(GITLAB.read_text(encoding="utf-8"))
    return read


def list_jobs() -> list[tuple[str, str]]:
    """Each job of each pipeline: its file's name and its own."""
    github = [(path.name, job) for path in WORKFLOWS for job in read_workflow(path)["jobs"]]
    return github + [(GITLAB.name, job) for job in read_gitlab() if job not in GITLAB_WORDS]


def read_job(name: str, job: str) -> dict[str, Any]:
    if name == GITLAB.name:
        found: dict[str, Any] = read_gitlab()[job]
    else:
        found = read_workflow(ROOT / ".github" / "workflows" / name)["jobs"][job]
    return found


def list_steps(name: str, job: str) -> list[Step]:
    """The steps of a job. GitLab runs the lines of a job by one shell, so they are one step."""
    read = read_job(name, job)
    if name == GITLAB.name:
        return [Step(job, "\n".join(read["script"]))]
    return [
        Step(
            step.get("name") or step.get("id") or step["uses"].partition("@")[0],
            step.get("run", ""),
            step.get("uses", "").partition("@")[0],
            step.get("with", {}),
            step.get("env", {}),
        )
        for step in read["steps"]
    ]


def list_scripts(name: str, job: str) -> list[str]:
    return [step.script for step in list_steps(name, job) if step.script]


def fill_expressions(text: str, values: Mapping[str, str]) -> str:
    """``text`` with what the host puts in the place of ``${{ … }}``; KeyError for any other."""
    return re.sub(r"\$\{\{ *(.+?) *\}\}", lambda found: values[found[1]], text)


def lend_environment(root: Path) -> None:
    """An environment of the checkout's own that finds the packages and tools of this one."""
    venv = root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    folder = next(venv.glob("lib/python3*/site-packages"))
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (folder / "lent.pth").write_text("\n".join([str(root), *packages]) + "\n")
    for tool in Path(sys.executable).parent.iterdir():
        if not (venv / "bin" / tool.name).exists():
            (venv / "bin" / tool.name).symlink_to(tool)
    (venv / ".made-in").write_text(f"{root}\n")
    for stamp in (".site", ".test"):
        (venv / stamp).touch()


def copy_tools(root: Path) -> None:
    """All that a course needs of this tree beside its own files."""
    for name in (".ci", "build_tools", "requirements", "Makefile", "pyproject.toml", "README.md"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, root / name)
    (root / "README.md").write_text("# A course\n")


def clone_tree(folder: Path) -> Path:
    """A fresh clone of what the repository would hold if this tree were committed."""
    origin, clone = folder / "origin", folder / "clone"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    for path in filter(None, done.stdout.split("\0")):
        if (ROOT / path).is_file():
            (origin / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, origin / path)
    someone = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"]
    commit = ["commit", "--quiet", "--no-gpg-sign", "--message=All"]
    for words in (["init", "--quiet"], ["add", "--all"], [*someone, *commit]):
        subprocess.run(["git", *words], cwd=origin, check=True)
    subprocess.run(["git", "clone", "--quiet", origin, clone], check=True)
    return clone


def run_script(root: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What the hosts' shell makes of a script in a checkout."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=root,
        env=clean_environment(CI="true", GITHUB_WORKSPACE=str(root), **environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
