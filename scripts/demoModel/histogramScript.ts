/**
 * What the demo model writes for the example's task: a histogram as a PNG with Python's standard library alone, so
 * that it runs in any image with a python3.
 */
export const histogramScript = String.raw`"""Draws a histogram of the muons' transverse momentum, pt, in GeV.

Written by the scripted demo model of Sandboxed Agent. It needs nothing but Python 3.
"""
import csv
import struct
import zlib

BINS, MAXIMUM = 40, 100.0
WIDTH, HEIGHT, MARGIN = 640, 400, 40
WHITE, BLUE, BLACK = (255, 255, 255), (31, 119, 180), (0, 0, 0)
GLYPHS = {  # 3 x 5 dots each, row by row
    "0": "111101101101111", "1": "010110010010111", "2": "111001111100111", "3": "111001111001111",
    "4": "101101111001001", "5": "111100111001111", "6": "111100111101111", "7": "111001010010010",
    "8": "111101111101111", "9": "111101111001111",
    "E": "111100111100111", "G": "111100101101111", "M": "101111111101101", "N": "111101101101101",
    "O": "111101101101111", "P": "111101111100100", "S": "111100111001111", "T": "111010010010010",
    "U": "101101101101111", "V": "101101101101010", "/": "001001010100100", " ": "000000000000000",
}


def read_pt(path):
    with open(path, newline="") as file:
        return [float(row["pt"]) for row in csv.DictReader(file)]


def count(values):
    bins = [0] * BINS
    for value in values:
        if 0 <= value < MAXIMUM:
            bins[int(value / MAXIMUM * BINS)] += 1
    return bins


def fill(picture, left, top, right, bottom, colour):
    for row in picture[top:bottom]:
        row[left:right] = [colour] * (right - left)


def write(picture, text, left, top, size=3):
    for character in str(text):
        for dot, on in enumerate(GLYPHS[character]):
            if on == "1":
                x, y = left + dot % 3 * size, top + dot // 3 * size
                fill(picture, x, y, x + size, y + size, BLACK)
        left += 4 * size


def draw(bins):
    picture = [[WHITE] * WIDTH for _ in range(HEIGHT)]
    base, step = HEIGHT - MARGIN, (WIDTH - 2 * MARGIN) / BINS
    for index, entries in enumerate(bins):
        top = base - round(entries / max(max(bins), 1) * (base - MARGIN))
        fill(picture, MARGIN + round(index * step), top, MARGIN + round((index + 1) * step) - 1, base, BLUE)
    fill(picture, MARGIN, base, WIDTH - MARGIN, base + 2, BLACK)
    fill(picture, MARGIN - 2, MARGIN, MARGIN, base + 2, BLACK)
    for label in range(0, int(MAXIMUM) + 1, 20):
        x = MARGIN + round(label / MAXIMUM * (WIDTH - 2 * MARGIN))
        write(picture, label, x - 6 * len(str(label)), base + 6, 2)
    write(picture, max(bins), 2, MARGIN - 8, 2)
    write(picture, "MUONS", MARGIN, 10)
    write(picture, "PT / GEV", WIDTH - MARGIN - 96, HEIGHT - 18)
    return picture


def save_png(picture, path):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(part for pixel in row for part in pixel) for row in picture)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


pt = read_pt("data/muons.csv")
save_png(draw(count(pt)), "pt_histogram.png")
print(f"{len(pt)} muons, mean pt {sum(pt) / len(pt):.1f} GeV, highest {max(pt):.1f} GeV -> pt_histogram.png")
`;
