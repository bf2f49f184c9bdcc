#!/usr/bin/env python3
"""Runs the command line program as a new user would: test_cli.py BINARY [NAME...]

Every test_*.py beside this file holds tests, one behaviour each; a NAME runs only the tests whose name contains it.
Only Python's standard library is needed.
"""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True  # the source tree stays as it is
import program  # noqa: E402


def main():
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit("usage: test_cli.py BINARY [NAME...]")
    program.binary = str(pathlib.Path(sys.argv[1]).resolve())
    loader = unittest.TestLoader()
    if sys.argv[2:]:
        loader.testNamePatterns = [f"*{name}*" for name in sys.argv[2:]]
    suite = loader.discover(str(pathlib.Path(__file__).parent), pattern="test_*.py")
    try:
        result = unittest.TextTestRunner().run(suite)
        for test, reason in result.skipped:
            print(f"skipped {test.id()}: {reason}", file=sys.stderr)
    finally:
        program.clean_up()
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
