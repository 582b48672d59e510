"""Makes muons.csv: synthetic muon pairs, not measured ones.

The same numbers come out every time (fixed seed). Six of ten pairs come from a Z boson (mass near 91 GeV), the others
from a falling background, so the pt spectrum falls and has a bump at about half the Z mass.
"""
import csv
import math
import random

PAIRS = 400
Z_SHARE, Z_MASS, Z_WIDTH = 0.6, 91.19, 2.5  # GeV
random.seed(91)


def z_pair():
    """Two massless muons of a Z that decays evenly in all directions and flies with a small pt."""
    mass = Z_MASS + Z_WIDTH / 2 * math.tan(math.pi * (random.random() - 0.5) * 0.95)
    cosine, angle = random.uniform(-1, 1), random.uniform(-math.pi, math.pi)
    sine = math.sqrt(1 - cosine**2)
    direction = (sine * math.cos(angle), sine * math.sin(angle), cosine)
    z_pt, z_phi, rapidity = random.expovariate(1 / 12), random.uniform(-math.pi, math.pi), random.gauss(0, 1.2)
    transverse_mass = math.hypot(mass, z_pt)
    z = (z_pt * math.cos(z_phi), z_pt * math.sin(z_phi), transverse_mass * math.sinh(rapidity))
    energy = transverse_mass * math.cosh(rapidity)
    for sign in (1, -1):
        rest = [sign * mass / 2 * part for part in direction]
        along = sum(a * b for a, b in zip(z, rest))
        factor = along / (mass * (energy + mass)) + 0.5
        yield from_momentum([r + b * factor for r, b in zip(rest, z)])


def background_pair():
    for _ in range(2):
        yield 3 + random.expovariate(1 / 9), random.gauss(0, 1.3), random.uniform(-math.pi, math.pi)


def from_momentum(momentum):
    x, y, z = momentum
    pt = math.hypot(x, y)
    return pt, math.asinh(z / pt), math.atan2(y, x)


with open("muons.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["event", "pt", "eta", "phi", "charge"])
    event = 0
    while event < PAIRS:
        pair = list(z_pair() if random.random() < Z_SHARE else background_pair())
        if all(pt > 3 and abs(eta) < 2.4 for pt, eta, _ in pair):
            event += 1
            for charge, (pt, eta, phi) in zip((1, -1), pair):
                writer.writerow([event, f"{pt:.3f}", f"{eta:.4f}", f"{phi:.4f}", charge])
