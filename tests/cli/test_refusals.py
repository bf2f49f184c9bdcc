"""The system says no: full disks, closed pipes, Ctrl-C. Nothing may be left half-written."""
import os
import pathlib
import resource
import signal
import subprocess
import time

import npy
import problems
from program import ProgramTest, run, start

SMALL = ["challenge", "--neurons", 64, "--layers", 8, "--inputs", 5]


def limit_files_to(size):
    """For preexec_fn: files may not grow beyond `size`; the system then says so instead of ending the program."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def is_writing_in(folder, process_id):
    """Whether the process has a file of this folder, named or not, open for writing."""
    for descriptor in pathlib.Path(f"/proc/{process_id}/fd").iterdir():
        try:
            if not os.readlink(descriptor).startswith(f"{folder}/"):
                continue
            described = pathlib.Path(f"/proc/{process_id}/fdinfo/{descriptor.name}").read_text()
        except OSError:  # closed in the meantime
            continue
        flags = next(line for line in described.splitlines() if line.startswith("flags:"))
        if int(flags.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY:
            return True
    return False


class FullDisk(ProgramTest):
    def to_full_device(self, *arguments):
        with open("/dev/full", "w") as full:
            return self.fail_with(4, *arguments, stdout=full)

    def test_a_short_answer_that_cannot_be_written_is_an_error(self):
        for arguments in [["devices"], ["inspect", problems.text_network()], [*SMALL, "--json"], SMALL]:
            self.to_full_device(*arguments)

    def test_a_long_answer_that_cannot_be_written_is_an_error(self):
        self.to_full_device("inspect", problems.network_folder("radix", self.folder / "data"), "--text")

    def test_help_that_cannot_be_written_is_an_error(self):
        self.to_full_device("--help")
        self.to_full_device("--version")

    def test_an_output_file_that_does_not_fit_leaves_the_old_one(self):
        into = npy.write(self.folder / "in.npy", [[1.0] * 5] * 1000)
        output = self.folder / "out.npy"
        output.write_text("the old one")
        self.fail_with(4, "run", problems.text_network(), "--input", into, "--output", output, preexec_fn=limit_files_to(4096), says="out.npy")
        self.assertEqual(output.read_text(), "the old one")
        self.assertEqual(self.files(), ["in.npy", "out.npy"])

    def test_a_store_that_does_not_fit_is_told_and_the_answer_comes_all_the_same(self):
        data = problems.network_folder("radix", self.folder / "data")
        before = self.files(data)
        done = run("inspect", data, "--json", preexec_fn=limit_files_to(4096))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.one_object(done.stdout)["from_store"])
        self.assertEqual(self.files(data), before)

    def test_challenge_says_why_there_is_no_store(self):
        data = problems.network_folder("radix", self.folder / "data")
        done = run(*SMALL, "--data", data, "--images", problems.images(), preexec_fn=limit_files_to(4096))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no store", done.stderr)

    def test_generated_files_that_do_not_fit_are_an_error(self):
        self.fail_with(4, "generate", "radix", "--neurons", 64, "--layers", 2, "-o", self.folder / "net", preexec_fn=limit_files_to(4096), says="net")
        self.assertEqual(self.files(self.folder / "net"), [])

    def test_a_full_file_system_leaves_nothing_behind(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            self.skipTest(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
        try:
            into = npy.write(self.folder / "in.npy", [[1.0] * 5] * 20000)
            self.fail_with(4, "run", problems.text_network(), "--input", into, "--output", disk / "out.npy", says="No space left")
            self.assertEqual(self.files(disk), [])
        finally:
            subprocess.run(["umount", disk], check=True)


class ClosedPipe(ProgramTest):
    def close_early(self, **options):
        """Reads one line of a long answer, then closes the pipe, as `| head -1` does."""
        data = problems.network_folder("radix", self.folder / "data")
        with start("inspect", data, "--text", stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options) as process:
            self.assertEqual(process.stdout.readline(), b"lacuna network 1\n")
            process.stdout.close()
            errors = process.stderr.read().decode()
        return process.returncode, errors

    def test_a_reader_that_had_enough_ends_the_program_quietly(self):
        code, errors = self.close_early()
        self.assertIn(code, [-signal.SIGPIPE, 0, 4], errors)
        self.assertNotIn("internal error", errors)

    def test_a_caller_that_ignores_sigpipe_gets_no_internal_error(self):
        code, errors = self.close_early(restore_signals=False)
        self.assertIn(code, [0, 4], errors)


class Interrupted(ProgramTest):
    def interrupt(self, process):
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail("it does not stop for Ctrl-C")
        self.assertIn(process.returncode, [-signal.SIGINT, 130])
        self.assertLess(time.monotonic() - started, 3)

    def test_ctrl_c_ends_a_long_challenge_promptly(self):
        arguments = ["challenge", "--neurons", 256, "--layers", 60, "--network", "general", "--inputs", 2000, "--repeat", 1000000]
        with start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(2)
            self.assertIsNone(process.poll(), "it should still be running")
            self.interrupt(process)

    def interrupt_while_writing(self, folder, *arguments):
        """Ctrl-C as soon as the program writes a file in `folder`; false if it was too fast for that."""
        with start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while process.poll() is None:
                if is_writing_in(folder, process.pid):
                    self.interrupt(process)
                    return True
        return False

    def test_ctrl_c_while_a_store_is_written_leaves_no_trace(self):
        data = self.folder / "data"
        self.succeed("generate", "radix", "--neurons", 1024, "--layers", 24, "-o", data)
        before = self.files(data)
        for _ in range(5):
            if self.interrupt_while_writing(data, "inspect", data, "--threads", 1):
                self.assertEqual(self.files(data), before)
                return
            (data / "n1024-l24.lstore").unlink()
        self.skipTest("the store was written faster than it could be interrupted")

    def test_ctrl_c_while_layers_are_written_leaves_whole_layers_only(self):
        data = self.folder / "data"
        if not self.interrupt_while_writing(data, "generate", "radix", "--neurons", 1024, "--layers", 120, "-o", data):
            self.skipTest("the layers were written faster than they could be interrupted")
        self.assertEqual([name for name in self.files(data) if not name.endswith(".tsv") or name.startswith(".")], [])
        for file in data.iterdir():
            self.assertEqual(problems.count_lines(file), 1024 * 32, file.name)
