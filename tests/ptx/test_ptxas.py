#!/usr/bin/env python3
"""NVIDIA's compiler accepts every kernel that we emit, for every GPU it knows from sm_70 on: no spills, no warnings, no more registers than the template promised."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests" / "golden" / "cases"
OLDEST = 70
ROWS, EDGES = 24, 40


def find_ptxas():
    """On the path, of a toolkit, or of NVIDIA's wheel in build/python."""
    places = [pathlib.Path(home) / "bin" / "ptxas" for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda") if home]
    places += sorted(ROOT.glob("build/python/lib/python3*/site-packages/nvidia/**/bin/ptxas"))
    found = shutil.which("ptxas")
    return found or next((str(place) for place in places if os.access(place, os.X_OK)), None)


def known_targets(ptxas):
    """Numbers of the real GPUs in its own help: not the variants that only one GPU runs."""
    text = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=True).stdout
    return sorted({int(number) for number in re.findall(r"'sm_(\d+)'", text) if int(number) >= OLDEST})


def promises(text):
    """Kernel -> registers that it may take."""
    found = {}
    promised = None
    for line in text.splitlines():
        if match := re.match(r"// registers: at most (\d+)$", line):
            promised = int(match.group(1))
        elif match := re.match(r"\.visible \.entry (\w+)\(", line):
            found[match.group(1)] = promised
            promised = None
    return found


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def wide_layer():
    """24 rows that share no source: baked, they keep all their sums in registers and load more than any other code."""
    rows = [" ".join(f"{k * ROWS + row}*{0.5 + row + k / 64}" for k in range(EDGES)) for row in range(ROWS)]
    return f"lacuna network 1\ninput x {ROWS * EDGES}\ny = linear x {ROWS} bias -0.25 clip(0,32) {{\n" + "".join(f"  {number}: {row}\n" for number, row in enumerate(rows)) + "}\noutput y\n"


def emitted_by_program(lacuna, folder):
    """What `compile --emit=ptx` prints for the networks of the golden cases, and for a wide layer that is baked; nothing from a program that cannot."""
    if not lacuna or "ptx" not in run(lacuna, "compile", "--help"):
        return []
    folder = pathlib.Path(folder)
    wide = folder / "wide.lacuna"
    wide.write_text(wide_layer())
    files = []
    cases = [[case, "--precision", precision] for case in sorted(CASES.glob("*.lacuna")) for precision in ("f32", "f16", "bf16")]
    for network, *options in [*cases, [wide, "--kernel", "baked"], [wide, "--kernel", "baked", "--precision", "f16"]]:
        is_layered = "neurons " not in network.read_text() and "conv(" not in network.read_text()
        if not is_layered and options[-1] != "f32":
            continue  # only layers are kept in 16 bits
        files.append(folder / f"{network.stem}_{options[-1]}.ptx")
        files[-1].write_text(run(lacuna, "compile", network, "--emit=ptx", "--device", "sim:a100", *options))
    return files


def judge(ptxas, file, target):
    """Complaints about one file for one GPU, and how many kernels it has."""
    text = file.read_text()
    where = f"{file.name} for sm_{target}"
    done = subprocess.run([ptxas, "-v", f"-arch=sm_{target}", str(file), "-o", os.devnull], capture_output=True, text=True)
    log = done.stdout + done.stderr
    if done.returncode != 0:
        return [f"{where}: {log.strip()}"], 0
    complaints = [f"{where}: {line}" for line in log.splitlines() if "warning" in line]
    promised = promises(text)
    kernels = re.split(r"Compiling entry function '", log)[1:]
    if len(kernels) != len(promised):
        complaints.append(f"{where}: {len(promised)} kernels in the text, {len(kernels)} in the log")
    for part in kernels:
        name = part.split("'")[0]
        spills = [int(number) for number in re.findall(r"(\d+) bytes spill", part)]
        registers = int(re.search(r"Used (\d+) registers", part).group(1))
        if len(spills) != 2 or any(spills):
            complaints.append(f"{where}: {name} spills {spills} bytes (stores, loads)")
        if promised.get(name) is not None and registers > promised[name]:
            complaints.append(f"{where}: {name} takes {registers} registers, {promised[name]} were promised")
    return complaints, len(kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lacuna", help="the program, for compile --emit=ptx")
    parser.add_argument("--where", action="store_true", help="only say which ptxas would be used; fails where there is none")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="PTX to judge instead of the golden cases")
    options = parser.parse_args()
    ptxas = find_ptxas()
    if ptxas is None:
        print("no ptxas: not on the path, not in CUDA_HOME or /usr/local/cuda, no nvidia-cuda-nvcc in build/python")
        return 1
    if options.where:
        print(ptxas)
        return 0
    targets = known_targets(ptxas)
    with tempfile.TemporaryDirectory() as folder:
        files = options.files or sorted(CASES.glob("*.ptx")) + emitted_by_program(options.lacuna, folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: judge(ptxas, *job), [(file, target) for file in files for target in targets]))
    complaints = [complaint for some, _ in results for complaint in some]
    print("\n".join(complaints) if complaints else f"{len(files)} files, {sum(count for _, count in results)} kernels compiled, sm_{targets[0]} to sm_{targets[-1]}: no spills, registers as promised")
    return 1 if complaints or not files or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
