"""--help and --version: what a new user types first."""
import re

from program import ProgramTest

COMMANDS = ["challenge", "run", "bench", "generate", "inspect", "compile", "devices", "prune", "convert"]
DESCRIPTION_COLUMN = 30  # descriptions start no further left


def described(help_text, start):
    """Name -> description of the entries under a heading; an entry that is too long has its description on the next line."""
    section = help_text.split(f"\n{start}:\n", 1)[1].split("\n\n", 1)[0]
    entries = {}
    lines = section.splitlines()
    for line, following in zip(lines, lines[1:] + [""]):
        if not re.match(r"  \S", line):
            continue
        name = line.split()[0]
        words = line[DESCRIPTION_COLUMN:].strip()
        if not words and following.startswith(" " * DESCRIPTION_COLUMN):
            words = following.strip()
        entries[name] = words
    return entries


class Help(ProgramTest):
    def test_help_lists_every_command_with_a_description(self):
        listed = described(self.succeed("--help"), "Subcommands")
        self.assertEqual(list(listed), COMMANDS)
        for name, words in listed.items():
            self.assertGreater(len(words), 10, name)

    def test_help_names_exit_codes_and_environment(self):
        text = self.succeed("--help")
        for words in ["Exit codes", "LACUNA_ISA", "LACUNA_THREADS", "LACUNA_DATA", "LACUNA_CACHE", "NO_COLOR"]:
            self.assertIn(words, text)

    def test_every_flag_of_every_command_has_a_description(self):
        for command in [[name] for name in COMMANDS] + [["generate", kind] for kind in ["radix", "general", "inputs"]]:
            text = self.succeed(*command, "--help")
            flags = described(text, "Options")
            self.assertIn("-h,--help", flags)
            if "\nPositionals:" in text:
                flags |= described(text, "Positionals")
            for flag, words in flags.items():
                with self.subTest(command=command, flag=flag):
                    self.assertGreater(len(words), 3)

    def test_every_command_that_gives_results_takes_json(self):
        for command in [[name] for name in COMMANDS if name != "generate"] + [["generate", kind] for kind in ["radix", "general", "inputs"]]:
            self.assertIn("--json", described(self.succeed(*command, "--help"), "Options"), command)

    def test_challenge_takes_the_flags_of_the_manual(self):
        flags = described(self.succeed("challenge", "--help"), "Options")
        for flag in ["--neurons", "--layers", "--data", "--network", "--images", "--truth", "--inputs", "--threads", "--optimise", "--repeat", "--seed"]:
            self.assertIn(flag, flags)

    def test_help_of_optimise_describes_each_optimisation(self):
        text = self.succeed("challenge", "--help")
        names = self.succeed_json("challenge", "--neurons", 64, "--layers", 2, "--inputs", 4)["optimisations"]
        self.assertTrue(names)
        for name in names + ["merge_equal_rows"]:
            self.assertRegex(text, rf"{name}: \w+")
        self.assertIn("bitwise", text)

    def test_version_is_one_line(self):
        self.assertRegex(self.succeed("--version"), r"\Alacuna \d+\.\d+\.\d+\n\Z")
