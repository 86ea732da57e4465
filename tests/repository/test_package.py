"""Does the package that gets installed hold what it needs?"""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "build_tools",
        source / "build_tools",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*command, "--no-build-isolation", "--wheel-dir", str(tmp_path), str(source)], check=True
    )
    (wheel,) = tmp_path.glob("cuda_course-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (entry_points,) = (name for name in names if name.endswith("entry_points.txt"))
        text = archive.read(entry_points).decode("utf-8")
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "build_tools").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - set(names) == set()
    assert "course = build_tools.command:main" in text
    assert "course = build_tools.site.plugin:CoursePlugin" in text


def test_the_package_starts_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "build_tools", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert "check" in done.stdout
