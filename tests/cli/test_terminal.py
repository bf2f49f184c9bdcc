"""Colours and the progress bar: on a terminal only."""
import os
import pty
import subprocess

import problems
from program import ProgramTest, start

COLOUR = "\x1b[3"
ARGUMENTS = ["challenge", "--neurons", 64, "--layers", 8, "--images"]


def run_on_terminal(*arguments, terminal, env=None):
    """Runs with stdout or stderr a terminal and the other a pipe; gives what the terminal and the pipe received."""
    ours, theirs = pty.openpty()
    pipe = "stderr" if terminal == "stdout" else "stdout"
    process = start(*arguments, env=env, stdin=subprocess.DEVNULL, **{terminal: theirs, pipe: subprocess.PIPE})
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    with process, getattr(process, pipe) as other:
        piped = other.read().decode()
    assert process.returncode == 0, (shown, piped)
    return shown.decode(), piped


class Terminal(ProgramTest):
    def setUp(self):
        super().setUp()
        self.args = [*ARGUMENTS, problems.images(), "--data", problems.network_folder("radix", self.folder / "data")]

    def test_a_terminal_gets_colours(self):
        shown, errors = run_on_terminal(*self.args, terminal="stdout")
        self.assertIn(COLOUR, shown)
        self.assertEqual(errors, "")

    def test_no_color_turns_them_off(self):
        shown, _ = run_on_terminal(*self.args, terminal="stdout", env={"NO_COLOR": "1"})
        self.assertNotIn("\x1b", shown)
        self.assertIn("verified", shown)

    def test_an_empty_no_color_does_not_count(self):
        shown, _ = run_on_terminal(*self.args, terminal="stdout", env={"NO_COLOR": ""})
        self.assertIn(COLOUR, shown)

    def test_json_is_never_coloured(self):
        shown, _ = run_on_terminal(*self.args, "--json", terminal="stdout")
        self.assertNotIn("\x1b", shown)

    def test_a_pipe_gets_no_colours(self):
        self.assertNotIn("\x1b", self.succeed(*self.args))

    def test_progress_is_shown_where_errors_are_a_terminal(self):
        shown, results = run_on_terminal(*self.args, "--json", "--no-store", terminal="stderr")
        self.assertIn("reading layers", shown)
        self.assertIn("100%", shown)
        self.one_object(results)

    def test_progress_wipes_itself_off_the_terminal(self):
        shown, _ = run_on_terminal(*self.args, "--json", "--no-store", terminal="stderr")
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown[-40:]))

    def test_no_progress_without_a_terminal(self):
        self.succeed(*self.args)  # nothing on standard error
