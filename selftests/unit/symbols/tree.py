# SPDX-License-Identifier: MIT
"""tree.py REPORT FOLDED [FOLDED]: compare the tree of stacks of a report's JSON, or of its
difference, with the stacks that etw convert --to folded writes of the same trace, or traces.
Prints "same", or how the tree has less because it gave up branches."""
import collections
import json
import sys


def totals(path):
    """path of functions -> (events that end there, events that pass)"""
    ends, passes, events = collections.Counter(), collections.Counter(), 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            parts, count = tuple(stack.split(";")), int(count)
            ends[parts] += count
            events += count
            for depth in range(1, len(parts) + 1):
                passes[parts[:depth]] += count
    return ends, passes, events


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        report = json.load(text)
    sides = [totals(path) for path in sys.argv[2:]]
    stacks = report["stacks"] if len(sides) == 1 else report["diff"]["stacks"]
    paths, less = [], 0
    seen = [set() for _ in sides]
    for name, caller, *counts in stacks["nodes"]:
        assert caller < len(paths) and len(counts) == 2 * len(sides)
        path = (paths[caller] if caller >= 0 else ()) + (stacks["names"][name].replace(";", ":"),)
        paths.append(path)
        for side, (ends, passes, _) in enumerate(sides):
            own, whole = counts[2 * side:2 * side + 2]
            assert own <= ends[path] and whole <= passes[path], (path, counts)
            less += passes[path] - whole
            if whole:
                seen[side].add(path)
    assert stacks["events"] == sum(events for _, _, events in sides)
    assert len(set(paths)) == len(paths)
    missing = sum(len(passes) - len(had) for (_, passes, _), had in zip(sides, seen))
    if not less and not missing:
        assert stacks["other"] == {"nodes": 0, "events": 0}
        print("same")
        return
    assert stacks["other"]["nodes"] >= missing and stacks["other"]["events"] > 0
    # The largest functions are there: the outermost ones have all of their events.
    for path, count in sides[0][1].items():
        assert len(path) > 1 or path in seen[0]
    print("less")


main()
