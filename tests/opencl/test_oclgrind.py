#!/usr/bin/env python3
"""Runs OpenCL kernels where every access is watched: test_oclgrind.py FOLDER_OF_PROGRAMS

oclgrind reports races between threads, accesses outside of buffers and wrong calls; what we run must be silent, and kernels with
a mistake on purpose must be reported. Shown as a skip where oclgrind is not installed (Debian: oclgrind).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

# Not --uninitialized: after clEnqueueFillBuffer oclgrind (21.10) takes words of the buffer that were written for unwritten ones; copies are no problem.
CHECKS = ["--data-races", "--uniform-writes", "--check-api", "--max-errors", "20"]
programs = None

TURN = """
__attribute__((reqd_work_group_size(32, 1, 1)))
kernel void turn(global uint* words, uint count) {
  local uint shared[32];
  const uint thread = get_local_id(0), first = get_group_id(0) * 32;
  shared[thread] = words[first + thread];
  %s
  words[first + thread] = shared[31 - thread];
}
"""


def library():
    """oclgrind's own OpenCL, which our programs open instead of the system's."""
    program = shutil.which("oclgrind")
    if program is None:
        return None
    file = pathlib.Path(program).resolve().parent.parent / "lib" / "oclgrind" / "liboclgrind-rt.so"
    return str(file) if file.is_file() else None


def watched(*command):
    env = dict(os.environ, LACUNA_OPENCL_LIBRARY=library(), LACUNA_CACHE="off")
    return subprocess.run(["oclgrind", *CHECKS, *map(str, command)], capture_output=True, text=True, timeout=300, env=env)


@unittest.skipIf(library() is None, "oclgrind is not installed")
class Oclgrind(unittest.TestCase):
    def run_text(self, text, name, words=64):
        with tempfile.NamedTemporaryFile("w", suffix=".cl") as file:
            file.write(text)
            file.flush()
            return watched(programs / "run_kernel", file.name, name, 32, 2, words)

    def test_a_right_kernel_is_silent(self):
        run = self.run_text(TURN % "barrier(CLK_LOCAL_MEM_FENCE);", "turn")
        self.assertEqual(run.stderr, "")
        self.assertEqual([int(word) for word in run.stdout.split()], [*range(31, -1, -1), *range(63, 31, -1)])

    def test_a_missing_barrier_is_reported(self):
        run = self.run_text(TURN % "", "turn")
        self.assertIn("data race", run.stderr)
        self.assertIn("shared[31 - thread]", run.stderr)

    def test_an_access_beyond_a_buffer_is_reported(self):
        run = self.run_text(TURN % "barrier(CLK_LOCAL_MEM_FENCE);", "turn", words=60)
        self.assertIn("Invalid read", run.stderr)

    def test_two_blocks_that_write_the_same_word_are_reported(self):
        run = self.run_text("kernel void same(global uint* words, uint count) { words[0] = count; }\n", "same")
        self.assertIn("data race", run.stderr)

    def test_layered_networks_are_silent_and_right(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([programs / "lacuna", "generate", "radix", "--neurons", "64", "--layers", "4", "-o", folder], check=True, capture_output=True)
            for kernel in ["table", "baked"]:
                with self.subTest(kernel=kernel):
                    self.bench_in_silence(folder, "--kernel", kernel, "--no-store", "--batch", 40)

    def bench_in_silence(self, network, *arguments):
        run = watched(programs / "lacuna", "bench", network, "--device", "opencl", "--seconds", 0, "--json", *arguments)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(json.loads(run.stdout)["verified"])

    def test_the_tests_of_the_device_make_no_wrong_call(self):
        # Without what asks for a mistake on purpose, the clock's long loop, and threads, which oclgrind itself cannot do.
        run = watched(programs / "lacuna_tests", "--gtest_brief=1",
                      "--gtest_filter=OpenClTest.*-*Clock*:*TwoQueues*:*DoesNotCompile*:*TheTextDoesNotHave*:*OfTheTextCounts*")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stderr, "")
        self.assertIn("[  PASSED  ]", run.stdout)
        self.assertNotIn("PASSED  ] 0 tests", run.stdout)

    def test_neuron_graphs_have_no_race_and_stay_in_their_buffers(self):
        run = watched(programs / "lacuna_tests", "--gtest_brief=1", "--gtest_filter=*GpuGraphs.EveryAggregation*/opencl:*GpuGraphs.StateIsKept*/opencl")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stderr, "")
        self.assertIn("[  PASSED  ] 2 tests", run.stdout)


def main():
    global programs
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit("usage: test_oclgrind.py FOLDER_OF_PROGRAMS")
    programs = pathlib.Path(sys.argv[1]).resolve()
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    for test, reason in result.skipped:
        print(f"skipped {test.id()}: {reason}", file=sys.stderr)
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
