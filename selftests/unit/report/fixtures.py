#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reports for page.py: fixtures.py KIND prints one as JSON, the same each time.

KIND is one of
  rich     losses, every section, 10,000 events, a difference
  empty    a trace without events
  single   one event
  hostile  names and payloads that try to be markup, scripts and escape sequences
  large    about 4 MB, as large as a report becomes
"""
import json
import math
import random
import sys

SECOND = 1_000_000_000
EMPTY_LISTS = ("levels", "providers", "events", "processes", "cpus", "containers", "operations", "fields")


def skeleton(path, duration_ns):
    """A report without events."""
    report = {
        "version": 1, "generator": "etw 0.1.0", "filter": None, "diff": None, "stacks": None,
        "files": [{"path": path, "bytes": 8192, "host": "build-7", "kernel": "6.1.0-28-amd64"}],
        "time": {"start": "2026-11-28T23:50:41.123456789Z", "start_ns": "1795909841123456789", "duration_ns": duration_ns},
        "totals": dict.fromkeys(("events", "bytes", "providers", "event_kinds", "processes", "threads", "cpus",
                                 "containers", "undecoded", "lost_events", "lost_buffers"), 0),
        "losses": {"complete": True, "rows": [], "more": 0},
        "rate": {"bucket_ns": max(1, duration_ns // 600), "events": [], "bytes": [], "lost": []},
        "errors": {"counts": [], "latest": []},
        "timeline": {"bucket_ns": max(1, duration_ns // 200), "threads": []},
        "table": {"limit": 10000, "rows": [], "more": 0},
    }
    report.update({name: [] for name in EMPTY_LISTS})
    for name in ("providers", "events", "processes", "containers", "operations"):
        report[name + "_other"] = {"count": 0, "events": 0, "bytes": 0}
    return report


def wave(rng, many, peak, phase):
    """Buckets of a load that swells and ebbs."""
    return [max(0, int(peak * (0.55 + 0.4 * math.sin(phase + i * 9 / many)) * rng.uniform(0.7, 1.2))) for i in range(many)]


def lognormal_histogram(rng, many, median_ns, spread):
    """Durations as (values in order, bins of 8 per power of two)."""
    values = sorted(max(1, int(rng.lognormvariate(math.log(median_ns), spread))) for _ in range(many))
    bins = {}
    for value in values:
        power = value.bit_length() - 1
        width = max(1, (1 << power) // 8)
        low = value // width * width
        bins[low, low + width - 1] = bins.get((low, low + width - 1), 0) + 1
    return values, [[low, high, n] for (low, high), n in sorted(bins.items())]


def percentile(values, p):
    return values[max(0, math.ceil(p * len(values)) - 1)]


PROVIDERS = [
    ("Sample-Block", 412_332, ["request", "complete", "merge", "flush"]),
    ("Etw-Process", 96_120, ["ProcessStart", "ProcessStop", "ThreadStart", "ThreadStop"]),
    ("sched:sched_switch", 1_204_551, ["sched_switch"]),
    ("Shop-Orders", 58_240, ["OrderStart", "OrderStop", "PaymentFailed", "StockLow"]),
    ("Etw-Image", 20_411, ["ImageLoad"]),
    ("net:netif_receive_skb", 310_004, ["netif_receive_skb"]),
    ("Python-App", 1_902, ["step"]),
]
PROCESSES = [(812, "postgres", "db-1", 6), (1404, "make", None, 1), (1420, "cc1", None, 1), (2210, "node", "web-3", 11),
             (1, "systemd", None, 1), (2333, "kworker/u8:2", None, 1), (3011, "python3", "jobs", 3)]


def event_row(rng, t_ns, provider, name, level=4, text=None):
    pid, process, _, threads = rng.choice(PROCESSES)
    return {"t_ns": t_ns, "cpu": rng.randrange(4), "pid": pid, "tid": pid + rng.randrange(threads), "process": process, "level": level,
            "event": f"{provider}/{name}",
            "text": text or f"sector={rng.randrange(1 << 30)} bytes={4096 * rng.randrange(1, 64)} device=nvme0n1 flags=0x{rng.randrange(256):x}"}


def add_lists(report, rng):
    total = sum(events for _, events, _ in PROVIDERS)
    sizes = {name: events * 96 for name, events, _ in PROVIDERS}
    duration = report["time"]["duration_ns"]
    report["providers"] = [{"name": name, "guid": f"{i:08x}-1234-5678-9abc-def012345678", "events": events, "bytes": sizes[name],
                            "rate": wave(rng, 60, events / 60, i)}
                           for i, (name, events, _) in enumerate(sorted(PROVIDERS, key=lambda p: -p[1]))]
    report["providers_other"] = {"count": 3, "events": 411, "bytes": 39456, "missing_at_most": 17}
    for name, events, kinds in PROVIDERS:
        for i, kind in enumerate(kinds):
            report["events"].append({
                "key": f"{name}/{kind}", "provider": name, "name": kind, "id": 10 + i, "version": 0, "opcode": 0,
                "level": 2 if "Failed" in kind else 3 if "Low" in kind else 4, "events": events // (i + 1), "bytes": events // (i + 1) * 96,
                "first_ns": 1000, "last_ns": duration - 1000})
    unnamed = "deadbeef-1234-5678-9abc-def012345678"
    report["events"].append(dict(report["events"][0], key=unnamed + "/7", provider=unnamed, name=None, id=7, events=400_000))
    report["events"].sort(key=lambda row: -row["events"])
    for i, (pid, name, container, threads) in enumerate(PROCESSES):
        report["processes"].append({"pid": pid, "name": name, "container": container, "events": total // (i * i + 2), "bytes": total * 90 // (i * i + 2),
                                    "threads": threads, "first_ns": 0, "last_ns": duration, "rate": wave(rng, 60, 900 / (i + 1), i)})
    report["cpus"] = [{"cpu": i, "events": total // 4 + rng.randrange(-90000, 90000), "bytes": total * 24, "lost": 4711 if i == 2 else 0} for i in range(4)]
    report["providers"][-1]["name"] = None
    report["timeline"]["other"] = {"count": 132, "events": 9310, "bytes": 893760}
    report["containers"] = [{"name": name, "events": n, "bytes": n * 96} for name, n in (("web-3", 402_113), ("db-1", 388_540), ("jobs", 12_040))]
    report["levels"] = [{"level": level, "name": name, "events": n} for level, name, n in (
        (4, "information", 2_031_500), (5, "verbose", 60_000), (3, "warning", 11_010), (2, "error", 1_044), (1, "critical", 6))]
    report["totals"] = {"events": total, "bytes": total * 96, "providers": len(PROVIDERS) + 3, "event_kinds": 21, "processes": 48, "threads": 160, "cpus": 4,
                        "containers": 3, "at_least": True, "undecoded": 12, "lost_events": 4711, "lost_buffers": 2}


def add_losses_and_rate(report, rng):
    bucket = report["rate"]["bucket_ns"]
    events = wave(rng, 600, 5000, 0)
    lost = [0] * 600
    for i in range(310, 330):
        events[i] *= 3
        lost[i] = 230 if i > 311 else 285
    report["rate"].update(events=events, bytes=[n * 96 for n in events], lost=lost)
    report["losses"] = {"complete": False, "more": 0, "rows": [
        {"first_ns": 310 * bucket, "last_ns": 330 * bucket, "count": 4710, "unit": "events", "cause": "no free buffer", "cpu": 2, "provider": "sched:sched_switch", "file": None},
        {"first_ns": None, "last_ns": None, "count": 1, "unit": "events", "cause": "larger than a buffer", "cpu": None, "provider": "Shop-Orders", "file": None},
        {"first_ns": 400 * bucket, "last_ns": 401 * bucket, "count": 2, "unit": "buffers", "cause": "the log file's disk was full", "cpu": None, "provider": None, "file": "trace_0002.etl"},
        {"first_ns": 50 * bucket, "last_ns": 51 * bucket, "count": None, "unit": "events", "cause": "the file ends early", "cpu": 1, "provider": None, "file": "trace_0003.etl"}]}


def operation(rng, name, provider, paired_by, many, median_ns, failed):
    values, bins = lognormal_histogram(rng, many, median_ns, 0.9)
    slowest = []
    for i, value in enumerate(reversed(values[-5:])):
        start = (i + 2) * 3 * SECOND
        row = event_row(rng, start, provider, name + "Start")
        context = [event_row(rng, start - 40_000, "sched:sched_switch", "sched_switch", text="prev=cc1 next=swapper/2"), row,
                   event_row(rng, start + value // 2, "Sample-Block", "request", 3),
                   dict(row, t_ns=start + value, event=f"{provider}/{name}Stop", text="status=0"),
                   event_row(rng, start + value + 9_000, "Shop-Orders", "PaymentFailed", 2, "order=41 reason=\"card declined\"")]
        slowest.append({"start_ns": start, "duration_ns": value, "pid": row["pid"], "tid": row["tid"], "cpu": row["cpu"], "process": row["process"],
                        "fields": row["text"], "context": context})
    return {"name": name, "provider": provider, "paired_by": paired_by, "count": many, "unpaired_starts": many // 300, "unpaired_stops": 1, "failed": failed,
            "sum_ns": sum(values), "min_ns": values[0], "max_ns": values[-1],
            **{f"p{label}_ns": percentile(values, p) for label, p in (("50", .5), ("90", .9), ("99", .99), ("999", .999))},
            "histogram": bins, "slowest": slowest}


def add_timeline(report, rng):
    for i, (pid, name, _, threads) in enumerate(PROCESSES):
        for tid in range(pid, pid + threads):
            events = wave(rng, 200, 300 / (i + 1), i + tid % 7)
            if tid % 3 == 1:
                events = [n if 60 < at < 140 else 0 for at, n in enumerate(events)]
            report["timeline"]["threads"].append({"pid": pid, "tid": tid, "process": name, "events": events, "errors": 3 if tid == 2210 else 0})


def field(rng, event, name, unit, median, spread):
    values, bins = lognormal_histogram(rng, 4000, median, spread)
    over_time = [sum(rng.choice(values) for _ in range(30)) / 30 for _ in range(60)]
    over_time[20:24] = [None] * 4
    return {"event": event, "field": name, "unit": unit, "count": 4000, "min": values[0], "max": values[-1], "sum": sum(values), "mean": sum(values) / 4000,
            "p50": percentile(values, .5), "p90": percentile(values, .9), "p99": percentile(values, .99), "histogram": bins, "over_time": over_time}


STACKS = [("main;parse;lex;next_token", 320), ("main;parse;reduce", 210), ("main;optimize;inline;clone_node", 540), ("main;optimize;inline;walk;walk;walk", 130),
          ("main;optimize;dead_code", 90), ("main;emit;write;[kernel] vfs_write;[kernel] ext4_file_write_iter", 260), ("main;emit;format", 70),
          ("start_thread;worker;take;[kernel] futex_wait", 410), ("start_thread;worker;run;std::vector<int, std::allocator<int> >::_M_realloc_insert", 330)]


def stack_nodes(stacks):
    """names and nodes of stacks [(names with ;, weights of one or two traces)]."""
    names, nodes, at = [], [], {}
    for text, *weights in stacks:
        parent, path = -1, ()
        for name in text.split(";"):
            path += (name,)
            if path not in at:
                if name not in names:
                    names.append(name)
                at[path] = len(nodes)
                nodes.append([names.index(name), parent] + [0, 0] * len(weights))
            parent = at[path]
            for i, weight in enumerate(weights):
                nodes[parent][3 + 2 * i] += weight
        for i, weight in enumerate(weights):
            nodes[parent][2 + 2 * i] += weight
    return names, nodes


def add_stacks(report):
    names, nodes = stack_nodes(STACKS)
    report["stacks"] = {"events": sum(n for _, n in STACKS), "truncated": 14, "names": names, "nodes": nodes}


def add_diff(report):
    names, nodes = stack_nodes([(text, n, n * 3 if "inline" in text else 0 if "format" in text else n) for text, n in STACKS])
    report["diff"] = {
        "a": {"title": "monday.etl", "events": 1840, "duration_ns": 10 * SECOND, "per_second": 184, "errors": 3, "complete": True, "lost_events": 0, "lost_buffers": 0},
        "b": {"title": "tuesday.etl", "events": 4152, "duration_ns": 20 * SECOND, "per_second": 207.6, "errors": 12, "complete": False, "lost_events": 5, "lost_buffers": 1},
        "errors": [{"key": "Shop-Orders/PaymentFailed", "level": 2, "a": {"events": 3, "per_second": 0.3}, "b": {"events": 12, "per_second": 0.6}}],
        "providers": [{"name": "Sample-Block", "a": {"events": 1000}, "b": {"events": 3400}}, {"name": "Shop-Orders", "a": {"events": 800}, "b": {"events": 700}},
                      {"name": "Python-App", "a": None, "b": {"events": 12}}, {"name": "Etw-Image", "a": {"events": 40}, "b": {"events": 40}}],
        "operations": [{"name": "request", "provider": "Sample-Block", "a": {"count": 500, "p50_ns": 81_000, "p99_ns": 2_400_000, "max_ns": 9_000_000},
                        "b": {"count": 1700, "p50_ns": 190_000, "p99_ns": 2_300_000, "max_ns": 80_000_000}}],
        "stacks": {"names": names, "nodes": nodes}}


def add_table(report, rng, many):
    duration = report["time"]["duration_ns"]
    rows = []
    for i in range(many):
        name, _, kinds = PROVIDERS[i % len(PROVIDERS)]
        rows.append(event_row(rng, i * duration // many, name, kinds[i % len(kinds)], 2 if i % 97 == 0 else 3 if i % 31 == 0 else 4))
    rows[7]["text"] = "message=\"" + "long words and more of them, " * 400 + "end-of-line\""
    rows[5]["text"] = "needle=42 message=\"found in the haystack\""
    report["table"].update(rows=rows, more=2_103_560 - many, stride=256)
    report["errors"] = {"more": 40, "counts": [{"key": "Shop-Orders/PaymentFailed", "level": 2, "events": 1044}, {"key": "Sample-Block/flush", "level": 1, "events": 6}],
                        "latest": [row for row in rows if row["level"] == 2][-20:]}


def rich(rows=10_000):
    rng = random.Random(7)
    report = skeleton("/var/log/etw/nightly-build.etl", 42 * SECOND)
    report["files"][0]["bytes"] = 214_958_080
    add_lists(report, rng)
    add_losses_and_rate(report, rng)
    report["operations"] = [operation(rng, "request", "Sample-Block", "field sector", 30_000, 90_000, 4),
                            operation(rng, "Order", "Shop-Orders", "activity", 9_000, 3_500_000, None),
                            operation(rng, "step", "Python-App", "thread", 40, 900_000_000, 0)]
    add_timeline(report, rng)
    report["fields"] = [field(rng, "Sample-Block/request", "bytes", "bytes", 32_768, 1.1), field(rng, "Sample-Block/complete", "latency", "ns", 90_000, 1.4),
                        field(rng, "Shop-Orders/OrderStop", "items", None, 7, 0.5)]
    report["fields_more"] = 4
    add_stacks(report)
    add_diff(report)
    add_table(report, rng, rows)
    return report


def large():
    """10,000 events with longer texts, and many threads, fields and stacks."""
    rng = random.Random(9)
    report = rich()
    for row in report["table"]["rows"]:
        row["text"] += " path=/usr/lib/x86_64-linux-gnu/libexample.so." + "x" * 115
    for i in range(180):
        report["timeline"]["threads"].append({"pid": 9000 + i // 4, "tid": 9000 + i, "process": f"worker-{i // 4}", "events": wave(rng, 200, 90, i), "errors": 0})
    report["fields"] += [field(rng, f"Provider-{i}/event", "value", None, 900, 1.2) for i in range(60)]
    stacks = [(";".join(f"function_{rng.randrange(40)}_{depth}" for depth in range(rng.randrange(8, 30))), rng.randrange(1, 900)) for _ in range(900)]
    names, nodes = stack_nodes(stacks)
    report["stacks"] = {"events": sum(n for _, n in stacks), "truncated": 0, "names": names, "nodes": nodes}
    return report


def empty():
    report = skeleton("/tmp/empty.etl", 0)
    report["time"].update(start=None, start_ns="0")
    return report


def single():
    rng = random.Random(3)
    report = skeleton("/tmp/one.etl", 0)
    row = event_row(rng, 0, "Sample-Block", "request")
    report["totals"].update(events=1, bytes=96, providers=1, event_kinds=1, processes=1, threads=1, cpus=1)
    report["rate"] = {"bucket_ns": 1, "events": [1], "bytes": [96], "lost": [0]}
    report["levels"] = [{"level": 4, "name": "information", "events": 1}]
    report["providers"] = [{"name": "Sample-Block", "guid": "0" * 8, "events": 1, "bytes": 96, "rate": [1]}]
    report["events"] = [{"key": row["event"], "provider": "Sample-Block", "name": "request", "id": 10, "version": 0, "opcode": 0, "level": 4, "events": 1,
                         "bytes": 96, "first_ns": 0, "last_ns": 0}]
    report["processes"] = [{"pid": row["pid"], "name": row["process"], "container": None, "events": 1, "bytes": 96, "threads": 1, "first_ns": 0, "last_ns": 0, "rate": [1]}]
    report["cpus"] = [{"cpu": row["cpu"], "events": 1, "bytes": 96, "lost": 0}]
    report["timeline"] = {"bucket_ns": 1, "threads": [{"pid": row["pid"], "tid": row["tid"], "process": row["process"], "events": [1], "errors": 0}]}
    report["fields"] = [{"event": row["event"], "field": "bytes", "unit": "bytes", "count": 1, "min": 4096, "max": 4096, "sum": 4096, "mean": 4096, "p50": 4096,
                         "p90": 4096, "p99": 4096, "histogram": [[4096, 4096, 1]], "over_time": [4096]}]
    report["table"]["rows"] = [row]
    return report


# Each sets window.hacked, were it ever more than a text.
ATTACKS = [
    "</script><script>window.hacked=1</script>", "<img src=x onerror=\"window.hacked=2\">", "\"><svg onload=window.hacked=3>", "<!--<script>",
    "javascript:window.hacked=4", "${window.hacked=5}", "{{constructor.constructor('window.hacked=6')()}}", "__proto__", "constructor",
    "\x1b[31mred\x1b[0m\x07", "\u202egnp.exe\u2066", "nul\x00byte", "line\nbreak\r\ttab", "\u2028\u2029\ufeff\u200b", "half \ufffd \ud83d",
    "';window.hacked=7;//", "<style>*{display:none}</style>", "<a href=//example.com>x</a>", "z" * 100_000, "a\u0301\u0301" * 50,
]


def hostile():
    """The rich report, each of whose texts is replaced by an attack in turn."""
    report = rich(200)
    turn = [0]

    def spoil(value, key=None):
        if isinstance(value, dict):
            return {name: spoil(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [spoil(inner, key) for inner in value]
        if isinstance(value, str) and key not in ("start", "start_ns", "unit", "paired_by"):
            turn[0] += 1
            return ATTACKS[turn[0] % len(ATTACKS)]
        return value

    report = spoil(report)
    report["files"][0]["path"] = ATTACKS[0]
    report["filter"] = ATTACKS[1]
    report["__proto__"] = {"hacked": 1}
    report["totals"]["events"] = "<b>many</b>"
    report["totals"]["bytes"] = 2 ** 53 - 1
    report["cpus"].append({"cpu": "<i>0</i>", "events": None, "bytes": [], "lost": {}})
    report["table"]["rows"] += [None, 7, "text", {}]
    report["stacks"]["nodes"] += [[10 ** 9, 5, 1, 1], [0, 10 ** 9, 1, 1], "x", []]
    return report


def main():
    kinds = {"rich": rich, "empty": empty, "single": single, "hostile": hostile, "large": large}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    json.dump(kinds[sys.argv[1]](), sys.stdout, separators=(",", ":"))


main()
