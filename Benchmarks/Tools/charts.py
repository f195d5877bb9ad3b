"""Charts as SVG: a bar for each implementation, its length the logarithm of the speed. They follow the
page's light or dark scheme."""

import math

import tables

COLORS = {
    "ours": "#0969da", "tree": "#54aeff", "coders": "#80ccff", "foundation": "#d4762c", "rust-plist": "#b7410e",
    "libplist": "#6f9a37",
    "plistlib": "#9a6fb0", "pytypedstream": "#9a6fb0", "floor": "#8c959f",
}
STYLE = (
    "text{font:12px -apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2328}"
    ".small{font-size:11px}.title{font-size:14px;font-weight:600}.grid{stroke:#d1d9e0}"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#3d444d}}")
BAR, GAP, LEFT, WIDTH, RIGHT, TOP = 13, 11, 176, 460, 84, 64


def chart(title, unit, rows, value):
    """Returns an SVG of `value(result)` for all implementations of `rows`, [(label, implementations)]."""
    present = [n for n in tables.TITLES if any(n in of for _, of in rows)]
    values = [value(of[n]) for _, of in rows for n in present if n in of]
    # The axis runs from a power of ten to slightly more than the longest bar.
    low, high = math.floor(math.log10(min(values))), math.log10(max(values) * 1.2)
    scale = Scale(low, max(high, low + 1))
    bars = sum(len([n for n in present if n in of]) for _, of in rows)
    bottom = TOP + bars * BAR + len(rows) * GAP
    parts = [text(LEFT, 20, title, "title"), text(LEFT, 20 + 17, unit + ", logarithmic", "small")]
    parts += legend(present, 52) + grid(scale, bottom)
    y = TOP
    for label, of in rows:
        names = [n for n in present if n in of]
        parts.append(text(LEFT - 8, y + len(names) * BAR / 2 + 4, label, anchor="end"))
        for name in names:
            parts += bar(name, value(of[name]), y, scale)
            y += BAR
        y += GAP
    size = f'width="{LEFT + WIDTH + RIGHT}" height="{bottom + 24}"'
    box = f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {bottom + 24}"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img">\n<title>{title}</title>\n'
            f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n")


class Scale:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __call__(self, value):
        return LEFT + (math.log10(value) - self.low) / (self.high - self.low) * WIDTH


def bar(name, value, y, scale):
    length = max(1.0, scale(value) - LEFT)
    return [
        f'<rect x="{LEFT}" y="{y:.1f}" width="{length:.1f}" height="{BAR - 2}" fill="{COLORS[name]}"/>',
        text(LEFT + length + 4, y + BAR - 4, tables.number(value), "small")]


def legend(present, y):
    parts, x = [], LEFT
    for name in present:
        title = tables.TITLES[name].replace("*", "").replace("`", "")
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{COLORS[name]}"/>')
        parts.append(text(x + 14, y, title, "small"))
        x = round(x + 26 + 6.2 * len(title), 1)
    return parts


def grid(scale, bottom):
    parts = []
    for power in range(scale.low, math.floor(scale.high) + 1):
        x = scale(10 ** power)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(text(x, bottom + 15, f"{10 ** power:,g}", "small", "middle"))
    return parts


def text(x, y, content, style="", anchor="start"):
    content = content.replace("&", "&amp;").replace("<", "&lt;")
    kind = f' class="{style}"' if style else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}"{place}>{content}</text>'


def all_charts(report):
    """Yields the name and text of each file."""
    for section in tables.SECTIONS:
        rows = [(r["name"], r["implementations"]) for r in tables.rows_of(report["results"], section)]
        if rows:
            yield tables.slug(section[0]), chart(section[0], "MB/s", rows, tables.speed)
    rows = [(label, peers_only(row)) for row, label, _ in tables.gist_rows(report)]
    if rows:
        yield "overview", chart("Speed", "MB/s of the file", rows, tables.speed)


def peers_only(row):
    names = ["ours"] + tables.PEERS
    return {name: row["implementations"][name] for name in names if name in row["implementations"]}
