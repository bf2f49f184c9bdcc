"""The figures as an SVG: one group of bars for each case, as multiples of ONNX Runtime's speed."""
COLOURS = {"lacuna": "#b5451b", "onnxruntime": "#7a8b99", "openvino-f32": "#4d6a8a", "openvino": "#9fb4c7", "torch": "#c9b458", "deepsparse": "#5b8c5a"}


def draw(records):
    cases = []
    for record in records:
        key = (record["network"], record["sparsity"], record["batch"], record["threads"])
        if key not in cases:
            cases.append(key)
    engines = [engine for engine in COLOURS if any(record["engine"] == engine for record in records)]
    times = {(record["network"], record["sparsity"], record["batch"], record["threads"], record["engine"]): record["ms"] for record in records}
    base = {case: times.get((*case, "onnxruntime")) for case in cases}
    speeds = {(case, engine): base[case] / times[(*case, engine)] for case in cases for engine in engines if base[case] and (*case, engine) in times}
    if not speeds:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>\n'
    most = max(speeds.values())
    bar, gap, left, top, height = 12, 26, 60, 40, 240
    width = left + len(cases) * (len(engines) * bar + gap) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top + height + 110}" font-family="sans-serif" font-size="11">',
             f'<rect width="100%" height="100%" fill="white"/><text x="{left}" y="20" font-size="14">Speed against ONNX Runtime on the same file</text>']
    for tick in range(0, int(most) + 2):
        y = top + height - height * tick / (most * 1.05)
        if y < top:
            break
        parts.append(f'<line x1="{left}" x2="{width - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/><text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tick}x</text>')
    for k, case in enumerate(cases):
        x = left + gap / 2 + k * (len(engines) * bar + gap)
        for e, engine in enumerate(engines):
            if (case, engine) not in speeds:
                continue
            tall = height * speeds[(case, engine)] / (most * 1.05)
            parts.append(f'<rect x="{x + e * bar:.1f}" y="{top + height - tall:.1f}" width="{bar - 1}" height="{tall:.1f}" fill="{COLOURS[engine]}"/>')
        network, sparsity, batch, threads = case
        middle = x + len(engines) * bar / 2
        for row, text in enumerate((network, f"{sparsity:.0%} zeros", f"batch {batch}, {threads} thr.")):
            parts.append(f'<text x="{middle:.1f}" y="{top + height + 16 + 13 * row}" text-anchor="middle" font-size="9">{text}</text>')
    for e, engine in enumerate(engines):
        x = left + e * 110
        parts.append(f'<rect x="{x}" y="{top + height + 72}" width="10" height="10" fill="{COLOURS[engine]}"/><text x="{x + 15}" y="{top + height + 81}">{engine}</text>')
    return "\n".join(parts) + "\n</svg>\n"
