"""The programs of the comparison: how each is installed, which version it is and how it is called.

A program that cannot be installed stays in the list with the reason in `skipped`. Standard library only.
"""
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEEDED_BY = {"scipy": ["scipy"], "graphblas": ["suitesparse-graphblas", "python-graphblas"], "mkl": ["mkl", "mkl-include"], "octave": []}
RIVALS = list(NEEDED_BY)
SLOW = {"scipy", "graphblas", "octave"}


@dataclass
class Program:
    name: str
    version: str = ""
    skipped: str = ""
    command: tuple = ()
    threads: int = 1


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"run: {command[0]} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


class Setup:
    """Installs into build/bench once; `say` prints progress."""

    def __init__(self, folder, say):
        self.venv = folder / "venv"
        self.python = self.venv / "bin" / "python"
        self.folder, self.say = folder, say
        self.pins = dict(line.split("==") for line in (HERE / "requirements.txt").read_text().split())
        self.failed = {}

    def make_venv(self):
        if not self.python.exists():
            self.say(f"making {self.venv}")
            subprocess.run([sys.executable, "-m", "venv", self.venv], check=True)
        for package, version in self.pins.items():
            if self.installed(package) == version:
                continue
            self.say(f"installing {package} {version}")
            done = subprocess.run([self.python, "-m", "pip", "install", "-q", f"{package}=={version}"], capture_output=True, text=True)
            if done.returncode:
                self.failed[package] = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        for package in ("numpy", "scipy", "matplotlib"):
            if package in self.failed:
                raise SystemExit(f"run: {package} is needed to check and draw: {self.failed[package]}")

    def installed(self, package):
        code = "import importlib.metadata as m, sys\ntry: print(m.version(sys.argv[1]))\nexcept m.PackageNotFoundError: pass"
        return output_of(self.python, "-c", code, package)

    def rival(self, name, threads):
        missing = [f"{p}: {self.failed[p]}" for p in NEEDED_BY[name] if p in self.failed]
        if missing:
            return Program(name, skipped="; ".join(missing))
        return getattr(self, f"setup_{name}")(threads)

    def setup_scipy(self, threads):
        return Program("scipy", self.pins["scipy"], "", (self.python, HERE / "peers/scipy_csr.py"), threads)

    def setup_graphblas(self, threads):
        return Program("graphblas", self.pins["suitesparse-graphblas"], "", (self.python, HERE / "peers/graphblas_dnn.py"), threads)

    def setup_mkl(self, threads):
        source, binary = HERE / "peers/mkl_panels.cpp", self.folder / "mkl_panels"
        library = next((self.venv / "lib").glob("libmkl_rt.so*"), None)
        if not shutil.which("g++") or library is None:
            return Program("mkl", skipped="needs g++ and libmkl_rt from the mkl wheel")
        if not binary.exists() or binary.stat().st_mtime < max(file.stat().st_mtime for file in source.parent.glob("*pp")):
            self.say("compiling peers/mkl_panels.cpp")
            done = subprocess.run(["g++", "-O3", "-march=native", "-std=c++20", "-pthread", source, "-o", binary,
                                   f"-I{self.venv}/include", library, f"-Wl,-rpath,{self.venv}/lib"], capture_output=True, text=True)
            if done.returncode:
                return Program("mkl", skipped="peers/mkl_panels.cpp did not compile: " + done.stderr.strip().splitlines()[0])
        return Program("mkl", self.pins["mkl"], "", (binary,), threads)

    def setup_octave(self, threads):
        if not shutil.which("octave-cli"):
            if os.geteuid() != 0 or not shutil.which("apt-get"):
                return Program("octave", skipped="octave-cli is missing; install the package octave")
            self.say("octave-cli is missing: installing the package octave with apt-get")
            done = subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", "octave"], capture_output=True, text=True)
            if done.returncode:
                return Program("octave", skipped="apt-get install octave failed: " + (done.stderr.strip().splitlines() or ["no message"])[-1])
        version = output_of("octave-cli", "--version").splitlines()[0].split()[-1]
        # Octave multiplies sparse matrices on one thread, whatever --threads says.
        return Program("octave", version, "", ("octave-cli", "-q", HERE / "peers/octave_sparse.m"), 1)


def lacuna(binary, threads):
    if not Path(binary).exists():
        return Program("lacuna", skipped=f"{binary} is not built (cmake --preset release && cmake --build --preset release)")
    return Program("lacuna", output_of(binary, "--version").split()[-1], "", (Path(binary).resolve(),), threads)
