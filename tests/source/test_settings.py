from pathlib import Path

import pytest

from build_tools.diagnostics.finding import Finding, Kind, Place
from build_tools.source.model import NumberPattern, Settings
from build_tools.source.settings import read_settings

ROOT = Path(__file__).parents[2]
HEAD = '[course]\nreference_gpu = "NVIDIA H200"\n'


def read(tmp_path: Path, text: str) -> tuple[Settings, list[Finding]]:
    (tmp_path / "course.toml").write_text(text, encoding="utf-8")
    return read_settings(tmp_path)


def test_the_projects_own_settings_are_clean() -> None:
    settings, findings = read_settings(ROOT)
    assert findings == []
    assert settings.reference_slug == "nvidia-h200"
    assert settings.unbound == "all"
    assert settings.prose == ("docs/**/*.md", "README.md", "CONTRIBUTING.md")


def test_everything_is_read(tmp_path: Path) -> None:
    settings, findings = read(
        tmp_path,
        HEAD
        + """\
title = "T"
unbound = "off"
patterns_off = ["dates"]
findings = "warn"
source_url = "https://example.org/{path}#L{line}"
prose = ["a/*.md"]
repeats = 12

[course.patterns]
board = { text = "rev {n}", why = "names of boards" }
rack = { text = ["rack {n}", "slot {n} of {n}"], why = "places" }

[course.explorer]
"13.1" = "nvcc131u1"
"12.9" = "clang-trunk"
""",
    )
    assert findings == []
    assert settings == Settings(
        title="T",
        reference_gpu="NVIDIA H200",
        unbound="off",
        patterns_off=frozenset({"dates"}),
        findings="warn",
        source_url="https://example.org/{path}#L{line}",
        prose=("a/*.md",),
        explorer=(("13.1", "nvcc131u1"), ("12.9", "clang-trunk")),
        repeats=12,
        patterns=(
            NumberPattern("board", ("rev {n}",), "names of boards", Place("course.toml", 12, 1)),
            NumberPattern(
                "rack", ("rack {n}", "slot {n} of {n}"), "places", Place("course.toml", 13, 1)
            ),
        ),
    )


def test_what_is_not_said_has_its_default(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD) == (Settings(reference_gpu="NVIDIA H200"), [])


def test_no_settings_is_a_finding(tmp_path: Path) -> None:
    settings, findings = read_settings(tmp_path)
    assert settings == Settings()
    assert len(findings) == 1
    assert str(findings[0].place) == "course.toml:1:1"
    assert 'write one that holds `[course]` and `reference_gpu = "' in findings[0].advice


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (
            "[course]\ntitle = 'T'\n",
            "1:2",
            "no `reference_gpu` in `[course]`; the course speaks of",
        ),
        ("", "1:1", "no `reference_gpu`"),
        (
            "[course]\nreference_gpu = ' '\n",
            "2:17",
            "it names no GPU; write the model as `nvidia-smi",
        ),
        ("[course]\nreference_gpu = 200\n", "2:17", "must be a string; write it in quotes"),
        (
            HEAD + "unbund = 'all'\n",
            "3:1",
            "key `unbund`; `[course]` has no such key; did you mean `unb",
        ),
        (HEAD + "[corse]\n", "3:2", "key `corse`; the file's top level has no such key; did you"),
        (
            HEAD + "unbound = 'al'\n",
            "3:11",
            '`unbound` is one of "off", "units", "all"; did you mean',
        ),
        (HEAD + "findings = 'ignore'\n", "3:12", '`findings` is one of "fail", "warn"'),
        (HEAD + "[course.explorr]\n'13.0' = 'x'\n", "3:9", "key `explorr`; `[course]` has no such"),
        (HEAD + "explorer = 'nvcc130u2'\n", "3:12", "must be a table; write `[course.explorer]`"),
        (
            HEAD + "[course.explorer]\nnvcc = 'nvcc130u2'\n",
            "4:1",
            'release `nvcc`; a release of CUDA is a major and a minor number; write such as `"13.0"',
        ),
        (
            HEAD + "[course.explorer]\n13.0 = 'nvcc130u2'\n",
            "4:1",
            "release `13`; a release of CUDA is",
        ),
        (HEAD + "[course.explorer]\n'13.0.88' = 'x'\n", "4:1", "release `13.0.88`"),
        (HEAD + "[course.explorer]\n'13.1' = 131\n", "4:10", "`13.1` must be a string"),
        (
            HEAD + "[course.explorer]\n'13.1' = 'nvcc 13.1'\n",
            "4:10",
            'no compiler of Compiler Explorer is named so; write such as `"nvcc130u2"`',
        ),
        (HEAD + "patterns_off = 'x'\n", "3:16", "`patterns_off` must be an array of strings"),
        (HEAD + "repeats = 0\n", "3:11", "`repeats` must be a whole number from 1"),
        (HEAD + "repeats = 1.5\n", "3:11", "`repeats = 1.5`"),
        (
            HEAD + "source_url = 'https://a/{file}'\n",
            "3:14",
            "it has no `{file}` to fill in; write such",
        ),
        (HEAD + "source_url = 'https://a/{path'\n", "3:14", "it has no `{path` to fill in"),
        (
            HEAD + "source_url = 'https://a/{line}'\n",
            "3:14",
            "does not say where the `{path}` goes",
        ),
        (HEAD + "source_url = 'javascript:{path}'\n", "3:14", "it is no URL of the web"),
        (
            HEAD + "prose = ['a', '/b']\n",
            "3:15",
            "globs of prose stay within the project; write such",
        ),
        (HEAD + "prose = ['docs/**a.md']\n", "3:10", "it is no glob: `**` stands alone between"),
        (HEAD + "prose = ['b', '.']\n", "3:15", "a file is named; write such as"),
        (HEAD + 'prose = ["a\\u0000"]\n', "3:10", "it is no glob"),
        (HEAD + "prose = ['../b']\n", "3:10", "globs of prose stay within"),
        (HEAD + "prose = 'b'\n", "3:9", "`prose` must be an array of strings"),
        (HEAD + "patterns = 3\n", "3:12", "`patterns` must be a table; write `[course.patterns]`"),
        (
            HEAD + "[course.patterns]\na = 'rev {n}'\n",
            "4:5",
            "what it matches and why; write `a = {",
        ),
        (
            HEAD + "[course.patterns]\na = { why = 'x' }\n",
            "4:1",
            'pattern `a`; it matches nothing; add `text = "rev {n}"`',
        ),
        (
            HEAD + "[course.patterns]\na = { text = 'rev {n}' }\n",
            "4:1",
            'pattern `a`; it does not say why its numbers need no binding; add `why = "…"`',
        ),
        (
            HEAD + "[course.patterns]\na = { text = 'rev {n}', why = ' ' }\n",
            "4:1",
            "it does not say why",
        ),
        (
            HEAD + "[course.patterns]\na = { text = 'rev {n}', whi = 'x' }\n",
            "4:25",
            "key `whi`; `[course.patterns.a]` has no such key; did you mean `why`?",
        ),
        (
            HEAD + "[course.patterns]\nA_b = { text = 'rev {n}', why = 'x' }\n",
            "4:1",
            "pattern `A_b`; a pattern's name is small letters, digits and `-`",
        ),
        (
            HEAD + "[course.patterns]\na = { text = '{n}', why = 'x' }\n",
            "4:14",
            "numbers with no word beside them are all numbers; add the words",
        ),
        (
            HEAD + "[course.patterns]\na = { text = ['rev {n}', '{n} {n} x'], why = 'x' }\n",
            "4:26",
            "numbers with no word beside them",
        ),
        (
            HEAD + "[course.patterns]\na = { text = 'rev', why = 'x' }\n",
            "4:14",
            "it does not hold `{n}`; write `{n}` where the number stands",
        ),
        (
            HEAD + "[course.patterns]\na = { text = 'a{n}b{n}c{n}d{n}e{n}', why = 'x' }\n",
            "4:14",
            "it holds `{n}` too often",
        ),
        (
            HEAD + "[course.patterns]\na = { text = 'rev {m}', why = 'x' }\n",
            "4:14",
            "it has a brace that is not of `{n}`",
        ),
        (HEAD + "[course.patterns]\na = { text = 3, why = 'x' }\n", "4:14", "array of strings"),
        ("[course\n", "1:8", "not TOML"),
        ("course = 3\n", "1:10", "`course` must be a table; write `[course]`"),
    ],
)
def test_what_is_wrong_is_placed_and_advised(
    tmp_path: Path, text: str, place: str, words: str
) -> None:
    _, findings = read(tmp_path, text)
    said = [f"{f.place.line}:{f.place.column} {f.stated}; {f.true}; {f.advice}" for f in findings]
    assert all(f.kind is Kind.SETTINGS for f in findings)
    assert any(s.startswith(f"{place} ") and words in s for s in said), said


def test_settings_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_bytes(b"[course]\ntitle = '\xff'\n")
    settings, findings = read_settings(tmp_path)
    assert settings == Settings()
    assert [(f.kind, str(f.place)) for f in findings] == [(Kind.ENCODING, "course.toml:2:10")]
