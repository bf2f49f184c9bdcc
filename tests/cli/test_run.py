"""`lacuna run` and `lacuna bench`."""
import random

import npy
import problems
from program import ProgramTest

BENCH_KEYS = ("inputs edges device isa threads runs seconds_load seconds_compile latency_ms_median latency_ms_p99 latency_ms_best "
              "items_per_s active_edges_per_s fma_peak_per_s verified optimisations").split()


def random_rows(count):
    dice = random.Random(3)
    return [[dice.choice([-2, -1, -0.5, 0, 0, 0.25, 1, 3]) for _ in range(5)] for _ in range(count)]


class Run(ProgramTest):
    def check_outputs(self, rows, file):
        found = npy.read(file)
        self.assertEqual(len(found), len(rows))
        for row, outputs in zip(rows, found):
            for value, expected in zip(outputs, problems.evaluate_text_form(row), strict=True):
                self.assertLess(abs(value - expected), 1e-5 * max(1, abs(expected)), row)

    def test_npy_in_and_out_agree_with_a_plain_evaluation(self):
        for count in [1, 37, 70]:
            rows = random_rows(count)
            into = npy.write(self.folder / "in.npy", rows)
            told = self.succeed_json("run", problems.text_network(), "--input", into, "--output", self.folder / "out.npy")
            self.assertEqual((told["inputs"], told["outputs"]), (count, 3))
            self.check_outputs(rows, self.folder / "out.npy")

    def test_float64_is_read_too(self):
        rows = random_rows(9)
        into = npy.write(self.folder / "in.npy", rows, "<f8")
        self.succeed("run", problems.text_network(), "--input", into, "--output", self.folder / "out.npy")
        self.check_outputs(rows, self.folder / "out.npy")

    def test_tsv_inputs_give_the_outputs_of_a_plain_evaluation(self):
        data = problems.network_folder("radix", self.folder / "data")
        self.succeed("run", data, "--input", problems.images(), "--output", self.folder / "out.npy")
        for outputs, expected in zip(npy.read(self.folder / "out.npy"), problems.radix_answers(), strict=True):
            for value, wanted in zip(outputs, expected, strict=True):
                self.assertLess(abs(value - wanted), 1e-3)

    def test_labels_tell_the_accuracy(self):
        rows = random_rows(40)
        best = [max(range(3), key=problems.evaluate_text_form(row).__getitem__) for row in rows]
        labels = [label if k % 4 else (label + 1) % 3 for k, label in enumerate(best)]
        into = npy.write(self.folder / "in.npy", rows)
        for kind in ["<i4", "|u1"]:
            wanted = npy.write(self.folder / "labels.npy", labels, kind)
            self.assertAlmostEqual(self.succeed_json("run", problems.text_network(), "--input", into, "--labels", wanted)["accuracy"], 0.75)
        self.assertIn("75.00%", self.succeed("run", problems.text_network(), "--input", into, "--labels", wanted))

    def test_too_few_labels_are_an_error(self):
        into = npy.write(self.folder / "in.npy", random_rows(4))
        labels = npy.write(self.folder / "labels.npy", [1, 2, 0], "<i4")
        self.fail_with(2, "run", problems.text_network(), "--input", into, "--labels", labels, says=["labels.npy", "3", "4"])

    def test_inputs_of_another_width_are_an_error(self):
        into = npy.write(self.folder / "in.npy", [[1.0, 2.0, 3.0]])
        self.fail_with(2, "run", problems.text_network(), "--input", into, says=["3", "5"])

    def test_a_cut_npy_is_an_error(self):
        into = npy.write(self.folder / "in.npy", random_rows(4))
        into.write_bytes(into.read_bytes()[:-3])
        self.fail_with(2, "run", problems.text_network(), "--input", into, says="in.npy")


class Bench(ProgramTest):
    def test_json_has_every_key_and_is_verified(self):
        found = self.succeed_json("bench", problems.text_network(), "--seconds", 0, "--batch", 33)
        self.assertEqual([key for key in BENCH_KEYS if key not in found], [])
        self.assertEqual((found["inputs"], found["verified"]), (33, True))
        self.assertLessEqual(found["latency_ms_best"], found["latency_ms_median"])
        self.assertLessEqual(found["latency_ms_median"], found["latency_ms_p99"])

    def test_human_output_ends_with_verified(self):
        self.assertRegex(self.succeed("bench", problems.text_network(), "--seconds", 0).strip().splitlines()[-1], r"^verified ")

    def test_inputs_from_a_file(self):
        data = problems.network_folder("radix", self.folder / "data")
        self.assertEqual(self.succeed_json("bench", data, "--seconds", 0, "--input", problems.images())["inputs"], problems.INPUTS)

    def test_a_duration_is_kept(self):
        self.assertGreater(self.succeed_json("bench", problems.text_network(), "--seconds", 0.3)["runs"], 3)
