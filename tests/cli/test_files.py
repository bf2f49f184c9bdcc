"""Files the program writes and reads again: generated folders, packed and Matrix Market forms, stores, the text form."""
import gzip
import shutil
import subprocess
import unittest

import problems
from program import ProgramTest


class Generate(ProgramTest):
    def test_radix_and_general_write_one_file_a_layer(self):
        for kind in ["radix", "general"]:
            told = self.succeed_json("generate", kind, "--neurons", 64, "--layers", 3, "-o", self.folder / kind)
            self.assertEqual(told["layers"], 3)
            names = self.files(self.folder / kind)
            for number in [1, 2, 3]:
                self.assertIn(f"n64-l{number}.tsv", names)
            lines = sum(problems.count_lines(self.folder / kind / f"n64-l{number}.tsv") for number in [1, 2, 3])
            self.assertEqual(lines, told["edges"])

    def test_the_same_seed_writes_the_same_bytes(self):
        for name, seed in [("a", 3), ("b", 3), ("c", 4)]:
            self.succeed("generate", "general", "--neurons", 33, "--layers", 2, "--seed", seed, "-o", self.folder / name)
        read = lambda name: (self.folder / name / "n33-l2.tsv").read_bytes()
        self.assertEqual(read("a"), read("b"))
        self.assertNotEqual(read("a"), read("c"))

    def test_generated_inputs_run_through_a_generated_network(self):
        self.succeed("generate", "general", "--neurons", 64, "--layers", 3, "-o", self.folder / "net")
        told = self.succeed_json("generate", "inputs", "--neurons", 64, "--count", 50, "-o", self.folder / "in.tsv")
        self.assertEqual(told["ones"], problems.count_lines(self.folder / "in.tsv"))
        found = self.succeed_json("challenge", "--neurons", 64, "--layers", 3, "--data", self.folder / "net", "--images", self.folder / "in.tsv", "--inputs", 50)
        self.assertEqual((found["inputs"], found["verified"]), (50, True))

    def test_layers_of_another_network_are_not_mixed_up(self):
        self.succeed("generate", "radix", "--neurons", 64, "--layers", 3, "-o", self.folder / "net")
        self.fail_with(2, "generate", "radix", "--neurons", 64, "--layers", 2, "-o", self.folder / "net", says="n64-l3.tsv")


class Forms(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = problems.network_folder("general", self.folder / "data")
        self.hash = self.hash_of(self.data)

    def hash_of(self, path):
        return self.succeed_json("inspect", path, "--no-store")["hash"]

    def converted(self, ending, convert):
        """A folder with every layer converted; biases stay as they are."""
        to = self.folder / "converted"
        to.mkdir()
        for file in self.data.iterdir():
            if "bias" in file.name:
                shutil.copy(file, to)
            else:
                convert(file, to / (file.name.removesuffix(".tsv") + ending))
        return to

    def test_gz_is_the_same_network(self):
        self.assertEqual(self.hash_of(self.converted(".tsv.gz", lambda file, to: to.write_bytes(gzip.compress(file.read_bytes())))), self.hash)

    @unittest.skipUnless(shutil.which("zstd"), "the zstd program is not installed")
    def test_zst_is_the_same_network(self):
        pack = lambda file, to: subprocess.run(["zstd", "-q", file, "-o", to], check=True)
        self.assertEqual(self.hash_of(self.converted(".tsv.zst", pack)), self.hash)

    def test_mtx_is_the_same_network(self):
        def convert(file, to):
            lines = file.read_text().replace("\t", " ")
            to.write_text(f"%%MatrixMarket matrix coordinate real general\n% a comment\n64 64 {lines.count(chr(10))}\n{lines}")

        self.assertEqual(self.hash_of(self.converted(".mtx", convert)), self.hash)

    def test_the_text_form_is_the_same_network(self):
        text = self.folder / "network.txt"
        text.write_text(self.succeed("inspect", self.data, "--text"))
        self.assertEqual(self.hash_of(text), self.hash)
        self.assertEqual(self.succeed("inspect", text, "--text"), text.read_text())

    def test_the_store_is_the_same_network(self):
        first, second = (self.succeed_json("inspect", self.data) for _ in range(2))
        self.assertEqual((first["from_store"], second["from_store"]), (False, True))
        self.assertEqual((first["hash"], second["hash"]), (self.hash, self.hash))
        self.assertEqual(self.hash_of(self.data / "n64-l8.lstore"), self.hash)
        self.assertEqual(first["layers"], second["layers"])


class Store(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = problems.network_folder("radix", self.folder / "data")

    def test_no_store_writes_nothing(self):
        before = self.files(self.data)
        self.succeed("inspect", self.data, "--no-store")
        self.assertEqual(self.files(self.data), before)

    def test_store_says_where(self):
        before = self.files(self.data)
        kept = self.folder / "kept.lstore"
        self.assertFalse(self.succeed_json("inspect", self.data, "--store", kept)["from_store"])
        self.assertTrue(self.succeed_json("inspect", self.data, "--store", kept)["from_store"])
        self.assertEqual(self.files(self.data), before)

    def test_a_changed_layer_makes_the_store_stale(self):
        first = self.succeed_json("inspect", self.data)
        layer = self.data / "n64-l2.tsv"
        layer.write_text(layer.read_text().replace("6.250000e-02", "0.125", 1))
        second = self.succeed_json("inspect", self.data)
        self.assertFalse(second["from_store"])
        self.assertNotEqual(first["hash"], second["hash"])

    def test_a_flipped_byte_is_found(self):
        self.succeed("inspect", self.data)
        store = self.data / "n64-l8.lstore"
        content = bytearray(store.read_bytes())
        content[len(content) // 2] ^= 1
        store.write_bytes(content)
        self.fail_with(2, "inspect", store, says="n64-l8.lstore")

    def test_a_wrong_line_is_named_with_file_line_and_both_values(self):
        layer = self.data / "n64-l3.tsv"
        layer.write_text(layer.read_text() + "1\t65\t0.0625\n")
        done = self.fail_with(2, "inspect", self.data, says=["n64-l3.tsv:2049:", "65", "64"])
        self.assertEqual(done.stdout, "")
        self.assertEqual([name for name in self.files(self.data) if not name.endswith(".tsv")], [])
