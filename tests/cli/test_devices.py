"""`lacuna devices`: what is here, what is missing and how to get it."""
import pathlib

import program
from program import ProgramTest


NO_DRIVER = ("cuda: no driver (/nonexistent/libcuda.so.1: cannot open shared object file: No such file or directory): install NVIDIA's driver, or name its "
             "library with LACUNA_CUDA_LIBRARY; --device sim:a100 runs the same kernels simulated")


def simulated_driver():
    return str(pathlib.Path(program.binary).resolve().parent.parent / "lib" / "liblacuna_simcuda.so")


class Devices(ProgramTest):
    def test_json_lists_the_cpu(self):
        cpu = self.succeed_json("devices")["devices"][0]
        self.assertEqual(cpu["name"], "cpu")
        self.assertGreaterEqual(cpu["cores"], 1)
        self.assertGreater(cpu["fma_peak_per_s"], 1e6)
        self.assertIn("scalar", cpu["isas"])

    def test_human_output_names_instruction_sets(self):
        text = self.succeed("devices")
        for isa in self.succeed_json("devices")["devices"][0]["isas"]:
            self.assertIn(isa, text)

    def test_without_a_driver_the_list_says_how_to_get_one(self):
        env = {"LACUNA_CUDA_LIBRARY": "/nonexistent/libcuda.so.1"}
        cuda = [device for device in self.succeed_json("devices", env=env)["devices"] if device["name"] == "cuda"]
        self.assertEqual(len(cuda), 1)
        self.assertEqual(cuda[0]["missing"], NO_DRIVER)
        self.assertIn(NO_DRIVER, self.succeed("devices", env=env))

    def test_libraries_that_are_missing_are_told_in_one_sentence_each(self):
        env = {f"LACUNA_{name.upper()}_LIBRARY": f"/nonexistent/lib{name}.so" for name in ["cusparse", "cublas", "cudnn"]}
        not_here = "{0}: not here (/nonexistent/lib{0}.so: cannot open shared object file: No such file or directory): only {1} it; install NVIDIA's {2}, or name the file with LACUNA_{3}_LIBRARY"
        sentences = {name: not_here.format(name, who, what, name.upper()) for name, who, what in
                     [("cusparse", "the comparison with it needs", "CUDA libraries (PyPI has them as nvidia-cusparse-cu12)"),
                      ("cublas", "dense fully connected layers on GPUs need", "CUDA libraries (PyPI has them as nvidia-cublas-cu12)"),
                      ("cudnn", "dense convolutions on GPUs need", "cuDNN (PyPI has it as nvidia-cudnn-cu12)")]}
        self.assertEqual(self.succeed_json("devices", env=env)["libraries"], [{"name": name, "missing": missing} for name, missing in sentences.items()])
        text = self.succeed("devices", env=env)
        for sentence in sentences.values():
            self.assertIn(sentence + "\n", text)

    def test_a_library_that_is_there_is_told_with_its_file(self):
        env = {"LACUNA_CUSPARSE_LIBRARY": "/nonexistent", "LACUNA_CUBLAS_LIBRARY": "/nonexistent", "LACUNA_CUDNN_LIBRARY": "libm.so.6"}
        self.assertIn({"name": "cudnn", "file": "libm.so.6"}, self.succeed_json("devices", env=env)["libraries"])
        self.assertIn("cudnn: libm.so.6\n", self.succeed("devices", env=env))

    def test_simulated_gpus_are_listed(self):
        listed = {device["name"]: device for device in self.succeed_json("devices")["devices"]}
        for model, multiprocessors in {"v100": 80, "a100": 108, "h100": 132, "rtx3090": 82}.items():
            device = listed[f"sim:{model}"]
            self.assertTrue(device["simulated"])
            self.assertEqual(device["cores"], multiprocessors)
            self.assertGreaterEqual(device["shared_bytes"], 96 << 10)
        self.assertIn("sim:a100: NVIDIA A100-SXM4-40GB (simulated)\n  108 multiprocessors, 40.0 GiB", self.succeed("devices"))

    def test_the_simulated_driver_can_stand_for_the_real_one(self):
        env = {"LACUNA_CUDA_LIBRARY": simulated_driver(), "LACUNA_SIM_MODEL": "v100", "LACUNA_SIM_DEVICES": "2"}
        listed = {device["name"]: device for device in self.succeed_json("devices", env=env)["devices"]}
        self.assertEqual(listed["cuda:0"]["description"], "Tesla V100-SXM2-16GB (simulated)")
        self.assertIn("cuda:1", listed)
        self.assertNotIn("cuda", listed)

    def test_a_driver_that_is_too_old_is_named_with_what_it_lacks(self):
        for env, says in [({"LACUNA_SIM_MISSING": "cuGraphLaunch"}, "has no cuGraphLaunch, which drivers have since CUDA 10.0"),
                          ({"LACUNA_SIM_DRIVER_VERSION": "10020"}, "knows CUDA 10.2, and 11.4 is needed: install NVIDIA driver 470 or later")]:
            listed = {device["name"]: device for device in self.succeed_json("devices", env={"LACUNA_CUDA_LIBRARY": simulated_driver(), **env})["devices"]}
            self.assertIn(says, listed["cuda"]["missing"])

    def test_without_the_simulator_the_list_says_so(self):
        env = {"LACUNA_SIM_LIBRARY": "/nonexistent/sim.so"}
        listed = {device["name"]: device for device in self.succeed_json("devices", env=env)["devices"]}
        self.assertIn("sim: /nonexistent/sim.so does not work", listed["sim"]["missing"])
