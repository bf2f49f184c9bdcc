"""`lacuna challenge`, generated and from files."""
import npy
import problems
from program import ProgramTest, run

KEYS = ("neurons layers inputs edges device isa threads seconds_load seconds_compile seconds_run nominal_edges_per_s active_edges_per_s "
        "fma_peak_per_s survivors verified optimisations inputs_as_bits counted_first_layer waves different_outputs").split()
SMALL = ["challenge", "--neurons", 64, "--layers", 8]


class Generated(ProgramTest):
    def test_radix_prints_a_table_that_ends_with_verified(self):
        lines = self.succeed(*SMALL, "--inputs", 200).strip().splitlines()
        labels = [line.split()[0] for line in lines if line]
        for label in ["machine", "network", "inputs", "optimise", "load", "compile", "run", "nominal", "active", "survivors"]:
            self.assertIn(label, labels)
        self.assertEqual(labels[-1], "verified")

    def test_json_is_one_object_with_every_key(self):
        for network in ["radix", "general"]:
            found = self.succeed_json(*SMALL, "--inputs", 200, "--network", network)
            self.assertEqual([key for key in KEYS if key not in found], [], network)
            self.assertEqual((found["neurons"], found["layers"], found["inputs"], found["device"]), (64, 8, 200, "cpu"))
            self.assertIs(found["verified"], True)
            self.assertGreater(found["fma_peak_per_s"], 0)
            self.assertGreaterEqual(found["nominal_edges_per_s"] * 1.0001, found["active_edges_per_s"])
            self.assertAlmostEqual(found["nominal_edges_per_s"] * found["seconds_run"] / (found["edges"] * 200), 1, places=6)

    def test_radix_has_32_edges_a_neuron(self):
        self.assertEqual(self.succeed_json(*SMALL, "--inputs", 1)["edges"], 64 * 8 * 32)

    def test_a_seed_gives_the_same_problem_again_and_another_seed_another(self):
        args = [*SMALL, "--network", "general", "--inputs", 20, "--seed"]
        edges = [self.succeed_json(*args, seed)["edges"] for seed in [5, 5, 6]]
        self.assertEqual(edges[0], edges[1])
        self.assertNotEqual(edges[0], edges[2])

    def test_the_ladder_climbs_from_none_and_verifies_every_rung(self):
        found = self.succeed_json(*SMALL, "--inputs", 300, "--ladder", "--repeat", 2)
        rungs = found["ladder"]
        self.assertEqual((rungs[0]["rung"], rungs[0]["optimise"]), ("none", "none"))
        self.assertTrue(all(rung["verified"] for rung in rungs))
        for lower, higher in zip(rungs[1:], rungs[2:]):
            self.assertTrue(higher["optimise"].startswith(lower["optimise"]), (lower, higher))
        self.assertEqual(rungs[0]["active_edges"], found["edges"] * 300)
        self.assertLess(rungs[-1]["active_edges"], found["edges"] * 300)
        self.assertTrue(rungs[-1]["counted_first_layer"])
        table = self.succeed(*SMALL, "--inputs", 300, "--ladder")
        self.assertEqual(table.count("verified"), len(rungs))

    def test_against_measures_two_lists_in_turn_and_verifies_both(self):
        found = self.succeed_json(*SMALL, "--inputs", 300, "--against", "depth_first", "--repeat", 3)
        self.assertEqual([side["optimise"] for side in found["sides"]], ["all", "depth_first"])
        self.assertTrue(all(side["verified"] for side in found["sides"]))
        self.assertGreater(found["ratio"], 0)
        self.assertEqual(found["rounds"], 3)
        self.assertEqual(self.succeed(*SMALL, "--inputs", 300, "--against", "none").count("verified"), 2)

    def test_the_table_says_how_the_first_layer_ran(self):
        self.assertIn("first layer by counting bits", self.succeed(*SMALL, "--inputs", 200))
        self.assertIn("first layer by multiply-adds", self.succeed(*SMALL, "--inputs", 200, "--network", "general"))

    def test_repeat_says_how_many_runs(self):
        self.assertEqual(self.succeed_json(*SMALL, "--inputs", 5, "--repeat", 4)["repeat"], 4)


class FromFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = problems.network_folder("radix", self.folder / "data")
        self.args = [*SMALL, "--data", self.data, "--images", problems.images()]

    def test_text_and_store_give_the_same_answer(self):
        first, second = self.folder / "first.npy", self.folder / "second.npy"
        self.assertEqual([name for name in self.files(self.data) if name.endswith(".lstore")], [])
        from_text = self.succeed_json(*self.args, "--truth", problems.radix_truth(), "--output", first)
        self.assertEqual([name for name in self.files(self.data) if not name.endswith(".tsv")], ["n64-l8.lstore", "n64-l8.simplified.lstore"])
        from_store = self.succeed_json(*self.args, "--truth", problems.radix_truth(), "--output", second)
        self.assertIn(".lstore", from_store["network"])
        self.assertNotIn(".lstore", from_text["network"])
        self.assertEqual(first.read_bytes(), second.read_bytes())
        for key in ["survivors", "verified", "edges", "inputs"]:
            self.assertEqual(from_text[key], from_store[key], key)

    def test_survivors_are_those_of_a_plain_evaluation(self):
        found = self.succeed_json(*self.args, "--truth", problems.radix_truth(), "--no-store")
        self.assertEqual(found["survivors"], problems.count_lines(problems.radix_truth()))
        self.assertIs(found["verified"], True)

    def test_images_and_truth_in_the_folder_are_found(self):
        (self.data / "sparse-images-64.tsv").write_bytes(problems.images().read_bytes())
        (self.data / "neuron64-l8-categories.tsv").write_text("1\n2\n")
        self.fail_with(1, *SMALL, "--data", self.data, says="wrong answer")
        (self.data / "neuron64-l8-categories.tsv").write_bytes(problems.radix_truth().read_bytes())
        self.assertEqual(self.succeed_json(*SMALL, "--data", self.data)["inputs"], problems.INPUTS)

    def test_sizes_are_found_from_the_folder(self):
        found = self.succeed_json("challenge", "--data", self.data, "--images", problems.images())
        self.assertEqual((found["neurons"], found["layers"]), (64, 8))

    def test_inputs_takes_the_first_ones(self):
        self.assertEqual(self.succeed_json(*self.args, "--truth", problems.radix_truth(), "--inputs", 40)["inputs"], 40)

    def outputs_with(self, choice):
        file = self.folder / f"{choice}.npy"
        found = self.succeed_json(*self.args, "--truth", problems.radix_truth(), "--optimise", choice, "--output", file)
        self.assertEqual(found["optimisations"] == [], choice == "none")
        return file

    def test_optimisations_do_not_change_the_answer(self):
        plain = npy.read(self.outputs_with("none"))
        for row, expected in zip(npy.read(self.outputs_with("all")), plain, strict=True):
            for value, wanted in zip(row, expected, strict=True):
                self.assertAlmostEqual(value, wanted, delta=1e-4)

    def test_optimisations_that_merge_nothing_keep_every_bit(self):
        plain = self.outputs_with("none").read_bytes()
        for choice in ["dead_inputs", "remove_unread_operators,dead_inputs"]:
            self.assertEqual(self.outputs_with(choice).read_bytes(), plain, choice)

    def test_a_wrong_truth_file_is_a_wrong_answer(self):
        alive = problems.radix_truth().read_text().splitlines()
        for name, lines in {"one missing": alive[1:], "one too many": ["1", *alive]}.items():
            wrong = self.folder / "wrong.tsv"
            wrong.write_text("\n".join(lines) + "\n")
            with self.subTest(name):
                done = self.fail_with(1, *self.args, "--truth", wrong, says="wrong answer")
                self.assertIn("WRONG", done.stdout)
                done = run(*self.args, "--truth", wrong, "--json")
                self.assertEqual(done.returncode, 1)
                self.assertIs(self.one_object(done.stdout)["verified"], False)

    def test_a_truth_file_of_more_inputs_is_an_input_error(self):
        file = self.folder / "other.tsv"
        file.write_text("1\n60000\n")
        self.fail_with(2, *self.args, "--truth", file, says=["other.tsv:2", "60000"])
