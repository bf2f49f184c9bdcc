"""Few runs in which every two settings meet: most faults need one or two of them, and the whole product takes hours."""
import itertools
import random


def meetings(run):
    """Every two settings of a run, each with its place: (place, setting, place, setting)."""
    return {(a, run[a], b, run[b]) for a, b in itertools.combinations(range(len(run)), 2)}


def every_pair(choices, seed):
    """Runs, one of `choices` at each place, so that any two settings of different places are together in one of them at least. The next run is always one
    that brings most pairs not seen yet; `seed` decides among equals, so another seed also meets other threes."""
    runs = list(itertools.product(*choices))
    random.Random(seed).shuffle(runs)
    missing = set().union(*map(meetings, runs))
    taken = []
    while missing:
        best = max(runs, key=lambda run: len(meetings(run) & missing))
        missing -= meetings(best)
        taken.append(best)
    return sorted(taken, key=lambda run: [list(values).index(value) for values, value in zip(choices, run)])
