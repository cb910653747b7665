#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compare the numbers of etw report with those of etw dump.

cli_report.py REPORT ETW DUMP_ARGUMENT...: all that dump --json shows
cli_report.py --sums REPORT EVENTS: that lists and what is beside them add up
cli_report.py --page PAGE REPORT: that the page holds that report
"""
import collections
import json
import re
import subprocess
import sys

BAD = []


def same(what, got, want):
    if got != want:
        BAD.append(f"{what}: the report has {got!r:.200}, not {want!r:.200}")


def ticks(time):
    """100 ns of a day and the date, of 2026-01-31T12:34:56.1234567Z"""
    date, clock = time[:-1].split("T")
    hour, minute, second = clock.split(":")
    whole, part = second.split(".")
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(whole)
    return date, seconds * 10**7 + int(part)


def dump(etw, arguments, *more):
    command = [etw, "dump", "--json", *more, *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines()]


def rank(numbers, part, whole):
    """The lowest value of the bin with that rank"""
    numbers = sorted(numbers)
    if not numbers:
        return 0
    at = -(-len(numbers) * part // whole)
    value = numbers[max(at, 1) - 1]
    if value < 256:
        return value
    shift = value.bit_length() - 8
    return max(value >> shift << shift, numbers[0])


def is_near(got, want):
    return abs(got - want) <= max(0.001, abs(want) * 1e-12)


def check_sums(report, total):
    for name in ("providers", "events", "processes", "cpus", "containers"):
        other = report[name + "_other"]
        listed = sum(row["events"] for row in report[name])
        if name != "containers":
            same(f"events of {name}", listed + other["events"], total)
            count = {"events": "event_kinds"}.get(name, name)
            same(f"number of {name}", len(report[name]) + other["count"], report["totals"][count])
        same(f"order of {name}", name == "cpus" or report[name],
             name == "cpus" or sorted(report[name], key=lambda row: -row["events"]))
    same("rate", sum(report["rate"]["events"]), total)
    same("rate of bytes", sum(report["rate"]["bytes"]), report["totals"]["bytes"])
    same("levels", sum(row["events"] for row in report["levels"]), total)
    timeline = report["timeline"]
    same("timeline", sum(sum(row["events"]) for row in timeline["threads"]) +
         timeline["other"]["events"], total)
    same("table", len(report["table"]["rows"]) + report["table"]["more"], total)


def check_counts(report, events, times):
    def count(key):
        return collections.Counter(key(event) for event in events)

    totals = report["totals"]
    same("events", totals["events"], len(events))
    same("undecoded", totals["undecoded"], sum(event["schema"] is None for event in events))
    same("providers", {row["guid"]: row["events"] for row in report["providers"]},
         dict(count(lambda event: event["provider"])))
    kind = ("provider", "event", "id", "version", "opcode", "level")
    same("kinds", {(row["guid"], row["name"], row["id"], row["version"], row["opcode"],
                    row["level"]): row["events"] for row in report["events"]},
         dict(count(lambda event: tuple(event[name] for name in kind))))
    same("processes", {row["pid"]: row["events"] for row in report["processes"]},
         dict(count(lambda event: event["pid"])))
    names = {event["pid"]: event.get("process_name") for event in events}
    same("names", {row["pid"]: row["name"] for row in report["processes"]}, names)
    threads = {(event["pid"], event["tid"]) for event in events}
    same("threads", totals["threads"], len(threads))
    same("threads of processes", {row["pid"]: row["threads"] for row in report["processes"]},
         dict(collections.Counter(pid for pid, _ in threads)))
    same("cpus", {row["cpu"]: row["events"] for row in report["cpus"] if row["events"]},
         dict(count(lambda event: event["cpu"])))
    same("levels", {row["level"]: row["events"] for row in report["levels"]},
         dict(count(lambda event: event["level"])))
    same("timeline", {(row["pid"], row["tid"]): sum(row["events"])
                      for row in report["timeline"]["threads"]},
         dict(count(lambda event: (event["pid"], event["tid"]))))
    check_rate(report, events, times)
    errors = [event for event in events if event["level"] in (1, 2)]
    same("errors", sum(row["events"] for row in report["errors"]["counts"]) +
         report["errors"]["more"], len(errors))
    same("latest errors", [(row["pid"], row["tid"], row["level"]) for row in report["errors"]["latest"]],
         [(event["pid"], event["tid"], event["level"]) for event in errors[-50:]])


def check_rate(report, events, times):
    """Times of the test's files are whole units of 100 ns."""
    start = times[0]
    same("duration", report["time"]["duration_ns"], (max(times) - start) * 100)
    width = report["rate"]["bucket_ns"]
    # What was before the first event, which a file may have, is in the first bucket.
    buckets = collections.Counter(max(time - start, 0) * 100 // width for time in times)
    same("rate", report["rate"]["events"], [buckets[i] for i in range(max(buckets) + 1)])
    same("buckets", len(report["rate"]["events"]) <= 600, True)
    for what, key in (("providers", "guid"), ("processes", "pid")):
        column = {"guid": "provider"}.get(key, key)
        for row in report[what]:
            own = [time for time, event in zip(times, events) if event[column] == row[key]]
            buckets = collections.Counter(max(time - start, 0) * 100 // width // 10 for time in own)
            same(f"rate of {row[key]}", row["rate"], [buckets[i] for i in range(len(row["rate"]))])
            if key == "pid":
                same(f"time of {row[key]}", (row["first_ns"], row["last_ns"]),
                     ((min(own) - start) * 100, (max(own) - start) * 100))
    check_table(report["table"], events, times)


def mix(number):
    mask = (1 << 64) - 1
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & mask
    number = (number ^ number >> 27) * 0x94D049BB133111EB & mask
    return number ^ number >> 31


def check_table(table, events, times):
    """Which events are there: those that a hash of their numbers chooses, and kinds' first ones"""
    stride = table["stride"]
    first = {}
    for i, event in enumerate(events):
        first.setdefault(tuple(event[name] for name in ("provider", "event", "id", "version",
                                                        "opcode", "level")), i)
    chosen = {i for i in range(len(events)) if not mix(i) % stride}
    firsts = set(first.values()) - chosen
    rows = [(row["t_ns"], row["pid"], row["cpu"]) for row in table["rows"]]
    same("firsts", table["firsts"], len(firsts))
    same("table", rows, [((times[i] - times[0]) * 100, events[i]["pid"], events[i]["cpu"])
                         for i in sorted(chosen | firsts)])


def check_fields(report, events, times):
    numbers = collections.defaultdict(list)
    buckets = collections.defaultdict(lambda: collections.defaultdict(list))
    width = 10 * report["rate"]["bucket_ns"]
    for event, time in zip(events, times):
        bucket = max(time - times[0], 0) * 100 // width
        name = event["event"] or f"event({event['id']})"
        title = f"{event['provider_name'] or event['provider']}/{name}"
        for field, value in event.get("fields", {}).items():
            if isinstance(value, int) and not isinstance(value, bool):
                numbers[title, field].append(value)
                buckets[title, field][bucket].append(value)
    for row in report["fields"]:
        own = numbers[row["event"], row["field"]]
        what = f"field {row['field']} of {row['event']}"
        same(f"{what}: count", row["count"], len(own))
        if not own or min(own) < 0:
            same(f"{what}: range", (row["min"], row["max"]), (min(own), max(own)))
            continue
        same(what, (row["min"], row["max"], row["sum"]), (min(own), max(own), sum(own)))
        same(f"{what}: percentiles", (row["p50"], row["p90"], row["p99"]),
             (rank(own, 50, 100), rank(own, 90, 100), rank(own, 99, 100)))
        same(f"{what}: mean", is_near(row["mean"], sum(own) / len(own)), True)
        for i, mean in enumerate(row["over_time"]):
            there = buckets[row["event"], row["field"]].get(i)
            same(f"{what}: mean of bucket {i}", mean is None if not there else
                 mean is not None and is_near(mean, sum(there) / len(there)), True)
        same(f"{what}: bins", sum(elements for _, _, elements in row["histogram"]), len(own))
        if max(own) < 256:
            same(f"{what}: exact bins", {low: n for low, high, n in row["histogram"] if low == high},
                 dict(collections.Counter(own)))
        for low, high, elements in row["histogram"]:
            same(f"{what}: {low} to {high}", elements, sum(low <= n <= high for n in own))
    same("fields", any(row["field"] == "sector" for row in report["fields"]),
         any(field == "sector" for _, field in numbers))


def is_start_or_stop(event, opcode):
    return event["opcode"] == opcode


def check_operations(report, events, pairs):
    starts = sum(is_start_or_stop(event, 1) for event in events)
    stops = sum(is_start_or_stop(event, 2) for event in events)
    count = sum(row["count"] for row in report["operations"])
    same("operations", count, len(pairs))
    same("starts alone", sum(row["unpaired_starts"] for row in report["operations"]), starts - count)
    same("stops alone", sum(row["unpaired_stops"] for row in report["operations"]), stops - count)
    by_name = collections.defaultdict(list)
    for pair in pairs:
        by_name[pair["event"]].append(pair)
    for row in report["operations"]:
        own = by_name[row["name"]]
        took = [pair["duration_ns"] for pair in own]
        what = f"operation {row['name']}"
        same(what, row["count"], len(own))
        if not own:
            continue
        same(f"{what}: sum", row["sum_ns"], sum(took))
        same(f"{what}: range", (row["min_ns"], row["max_ns"]), (min(took), max(took)))
        for name, part, whole in (("p50_ns", 50, 100), ("p90_ns", 90, 100), ("p99_ns", 99, 100),
                                  ("p999_ns", 999, 1000)):
            same(f"{what}: {name}", row[name], rank(took, part, whole))
        for low, high, elements in row["histogram"]:
            same(f"{what}: {low} to {high}", elements, sum(low <= ns <= high for ns in took))
        same(f"{what}: histogram", sum(bin[2] for bin in row["histogram"]), len(own))
        same(f"{what}: slowest", [slow["duration_ns"] for slow in row["slowest"]],
             sorted(took, reverse=True)[:5])
        if row["failed"] is not None:
            fields = [pair["stop"]["fields"] for pair in own]
            failed = sum(any(int(value) != 0 for name, value in each.items()
                             if name.lower() == "error") for each in fields)
            same(f"{what}: failed", row["failed"], failed)


def main():
    if sys.argv[1] == "--sums":
        with open(sys.argv[2], encoding="utf-8") as file:
            report = json.load(file)
        check_sums(report, int(sys.argv[3]))
        same("processes", report["totals"]["processes"], int(sys.argv[3]) // 2)
    elif sys.argv[1] == "--page":
        with open(sys.argv[2], encoding="utf-8") as file:
            held = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', file.read(), re.S)
        with open(sys.argv[3], encoding="utf-8") as file:
            same("page", [json.loads(text) for text in held], [json.load(file)])
    else:
        with open(sys.argv[1], encoding="utf-8") as file:
            report = json.load(file)
        etw, arguments = sys.argv[2], sys.argv[3:]
        shown = dump(etw, arguments)
        ledger = [event["loss"] for event in shown if "loss" in event]
        events = [event for event in shown if "loss" not in event and event["schema"] != "classic"]
        dates = {ticks(event["time"])[0] for event in events}
        assert len(dates) == 1, "the test's files are of one day"
        times = [ticks(event["time"])[1] for event in events]
        check_sums(report, len(events))
        check_counts(report, events, times)
        check_fields(report, events, times)
        if "--filter" not in arguments and "--since" not in arguments:
            pairs = [event for event in dump(etw, arguments, "--operations") if "loss" not in event]
            check_operations(report, events, pairs)
            same("losses", report["totals"]["lost_events"], sum(loss["events"] for loss in ledger))
            same("lost over time", sum(report["rate"]["lost"]), report["totals"]["lost_events"])
    for line in BAD[:20]:
        print(line)
    sys.exit(bool(BAD))


main()
