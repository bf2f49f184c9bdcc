"""Starts the program under test and looks at what comes back."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

binary = ""  # set by test_cli.py
_folder = None


def work_folder():
    """One folder for the whole run."""
    global _folder
    if _folder is None:
        _folder = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-cli-"))
    return _folder


def clean_up():
    if _folder is not None:
        shutil.rmtree(_folder, ignore_errors=True)


def environment(**extra):
    """The caller's, without what would change the program's behaviour."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LACUNA_") and key != "NO_COLOR"}
    return {**kept, "LACUNA_CACHE": str(work_folder() / "cache"), **extra}


# A shell that runs the tests in the background lets them ignore Ctrl-C, and what they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def start(*arguments, env=None, **options):
    return subprocess.Popen([binary, *map(str, arguments)], env=environment(**(env or {})), cwd=work_folder(), **options)


def run(*arguments, env=None, **options):
    """Runs to the end; text in, text out."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 60, **options}
    return subprocess.run([binary, *map(str, arguments)], env=environment(**(env or {})), cwd=work_folder(), **options)


class ProgramTest(unittest.TestCase):
    longMessage = True

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=work_folder()))

    def succeed(self, *arguments, env=None, **options):
        """Exit code 0 and nothing on standard error; gives standard output."""
        done = run(*arguments, env=env, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"lacuna {' '.join(map(str, arguments))}")
        return done.stdout

    def succeed_json(self, *arguments, env=None):
        """Exactly one JSON object on one line of standard output."""
        return self.one_object(self.succeed(*arguments, "--json", env=env))

    def one_object(self, text):
        self.assertEqual(text.count("\n"), 1, f"one line expected, got: {text[:500]}")
        found = json.loads(text)
        self.assertIsInstance(found, dict)
        return found

    def fail_with(self, code, *arguments, env=None, says=(), **options):
        """The exit code, no result, and a sentence on standard error that holds each of `says`."""
        done = run(*arguments, env=env, **options)
        where = f"lacuna {' '.join(map(str, arguments))}"
        self.assertEqual(done.returncode, code, f"{where}: {done.stderr}")
        self.assertNotEqual(done.stderr.strip(), "", where)
        self.assertNotIn("internal error", done.stderr, where)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stderr, where)
        return done

    def files(self, folder=None):
        return sorted(path.name for path in (folder or self.folder).iterdir())
