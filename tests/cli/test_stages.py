"""`lacuna compile` and `inspect`: every stage can be looked at."""
import problems
from problems import EDGES, EDGES_LEFT
from program import ProgramTest, run


class Compile(ProgramTest):
    def compile(self, *arguments):
        return self.succeed("compile", problems.text_network(), *arguments)

    def test_without_flags_it_tells_edges_before_and_after(self):
        self.assertRegex(self.compile(), rf"^{EDGES} edges, {EDGES_LEFT} after the passes")

    def test_emit_rows_prints_every_row(self):
        text = self.compile("--emit=rows")
        self.assertTrue(text.startswith("rows:"), text)
        for group in ["group a", "group b", "group c", "group y"]:
            self.assertIn(group, text)
        self.assertNotIn("group unread", text)
        self.assertIn("1.5*[0]", text)

    def test_emit_plan_names_device_and_kernel(self):
        text = self.compile("--emit=plan")
        self.assertRegex(text, r"^plan: cpu \w+, panels of \d+ inputs")
        self.assertRegex(text, r"\ny: (table|baked)")

    def has_baked_code(self):
        return bool({"avx2", "avx512"} & set(self.succeed_json("devices")["devices"][0]["isas"]))

    def test_a_kernel_can_be_forced(self):
        self.assertIn("y: table", self.compile("--emit=plan", "--kernel", "table"))
        if self.has_baked_code():
            self.assertIn("y: baked", self.compile("--emit=plan", "--kernel", "baked"))

    def test_baked_code_where_there_is_none_is_not_supported(self):
        self.fail_with(3, "compile", problems.text_network(), "--kernel", "baked", env={"LACUNA_ISA": "sse4"}, says=["baked", "avx2", "sse4", "auto"])

    def test_an_unknown_kernel_is_an_error(self):
        self.fail_with(2, "compile", problems.text_network(), "--kernel", "bogus", says=["bogus", "auto", "table", "baked"])

    def test_the_code_of_baked_groups_can_be_read(self):
        if not self.has_baked_code():
            self.skipTest("this CPU has no instruction set with baked code")
        self.assertRegex(self.compile("--emit=asm", "--kernel", "baked"), r"; group y: baked .*\n(.*\n)*ret\n")
        self.assertIn("kernel y[0,", self.compile("--emit=kernel", "--kernel", "baked"))
        self.assertIn("every group runs the table kernel", self.compile("--emit=asm", "--kernel", "table"))

    def test_what_was_measured_is_remembered(self):
        cache = {"LACUNA_CACHE": str(self.folder / "cache")}
        first = self.succeed("compile", problems.text_network(), "--explain", env=cache)
        second = self.succeed("compile", problems.text_network(), "--explain", env=cache)
        self.assertNotIn("remembered", first)
        self.assertTrue(second.startswith(first), f"{first}\n{second}")
        self.assertIn("remembered in " + str(self.folder / "cache"), second)

    def test_the_cache_can_be_off(self):
        home = {"LACUNA_CACHE": "off", "HOME": str(self.folder), "XDG_CACHE_HOME": ""}
        self.succeed("compile", problems.text_network(), env=home)
        self.assertEqual(self.files(), [])
        self.succeed("compile", problems.text_network(), env={**home, "LACUNA_CACHE": ""})
        self.assertEqual(len(self.files(self.folder / ".cache" / "lacuna")), 1)

    def test_explain_says_why(self):
        text = self.compile("--explain")
        self.assertIn("why ", text)
        self.assertIn("<- chosen", text)

    def test_an_unknown_stage_is_an_error(self):
        self.fail_with(2, "compile", problems.text_network(), "--emit=bogus", says=["bogus", "rows", "plan"])

    def test_print_after_prints_a_network_that_parses(self):
        text = self.compile("--print-after=remove_unread_operators")
        comment, network = text.split("\n", 1)
        self.assertTrue(comment.startswith("# after remove_unread_operators"), comment)
        self.assertNotIn("unread", network)
        after = self.folder / "after.txt"
        after.write_text(network)
        self.assertEqual(self.succeed_json("inspect", after)["edges"], EDGES - 1)

    def test_print_after_all_names_every_pass(self):
        self.assertIn("# after remove_unread_operators", self.compile("--print-after=all"))

    def test_print_after_an_unknown_pass_lists_the_known_ones(self):
        self.fail_with(2, "compile", problems.text_network(), "--print-after=bogus", says=["bogus", "remove_unread_operators"])

    def test_print_after_a_pass_that_is_left_out_is_an_error(self):
        self.fail_with(2, "compile", problems.text_network(), "--print-after=remove_unread_operators", "--optimise", "none", says="remove_unread_operators")

    def test_print_after_something_that_is_no_pass_is_an_error(self):
        self.fail_with(2, "compile", problems.text_network(), "--print-after=dead_inputs", says="dead_inputs")

    def test_json_holds_passes_and_plan(self):
        found = self.succeed_json("compile", problems.text_network())
        self.assertEqual((found["edges"], found["edges_after_passes"]), (EDGES, EDGES_LEFT))
        self.assertIn("remove_unread_operators", [entry["name"] for entry in found["passes"]])
        self.assertIn("plan:", found["plan"])

    def test_json_with_a_stage_is_still_one_object_that_holds_it(self):
        done = run("compile", problems.text_network(), "--json", "--emit=rows")
        if done.returncode != 2:
            self.assertIn("1.5*[0]", self.one_object(done.stdout).get("rows", ""))

    def test_json_with_print_after_is_still_one_object(self):
        self.one_object(run("compile", problems.text_network(), "--json", "--print-after=all").stdout)


class Simplified(ProgramTest):
    """What the passes made is kept beside the network's store."""

    def setUp(self):
        super().setUp()
        self.network = problems.network_folder("radix", self.folder / "net")
        self.kept = self.network / f"n{problems.NEURONS}-l{problems.LAYERS}.simplified.lstore"

    def test_the_second_time_it_comes_from_the_store(self):
        first = self.succeed_json("compile", self.network)
        self.assertRegex(first["simplified"], r"^in .* m?s$")
        self.assertEqual([entry["name"] for entry in first["passes"]][-1], "merge_equal_neurons")
        self.assertTrue(self.kept.exists())
        second = self.succeed_json("compile", self.network)
        self.assertEqual((second["simplified"], second["passes"]), ("from store", []))
        self.assertEqual(second["edges_after_passes"], first["edges_after_passes"])
        self.assertLess(second["edges_after_passes"], second["edges"] / 4)
        self.assertRegex(self.succeed("compile", self.network), r"; simplified from store$")

    def test_run_and_bench_give_the_same_answer_from_it(self):
        answers = []
        for number in range(3):
            output = self.folder / f"{number}.npy"
            arguments = ["--no-store"] if number == 2 else []
            self.succeed("run", self.network, "--input", problems.images(), "--output", output, *arguments)
            answers.append(output.read_bytes())
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])
        self.assertTrue(self.succeed_json("bench", self.network, "--batch", 8, "--seconds", 0)["verified"])
        self.assertTrue(self.kept.exists())

    def test_the_challenge_uses_it(self):
        arguments = ["challenge", "--data", self.network, "--images", problems.images(), "--truth", problems.radix_truth(), "--repeat", 1]
        first, second = self.succeed_json(*arguments), self.succeed_json(*arguments)
        self.assertEqual((first["simplified_from_store"], second["simplified_from_store"]), (False, True))
        self.assertEqual((first["survivors"], first["verified"]), (second["survivors"], second["verified"]))
        self.assertTrue(second["verified"])

    def test_a_store_given_by_itself_has_one_too(self):
        self.succeed("compile", self.network)
        self.kept.unlink()
        store = self.network / f"n{problems.NEURONS}-l{problems.LAYERS}.lstore"
        self.succeed("compile", store)
        self.assertEqual(self.succeed_json("compile", store)["simplified"], "from store")
        self.assertEqual(self.succeed_json("compile", self.network)["simplified"], "from store")

    def test_no_store_leaves_none_behind_and_reads_none(self):
        self.succeed("compile", self.network, "--no-store")
        self.assertFalse(self.kept.exists())
        self.succeed("compile", self.network)
        self.assertNotEqual(self.succeed_json("compile", self.network, "--no-store")["simplified"], "from store")

    def test_a_damaged_one_is_made_anew_and_said_so(self):
        self.succeed("compile", self.network)
        bytes_kept = bytearray(self.kept.read_bytes())
        bytes_kept[len(bytes_kept) // 2] ^= 0xFF
        self.kept.write_bytes(bytes_kept)
        done = run("compile", self.network)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^lacuna: simplified anew: .*damaged")
        self.assertRegex(done.stdout, r"; simplified in .* m?s\n$")
        self.assertRegex(self.succeed("compile", self.network), r"; simplified from store$")

    def test_print_after_runs_the_passes(self):
        self.succeed("compile", self.network)
        self.assertIn("# after merge_equal_neurons", self.succeed("compile", self.network, "--print-after=merge_equal_neurons"))


class Bitwise(ProgramTest):
    def test_it_gives_the_bytes_of_none_with_fewer_edges(self):
        network = problems.network_folder("radix", self.folder / "net")
        for choice in ["none", "bitwise"]:
            self.succeed("run", network, "--input", problems.images(), "--output", self.folder / choice, "--optimise", choice)
        self.assertEqual((self.folder / "none").read_bytes(), (self.folder / "bitwise").read_bytes())
        found = self.succeed_json("compile", network, "--optimise", "bitwise")
        self.assertIn("merge_equal_rows", found["optimisations"])
        self.assertNotIn("merge_equal_neurons", found["optimisations"])
        self.assertLess(found["edges_after_passes"], found["edges"] / 4)


class Inspect(ProgramTest):
    def test_the_table_has_a_line_for_every_operator(self):
        lines = self.succeed("inspect", problems.text_network()).splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:7]], ["a", "b", "unread", "c", "d", "y"])
        self.assertRegex(lines[-1], rf"^5 inputs, 3 outputs, {EDGES} edges, hash [0-9a-f]{{16}}$")

    def test_json_describes_every_operator(self):
        found = self.succeed_json("inspect", problems.text_network())
        self.assertEqual((found["input"], found["output"], found["edges"], found["from_store"]), (5, 3, EDGES, False))
        self.assertEqual([layer["name"] for layer in found["layers"]], ["a", "b", "unread", "c", "d", "y"])
        self.assertEqual(found["layers"][1]["activation"], "leaky_relu(0.1)")

    def test_text_is_the_file_it_was_read_from(self):
        self.assertEqual(self.succeed("inspect", problems.text_network(), "--text"), problems.TEXT_FORM)

    def test_text_and_json_together_are_one_object_or_an_error(self):
        done = run("inspect", problems.text_network(), "--text", "--json")
        if done.returncode != 2:
            self.one_object(done.stdout)
