"""Networks on GPUs: OpenCL where a platform is installed, NVIDIA's GPUs simulated; what is said where there is none; and the kernels as text."""
import json
import pathlib
import subprocess

import problems
import program
from program import ProgramTest, run


def missing(device):
    """Why the device cannot be used here, or nothing."""
    done = run("compile", problems.text_network(), "--device", device)
    return done.stderr if done.returncode == 4 else ""


class Gpus(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = problems.network_folder("radix", self.folder / "data")
        self.args = ["challenge", "--neurons", 64, "--layers", 8, "--data", self.data, "--images", problems.images(), "--truth", problems.radix_truth()]

    def need(self, device):
        if why := missing(device):
            self.skipTest(why)

    def challenge_on(self, device):
        self.need(device)
        found = self.succeed_json(*self.args, "--device", device)
        self.assertEqual((found["device"], found["isa"], found["verified"]), (device, "", True))
        self.assertEqual(found["survivors"], problems.count_lines(problems.radix_truth()))
        self.assertEqual(found["fma_peak_per_s"], 0)
        text = self.succeed(*self.args, "--device", device)
        self.assertRegex(text, rf"machine +{device}\n")
        self.assertNotIn("of peak", text)
        return found, text

    def test_the_challenge_gives_its_survivors_on_opencl(self):
        found, text = self.challenge_on("opencl")
        self.assertNotIn("predicted", found)
        self.assertNotIn("predicted", text)

    def test_the_challenge_gives_its_survivors_on_a_simulated_gpu_and_predicts(self):
        found, text = self.challenge_on("sim:a100")
        self.assertEqual([gpu["device"] for gpu in found["predicted"]], ["a100"])
        self.assertRegex(text, r"run +.*\(predicted\)")
        self.assertRegex(text, r"predicted +.* on NVIDIA A100.*, bound by \w+")
        self.assertRegex(text, r"counted +[\d,]+ launches, [\d,]+ warp instructions")

    def test_two_simulated_gpus_give_the_answer_of_one(self):
        self.need("sim:a100")
        found, _ = self.challenge_on("sim:a100:2")
        self.assertEqual(len(found["predicted"]), 2)

    def test_run_gives_what_the_cpu_gives(self):
        for device in ["opencl", "sim:v100"]:
            with self.subTest(device=device):
                self.need(device)
                outputs = []
                for where in ["cpu", device]:
                    file = self.folder / "y.npy"
                    self.succeed("run", self.data, "--input", problems.images(), "--output", file, "--device", where, "--optimise", "none")
                    outputs.append(file.read_bytes())
                self.assertEqual(outputs[0], outputs[1])

    def test_bench_tells_the_device_and_no_peak(self):
        self.need("opencl")
        text = self.succeed("bench", self.data, "--batch", 8, "--seconds", 0, "--device", "opencl")
        self.assertRegex(text, r"runs on opencl\n")
        self.assertNotIn("peak", text)
        self.assertIn("verified", text)

    def test_bench_counts_one_run_of_a_simulated_gpu(self):
        self.need("sim:v100")
        first, second = (self.succeed_json("bench", self.data, "--batch", 8, "--seconds", 0, "--device", "sim:v100")["predicted"][0] for _ in range(2))
        self.assertGreater(first["warp_instructions"], 0)
        self.assertEqual(first["warp_instructions"], second["warp_instructions"])
        self.assertGreater(first["predicted_seconds"], 0)
        text = self.succeed("bench", self.data, "--batch", 8, "--seconds", 0, "--device", "sim:v100")
        self.assertRegex(text, r"best .* \(predicted\)")
        self.assertRegex(text, r"per edge +\d+\.\d\d warp instructions for 32 active edges")

    def test_weights_that_do_not_fit_are_streamed_and_it_says_so(self):
        self.need("sim:a100")
        bench = ["bench", self.data, "--batch", 40, "--seconds", 0, "--device", "sim:a100", "--optimise", "none"]
        plenty, little = self.succeed_json(*bench), self.succeed_json(*bench, env={"LACUNA_GPU_MEMORY": "100KiB"})
        self.assertEqual((plenty["resident_weight_bytes"], plenty["streamed_bytes"]), (plenty["weight_bytes"], 0))
        self.assertLess(little["resident_weight_bytes"], little["weight_bytes"])
        self.assertGreater(little["streamed_bytes"], 0)
        text = self.succeed(*bench, env={"LACUNA_GPU_MEMORY": "100KiB"})
        self.assertRegex(text, r"weights +streamed: [\d,]+ of [\d,]+ bytes resident, [\d,]+ bytes copied in a run\n")
        self.assertRegex(text, r"copies +.* on the bus of NVIDIA A100.*, bound by the (bus|kernels) \(predicted\)\n")
        self.assertNotIn("streamed", self.succeed(*bench))
        explain = ["compile", self.data, "--device", "sim:a100", "--optimise", "none", "--explain"]
        self.assertRegex(self.succeed(*explain), r"weights resident: \d+ bytes\n")
        self.assertRegex(self.succeed(*explain, env={"LACUNA_GPU_MEMORY": "100KiB"}), r"weights streamed: \d+ of \d+ bytes resident")

    def test_values_can_be_kept_in_16_bits(self):
        for device in ["opencl", "sim:a100"]:
            for precision in ["f16", "bf16"]:
                with self.subTest(device=device, precision=precision):
                    self.need(device)
                    bench = ["bench", self.data, "--batch", 40, "--seconds", 0, "--device", device, "--precision", precision]
                    self.assertTrue(self.succeed_json(*bench)["verified"])
                    self.assertIn(f" planes kept in {precision}, ", self.succeed("compile", self.data, "--device", device, "--precision", precision, "--emit=plan"))
        self.fail_with(3, "bench", self.data, "--precision", "f16", says=["the cpu keeps the values of layers in f32", "--device cuda"])

    def test_a_gpu_without_room_for_two_layers_says_so(self):
        self.need("sim:a100")
        self.fail_with(4, *self.args, "--device", "sim:a100", "--optimise", "none", env={"LACUNA_GPU_MEMORY": "40KiB"},
                       says=["40.0 KiB of memory may be used", "are needed at least", "take a GPU with more memory"])

    def test_the_environment_names_the_device_and_the_flag_wins(self):
        self.need("opencl")
        self.assertEqual(self.succeed_json(*self.args, env={"LACUNA_DEVICE": "opencl"})["device"], "opencl")
        self.assertEqual(self.succeed_json(*self.args, "--device", "cpu", env={"LACUNA_DEVICE": "opencl"})["device"], "cpu")

    def test_an_opencl_device_is_chosen_by_a_part_of_its_name(self):
        self.need("opencl")
        self.fail_with(3, *self.args, "--device", "opencl:quantum", says=['no device has "quantum" in its name; there is '])
        listed = run(*self.args, "--device", "opencl:quantum").stderr.split("there is ")[1]
        self.assertTrue(self.succeed_json(*self.args, "--device", "opencl:" + listed[:6].upper())["verified"])

    def test_without_opencl_it_says_what_to_do(self):
        self.fail_with(4, *self.args, "--device", "opencl", env={"LACUNA_OPENCL_LIBRARY": "/nonexistent/libOpenCL.so"},
                       says=["LACUNA_OPENCL_LIBRARY names /nonexistent/libOpenCL.so, which cannot be opened", "leave it unset"])

    def test_an_opencl_loader_without_platforms_says_what_to_install(self):
        self.need("opencl")
        self.fail_with(4, *self.args, "--device", "opencl", env={"OCL_ICD_VENDORS": str(self.folder)}, says=["knows no platform", "pocl-opencl-icd"])

    def test_without_a_driver_it_says_what_to_do(self):
        self.fail_with(4, *self.args, "--device", "cuda", env={"LACUNA_CUDA_LIBRARY": "/nonexistent/libcuda.so.1"}, says=["cuda: no driver", "install NVIDIA's driver"])


class WithStandIns(ProgramTest):
    def setUp(self):
        super().setUp()
        if why := missing("sim:a100"):
            self.skipTest(why)

    def stand_ins(self):
        """Libraries that compute on a simulated GPU, where the tests were built."""
        build = pathlib.Path(program.binary).parent.parent
        files = {"LACUNA_CUDNN_LIBRARY": build / "tests" / "libstandin_cudnn.so", "LACUNA_CUBLAS_LIBRARY": build / "tests" / "libstandin_cublas.so",
                 "LACUNA_STANDIN_DRIVER": build / "lib" / "liblacuna_simcuda.so"}
        for file in files.values():
            if not file.is_file():
                self.skipTest(f"{file} was not built")
        return {name: str(file) for name, file in files.items()}


class DenseLayers(WithStandIns):
    """Layers whose weights are mostly not zero, by cuDNN and cuBLAS where they are there."""
    MODEL = pathlib.Path(__file__).resolve().parent.parent / "golden" / "cases" / "residual_block.lacuna"

    def test_without_the_library_one_sentence_says_how_to_get_it(self):
        self.fail_with(4, "compile", self.MODEL, "--device", "sim:a100", "--kernel", "dense", env={"LACUNA_CUDNN_LIBRARY": "/nonexistent/libcudnn.so"},
                       says=["cudnn: not here (/nonexistent/libcudnn.so: cannot open", "install NVIDIA's cuDNN", "LACUNA_CUDNN_LIBRARY"])

    def test_nvidias_own_library_is_not_for_simulated_gpus(self):
        self.fail_with(3, "compile", self.MODEL, "--device", "sim:a100", "--kernel", "dense", says=["cudnn: sim:a100", "is simulated", "take --device cuda"])

    def test_opencl_has_no_dense_kernels(self):
        if why := missing("opencl"):
            self.skipTest(why)
        self.fail_with(3, "compile", self.MODEL, "--device", "opencl", "--kernel", "dense", says=["cudnn: ", "is not a device of CUDA: take --device cuda"])

    def test_explain_says_which_layers_are_dense_and_why(self):
        explain = ["compile", self.MODEL, "--device", "sim:a100", "--explain"]
        text = self.succeed(*explain, env=self.stand_ins())
        self.assertRegex(text, r"(?m)^a .*  dense, cuDNN 9\.1\.0; 75% of its weights are not zero; libraries are not timed on a simulated GPU$")
        self.assertNotRegex(text, r"(?m)^y .*dense")
        self.assertRegex(self.succeed(*explain, "--kernel", "dense", env=self.stand_ins()), r"(?m)^y .*  dense, cuDNN 9\.1\.0; asked for$")
        self.assertRegex(self.succeed(*explain, env={"LACUNA_CUDNN_LIBRARY": "/nonexistent/libcudnn.so"}), r"(?m)^a .*; 75% of its weights are not zero; cudnn: not here \(")
        self.assertNotRegex(self.succeed(*explain, "--kernel", "table", env=self.stand_ins()), r"cuDNN|cudnn")


class Peers(WithStandIns):
    """bench/gpu: the same work by NVIDIA's libraries, answers compared."""

    def peers(self, *arguments):
        program_of_peers = pathlib.Path(program.binary).parent / "gpu_peers"
        if not program_of_peers.is_file():
            self.skipTest(f"{program_of_peers} was not built")
        env = program.environment(**self.stand_ins(), LACUNA_CUSPARSE_LIBRARY=str(pathlib.Path(program.binary).parent.parent / "tests" / "libstandin_cusparse.so"))
        done = subprocess.run([program_of_peers, "sim:a100", *arguments], env=env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {line["program"]: line for line in map(json.loads, done.stdout.splitlines())}

    def expect_no_time_of_libraries(self, lines):
        for name, line in lines.items():
            self.assertTrue(line["verified"], name)
            if name.startswith("lacuna"):
                self.assertTrue(line["predicted"])
                self.assertGreater(line["seconds"], 0)
            else:
                self.assertIsNone(line["seconds"], name)
                self.assertIn("the simulator predicts kernels", line["why"])

    def test_layers_beside_sparse_and_dense_products(self):
        lines = self.peers("general", "64", "3", "9")
        self.assertEqual(list(lines), ["lacuna", "cuSPARSE 12.5.7", "cuBLAS 12.4.5"])
        self.expect_no_time_of_libraries(lines)

    def test_a_convolution_beside_a_dense_one(self):
        lines = self.peers("conv", "2", "8", "8", "9", "3", "0.9")
        self.assertEqual(list(lines), ["lacuna table", "lacuna baked", "cuDNN 9.1.0"])
        self.expect_no_time_of_libraries(lines)


class Kernels(ProgramTest):
    def emit(self, language, *arguments, env=None):
        if why := missing("sim:a100"):
            self.skipTest(why)
        return self.succeed("compile", problems.text_network(), f"--emit={language}", *arguments, env=env)

    def test_ptx_can_be_read(self):
        text = self.emit("ptx")
        self.assertRegex(text, r"(?m)^\.version ")
        self.assertRegex(text, r"(?m)^\.target sm_70")
        self.assertIn(".entry", text)

    def test_opencl_c_can_be_read(self):
        text = self.emit("opencl")
        self.assertIn("__kernel", text)
        self.assertIn("// layer table: ", text)

    def test_the_same_network_gives_the_same_bytes(self):
        for language in ["ptx", "opencl"]:
            self.assertEqual(self.emit(language), self.emit(language))

    def test_baked_kernels_hold_the_weights(self):
        self.assertNotEqual(self.emit("opencl", "--kernel", "baked"), self.emit("opencl", "--kernel", "table"))

    def test_json_holds_the_text(self):
        found = self.succeed_json("compile", problems.text_network(), "--emit=opencl", "--device", "sim:a100")
        self.assertEqual(found["opencl"], self.emit("opencl"))
        self.assertEqual(found["device"], "sim:a100")

    def test_a_program_for_the_cpu_has_none(self):
        says = ["a program for the cpu has no ptx kernels", "--device sim:a100"]
        self.fail_with(3, "compile", problems.text_network(), "--emit=ptx", "--device", "cpu", says=says)
        self.fail_with(3, "compile", problems.text_network(), "--emit=ptx", env={"LACUNA_DEVICE": "cpu"}, says=says)

    def test_machine_code_of_a_program_for_gpus_is_refused(self):
        self.emit("ptx")  # skips where there is no simulator
        self.fail_with(3, "compile", problems.text_network(), "--emit=asm", "--device", "sim:a100", says=["sim:a100", "--emit=ptx"])
