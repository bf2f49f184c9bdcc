"""The figures as an SVG: a group of bars for each case and batch, edges per second, on a scale of powers of ten."""
import math

COLOURS = {("lacuna", 1): "#d9805f", ("lacuna", 2): "#b5451b", ("sequential", 1): "#7a8b99", ("torch", 1): "#e0d08a", ("torch", 2): "#c9b458",
           ("tensorneat", 1): "#9fb4c7", ("tensorneat", 2): "#4d6a8a", ("neat-python", 1): "#5b8c5a"}


def draw(records, machine):
    cases = list(dict.fromkeys((record["case"], record["batch"]) for record in records))
    rates = {(record["case"], record["batch"], record["engine"], record["threads"]): record["edges_per_s"] for record in records if "edges_per_s" in record}
    engines = [engine for engine in COLOURS if any(key[2:] == engine for key in rates)]
    if not engines:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>\n'
    least, most = math.floor(math.log10(min(rates.values()))), math.ceil(math.log10(max(rates.values())))
    bar, gap, left, top, height = 9, 22, 60, 40, 240
    width = left + len(cases) * (len(engines) * bar + gap) + 20
    width = max(width, left + len(engines) * 115 + 20)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top + height + 100}" font-family="sans-serif" font-size="11">',
             f'<rect width="100%" height="100%" fill="white"/><text x="{left}" y="20" font-size="14">Edges per second (every line is ten times the one below)</text>']

    def tall(rate):
        return height * (math.log10(rate) - least) / max(most - least, 1)
    for power in range(least, most + 1):
        y = top + height - tall(10 ** power)
        parts.append(f'<line x1="{left}" x2="{width - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:.0e}</text>')
    for k, case in enumerate(cases):
        x = left + gap / 2 + k * (len(engines) * bar + gap)
        for e, engine in enumerate(engines):
            rate = rates.get((*case, *engine))
            if rate:
                parts.append(f'<rect x="{x + e * bar:.1f}" y="{top + height - tall(rate):.1f}" width="{bar - 1}" height="{tall(rate):.1f}" fill="{COLOURS[engine]}"/>')
        middle = x + len(engines) * bar / 2
        for row, text in enumerate((case[0], f"batch {case[1]:,}")):
            parts.append(f'<text x="{middle:.1f}" y="{top + height + 16 + 13 * row}" text-anchor="middle" font-size="9">{text}</text>')
    for e, engine in enumerate(engines):
        x = left + e * 115
        parts.append(f'<rect x="{x}" y="{top + height + 50}" width="10" height="10" fill="{COLOURS[engine]}"/>'
                     f'<text x="{x + 15}" y="{top + height + 59}">{engine[0]}, {engine[1]} thr.</text>')
    parts.append(f'<text x="{left}" y="{top + height + 85}" font-size="9" fill="#666">{machine["cpu"]}, {machine["date"][:10]}</text>')
    return "\n".join(parts) + "\n</svg>\n"
