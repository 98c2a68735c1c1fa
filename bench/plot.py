# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines on two logarithmic axes, as an SVG that needs nothing else."""

import math

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 230, 30, 50
COLORS = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#b9770e", "#555555"]


def ticks(low, high):
    """Powers of ten between the bounds."""
    return [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def plot(path, title, x_label, y_label, lines):
    """`lines`: {name: [(x, y), …]}, all figures above 0."""
    xs = sorted({x for points in lines.values() for x, _ in points})
    ys = [y for points in lines.values() for _, y in points]
    y_ticks = ticks(min(ys), max(ys))

    def across(x):
        share = (math.log(x) - math.log(xs[0])) / (math.log(xs[-1]) - math.log(xs[0]) or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def down(y):
        share = (math.log(y) - math.log(y_ticks[0])) / (math.log(y_ticks[-1]) - math.log(y_ticks[0]) or 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def text(x, y, words, anchor="middle", more=""):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{words}</text>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        text(LEFT, 18, title, "start", 'font-size="14"'),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_label),
        text(16, (TOP + HEIGHT - BOTTOM) / 2, y_label, "middle", f'transform="rotate(-90 16 {(TOP + HEIGHT - BOTTOM) / 2})"'),
    ]
    for y in y_ticks:
        parts.append(f'<path d="M{LEFT} {down(y):.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        parts.append(text(LEFT - 6, down(y) + 4, f"{y:g}", "end"))
    for x in xs:
        parts.append(text(across(x), HEIGHT - BOTTOM + 18, f"{x:g}"))
    for number, (name, points) in enumerate(lines.items()):
        color = COLORS[number % len(COLORS)]
        way = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{color}"/>' for x, y in points]
        parts.append(text(WIDTH - RIGHT + 12, TOP + 12 + 18 * number, name, "start", f'fill="{color}"'))
    path.write_text("\n".join(parts + ["</svg>"]) + "\n")
