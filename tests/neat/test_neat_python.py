#!/usr/bin/env python3
"""Networks of any structure: `lacuna run` against neat-python, f64 bit for bit, f32 within a bound that each network's own weights give.

  tests/neat/test_neat_python.py [--lacuna build/release/bin/lacuna] [--only PART,...] [--populations 12] [--examples 60] [--seed 1]

functions: every activation and aggregation on edge cases; genomes: populations that neat-python mutated, feed-forward, recurrent and CTRNN; graphs: random acyclic and
cyclic graphs, made small by Hypothesis where they fail; sharpneat: the .net files below LACUNA_DATA/neat. CTRNN: neat-python 2.0 advances with another formula than
2.1, so the expected values are computed here, with its node functions. Needs: pip install neat-python hypothesis numpy. Exit code: 0 if nothing failed.
"""
import argparse
import contextlib
import itertools
import os
import pathlib
import random
import sys
import tempfile
import time
import warnings

sys.dont_write_bytecode = True
try:
    import numpy as np
    import neat
    from hypothesis import HealthCheck, Phase, given, settings
    from neat.export import export_network_json
except ImportError as error:
    sys.exit(f"{error.name} is missing; install it with: pip install neat-python hypothesis numpy")

import sharpneat
from error_bound import FUNCTIONS, bounded
from lacuna_program import Program, Wrong, expect_shape, same_bits, within
from plain_network import ACTIVATIONS, AGGREGATIONS, Network, Node, evaluate, from_json, to_json
from random_genomes import random_population
from random_graphs import populations

TIME_STEP = 0.03
SECONDS_OF_SHRINKING = 30
TIGHT = 1e-2  # a bound below this share of max(1, |value|) says something


class Tally:
    def __init__(self):
        self.passed, self.failed, self.too_large, self.tight, self.judged, self.values = 0, 0, 0, 0, 0, 0

    def see_bounds(self, expected, bounds):
        self.values += bounds.size
        self.judged += int(np.isfinite(bounds).sum())
        self.tight += int((bounds <= TIGHT * np.maximum(1, np.abs(expected))).sum())

    def fail(self, sentence):
        self.failed += 1
        print(f"FAILED: {sentence}", flush=True)


def answers_of(network, x):
    """x {steps, batch, inputs} -> {steps, batch, outputs}, each input on its own."""
    return np.array([evaluate(network, x[:, k].tolist(), TIME_STEP) for k in range(x.shape[1])], np.float64).transpose(1, 0, 2)


def write_population(folder, texts):
    for old in folder.glob("*"):
        old.unlink()
    for number, text in enumerate(texts):
        (folder / f"{number:04}.json").write_text(text)


def check_population(program, networks, folder, x, expected, what, tally, threads=1):
    """networks: plain ones in the order of the files in folder; x {steps, batch, inputs}; expected {members, steps, batch, outputs}."""
    given_x = x[0] if networks[0].kind == "feedforward" else x
    shape = (expected.shape[0], *expected.shape[2:]) if networks[0].kind == "feedforward" else expected.shape
    time_step = TIME_STEP if networks[0].kind == "ctrnn" else None
    y = program.run(folder, given_x, "f64", threads, time_step)
    expect_shape(y, shape, np.float64)
    same_bits(y.reshape(expected.shape), expected, what)
    x = x.astype(np.float32)
    y = program.run(folder, given_x.astype(np.float32), None, threads, time_step)
    expect_shape(y, shape, np.float32)
    y = y.reshape(expected.shape)
    for k, network in enumerate(networks):
        values, bounds = bounded(network, x, time_step=TIME_STEP)
        tally.see_bounds(values, bounds)
        within(y[k], values, bounds, f"{what}, member {k}, f32")


def check_functions(program, folder, options, tally):
    """One neuron for each activation, one for each aggregation over all pairs: boundaries, signed zeros, infinities, NaN."""
    edge = [0.0, 5e-324, 1e-310, 1e-30, 1e-7, 0.3, 0.999, 1.0, 1.5, 3.4, 3.5, 12.0, 12.1, 24.0, 60.0, 60.5, 300.0, 700.0, 1e10, 1e160, 1.7e308, np.inf, np.nan]
    points = np.array([sign * value for value in edge for sign in (1, -1)])
    random_points = np.random.default_rng(options.seed).uniform(-4, 4, 500)
    x = np.concatenate([points, random_points])[:, None]
    for name, function in ACTIVATIONS.items():
        rows, expected = [], []
        for row in x:
            with contextlib.suppress(OverflowError):  # Python raises, a float would be infinite
                expected.append(function(0.0 + 1.0 * AGGREGATIONS["sum"]([float(row[0]) * 1.0])))
                rows.append(row)
        network = Network("feedforward", [-1], [0], {0: Node(name, links=[(-1, 1.0)])})
        judge_one(program, network, folder, np.array(rows), np.array(expected)[:, None], f"activation {name}", tally)
    pairs = np.array(list(itertools.product(points, points)))
    for name, function in AGGREGATIONS.items():
        for count in (0, 1, 2, 3, 4, 7):
            x = pairs[~np.isnan(pairs).any(axis=1)] if name == "median" else pairs  # the order of NaN is nobody's
            rows = np.concatenate([x, np.random.default_rng(count).uniform(-3, 3, x.shape)])[:, [k % 2 for k in range(max(count, 1))]]
            links = [(-1 - k, [1.0, -0.5, 2.0, 0.75][k % 4]) for k in range(count)]
            expected = np.array([0.0 + 1.0 * function([float(value) * weight for value, (_, weight) in zip(row, links)]) for row in rows])[:, None]
            network = Network("feedforward", [-1 - k for k in range(rows.shape[1])], [0], {0: Node("identity", name, links=links)})
            judge_one(program, network, folder, rows, expected, f"{name} of {count}", tally)


def judge_one(program, network, folder, x, expected, what, tally):
    file = folder / "one.json"
    file.write_text(to_json(network))
    try:
        y = program.run(file, x, "f64")
        expect_shape(y, expected.shape, np.float64)
        same_bits(y, expected, what)
        x = x[(np.abs(x) < 1e15).all(axis=1)].astype(np.float32)
        values, bounds = bounded(network, x[None])
        tally.see_bounds(values[0], bounds[0])
        y = program.run(file, x)
        expect_shape(y, values[0].shape, np.float32)
        within(y, values[0], bounds[0], f"{what}, f32")
        tally.passed += 1
    except Wrong as problem:
        tally.fail(problem)


def neat_python_answers(net, kind, plain, x):
    """What neat-python itself says; of a CTRNN what its newer version would."""
    if kind == "ctrnn":
        return answers_of(plain, x)
    answers = np.empty((x.shape[0], x.shape[1], len(plain.outputs)))
    for k in range(x.shape[1]):
        if kind == "recurrent":
            net.reset()
        for step in range(x.shape[0]):
            answers[step, k] = net.activate(x[step, k].tolist())
    if not np.isfinite(answers).all():
        raise OverflowError
    return answers


def check_genomes(program, folder, options, tally):
    random.seed(options.seed)
    used = set()
    for kind, number in itertools.product(("feedforward", "recurrent", "ctrnn"), range(options.populations)):
        batch, steps = [1, 3, 16, 33][number % 4], 1 if kind == "feedforward" else 1 + number % 7
        x, plain, texts, expected = None, [], [], []
        for net in random_population(kind, size=20, mutations=[5, 25, 60][number % 3]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # its export asks for the time in a way that newer Pythons warn about
                text = export_network_json(net)
            network = from_json(text)
            if x is None:
                x = np.random.default_rng([options.seed, number]).uniform(-2, 2, (steps, batch, len(network.inputs)))
            try:
                evaluate(network, x[:, 0].tolist(), TIME_STEP)  # sees values inside the network, which neat-python does not tell
                answers = neat_python_answers(net, kind, network, x)
            except OverflowError:
                tally.too_large += 1
                continue
            plain.append(network)
            texts.append(text)
            expected.append(answers)
            used |= {name for node in network.nodes.values() for name in (node.activation, node.aggregation)}
        what = f"genomes, {kind}, population {number}"
        members = folder / "members"
        members.mkdir(exist_ok=True)
        write_population(members, texts)
        try:
            check_population(program, plain, members, x, np.array(expected), what, tally, threads=1 + number % 2)
            alone = program.run(members / "0000.json", x[0] if kind == "feedforward" else x, "f64", time_step=TIME_STEP if kind == "ctrnn" else None)
            same_bits(alone.reshape(expected[0].shape), expected[0], f"{what}, its first file alone")
            tally.passed += len(plain)
        except Wrong as problem:
            tally.fail(f"{problem} (seed {options.seed})")
    missing = (set(ACTIVATIONS) | set(AGGREGATIONS)) - used
    if missing:
        tally.fail(f"no genome used {', '.join(sorted(missing))}: raise --populations")


def check_graphs(program, folder, options, tally):
    members = folder / "members"
    members.mkdir(exist_ok=True)
    known, first_failure = set(), {}  # populations that failed; when the first of a kind did

    def check_in_time(kind, population):
        """Making a failure small may take Hypothesis five minutes: later on only populations that are known to fail are run again."""
        key = repr(population)
        if kind in first_failure and key not in known and time.monotonic() - first_failure[kind] > SECONDS_OF_SHRINKING:
            return
        try:
            judge(kind, population)
        except Wrong:
            known.add(key)
            first_failure.setdefault(kind, time.monotonic())
            raise

    def judge(kind, population):
        graphs, steps, batch, seed = population
        x = np.random.default_rng(seed).uniform(-2, 2, (steps, batch, len(graphs[0][0].inputs)))
        kept, expected = [], []
        for network, text in graphs:
            try:
                expected.append(answers_of(network, x))
                kept.append((network, text))
            except OverflowError:
                tally.too_large += 1
        if kept:
            write_population(members, [text for _, text in kept])
            check_population(program, [network for network, _ in kept], members, x, np.array(expected), f"graphs, {kind}", tally, threads=1 + seed % 2)
            tally.passed += len(kept)

    for kind in ("feedforward", "recurrent", "ctrnn"):
        @settings(max_examples=options.examples, deadline=None, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink],
                  suppress_health_check=list(HealthCheck))
        @given(populations(kind, size=12))
        def check(population):
            check_in_time(kind, population)
        try:
            check()
        except Wrong as problem:
            tally.fail(f"{problem}; the smallest such population is kept in {keep(members, kind)}")


def keep(members, kind):
    """Hypothesis runs the smallest failing example last: its files are still there."""
    kept = pathlib.Path(tempfile.mkdtemp(prefix=f"lacuna-{kind}-"))
    for file in members.iterdir():
        (kept / file.name).write_bytes(file.read_bytes())
    return kept


def check_sharpneat(program, folder, options, tally):
    data = os.environ.get("LACUNA_DATA")
    files = sorted((pathlib.Path(data) / "neat").glob("*.net")) if data else []
    if not files:
        print("skipped: SharpNEAT's files (LACUNA_DATA/neat has none)")
    for file in files:
        network = sharpneat.read(file)
        steps, batch = (1 if network.kind == "feedforward" else 5), 33
        x = np.random.default_rng(options.seed).uniform(-1, 1, (steps, batch, len(network.inputs)))
        expected = answers_of(network, x)
        try:
            for precision, dtype, u in (("f64", np.float64, 2.0 ** -53), ("f32", np.float32, 2.0 ** -24)):
                given_x = x.astype(dtype)
                values, bounds = bounded(network, given_x, u)
                tally.see_bounds(values, bounds)
                y = program.run(file, given_x[0] if network.kind == "feedforward" else given_x, precision)
                expect_shape(y, values.shape[1:] if network.kind == "feedforward" else values.shape, dtype)
                within(y.reshape(values.shape), expected if precision == "f64" else values, bounds, f"{file.name}, {precision}")
            tally.passed += 1
        except Wrong as problem:
            tally.fail(problem)


PARTS = {"functions": check_functions, "genomes": check_genomes, "graphs": check_graphs, "sharpneat": check_sharpneat}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lacuna", default="build/release/bin/lacuna")
    parser.add_argument("--only", default=",".join(PARTS), help="parts to run (default: %(default)s)")
    parser.add_argument("--populations", type=int, default=12, help="of each kind of genome (default: %(default)s)")
    parser.add_argument("--examples", type=int, default=60, help="populations that Hypothesis draws of each kind (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if set(ACTIVATIONS) - set(FUNCTIONS):
        sys.exit(f"neat-python {neat.__version__} has activations without a bound here: {sorted(set(ACTIVATIONS) - set(FUNCTIONS))}")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.lacuna, pathlib.Path(folder))
        for part in options.only.split(","):
            tally = Tally()
            PARTS[part](program, pathlib.Path(folder), options, tally)
            if tally.values and tally.tight < tally.values / 2:
                tally.fail(f"{part}: of {tally.values} values only {tally.tight} have a bound that says something")
            print(f"{part}: {tally.passed} networks passed, {tally.failed} failures, {tally.too_large} left out (values beyond Python's floats); {tally.values} values with bounds, "
                  f"{tally.judged} of them finite, {tally.tight} within {TIGHT:.0%} or closer", flush=True)
            passed, failed = passed + tally.passed, failed + tally.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
