#!/usr/bin/env python3
"""Checks every #include in src/ and tools/ against the stages of docs/architecture.md: arrows point one way."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KNOWS = {
    "base": set(),
    "network": {"base"},
    "store": {"base", "network"},
    "operators": {"base", "network"},
    "frontends": {"base", "network", "store", "operators"},
    "generate": {"base", "network", "store", "frontends"},
    "reference": {"base", "network", "operators"},
    "passes": {"base", "network", "operators"},
    "rows": {"base", "network"},
    "kernel": {"base", "network"},
    "emit": {"base", "network", "kernel"},
    "devices": {"base"},
    "dense": {"base", "network"},
    "plan": {"base", "network", "operators", "rows", "kernel", "emit", "devices", "dense"},
    "engine": {"base", "network", "operators", "store", "reference", "passes", "rows", "kernel", "devices", "dense", "plan"},
}
# Public headers belong to the stage that implements them.
PUBLIC = {
    "array": "base", "error": "base", "progress": "base", "lacuna": "engine",
    "network": "network", "neuron_graph": "network", "sparse_matrix": "network", "bit_matrix": "network", "tensor": "network", "element_type": "base", "neuron_function": "base",
    "store": "store", "load": "frontends", "neuro": "frontends", "onnx": "frontends", "generate": "generate", "optimise": "passes",
    "compile": "engine", "check": "engine", "devices": "engine",
}
INCLUDE = re.compile(r'^\s*#include\s+(?:"([^"]+)"|<lacuna/(\w+)\.hpp>)')


def wrong_includes():
    for source in sorted((ROOT / "src").rglob("*.[ch]pp")):
        stage = source.relative_to(ROOT / "src").parts[0]
        for number, line in enumerate(source.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            other = found.group(1).split("/")[0] if found.group(1) else PUBLIC[found.group(2)]
            if other != stage and other not in KNOWS.get(stage, set()):
                yield f"{source.relative_to(ROOT)}:{number}: {stage} must not know {other}"
    for source in sorted((ROOT / "tools").rglob("*.[ch]pp")):
        for number, line in enumerate(source.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and found.group(1) and not (source.parent / found.group(1)).exists():
                yield f"{source.relative_to(ROOT)}:{number}: the tools use the public API only, not {found.group(1)}"


def main():
    unknown = {p.name for p in (ROOT / "src").iterdir() if p.is_dir()} - KNOWS.keys()
    wrong = [f"src/{name} is not listed in {pathlib.Path(__file__).name}" for name in sorted(unknown)] + list(wrong_includes())
    print("\n".join(wrong) if wrong else "every include follows the arrows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
