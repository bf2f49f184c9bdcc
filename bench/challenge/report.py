"""Turns the summary of a run (JSON on stdin) into a table, lines in challenge.jsonl and the picture challenge.svg.

    report.py FOLDER < summary.json
"""
import json
import os
import platform
import statistics
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

from chart import draw
from text_to_binary import load_network

COLUMNS = ("program", "version", "threads", "rounds", "median s", "best s", "G edges/s", "vs best rival", "answer")


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent)
    return done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else "unknown"


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def machine():
    return {"date": datetime.now(timezone.utc).isoformat(timespec="seconds"), "commit": first_line("git", "rev-parse", "HEAD"),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores", "cpu": cpu_name(),
            "compiler": first_line("g++", "--version"), "load_average": os.getloadavg()[0]}


def add_rates(results, networks):
    """Fills edges, median, best, rate and the rate relative to the fastest rival with a right answer."""
    edges = {name: sum(source.size for _, source, *_ in load_network(path)[1]) for name, path in networks.items()}
    for result in results:
        result["edges"] = edges[result["case"]]
        if result["seconds"]:
            result["median"], result["best"] = statistics.median(result["seconds"]), min(result["seconds"])
            result["rate"] = result["edges"] * result["inputs"] / result["median"] / 1e9
    for result in results:
        rivals = [r["rate"] for r in results if r["case"] == result["case"] and r["name"] != "lacuna" and not r["wrong"] and "rate" in r]
        if rivals and "rate" in result and not result["wrong"]:
            result["relative"] = result["rate"] / max(rivals)


def row(result, rounds):
    timed = [f"{result['median']:.3f}", f"{result['best']:.3f}", f"{result['rate']:.2f}"] if "rate" in result else ["-"] * 3
    relative = f"{result['relative']:.2f}x" if "relative" in result else "-"
    answer = "WRONG" if result["wrong"] else f"right, error {result['max_error']:.0e}"
    return [result["name"], result["version"], str(result["threads"]), f"{len(result['seconds'])} of {rounds}", *timed, relative, answer]


def print_table(results, summary):
    for case in summary["networks"]:
        mine = sorted((r for r in results if r["case"] == case), key=lambda r: -r.get("rate", 0))
        rows = [list(COLUMNS)] + [row(result, summary["rounds"]) for result in mine]
        widths = [max(len(line[i]) for line in rows) for i in range(len(COLUMNS))]
        print(f"\n{case}, {mine[0]['inputs']:,} inputs, {mine[0]['edges']:,} edges")
        for line in rows:
            print("  " + "  ".join(text.ljust(w) if i < 2 else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths))))
        for result in mine:
            if result["wrong"]:
                print(f"  {result['name']} WRONG: {result['wrong']}")
            for key in ("settings", "code_path"):
                if key in result.get("said", {}):
                    print(f"  {result['name']} {key.replace('_', ' ')}: {result['said'][key]}")
    for peer in summary["skipped"]:
        print(f"\nskipped: {peer['name']}: {peer['reason']}")
    if any(0 < len(r["seconds"]) < summary["rounds"] and not r["wrong"] for r in results):
        print("\nSlow peers ran in the first round only (--all-rounds runs them in each).")


def main(folder):
    summary = json.load(sys.stdin)
    results = summary["results"]
    add_rates(results, summary["networks"])
    print_table(results, summary)
    here = machine()
    with open(folder / "challenge.jsonl", "a") as file:
        for result in results:
            file.write(json.dumps({**here, "seed": summary["seed"], **result, "verified": not result["wrong"]}) + "\n")
        for peer in summary["skipped"]:
            file.write(json.dumps({**here, "name": peer["name"], "skipped": peer["reason"]}) + "\n")
    draw(results, here, folder / "challenge.svg")
    print(f"\nwritten: {folder}/challenge.jsonl, {folder}/challenge.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
