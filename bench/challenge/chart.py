"""Draws the comparison: one group of bars per case, longest first, Lacuna in colour."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

LACUNA, RIVAL, WRONG, TEXT = "#0f766e", "#b6bfca", "#c0392b", "#1f2937"


def label(result):
    if result["wrong"]:
        return "WRONG"
    relative = f"   {result['relative']:.2f}x the fastest rival" if result["name"] == "lacuna" and "relative" in result else ""
    return f"{result['rate']:.3g}{relative}"


def draw_case(axes, case, results):
    mine = sorted((r for r in results if r["case"] == case and "rate" in r), key=lambda r: r["rate"])
    longest = max((r["rate"] for r in mine), default=1)
    for place, result in enumerate(mine):
        ours = result["name"] == "lacuna"
        colour = WRONG if result["wrong"] else LACUNA if ours else RIVAL
        axes.barh(place, result["rate"], color=colour, height=0.66)
        axes.text(result["rate"] + longest * 0.015, place, label(result), va="center", color=TEXT, fontsize=10, weight="bold" if ours else "normal")
    axes.set_yticks(range(len(mine)), [f"{r['name']} {r['version']}" for r in mine], fontsize=10, color=TEXT)
    axes.set_xlim(0, longest * 1.6)
    axes.set_title(f"{case}, {mine[0]['inputs']:,} inputs" if mine else case, loc="left", fontsize=11, weight="bold", color=TEXT)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.tick_params(left=False, bottom=False, labelbottom=False)


def draw(results, machine, path):
    cases = list(dict.fromkeys(r["case"] for r in results))
    rows = max(sum(r["case"] == case for r in results) for case in cases)
    figure, all_axes = plt.subplots(len(cases), 1, figsize=(9, 0.9 + len(cases) * (0.7 + 0.42 * rows)), squeeze=False, layout="constrained")
    figure.suptitle("Billion edges per second (median, longer is better)", x=0.01, ha="left", fontsize=13, color=TEXT)
    for axes, case in zip(all_axes[:, 0], cases):
        draw_case(axes, case, results)
    threads = max(r["threads"] for r in results)
    paths = {f", {r['name']} code path: {r['said']['code_path']}" for r in results if "code_path" in r.get("said", {})}
    figure.supxlabel(f"{machine['cpu']}, up to {threads} threads, {machine['date'][:10]}{''.join(sorted(paths))}", x=0.01, ha="left", fontsize=9, color="#6b7280")
    figure.savefig(path)
