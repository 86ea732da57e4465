"""Does reading the sensors slow down what is timed? Needs a GPU.

The same binary runs in turn with the sampler beside it and without, forwards in one round and
backwards in the next. For each measured row the ratio of the two medians is printed, beside what
the rows that are timed twice in one process differ by.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
import tempfile
from pathlib import Path

import click

from build_tools.diagnostics.finding import Finding
from build_tools.evidence.transcript import decode_transcript, read_transcript
from build_tools.measure.compile import compile_program
from build_tools.measure.device import describe_device, find_bus, open_nvml
from build_tools.measure.rounds import hold_device
from build_tools.measure.run import execute
from build_tools.measure.sampler import sample_clocks
from build_tools.measure.toolchain import find_nvcc
from build_tools.source.model import Program
from build_tools.source.programs import read_program

ROOT = Path(__file__).parents[2]
Times = dict[tuple[str, ...], float]


def main() -> None:
    """Print the cost of sampling for one program of the course."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", default="tiled_matmul")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--measurement", default="time")
    options = parser.parse_args()
    program, _ = read_program(ROOT, options.program)
    toolchain = find_nvcc()
    device = describe_device()
    if program is None:
        sys.exit(f"cannot measure: there is no program `{options.program}`")
    if isinstance(toolchain, str):
        sys.exit(f"cannot measure: {toolchain}")
    if isinstance(device, str):
        sys.exit(f"cannot measure: {device}")
    arch = f"sm_{device.compute_capability.replace('.', '')}"
    with tempfile.TemporaryDirectory(prefix="course-") as name:
        folder = Path(name)
        compiled, findings = compile_program(ROOT, program, toolchain, arch, folder)
        if compiled is None:
            sys.exit("\n".join(map(str, findings)))
        watched, alone = run_pairs(program, compiled.binary.parent, options)
    for keys in watched[0]:
        both = [statistics.median(times[keys] for times in runs) for runs in (watched, alone)]
        click.echo(
            f"{', '.join(keys):<40} {both[0]:.6g} s watched, {both[1]:.6g} s alone, "
            f"ratio {both[0] / both[1]:.5f}"
        )
    ratios = [
        statistics.median(t[keys] for t in watched) / statistics.median(t[keys] for t in alone)
        for keys in watched[0]
    ]
    click.echo(
        f"ratios: median {statistics.median(ratios):.5f}, {min(ratios):.5f} to {max(ratios):.5f}"
    )


def run_pairs(
    program: Program, folder: Path, options: argparse.Namespace
) -> tuple[list[Times], list[Times]]:
    """The measured times of each process: those that were watched, and those that were not."""
    watched: list[Times] = []
    alone: list[Times] = []
    bus = find_bus()
    with hold_device(bus, click.echo), open_nvml(bus) as (nvml, handle):
        for number in range(options.pairs):
            order = [True, False] if number % 2 == 0 else [False, True]
            for is_watched in order:
                if is_watched:
                    with sample_clocks(nvml, handle):
                        watched.append(run_once(program, folder, options.measurement))
                else:
                    alone.append(run_once(program, folder, options.measurement))
    return watched, alone


def run_once(program: Program, folder: Path, measurement: str) -> Times:
    """What one process measured, by keys, in seconds."""
    done = execute(shlex.split(program.header.run), cwd=folder, time_limit=300, output_cap=1 << 20)
    if done.failure:
        sys.exit(done.failure)
    text = decode_transcript(done.stdout)
    transcript, findings = read_transcript(text, program.declaration, "output")
    _stop_at(findings)
    readings = transcript.measurements[measurement].readings
    return {keys: float(reading.value) for keys, reading in readings.items()}


def _stop_at(findings: list[Finding]) -> None:
    if findings:
        sys.exit("\n".join(map(str, findings)))


if __name__ == "__main__":
    main()
