"""Draws the ladder as SVG: one group of bars per case, nominal edges per second on a logarithmic scale, the published GPU as a line."""
import math
from xml.sax.saxutils import escape

LEFT, BAR, GAP, WIDTH, SCALE = 190, 15, 4, 860, 480
OURS, BEST, GPU, TEXT, PALE = "#8fb8b3", "#0f766e", "#c2410c", "#1f2937", "#6b7280"


def text(x, y, words, colour=TEXT, size=12, anchor="start", weight="normal"):
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" stroke="white" stroke-width="3" paint-order="stroke">{escape(words)}</text>'


def in_words(rate):
    for unit, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if rate >= unit:
            return f"{rate / unit:.3g} {name}"
    return f"{rate:.0f}"


def draw(results, published):
    rates = [rung["nominal_edges_per_s"] for result in results.values() for rung in result["ladder"]] + [published[case] * 1e12 for case in results if case in published]
    low, high = math.floor(math.log10(min(rates))), math.log10(max(rates))

    def place(rate):
        return LEFT + SCALE * (math.log10(rate) - low) / (high - low)

    lines, parts, y = [], [text(10, 24, "Nominal edges per second, one optimisation on top of the other (logarithmic)", size=15, weight="bold")], 40
    for case, result in results.items():
        neurons, layers = case.split("x")
        y += 26
        parts.append(text(10, y, f"{int(neurons):,} neurons x {int(layers):,} layers", size=13, weight="bold"))
        y += 8
        top = y
        for number, rung in enumerate(result["ladder"]):
            rate, last = rung["nominal_edges_per_s"], number + 1 == len(result["ladder"])
            parts.append(text(LEFT - 8, y + 12, rung["rung"], anchor="end"))
            lines.append(f'<rect x="{LEFT}" y="{y}" width="{max(place(rate) - LEFT, 1):.1f}" height="{BAR}" fill="{BEST if last else OURS}"/>')
            parts.append(text(place(rate) + 6, y + 12, in_words(rate), weight="bold" if last else "normal"))
            y += BAR + GAP
        if case in published:
            x = place(published[case] * 1e12)
            lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{y}" stroke="{GPU}" stroke-width="2" stroke-dasharray="5 3"/>')
            parts.append(text(x, top - 8, f"best published GPU {published[case]:g}", GPU, 11, "middle"))
    any_result = next(iter(results.values()))
    y += 28
    parts.append(text(10, y, f"Lacuna, {any_result['threads']} threads, {any_result['isa']}; medians of {any_result['repeat']}, verified; GPU: SNICIT, RTX A6000", PALE, 11))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 14}" width="{WIDTH}" height="{y + 14}" font-family="sans-serif">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{y + 14}" fill="white"/>', *lines, *parts, "</svg>", ""])
