"""Stand-ins for the profiler and the sanitizer: small programs that print the tools' own forms.

Each runs the real binary. What they find hangs on what that prints, and on a file of wishes
beside them, so that a test can have them refuse, crash or count strangely.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

NCU = r"""
import json, re, subprocess, sys
from pathlib import Path

wish = json.loads((Path(__file__).parent / "wishes.json").read_text())
args = sys.argv[1:]
if args == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler")
    print("Copyright (c) 2018-2025 NVIDIA Corporation")
    print("Version 2025.3.1.0 (build 36398880) (public-release)")
    sys.exit()
if args == ["--query-metrics"]:
    print("Device NVIDIA H200 (GH100)")
    print("-" * 40, "-" * 12, "-" * 40)
    print("Metric Name                              Metric Unit  Metric Description")
    for name in wish.get("metrics", ["dram__bytes_read", "smsp__inst_executed_op_global_ld",
                                     "l1tex__data_pipe_lsu_wavefronts", "sm__throughput"]):
        print(f"{name:<40} unit         what it counts")
    sys.exit()
options = {}
while args and args[0].startswith("--"):
    flag = args.pop(0)
    options[flag] = "" if flag == "--csv" else args.pop(0)
metrics = options["--metrics"].split(",")
kernels = re.fullmatch(r"regex:\^\((.*)\)\$", options["--kernel-name"])[1].split("|")
log = ["==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, "
       "profiling results may be inconsistent.",
       f"==PROF== Connected to process 66 ({Path(args[0]).resolve()})"]
if "refuse" in wish:
    done = subprocess.run(args, capture_output=True)
    log += [f"==ERROR== {wish['refuse']}", "==PROF== Disconnected from process 66",
            "==WARNING== No kernels were profiled."]
    Path(options["--log-file"]).write_text("\n".join(log) + "\n")
    sys.exit(1)
done = subprocess.run(args, capture_output=True)
sys.stdout.buffer.write(done.stdout)
sys.stderr.buffer.write(done.stderr)
if done.returncode:
    log += ["==ERROR== The application returned an error code (%d)." % done.returncode]
passes = wish.get("passes", {}).get(str(len(metrics)), 1)
seen = [k for k in kernels if k not in wish.get("not launched", [])]
log.append("==PROF== Disconnected from process 66")
fixed = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream",
         "Block Size", "Grid Size", "Device", "CC"]
units = {"dram__bytes_read.sum": "byte", "smsp__inst_executed_op_global_ld.sum": "inst",
         "sm__throughput.avg.pct_of_peak_sustained_elapsed": "%"} | wish.get("units", {})
counter = Path(__file__).parent / "runs"
turn = int(counter.read_text()) if counter.exists() else 0
counter.write_text(str(turn + 1))
values = {"dram__bytes_read.sum": f"{33_554_432 + 32 * (turn % 3):,}",
          "smsp__inst_executed_op_global_ld.sum": "8,192",
          "sm__throughput.avg.pct_of_peak_sustained_elapsed": "92.25"} | wish.get("values", {})
told = {"device__attribute_display_name": ("", "NVIDIA H200"), "launch__tpc_enabled": ("", "all"),
        "profiler__replayer_passes": ("pass", str(passes))}
told = {name: cells for name, cells in told.items() if name not in wish.get("without", [])}
# A metric that it does not know it leaves out, and says nothing.
metrics = [m for m in metrics if m not in wish.get("left out", [])]
rows = [fixed + [*told] + metrics,
        [""] * len(fixed) + [unit for unit, _ in told.values()]
        + [units.get(m, "") for m in metrics]]
for number, kernel in enumerate(seen):
    rows.append([str(number), "66", Path(args[0]).name, "127.0.0.1", kernel, "1", "7",
                 "(256, 1, 1)", "(4, 1, 1)", "0", "9.0"]
                + [cell for _, cell in told.values()] + [values.get(m, "17") for m in metrics])
if seen:
    log += [",".join(f'"{cell}"' for cell in row) for row in rows]
else:
    log.append("==WARNING== No kernels were profiled.")
Path(options["--log-file"]).write_text("\n".join(log + wish.get("more lines", [])) + "\n")
sys.exit(done.returncode)
"""

SANITIZER = r"""
import json, subprocess, sys
from pathlib import Path

wish = json.loads((Path(__file__).parent / "wishes.json").read_text())
args = sys.argv[1:]
if args == ["--version"]:
    print("NVIDIA (R) Compute Sanitizer")
    print("Copyright (c) 2020-2025 NVIDIA Corporation")
    print("Version 2025.3.1.0 (build 36398880) (public-release)")
    sys.exit()
options = {}
while args and args[0].startswith("--"):
    flag = args.pop(0)
    options[flag] = args.pop(0)
tool = options["--tool"]
log = ["========= COMPUTE-SANITIZER"]
status = 0
if tool in wish.get("sanitizer refuses", {}):
    log += ["========= Error: " + wish["sanitizer refuses"][tool]]
    status = 255
else:
    done = subprocess.run(args, capture_output=True)
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    status = done.returncode
    found = f"{tool} sees it" in done.stdout.decode() and tool not in wish.get("blind", [])
    found = found or tool in wish.get("finds", [])
    if found:
        status = int(options["--error-exitcode"])
    if tool == "racecheck":
        if found:
            log += ["========= Error: Race reported between Write access at add+0x90 in add.cu:20",
                    "=========     and Read access at add+0x100 in add.cu:21 [508 hazards]",
                    "========="]
        counts = "1 hazard displayed (1 error, 0 warnings)" if found else (
            "0 hazards displayed (0 errors, 0 warnings)")
        log.append(f"========= RACECHECK SUMMARY: {counts}")
    else:
        if found:
            log += ["========= Invalid __global__ write of size 4 bytes",
                    "=========     at add(const float *, const float *, float *, int)+0x90 in add.cu:20",
                    "========="]
        log.append(f"========= ERROR SUMMARY: {1 if found else 0} error{'' if found else 's'}")
Path(options["--log-file"]).write_text("\n".join(log) + "\n")
sys.exit(status)
"""


def install_fakes(folder: Path, **wishes: object) -> None:
    """Put both tools into a folder, with these wishes; names of wishes have spaces for `_`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("ncu", NCU), ("compute-sanitizer", SANITIZER)):
        target = folder / name
        target.write_text(f"#!{sys.executable}\n{text}")
        target.chmod(0o755)
    wish(folder, **wishes)


def wish(folder: Path, **wishes: object) -> None:
    """Have the tools behave so from now on."""
    told = {name.replace("_", " "): value for name, value in wishes.items()}
    (folder / "wishes.json").write_text(json.dumps(told))
