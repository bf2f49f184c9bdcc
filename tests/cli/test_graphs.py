"""Networks of neuroevolution: inspect, convert, run, bench, populations."""
import json
import zipfile

import npy
from program import ProgramTest

NET = """# Input and output node counts.
2\t1

# Cyclic/acyclic indicator.
acyclic

# Connections (source target weight).
0\t3\t0.5
1\t3\t-1.25
3\t2\t2
0\t2\t0.1

# Activation functions (functionId functionCode).
0\tLeakyReLU
"""


class Graphs(ProgramTest):
    def write(self, name, text=NET):
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    def test_inspect_tells_nodes_edges_levels_and_functions(self):
        told = self.succeed_json("inspect", self.write("a.net"))
        for key, value in {"inputs": 2, "outputs": 1, "nodes": 4, "edges": 4, "update": "feed_forward", "levels": 2, "widths": [1, 1],
                           "functions": {"LeakyReLU": 2}, "aggregations": {"sum": 2}}.items():
            self.assertEqual(told[key], value, key)
        text = self.succeed("inspect", self.folder / "a.net")
        for words in ["2 inputs, 2 neurons, 1 output", "feed forward", "2, of widths 1 1", "LeakyReLU 2"]:
            self.assertIn(words, text)

    def test_inspect_draws(self):
        self.succeed("inspect", self.write("a.net"), "--svg", self.folder / "a.svg", "--dot", self.folder / "a.dot")
        self.assertIn("2 inputs, 1 hidden neuron, 1 output, 4 edges", (self.folder / "a.svg").read_text())
        self.assertIn("n3 -> n2", (self.folder / "a.dot").read_text())
        self.fail_with(2, "inspect", self.folder / "a.net", "--svg", self.folder / "none" / "a.svg", says="does not exist")
        self.fail_with(2, "inspect", self.folder / "a.net", "--dot", self.folder / "a.txt", says="ends in .dot")

    def test_convert_there_and_back_keeps_the_network(self):
        expected = self.succeed_json("inspect", self.write("a.net"))["hash"]
        before = self.folder / "a.net"
        for name in ["b.json", "c.edges", "d.graphml", "e.net"]:
            told = self.succeed_json("convert", before, self.folder / name)
            self.assertEqual((told["nodes"], told["edges"]), (4, 4))
            self.assertEqual(self.succeed_json("inspect", self.folder / name)["hash"], expected, name)
            before = self.folder / name
        self.assertEqual(json.loads((self.folder / "b.json").read_text())["network_type"], "feedforward")
        self.assertEqual(self.succeed("convert", before, self.folder / "f.dot"), f"4 nodes and 4 edges written to {self.folder / 'f.dot'}\n")

    def test_convert_says_what_does_not_fit(self):
        biased = self.write("b.edges", "@node y activation=ReLU bias=0.5\na y 1\n")
        self.fail_with(3, "convert", biased, self.folder / "b.net", says=["node y has the bias 0.5", "write .json"])
        self.fail_with(2, "convert", biased, self.folder / "b.txt", says="names no format of neuron graphs")
        self.fail_with(2, "convert", biased, self.folder / "b.json", "--sparse")
        self.assertEqual(self.files(), ["b.edges"])

    def test_a_folder_and_an_archive_are_a_population(self):
        for number in [1, 2, 10]:
            self.write(f"pop/g{number}.net")
        self.write("pop/small.edges", "a y 1\nb y 2\n")
        with zipfile.ZipFile(self.folder / "pop.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for file in (self.folder / "pop").iterdir():
                packed.write(file, file.name)
        told = [self.succeed_json("inspect", self.folder / name) for name in ["pop", "pop.zip"]]
        self.assertEqual(told[0]["hash"], told[1]["hash"])
        for key, value in {"members": 4, "first": "g1", "last": "small", "nodes": {"min": 3, "median": 4, "max": 4}, "edges": {"min": 2, "median": 4, "max": 4},
                           "all_edges": 14}.items():
            self.assertEqual(told[0][key], value, key)
        self.assertIn("4: g1 to small", self.succeed("inspect", self.folder / "pop"))
        self.fail_with(2, "inspect", self.folder / "pop", "--svg", self.folder / "a.svg", says=["holds 4 networks", "give the file of a member"])
        self.fail_with(2, "convert", self.folder / "pop", self.folder / "a.json", says="holds 4 networks")

    def test_steps_are_for_networks_that_have_them(self):
        self.fail_with(2, "inspect", self.write("a.net"), "--steps", 3, says="is feed forward")
        cyclic = self.write("c.net", NET.replace("acyclic", "cyclic 2"))
        self.assertEqual(self.succeed_json("inspect", cyclic)["steps"], 2)
        self.assertEqual(self.succeed_json("inspect", cyclic, "--steps", 5)["steps"], 5)
        self.assertIn("5 steps for one row of inputs", self.succeed("inspect", cyclic, "--steps", 5))

    def test_mistakes_name_file_and_line(self):
        wrong = self.write("w.net", NET.replace("-1.25", "heavy"))
        self.fail_with(2, "inspect", wrong, says=f"{wrong}:9:5: the weight \"heavy\" is not a number")

    def test_run_gives_the_values_of_the_network(self):
        x = npy.write(self.folder / "x.npy", [[1, 0], [0, 1], [4, 1]])
        told = self.succeed_json("run", self.write("a.net"), "--input", x, "--output", self.folder / "y.npy")
        self.assertEqual((told["members"], told["shape"], told["type"]), (1, [3, 1], "f32"))
        hidden = [0.5, -1.25 * 0.001, 0.75]
        for row, wanted in zip(npy.read(self.folder / "y.npy"), [2 * h + 0.1 * a for h, a in zip(hidden, [1, 0, 4])]):
            self.assertAlmostEqual(row[0], wanted if wanted > 0 else 0.001 * wanted, places=6)
        text = self.succeed("run", self.folder / "a.net", "--input", npy.write(self.folder / "one.npy", [[1, 0]]), "--precision", "f64")
        self.assertIn("values       1.1", text)
        self.fail_with(2, "run", self.folder / "a.net", "--input", npy.write(self.folder / "wide.npy", [[1, 0, 2]]), says="expected inputs x 2, or steps x inputs x 2")
        self.fail_with(2, "run", self.folder / "a.net", "--input", x, "--steps", "3")
        self.fail_with(2, "run", self.write("cycle.edges", "@inputs a\n@outputs y\na y 1\nh y 1\ny h 1\n"), "--input", npy.write(self.folder / "n.npy", [[1]]), says="a cycle: ")

    def test_run_and_bench_take_a_population(self):
        for number in [1, 2]:
            self.write(f"pop/g{number}.net")
        x = npy.write(self.folder / "x.npy", [[1, 0], [0, 1], [4, 1]])
        self.assertEqual(self.succeed_json("run", self.folder / "pop", "--input", x)["shape"], [2, 3, 1])
        for precision in ["f32", "f64"]:
            told = self.succeed_json("bench", self.folder / "pop", "--batch", "70", "--seconds", "0.01", "--precision", precision)
            for key, value in {"members": 2, "nodes": 4, "edges": 8, "edges_left": 8, "batch": 70, "precision": precision, "verified": True}.items():
                self.assertEqual(told[key], value, key)
            for key in ["items_per_s", "edges_per_s", "networks_compiled_per_s", "peak_bytes", "latency_ms_median"]:
                self.assertGreater(told[key], 0, key)
        self.write("pop/wide.edges", "a y 1\nb z 2\n")
        self.fail_with(3, "run", self.folder / "pop", "--input", x, says="members with 1 and 2 outputs cannot be written to one file")
        self.assertIn("panels of", self.succeed("compile", self.folder / "pop", "--explain"))
