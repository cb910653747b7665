# SPDX-License-Identifier: MIT
"""exports.py FOLDED SPEEDSCOPE PPROF PERFETTO: print the stacks of four exports of one trace, which
have to be the same in all of them; each file is read by its format's own description."""
import collections
import gzip
import json
import re
import sys


def escaped(name):
    """A name as the folded form has it."""
    def one(match):
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(match.group(), "\\u%04x" % ord(match.group()))
    return re.sub("[\x00-\x1f\x7f]", one, name).replace(";", ":")


def folded(path):
    sums = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            sums[stack] += int(count)
    return sums


def speedscope(path):
    sums = collections.Counter()
    with open(path, encoding="utf-8") as text:
        whole = json.load(text)
    names = [escaped(frame["name"]) for frame in whole["shared"]["frames"]]
    for profile in whole["profiles"]:
        assert profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        for stack, weight in zip(profile["samples"], profile["weights"]):
            sums[";".join(names[i] for i in stack)] += weight
    return sums


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
        shift += 7


def message(data):
    """The fields of a message: number -> values in order"""
    fields = collections.defaultdict(list)
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value = data[at:at + 8]
            at += 8
        else:
            assert tag & 7 == 2
            size, at = varint(data, at)
            value = data[at:at + size]
            at += size
        fields[tag >> 3].append(value)
    return fields


def pprof(path):
    sums = collections.Counter()
    with gzip.open(path) as data:
        profile = message(data.read())
    strings = [text.decode("utf-8") for text in profile[6]]
    assert strings[0] == ""
    functions = {f[1][0]: strings[f[2][0]] for f in map(message, profile[5])}
    mappings = {m[1][0] for m in map(message, profile[3])}
    locations = {}
    for location in map(message, profile[4]):
        assert location[2] == [] or location[2][0] in mappings
        locations[location[1][0]] = functions[message(location[4][0])[1][0]]
    for sample in map(message, profile[2]):
        label = message(sample[3][0])
        assert strings[label[1][0]] == "process"
        stack = [strings[label[2][0]]] + [locations[i] for i in reversed(sample[1])]
        sums[";".join(map(escaped, stack))] += sample[2][0]
    kind = message(profile[1][0])
    assert (strings[kind[1][0]], strings[kind[2][0]]) == ("events", "count")
    assert profile[9][0] > 0 and profile[10][0] >= 0
    return sums


FUNCTIONS, FRAMES, CALLSTACKS = 5, 6, 7    # fields of InternedData


def interned(tables, data):
    """Add what InternedData has to the tables; a number stands for one thing."""
    for index, entries in message(data).items():
        for entry in map(message, entries):
            assert entry[1][0] not in tables[index], "a number that is used twice"
            tables[index][entry[1][0]] = entry


def perfetto(path):
    sums = collections.Counter()
    tables = collections.defaultdict(dict)
    tracks = {}
    with open(path, "rb") as data:
        packets = message(data.read())[1]
    for packet in map(message, packets):
        for data in packet[12]:
            interned(tables, data)
        for track in map(message, packet[60]):
            thread = [message(part)[1][0] for part in track[4]]
            tracks[track[1][0]] = "process %u" % thread[0] if thread else ""
        for event in map(message, packet[11]):
            if not event[56]:
                continue
            frames = [tables[FRAMES][i] for i in tables[CALLSTACKS][event[56][0]][2]]
            names = [tables[FUNCTIONS][f[2][0]][2][0].decode("utf-8") for f in frames]
            assert all(f[7] == [2 if name == "[kernel]" else 1] for f, name in zip(frames, names))
            sums[";".join(map(escaped, [tracks[event[11][0]]] + names))] += 1
    return sums


def main():
    stacks = folded(sys.argv[1])
    assert speedscope(sys.argv[2]) == stacks, "speedscope"
    assert pprof(sys.argv[3]) == stacks, "pprof"
    assert perfetto(sys.argv[4]) == stacks, "perfetto"
    for stack, count in sorted(stacks.items()):
        print(stack, count)


main()
