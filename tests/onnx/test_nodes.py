#!/usr/bin/env python3
"""ONNX's own node tests against the reference: every case whose operators are in the list of src/operators.

  tests/onnx/test_nodes.py [--runner build/release/bin/run_reference] [--only SUBSTRING] [--verbose]

Needs: pip install onnx numpy; run_reference, built with -DLACUNA_BUILD_TESTS=ON. Exit code: 0 if nothing failed.
"""
import argparse
import fnmatch
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
    import onnx
    from onnx import numpy_helper
    from onnx.backend.test.case.node import collect_testcases
except ImportError as error:
    sys.exit(f"{error.name} is missing; install it with: pip install onnx numpy")

# Cases that are not served, by name, and why. Each must be refused: one that runs, or that fails in another way, is a failure.
NO_TYPE = "elements of 8 bits or less that are no integers of 8 bits, or texts"
TRAINING = "training"
SEQUENCE = "sequences and optional values"
LISTED = {
    "*FLOAT8*": NO_TYPE,
    "*FLOAT4*": NO_TYPE,
    "*INT4*": NO_TYPE,
    "*INT2*": NO_TYPE,
    "test_*_string*": NO_TYPE,
    "test_*quantizelinear_e[45]m*": NO_TYPE,
    "test_*quantizelinear_*int[24]": NO_TYPE,
    "test_*quantizelinear_float4*": NO_TYPE,
    "test_batchnorm_*_training_mode": TRAINING,
    "test_training_dropout*": TRAINING,
    "test_not_[234]d": "operator sets before 7",
    "test_identity_sequence": SEQUENCE,
    "test_identity_opt": SEQUENCE,
}

OUR_TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32",
             "u32": "uint32", "i64": "int64", "u64": "uint64", "bool": "bool"}


def dtype_of(name):
    return onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.BFLOAT16) if name == "bf16" else numpy.dtype(OUR_TYPES[name])


def as_array(value):
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def operators_of(graph):
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from operators_of(attribute.g)


class Case:
    """A test with one of its data sets; `bound` inputs (those from that number on) are constants of the model."""

    def __init__(self, test, arrays, wanted, folder):
        self.test, self.arrays, self.wanted, self.folder = test, arrays, wanted, folder

    def write(self, bound):
        model = onnx.ModelProto()
        model.CopyFrom(self.test.model)
        inputs = list(model.graph.input)
        names = []
        self.folder.mkdir(parents=True, exist_ok=True)
        for k, (entry, array) in enumerate(zip(inputs, self.arrays)):
            if k < bound and numpy.size(array) != 0:  # 0 stands for "any" in the shape of an input
                (self.folder / f"input_{len(names)}").write_bytes(numpy.ascontiguousarray(array).tobytes())
                names.append(entry.name)
            else:
                model.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), entry.name))
        del model.graph.input[:]
        for entry, array in zip(inputs, self.arrays):  # the shape of the data, where the model has none or another
            if entry.name not in names:
                continue
            model.graph.input.append(onnx.helper.make_tensor_value_info(entry.name, entry.type.tensor_type.elem_type, numpy.shape(array)))
        if not names:  # a network has an input
            model.graph.input.append(onnx.helper.make_tensor_value_info("unread", onnx.TensorProto.FLOAT, [1]))
            (self.folder / "input_0").write_bytes(bytes(4))
            names.append("unread")
        onnx.save(model, self.folder / "model.onnx")
        return "\t".join([str(self.folder / "model.onnx"), str(self.folder)] + names)

    def difference(self, described):
        """What is wrong with the outputs, or None."""
        if len(described) != len(self.wanted):
            return f"{len(described)} outputs; expected {len(self.wanted)}"
        for k, (text, wanted) in enumerate(zip(described, self.wanted)):
            name, *extents = text.split(" ")
            values = numpy.frombuffer((self.folder / f"output_{k}").read_bytes(), dtype_of(name))
            values = values.reshape([int(extent) for extent in extents])
            wanted = numpy.asarray(wanted)
            if values.dtype != wanted.dtype or values.shape != wanted.shape:
                return f"output {k} is {values.dtype} {values.shape}; expected {wanted.dtype} {wanted.shape}"
            wide = (lambda a: a.astype(numpy.float64)) if wanted.dtype.kind not in "biu" else (lambda a: a)
            rtol = max(self.test.rtol, {"float16": 2**-9, "bfloat16": 2**-6}.get(str(wanted.dtype), 0))  # two units in the last place
            if not numpy.allclose(wide(values), wide(wanted), rtol=rtol, atol=self.test.atol, equal_nan=True):
                return f"output {k}: {values.ravel()[:8]} expected {wanted.ravel()[:8]}"
        return None


def answers_of(runner, lines, folder):
    """One answer for each line; a crash is one too, and the rest goes on without it."""
    answers = []
    while len(answers) < len(lines):
        list_file = folder / "list"
        list_file.write_text("\n".join(lines[len(answers):]) + "\n")
        done = subprocess.run([runner, str(list_file)], stdout=subprocess.PIPE, text=True)
        answers += [line.split("\t") for line in done.stdout.splitlines()]
        if len(answers) < len(lines):
            answers.append(["broken", f"the process ended with {done.returncode}"])
    return answers


def listed_reason(name):
    return next((reason for pattern, reason in LISTED.items() if fnmatch.fnmatch(name, pattern)), None)


def run_cases(runner, cases, folder):
    """{case: answer}. An input that decides the output's shape must be a constant: such cases are tried again with more and more of them constant."""
    answers = {}
    open_cases = list(cases)
    for constants in ("none", "all but the first", "all"):
        lines = [case.write({"none": len(case.arrays), "all but the first": 1, "all": 0}[constants]) for case in open_cases]
        for case, answer in zip(open_cases, answers_of(runner, lines, folder)):
            answers[case] = answer
        open_cases = [case for case in open_cases if answers[case][0] == "refused" and "known only" in answers[case][1]]
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", default=pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/run_reference")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--verbose", action="store_true", help="name every case")
    options = parser.parse_args()
    if not pathlib.Path(options.runner).exists():
        sys.exit(f"{options.runner} does not exist; build it with -DLACUNA_BUILD_TESTS=ON, or name it with --runner")
    known = set(subprocess.run([options.runner, "--operators"], stdout=subprocess.PIPE, text=True, check=True).stdout.split())
    known.add("Constant")
    warnings.simplefilter("ignore")
    tests = [test for test in collect_testcases(None) if options.only in test.name and set(operators_of(test.model.graph)) <= known
             and all(node.domain in ("", "ai.onnx") for node in test.model.graph.node)]
    if not tests:
        sys.exit("no case of onnx's node tests has operators of the list; nothing was tested")
    count = {"passed": 0, "listed": 0, "failed": 0}
    with tempfile.TemporaryDirectory() as name:
        cases = []
        for test in tests:
            for number, (inputs, outputs) in enumerate(test.data_sets):
                arrays = [as_array(value) for value in inputs]
                wanted = [as_array(value) for value in outputs]
                simple = all(isinstance(value, (numpy.ndarray, numpy.generic)) for value in arrays + wanted)
                if simple:
                    cases.append(Case(test, arrays, wanted, pathlib.Path(name) / f"{test.name}_{number}"))
                else:
                    count["listed" if listed_reason(test.name) else "failed"] += 1
                    print(f"{'listed' if listed_reason(test.name) else 'FAILED'} {test.name}: {listed_reason(test.name) or 'a sequence or optional value'}")
        for case, answer in run_cases(options.runner, cases, pathlib.Path(name)).items():
            reason = listed_reason(case.test.name)
            wrong = case.difference(answer[1:]) if answer[0] == "ok" else ": ".join(answer)
            if reason is not None and answer[0] == "refused":
                result, why = "listed", reason
            elif reason is not None and wrong is None:
                result, why = "failed", "it is listed, but it passes; take it off the table"
            else:
                result, why = ("passed", "") if wrong is None else ("failed", wrong)
            count[result] += 1
            if result == "failed" or options.verbose:
                print(f"{'FAILED' if result == 'failed' else result} {case.test.name}: {why}")
    print(f"{count['passed']} passed, {count['listed']} listed with a reason, {count['failed']} failed; onnx {onnx.__version__}")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
