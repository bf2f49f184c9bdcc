"""The figures as a table in Markdown: a line for each case, milliseconds of every engine, and how many times faster Lacuna is."""
import math
import re

TITLES = {"lacuna": "Lacuna", "onnxruntime": "ONNX Runtime", "openvino-f32": "OpenVINO f32", "openvino": "OpenVINO", "torch": "PyTorch", "deepsparse": "DeepSparse"}


def engines_of(records):
    return [engine for engine in TITLES if any(record["engine"] == engine for record in records)]


def by_case(records):
    """{(network, sparsity, batch, threads): {engine: record}}, in the order of the run."""
    cases = {}
    for record in records:
        cases.setdefault((record["network"], record["sparsity"], record["batch"], record["threads"]), {})[record["engine"]] = record
    return cases


def three_digits(value):
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}"


def cell(record, lacuna):
    if record is None:
        return "-"
    text = three_digits(record["ms"]) + ("" if record.get("verified", True) else "~")
    return text if record is lacuna or lacuna is None else f"{text} ({three_digits(record['ms'] / lacuna['ms'])}x)"


def markdown(records, machine):
    engines = engines_of(records)
    versions = {record["engine"]: re.match(r"[\d.]*", record["version"])[0] for record in records}
    rows = [["network", "zeros", "batch", "threads", *(TITLES[engine] for engine in engines)]]
    for (network, sparsity, batch, threads), found in by_case(records).items():
        rows.append([network, f"{sparsity:.0%}", str(batch), str(threads), *(cell(found.get(engine), found.get("lacuna")) for engine in engines)])
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    lines = ["| " + " | ".join(text.ljust(width) if k == 0 else text.rjust(width) for k, (text, width) in enumerate(zip(row, widths))) + " |" for row in rows]
    notes = [f"{machine}. " + ", ".join(f"{TITLES[engine]} {versions[engine]}" for engine in engines) + ".",
             "Milliseconds for a batch, medians of the rounds; in brackets how many times faster Lacuna is."]
    if "~" in "".join(lines):
        notes.append("~: further than 1e-3 of the largest output from ONNX Runtime's answer.")
    return "\n".join([*notes, "", *lines]) + "\n"
