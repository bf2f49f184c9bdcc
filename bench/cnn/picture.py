"""The figures as an SVG: a panel for each network, batch and number of threads, in it a group of bars for each share of zeros; inputs per second."""
import math

from table import TITLES, by_case, engines_of

COLOURS = {"lacuna": "#b5451b", "onnxruntime": "#7a8b99", "openvino-f32": "#4d6a8a", "openvino": "#9fb4c7", "torch": "#c9b458", "deepsparse": "#5b8c5a"}
LEFT, RIGHT, TOP, HEIGHT, BOTTOM = 62, 14, 30, 110, 40  # of a panel: the axis' figures, nothing, the title, the bars, the shares of zeros
GAP = 12  # between groups of bars


def text(x, y, words, size=10, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{more}>{words}</text>'


def step_of(most):
    """A round distance of lines, so that there are two to five up to `most`."""
    power = 10.0 ** math.floor(math.log10(most))
    return next(step for step in (power / 5, power / 2, power, 2 * power) if most / step <= 5)


def panel(title, groups, engines, bar, width):
    """groups: {sparsity: {engine: record}}."""
    rates = {(sparsity, engine): record["batch"] / record["ms"] * 1e3 for sparsity, found in groups.items() for engine, record in found.items()}
    most, base, right = max(rates.values()), TOP + HEIGHT, width - RIGHT
    parts = [text((LEFT + right) / 2, 16, title, 11, more=' font-weight="bold"'), text((LEFT + right) / 2, base + 30, "zeros"),
             text(0, 0, "inputs/s", more=f' transform="translate(12 {TOP + HEIGHT / 2}) rotate(-90)"')]

    def tall(rate):
        return (HEIGHT - 12) * rate / most
    step = step_of(most)
    for k in range(int(most / step) + 1):
        y = base - tall(k * step)
        parts += [f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>', text(LEFT - 4, y + 3, f"{k * step:,.10g}", 9, "end")]
    share = (right - LEFT) / len(groups)
    for g, (sparsity, found) in enumerate(groups.items()):
        middle = LEFT + (g + 0.5) * share
        parts.append(text(middle, base + 14, f"{sparsity:.0%}"))
        for e, engine in enumerate(engines):
            if engine in found:
                x, high = middle + (e - len(engines) / 2) * bar, tall(rates[sparsity, engine])
                parts.append(f'<rect x="{x:.1f}" y="{base - high:.1f}" width="{bar - 1:.1f}" height="{high:.1f}" fill="{COLOURS[engine]}"/>')
        rivals = [rates[sparsity, engine] for engine, record in found.items() if engine != "lacuna" and record.get("verified", True)]
        if rivals and "lacuna" in found:
            highest = max(tall(rates[sparsity, engine]) for engine in found)
            parts.append(text(middle, base - highest - 3, f"{rates[sparsity, 'lacuna'] / max(rivals):.1f}x", 9, more=f' fill="{COLOURS["lacuna"]}"'))
    return parts


def draw(records, machine):
    engines, panels = engines_of(records), {}
    for (network, sparsity, batch, threads), found in by_case(records).items():
        panels.setdefault((network, batch, threads), {})[sparsity] = found
    networks, settings = list(dict.fromkeys(key[0] for key in panels)), list(dict.fromkeys(key[1:] for key in panels))
    columns = len(settings) if len(settings) > 1 else min(4, len(networks))  # a network is a line, unless each has one panel only
    rows = -(-len(networks) * len(settings) // columns)
    most_groups = max(map(len, panels.values()))
    width = max(LEFT + most_groups * (len(engines) * 7 + GAP) + RIGHT, 240)
    bar = ((width - LEFT - RIGHT) / most_groups - GAP) / len(engines)
    whole, high = max(columns * width, 680) + 20, rows * (TOP + HEIGHT + BOTTOM) + 70
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{high}" font-family="sans-serif">', '<rect width="100%" height="100%" fill="white"/>',
             text(14, 20, "Inputs per second; above the bars: Lacuna against the fastest other engine with an exact answer", 13, "start")]
    for e, engine in enumerate(engines):
        x = 14 + e * 112
        parts += [f'<rect x="{x}" y="34" width="10" height="10" fill="{COLOURS[engine]}"/>', text(x + 14, 43, TITLES[engine], 11, "start")]
    for (network, batch, threads), groups in panels.items():
        place = networks.index(network) * len(settings) + settings.index((batch, threads))
        across, down = place % columns * width + 10, place // columns * (TOP + HEIGHT + BOTTOM) + 54
        title = f"{network}, batch {batch}, {threads} thread{'s' if threads > 1 else ''}"
        parts += [f'<g transform="translate({across} {down})">', *panel(title, groups, engines, bar, width), "</g>"]
    parts.append(text(14, high - 6, machine, 9, "start", ' fill="#666"'))
    return "\n".join(parts) + "\n</svg>\n"
