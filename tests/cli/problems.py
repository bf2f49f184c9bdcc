"""Small networks with known answers: made by the program or by hand, evaluated here by plain loops."""
import functools
import math
import random
import shutil

import program

NEURONS, LAYERS, INPUTS = 64, 8, 66

# Every activation, both kinds of bias, a skip connection, an Add, an empty row, and an operator that nobody reads.
TEXT_FORM = """lacuna network 1
input x 5
a = linear x 4 bias [-0.25 0 0.5 0.125] clip(0,32) {
  0: 0*1.5 3*-0.5
  1: 1*2 2*0.25 4*-1
  3: 0*-1 4*3
}
b = linear a 4 bias 0.25 leaky_relu(0.1) {
  0: 1*-2 3*0.5
  2: 0*1 1*1 2*1 3*1
}
unread = linear a 2 tanh {
  1: 0*1
}
c = linear b add a 4 sigmoid {
  1: 0*0.75
  3: 2*-0.5
}
d = add c a relu
y = linear d 3 identity {
  0: 0*1 1*-1
  1: 2*2
  2: 1*0.5 3*1
}
output y
"""
EDGES = TEXT_FORM.count("*")
EDGES_LEFT = EDGES - 2  # without the operator that nobody reads and without the edge to a neuron that is constant


def evaluate_text_form(x):
    """TEXT_FORM again, in Python."""
    sigmoid = lambda v: 1 / (1 + math.exp(-v))
    clip = lambda v: min(max(v, 0), 32)
    leaky = lambda v: v if v > 0 else 0.1 * v
    a = [clip(-0.25 + 1.5 * x[0] - 0.5 * x[3]), clip(2 * x[1] + 0.25 * x[2] - x[4]), clip(0.5), clip(0.125 - x[0] + 3 * x[4])]
    b = [leaky(0.25 - 2 * a[1] + 0.5 * a[3]), leaky(0.25), leaky(0.25 + sum(a)), leaky(0.25)]
    c = [sigmoid(a[0]), sigmoid(a[1] + 0.75 * b[0]), sigmoid(a[2]), sigmoid(a[3] - 0.5 * b[2])]
    d = [max(p + q, 0) for p, q in zip(c, a)]
    return [d[0] - d[1], 2 * d[2], 0.5 * d[1] + d[3]]


@functools.cache
def text_network():
    """A file with TEXT_FORM."""
    file = program.work_folder() / "small.txt"
    file.write_text(TEXT_FORM)
    return file


@functools.cache
def _generated(kind):
    folder = program.work_folder() / f"made-{kind}"
    done = program.run("generate", kind, "--neurons", NEURONS, "--layers", LAYERS, "-o", folder)
    assert done.returncode == 0, done.stderr
    return folder


def network_folder(kind, to):
    """A fresh copy of a generated network: radix or general."""
    shutil.copytree(_generated(kind), to)
    return to


@functools.cache
def images():
    """Inputs from none to all ones: some die, some live."""
    dice = random.Random(7)
    lines = []
    for number in range(1, INPUTS + 1):
        ones = min(number, NEURONS)
        lines += [f"{number}\t{column}\t1\n" for column in sorted(dice.sample(range(1, NEURONS + 1), ones))]
    file = program.work_folder() / "images.tsv"
    file.write_text("".join(lines))
    return file


def _read_images():
    rows = [[0.0] * NEURONS for _ in range(INPUTS)]
    for line in images().read_text().splitlines():
        number, column, value = line.split("\t")
        rows[int(number) - 1][int(column) - 1] = float(value)
    return rows


@functools.cache
def radix_answers():
    """The outputs of the radix network for images(), one list an input."""
    layers = []
    for number in range(1, LAYERS + 1):
        text = (_generated("radix") / f"n{NEURONS}-l{number}.tsv").read_text()
        layers.append([(int(source) - 1, int(to) - 1, float(weight)) for source, to, weight in map(str.split, text.splitlines())])
    answers = []
    for row in _read_images():
        for edges in layers:
            sums = [-0.3] * NEURONS
            for source, to, weight in edges:
                sums[to] += row[source] * weight
            row = [min(max(value, 0.0), 32.0) for value in sums]
        answers.append(row)
    return answers


@functools.cache
def radix_truth():
    """A categories file with the survivors among images()."""
    alive = [number for number, row in enumerate(radix_answers(), 1) if any(row)]
    assert 0 < len(alive) < INPUTS, "the inputs should tell a right answer from a wrong one"
    file = program.work_folder() / "categories.tsv"
    file.write_text("".join(f"{number}\n" for number in alive))
    return file


def count_lines(file):
    return len(file.read_text().splitlines())
