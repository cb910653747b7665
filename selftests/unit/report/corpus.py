#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Is a report in agreement with itself and with etw verify? corpus.py ETW FILE...

Prints a line of TAP for each file.
"""
import json
import subprocess
import sys

BAD = []


def same(what, got, want):
    if got != want:
        BAD.append(f"{what}: {got!r:.200}, not {want!r:.200}")


def output(*command):
    return subprocess.run(command, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode("utf-8", "replace")


def check_sums(report):
    total = report["totals"]["events"]
    for name in ("providers", "events", "processes", "cpus"):
        same(f"events of {name}", sum(row["events"] for row in report[name]) +
             report[name + "_other"]["events"], total)
    for name in ("providers", "processes"):
        for row in report[name]:
            same(f"rate of {row['name']}", sum(row["rate"]), row["events"])
    timeline = report["timeline"]
    same("timeline", sum(sum(row["events"]) for row in timeline["threads"]) +
         timeline["other"]["events"], total)
    same("rate", sum(report["rate"]["events"]), total)
    same("bytes", sum(report["rate"]["bytes"]), report["totals"]["bytes"])
    same("levels", sum(row["events"] for row in report["levels"]), total)
    same("table", len(report["table"]["rows"]) + report["table"]["more"], total)
    kinds = {}
    for row in report["events"]:
        kinds[row["key"]] = kinds.get(row["key"], 0) + row["events"]
    for row in report["fields"]:
        what = f"{row['field']} of {row['event']}"
        same(f"bars of {what}", sum(n for _, _, n in row["histogram"]), row["count"])
        same(f"range of {what}", row["min"] <= row["p50"] <= row["p90"] <= row["p99"] <= row["max"], True)
        same(f"bins of {what}", all(low <= row["max"] and high >= row["min"]
                                    for low, high, _ in row["histogram"]), True)
        same(f"count of {what}", row["count"] + row["missed"] <= kinds.get(row["event"], total), True)
    for row in report["operations"]:
        same(f"bars of {row['name']}", sum(n for _, _, n in row["histogram"]), row["count"])
        same(f"slowest of {row['name']}", row["slowest"][0]["duration_ns"] if row["count"] else 0,
             row["max_ns"])


def check_losses(report, verdict):
    losses, rate, totals = report["losses"], report["rate"], report["totals"]
    gaps = verdict["gaps"]
    missing = [gap for gap in gaps if gap["cause"] not in ("surplus", "duplicate", "disorder")]
    same("verdict", losses["verdict"], verdict["verdict"])
    same("bounds", (losses["at_least"], losses["at_most"]),
         (verdict["lost_at_least"], verdict["lost_at_most"]))
    same("losses", len(losses["rows"]) + losses["more"], len(gaps) + verdict["more_gaps"])
    same("causes", sorted(row["key"] for row in losses["rows"]),
         sorted(gap["cause"] for gap in gaps)[:1000] if len(gaps) <= 1000 else None)
    same("lost events", totals["lost_events"], sum(gap["events"] or 0 for gap in missing))
    same("lost buffers", totals["lost_buffers"], sum(gap["buffers"] or 0 for gap in missing))
    same("lost events over time", sum(rate["lost"]) + rate["lost_unplaced"], totals["lost_events"])
    same("lost buffers over time", sum(rate["lost_buffers"]) + rate["lost_buffers_unplaced"],
         totals["lost_buffers"])
    same("sums by cause", (sum(row["losses"] for row in losses["causes"]),
                           sum(row["events"] for row in losses["causes"])),
         (len(gaps), totals["lost_events"]))
    same("sums by provider", sum(row["events"] for row in losses["providers"]) +
         losses["providers_other"]["events"], totals["lost_events"])


def check(etw, path):
    report = json.loads(output(etw, "report", "--json", "-q", path))
    verdict = json.loads(output(etw, "verify", "--json", path).splitlines()[0])
    check_sums(report)
    check_losses(report, verdict)
    same("events", report["totals"]["events"], verdict["events"])
    text = output(etw, "report", "-q", path)
    same("text", f"{report['totals']['events']} event" in text, True)


def main():
    etw, paths = sys.argv[1], sys.argv[2:]
    print(f"1..{len(paths)}")
    failed = 0
    for number, path in enumerate(paths, 1):
        BAD.clear()
        check(etw, path)
        failed += bool(BAD)
        print(f"{'not ' if BAD else ''}ok {number} - {path.rsplit('/', 1)[-1]}")
        for line in BAD[:20]:
            print("#", line)
    sys.exit(bool(failed))


main()
