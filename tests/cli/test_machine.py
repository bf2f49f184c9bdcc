"""Threads, instruction sets and the environment variables that force them."""
import problems
from program import ProgramTest


class Machine(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = problems.network_folder("radix", self.folder / "data")
        self.args = ["challenge", "--neurons", 64, "--layers", 8, "--data", self.data, "--images", problems.images(), "--truth", problems.radix_truth()]

    def isas(self):
        return self.succeed_json("devices")["devices"][0]["isas"]

    def test_every_instruction_set_gives_the_same_survivors(self):
        survivors = set()
        for isa in self.isas():
            found = self.succeed_json(*self.args, env={"LACUNA_ISA": isa})
            self.assertEqual(found["isa"], isa)
            survivors.add(found["survivors"])
        self.assertEqual(survivors, {problems.count_lines(problems.radix_truth())})

    def test_the_default_instruction_set_is_the_last_one(self):
        self.assertEqual(self.succeed_json(*self.args)["isa"], self.isas()[-1])
        self.assertEqual(self.succeed_json(*self.args, env={"LACUNA_ISA": ""})["isa"], self.isas()[-1])

    def test_an_unknown_instruction_set_is_an_error_that_lists_the_known_ones(self):
        self.fail_with(2, *self.args, env={"LACUNA_ISA": "bogus"}, says=["LACUNA_ISA", "bogus", "avx2"])

    def test_an_instruction_set_this_cpu_lacks_is_not_supported(self):
        missing = [isa for isa in ["sse4", "avx2", "avx512"] if isa not in self.isas()]
        if not missing:
            self.skipTest("this CPU has every instruction set")
        for isa in missing:
            self.fail_with(3, *self.args, env={"LACUNA_ISA": isa}, says=["LACUNA_ISA", isa, self.isas()[-1]])

    def test_one_and_two_threads_give_the_same_answer(self):
        outputs = []
        for threads in [1, 2]:
            file = self.folder / f"{threads}.npy"
            found = self.succeed_json(*self.args, "--threads", threads, "--output", file)
            self.assertEqual(found["threads"], threads)
            outputs.append(file.read_bytes())
        self.assertEqual(outputs[0], outputs[1])

    def test_the_environment_sets_threads_and_the_flag_wins(self):
        self.assertEqual(self.succeed_json(*self.args, env={"LACUNA_THREADS": "1"})["threads"], 1)
        self.assertEqual(self.succeed_json(*self.args, "--threads", 2, env={"LACUNA_THREADS": "1"})["threads"], 2)

    def test_no_threads_are_an_error(self):
        for wish in ["0", "-1", "two", "1.5"]:
            self.fail_with(2, *self.args, env={"LACUNA_THREADS": wish}, says=["LACUNA_THREADS", wish])
        self.fail_with(2, *self.args, "--threads", 0, says="--threads")

    def test_an_unknown_device_is_not_supported(self):
        says = 'no kind of device is called "gpu"; devices are named like cpu, cuda, cuda:0,1, opencl, opencl:NAME, sim:a100, sim:v100:2 (lacuna devices lists what is here)'
        self.fail_with(3, *self.args, "--device", "gpu", says=says)
        self.fail_with(3, *self.args, env={"LACUNA_DEVICE": "gpu"}, says=says)

    def test_the_device_flag_wins_over_the_environment(self):
        self.assertEqual(self.succeed_json(*self.args, "--device", "cpu", env={"LACUNA_DEVICE": "gpu"})["device"], "cpu")
