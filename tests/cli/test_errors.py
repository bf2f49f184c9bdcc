"""Wrong arguments and missing files: exit code 2 and a sentence that helps."""
import npy
import problems
from program import ProgramTest

SMALL = ["challenge", "--neurons", 64, "--layers", 2, "--inputs", 5]


class WrongArguments(ProgramTest):
    def test_no_command_points_to_help(self):
        self.fail_with(2, says="--help")

    def test_an_unknown_command_is_named(self):
        self.fail_with(2, "challange", says="challange")

    def test_an_unknown_flag_is_named(self):
        self.fail_with(2, "challenge", "--nuerons", 64, says="--nuerons")

    def test_letters_in_a_number_are_named(self):
        self.fail_with(2, "challenge", "--neurons", "many", says=["--neurons", "many"])

    def test_a_negative_number_is_named(self):
        self.fail_with(2, *SMALL[:-2], "--inputs", "-5", says=["--inputs", "-5"])

    def test_a_flag_without_its_value_is_named(self):
        self.fail_with(2, "challenge", "--neurons", says="--neurons")

    def test_an_unknown_network_lists_the_known_ones(self):
        self.fail_with(2, *SMALL, "--network", "bogus", says=["bogus", "radix", "general"])

    def test_an_unknown_optimisation_lists_the_known_ones(self):
        self.fail_with(2, *SMALL, "--optimise", "bogus", says=["bogus", "dead_inputs"])

    def test_data_and_network_exclude_each_other(self):
        self.fail_with(2, *SMALL, "--data", self.folder, "--network", "radix", says=["--data", "--network"])

    def test_sizes_that_no_radix_network_has_are_explained(self):
        self.fail_with(2, "challenge", "--neurons", 100, says=["100 neurons", "power of two"])
        self.fail_with(2, "challenge", "--neurons", 0, says="--neurons")
        self.fail_with(2, "challenge", "--neurons", 64, "--layers", 0, says="--layers")

    def test_sizes_that_no_image_has_are_explained(self):
        self.fail_with(2, "generate", "inputs", "--neurons", 50, "-o", self.folder / "in.tsv", says=["50 neurons", "square"])
        self.assertEqual(self.files(), [])

    def test_no_inputs_are_an_error(self):
        self.fail_with(2, *SMALL[:-2], "--inputs", 0, says="0 inputs")

    def test_no_runs_are_an_error(self):
        self.fail_with(2, *SMALL, "--repeat", 0, says="--repeat")

    def test_generate_needs_to_know_what_and_where(self):
        self.fail_with(2, "generate", says="--help")
        self.fail_with(2, "generate", "radix", says="--output")

    def test_run_needs_a_network_and_inputs(self):
        self.fail_with(2, "run", says="network")
        self.fail_with(2, "run", problems.text_network(), says="--input")


class MissingFiles(ProgramTest):
    def test_a_missing_folder_is_named(self):
        for command in [["inspect"], ["compile"], ["bench"], [*SMALL, "--data"]]:
            self.fail_with(2, *command, self.folder / "nowhere", says="nowhere")

    def test_a_folder_without_a_network_says_what_is_accepted(self):
        self.fail_with(2, "inspect", self.folder, says=["n1024-l1.tsv", "weights/"])

    def test_a_file_that_is_no_network_is_an_error(self):
        file = self.folder / "letter.txt"
        file.write_text("Dear reader,\n")
        self.fail_with(2, "inspect", file, says=["letter.txt", "Dear reader"])

    def test_missing_inputs_are_named(self):
        self.fail_with(2, "run", problems.text_network(), "--input", self.folder / "nowhere.npy", says="nowhere.npy")
        self.fail_with(2, "run", problems.text_network(), "--input", self.folder / "nowhere.tsv", says="nowhere.tsv")
        self.fail_with(2, *SMALL, "--images", self.folder / "nowhere.tsv", says="nowhere.tsv")

    def test_missing_truth_and_labels_are_named(self):
        self.fail_with(2, *SMALL, "--truth", self.folder / "nowhere.tsv", says="nowhere.tsv")
        into = npy.write(self.folder / "in.npy", [[0.0] * 5])
        self.fail_with(2, "run", problems.text_network(), "--input", into, "--labels", self.folder / "nowhere.npy", says="nowhere.npy")

    def test_a_folder_in_place_of_inputs_is_an_error(self):
        self.fail_with(2, "run", problems.text_network(), "--input", self.folder, says=self.folder.name)

    def test_a_missing_layer_is_named(self):
        data = problems.network_folder("radix", self.folder / "data")
        (data / "n64-l4.tsv").unlink()
        self.fail_with(2, "inspect", data, says="n64-l4.tsv")

    def test_a_missing_folder_for_the_output_is_noticed_before_the_work(self):
        into = npy.write(self.folder / "in.npy", [[0.0] * 5])
        self.fail_with(2, "run", problems.text_network(), "--input", into, "--output", self.folder / "nowhere" / "out.npy", says="nowhere")
