"""Is every process bounded, and is everything it did known?"""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from build_tools.measure.run import Execution, execute, name_signal, scrub_environment


def run(
    code: str, tmp_path: Path, *, time_limit: float = 60.0, output_cap: int = 100_000
) -> Execution:
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return execute(command, cwd=tmp_path, time_limit=time_limit, output_cap=output_cap)


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie that nobody has reaped yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(pid: int) -> bool:
    for _ in range(200):
        if not is_alive(pid):
            return True
        time.sleep(0.05)
    return False


def test_streams_status_and_duration(tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    done = run(code, tmp_path)
    assert (done.stdout, done.stderr, done.exit_status) == (b"out\n", b"err\n", 3)
    assert done.failure == "it ended with exit status 3"
    assert done.seconds > 0
    assert run("pass", tmp_path).failure == ""


def test_a_signal_is_named(tmp_path: Path) -> None:
    done = run("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", tmp_path)
    assert done.exit_status == -signal.SIGSEGV
    assert done.failure == "it was ended by SIGSEGV (segmentation fault)"
    assert name_signal(200) == "signal 200"


def run_shell(code: str, tmp_path: Path, time_limit: float) -> Execution:
    """A shell starts at once, however busy the machine is."""
    return execute(["sh", "-c", code], cwd=tmp_path, time_limit=time_limit, output_cap=1000)


def test_a_program_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    done = run_shell("sleep 600 & echo before $!; wait", tmp_path, 5.0)
    assert done.failure == "it took longer than 5 s and was killed"
    word, pid = done.stdout.split()
    assert word == b"before"  # what it printed is kept for the message
    assert wait_until_gone(int(pid))


def test_a_hang_that_ignores_termination_and_closes_its_streams(tmp_path: Path) -> None:
    code = "trap '' TERM; exec >&- 2>&-; while :; do sleep 1; done"
    begin = time.monotonic()
    assert "longer than 2 s" in run_shell(code, tmp_path, 2.0).failure
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_cut(tmp_path: Path, stream: str) -> None:
    code = f"import sys\nwhile True: sys.{stream}.write('x' * 999 + chr(10))"
    done = run(code, tmp_path, output_cap=100 * 1024)
    assert done.failure == "it printed more than 100 KiB and was killed"
    assert len(getattr(done, stream)) == 100 * 1024


def test_children_left_behind_are_killed_and_not_waited_for(tmp_path: Path) -> None:
    done = run_shell("sleep 600 & echo $!", tmp_path, 300.0)  # it keeps our streams open
    assert done.failure == ""
    assert done.seconds < 60
    assert wait_until_gone(int(done.stdout))


def test_the_environment_is_plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    done = execute(["/usr/bin/env"], cwd=tmp_path, time_limit=60, output_cap=100_000)
    names = {line.split(b"=")[0].decode() for line in done.stdout.splitlines()}
    assert names <= {"PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "TMPDIR", "LC_ALL"}
    assert b"LC_ALL=C.UTF-8\n" in done.stdout
    assert b"CUDA_VISIBLE_DEVICES=1\n" in done.stdout
    assert scrub_environment({"HOME": "/home/x"}) == {"LC_ALL": "C.UTF-8"}


def test_there_is_nothing_to_read(tmp_path: Path) -> None:
    assert run("import sys; print(repr(sys.stdin.read()))", tmp_path).stdout == b"''\n"


def test_lines_of_stderr_are_told_as_they_come(tmp_path: Path) -> None:
    code = textwrap.dedent("""
        import sys, time
        for piece in ("timed begin", " small\\n", "caf", "\\u00e9\\nlast"):
            sys.stderr.write(piece); sys.stderr.flush(); time.sleep(0.05)
    """)
    told: list[tuple[float, str]] = []
    execute(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        time_limit=60,
        output_cap=1000,
        on_stderr_line=lambda line: told.append((time.monotonic(), line)),
    )
    assert [line for _, line in told] == ["timed begin small", "café", "last"]
    assert told[1][0] - told[0][0] > 0.02


def test_bytes_come_as_they_are(tmp_path: Path) -> None:
    code = r"import sys; sys.stdout.buffer.write(b'<b>\x00\xff\x1b[1m\r\n')"
    assert run(code, tmp_path).stdout == b"<b>\x00\xff\x1b[1m\r\n"


def test_a_command_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        execute(["./nothing"], cwd=tmp_path, time_limit=1, output_cap=1)


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_what_ends_us_ends_the_child(tmp_path: Path, number: int, status: int) -> None:
    code = f"""
        import signal, sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
        # Whoever runs the tests in the background ignores these, and so would we.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        from pathlib import Path
        from build_tools.measure.run import execute
        execute(["sh", "-c", "echo $$ > pid; sleep 600"], cwd=Path({str(tmp_path)!r}),
                time_limit=600, output_cap=1000)
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stderr=subprocess.PIPE)
    for _ in range(1200):
        if (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text().strip():
            break
        time.sleep(0.05)
    pid = int((tmp_path / "pid").read_text())
    os.kill(parent.pid, number)
    _, stderr = parent.communicate(timeout=60)
    assert parent.returncode == status
    assert (b"KeyboardInterrupt" in stderr) is (number == signal.SIGINT)
    assert wait_until_gone(pid)
