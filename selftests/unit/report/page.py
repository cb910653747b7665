# SPDX-License-Identifier: GPL-2.0-only
"""Tests the pages of reports in a browser: page.py BROWSER FOLDER, see page.sh.

What a page shows is compared with the JSON that it was made of.
"""
import json
import os
import re
import sys
import traceback

import browser as driver

number = 0
failed = 0


def ok(good, name):
    global number, failed
    number += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
    return good


def equal(got, want, name):
    if not ok(got == want, name):
        print(f"# got  {str(got)[:300]!r}\n# want {str(want)[:300]!r}", flush=True)


# What the page's parts are called, for the tests alone
def text(selector):
    return f"(document.querySelector({json.dumps(selector)})?.innerText ?? null)"


def one(selector):
    return f"document.querySelector({json.dumps(selector)})"


def table_rows(caption):
    """An expression: the cells of the rows of the table with this caption."""
    return ("(() => { const t = [...document.querySelectorAll('table')].find((t) => t.caption?.textContent === " + json.dumps(caption) + ");"
            "return t && [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.innerText.trim())); })()")


def head_button(caption, title):
    return ("[...[...document.querySelectorAll('table')].find((t) => t.caption?.textContent === " + json.dumps(caption) + ")"
            f".querySelectorAll('thead button')].find((b) => b.textContent.startsWith({json.dumps(title)}))")


def digits(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{round(value):,}"


def duration(ns):
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= size:
            return digits(ns / size) + " " + unit
    return f"{ns} ns"


class Tests:
    def __init__(self, program, folder):
        self.folder = folder
        self.page = driver.Browser(program)
        self.page.window(1280, 800)
        self.page.prefer("light")

    def open(self, kind, fragment=""):
        with open(f"{self.folder}/{kind}.json", encoding="utf-8", errors="replace") as source:
            source = source.read()
        self.page.open(f"{self.folder}/{kind}.html", fragment)
        return source

    def quiet(self, kind):
        equal(self.page.complaints(), [], f"{kind}: no error, and the policy was kept")
        equal(self.page.requests(), [], f"{kind}: nothing is loaded")

    def picture(self, name):
        self.page.picture(f"{self.folder}/{name}.png")

    def type_search(self, words, done):
        self.page.key("/")
        self.page.type(words)
        return self.page.until(done)

    # ------------------------------------------------------------ the first screen

    def test_overview(self):
        page, report = self.page, json.loads(self.open("rich"))
        totals = report["totals"]
        self.picture("light-1280")
        equal(page.read("document.title"), "nightly-build.etl – trace report", "the title names the file")
        ok("on build-7" in page.read(text("#about")), "so is the host below it")
        ok(page.read(text("#verdict strong")).startswith(f"Incomplete: at least {totals['lost_events']:,} events and 2 buffers lost"), "losses come first")
        rows = page.read(table_rows("Losses"))
        equal([row[1] for row in rows], ["4,710 events", "1 event", "2 buffers", "unknown number of events"], "each loss has its number")
        equal(rows[0][2:], ["sched:sched_switch, CPU 2", "no free buffer"], "and says whose it was, and why")
        ok("unknown" in rows[1][0], "a loss without a time says so")
        exact = page.read("Object.fromEntries([...document.querySelectorAll('.figure')].map((f) => [f.children[0].innerText, f.title]))")
        equal(exact["events"], f"{totals['events']:,}", "the exact number of events is in the title")
        equal(exact["of events"], f"{totals['bytes']:,} bytes", "the exact size, too")
        ok(page.read(f"{one('.plot.rate')}.getBoundingClientRect().bottom < innerHeight"), "the rate is on the first screen")
        ok(page.read(f"{one('#top-lists tbody tr')}.getBoundingClientRect().bottom < innerHeight"), "and the first provider")
        equal(page.read("document.querySelectorAll('.lost-bar, .lost-band').length"), 2, "losses are marked in the chart")
        equal(page.read("verdict({ time: {}, totals: {}, losses: { complete: true, rows: [], since_ns: 5e9, since_reason: 'older events were overwritten' } }).textContent"),
              "Nothing was lost since 5.000000 s; before that, older events were overwritten.", "a file that overwrites itself is complete since some time")
        said = page.read("verdict({ time: {}, selects: true, totals: { events: 10, lost_events: 4 }, rate: {}, losses: { complete: false, at_least: 4, at_most: 9, rows:"
                         "[{ count: 4, unit: 'events', first_ns: 1, last_ns: 2, placed: false }], causes: [{ cause: 'slow', losses: 1, events: 3 }, { cause: 'nested',"
                         " losses: 1, events: 1 }], providers: [{ name: 'Shop', losses: 2, events: 4 }] } }).textContent")
        ok("4 events lost." in said and "%" not in said and "at least 4 events are missing, at most 9" in said and "those of all events" in said and
           all(word in said for word in ("unknown", "Losses by cause", "nested", "Losses by provider", "Shop")), f"losses have bounds and sums, and no share of selected events: {said!r}")
        equal(page.read("rateChart({ time: { duration_ns: 4 }, rate: { bucket_ns: 1, events: [3, 1, 2, 1], bytes: [], lost: [0, 0, 0, 0], lost_buffers: [0, 2, 0, 0],"
                        " gaps: [0, 1, 0, 0], lost_unplaced: 7 } }).textContent").count("Lost at an unknown time: 7 events."), 1, "what was lost at an unknown time is below the chart")
        equal(page.read("rateChart({ time: { duration_ns: 4 }, rate: { bucket_ns: 1, events: [3, 1], bytes: [], lost: [0, 0], lost_buffers: [0, 2], gaps: [0, 1] } })"
                        ".querySelectorAll('.lost-band').length"), 1, "missing buffers have a mark")
        self.quiet("rich")

    def test_lists(self):
        page, report = self.page, json.loads(self.open("rich"))
        rows = page.read(table_rows("Providers"))
        equal([row[0] for row in rows], [row["name"] or row["guid"] for row in report["providers"]], "the providers are in the model's order")
        ok("and 3 more providers with 411 events; one that is listed may have up to 17 more" in page.read(text("#top-lists .card .foot")), "what is left out is summed")
        equal(page.read("[...document.querySelectorAll('.figure')].filter((f) => f.children[1].innerText.startsWith('≥')).length"), 5, "lower bounds are marked")
        ok(any(row[0] == "deadbeef…/7" for row in page.read(table_rows("Events"))), "a GUID leaves room for the rest of a name")
        equal(len(page.read(table_rows("Events"))), 8, "a long list shows its first rows")
        page.click("[...document.querySelectorAll('#top-lists button')].find((b) => b.textContent.startsWith('Show all'))")
        equal(len(page.read(table_rows("Events"))), len(report["events"]), "and all of them when asked")
        page.click(head_button("Processes", "Pid"))
        pids = sorted((row["pid"] for row in report["processes"]), reverse=True)
        equal([int(row[1]) for row in page.read(table_rows("Processes"))], pids, "a click on a heading sorts, numbers downwards")
        page.key("Enter")
        equal([int(row[1]) for row in page.read(table_rows("Processes"))], pids[::-1], "Enter on it turns the order")
        equal(page.read(f"{head_button('Processes', 'Pid')}.closest('th').getAttribute('aria-sort')"), "ascending", "which the heading says")
        page.click("[...document.querySelectorAll('#top-lists .choose')].find((b) => b.textContent === 'CPU 2')")
        many = sum(row["cpu"] == 2 for row in report["table"]["rows"])
        ok(page.until(f"{text('#events .foot')}.startsWith('{many:,} of 10,000')"), "a click on a row searches for it")
        page.key("Escape")
        equal([row[4] for row in page.read(table_rows("CPUs"))], ["0", "0", "4,711", "0"], "losses are listed by CPU")

    # ------------------------------------------------------------ choosing

    def test_search(self):
        page, report = self.page, json.loads(self.open("rich"))
        ok(self.type_search("needle=42", f"{text('#events .foot')}.startsWith('1 of 10,000')"), "/ and words find the event that has them")
        equal(page.read("document.querySelectorAll('.space .row').length"), 1, "only that row is drawn")
        ok("None of 7 matches" in page.read(text("#top-lists .card .foot")), "lists without a match say so")
        page.key("Escape")
        ok(page.read(f"{one('#search')}.value === '' && {text('#events .foot')}.startsWith('10,000 events')"), "Escape clears the search")
        page.key("Escape")
        ok(self.type_search("sample-block", f"{table_rows('Providers')}.length === 1"), "the case of letters does not matter")
        wanted = [row["key"] for row in report["events"] if "Sample-Block" in row["key"]]
        equal([row[0] for row in page.read(table_rows("Events"))], wanted, "the search narrows every list")
        page.key("Escape")
        page.key("Escape")
        many = sum(row["tid"] == 813 for row in report["table"]["rows"])
        ok(self.type_search("tid:813", f"{text('#events .foot')}.startsWith('{many:,} of')"), "tid:813 is exact")
        equal(len(page.read(table_rows("Providers"))), 7, "and does not concern what has no threads")

    def test_range(self):
        page, report = self.page, json.loads(self.open("rich"))
        bucket, rows = report["rate"]["bucket_ns"], report["table"]["rows"]
        page.click(one(".plot.rate .brush"))
        page.key("Home")
        equal(page.read(f"{one('.plot.rate .brush')}.getAttribute('aria-valuenow')"), "0", "Home moves the cursor to the start")
        page.key("PageDown", shift=True)
        page.key("ArrowRight", shift=True)
        end = 62 * bucket
        many = sum(row["t_ns"] < end for row in rows)
        ok(page.read(text("#events .foot")).startswith(f"{many:,} of 10,000"), "Shift and the keys select a range, which the table follows")
        shown = page.read(text("#chosen"))
        ok(f"): {sum(report['rate']['events'][:62]):,} events" in shown, f"the head says how many events it has: {shown!r}")
        ok(page.read("[...document.querySelectorAll('.selection')].every((s) => !s.hidden)"), "every chart over time shows the range")
        page.key("Escape")
        ok(page.read(f"{one('#chosen')}.hidden && {text('#events .foot')}.startsWith('10,000')"), "Escape takes it away")
        page.drag(one("#timeline .brush"), 0.501, 0.7499)
        width = report["timeline"]["bucket_ns"]
        many = sum(100 * width <= row["t_ns"] < 150 * width for row in rows)
        ok(page.read(text("#events .foot")).startswith(f"{many:,} of 10,000"), "so does dragging in the timeline")
        self.picture("range")
        page.click(one("#chosen button"))
        ok(page.read(text("#events .foot")).startswith("10,000"), "a click on the way out, too")
        page.click(one("#verdict .choose"))
        ok("4,710 lost" in page.read(text("#chosen")), "a click on a loss selects its time")
        ok("fields those of the whole trace" in page.read(text("#chosen")), "and the page says what follows the range, and what does not")

    # ------------------------------------------------------------ sections

    def test_operations(self):
        page, report = self.page, json.loads(self.open("rich", "#operations"))
        ok(page.until(f"Math.abs({one('#operations')}.getBoundingClientRect().top) < 200"), "a fragment opens its section")
        self.picture("operations")
        for row, got in zip(report["operations"], page.read(table_rows("Operations and their latency"))):
            equal(got[2:7], [duration(row[name]) for name in ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")], f"{row['name']}: its percentiles")
        page.click(head_button("Operations and their latency", "p99"))
        equal([row[0] for row in page.read(table_rows("Operations and their latency"))], ["step", "Order", "request"], "operations sort by a percentile")
        page.click("[...document.querySelectorAll('#operations .choose')].find((b) => b.textContent === 'Order')")
        ok(page.read(text(".panel h3")).startswith("Order"), "a click on a name shows that operation")
        label = page.read(f"{one('.panel svg')}.getAttribute('aria-label')")
        ok(f"99 % at most {duration(report['operations'][1]['p99_ns'])}" in label, "the histogram has its figures as a text")
        sums = page.read("[[[0, 15, 8], [96, 103, 8]], [[0, 127, 5]], [[90, 200, 3]]].map((bins) => Math.round(1e6 * "
                         "spread(bins, edgesOf(0, 100, 10, false), Number).reduce((all, one) => all + one)) / 1e6)")
        equal(sums, [16, 5, 3], "bars hold all elements, also those of a bin beyond the largest")
        before = page.read(f"{one('.panel svg path')}.getAttribute('d')")
        page.click(one(".panel .check input"))
        ok(page.read(f"{one('.panel svg path')}.getAttribute('d')") != before, "counts can be on a logarithmic scale")
        slow = report["operations"][1]["slowest"][0]
        page.click(one(".slow summary"))
        ok(page.until(f"!!{one('.slow table')}"), "the slowest opens")
        equal(page.read("document.querySelectorAll('.slow table tbody tr').length"), len(slow["context"]), "with the events around it")
        equal(page.read("document.querySelectorAll('.slow tr.marked').length"), 2, "and its own two marked")
        page.click(one(".slow .foot button"))
        after = next(row for row in report["table"]["rows"] if row["t_ns"] >= slow["start_ns"])
        ok(f"{after['t_ns'] / 1e9:.9f}" in page.read(text("#events .row[aria-selected=true]")), "and leads to its place in the table of events")

    def test_errors(self):
        page, report = self.page, json.loads(self.open("rich"))
        equal([[row[0], row[2]] for row in page.read(table_rows("Errors by event"))],
              [[row["key"], f"{row['events']:,}"] for row in report["errors"]["counts"]], "errors are counted by event")
        ok("and 40 errors of kinds not listed" in page.read(text("#errors")), "others are summed")
        equal(len(page.read(table_rows("The latest errors"))), len(report["errors"]["latest"]), "the latest are listed")
        ok("error" in page.read(text("#errors .severe .level")), "with their level")

    def test_timeline(self):
        page, report = self.page, json.loads(self.open("rich"))
        labels = page.read("[...document.querySelectorAll('.label')].map((l) => l.innerText.trim())")
        processes = {row["pid"] for row in report["timeline"]["threads"]}
        equal(sum("thread" not in label for label in labels), len(processes), "each process has a strip")
        page.click("[...document.querySelectorAll('.fold')].find((b) => b.getAttribute('aria-label').includes('node'))")
        threads = sum(row["pid"] == 2210 for row in report["timeline"]["threads"])
        equal(page.read("document.querySelectorAll('.label.thread').length"), threads + 6, "a process unfolds into its threads")
        equal(page.read("document.activeElement.getAttribute('aria-label')"), "Threads of node 2210", "the keyboard stays where it was")
        filled = ("[...document.querySelectorAll('.strips canvas')].map((c) => { const d = c.getContext('2d').getImageData(0, 0, c.width, 1).data;"
                  "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })")
        equal(page.read(filled)[0], sum(any(row["events"][i] for row in report["timeline"]["threads"] if row["pid"] == 812) for i in range(200)),
              "a strip is filled where there are events")
        self.picture("timeline")
        ok("and 132 more threads with 9,310 events" in page.read(text("#timeline .foot")), "threads without a strip are summed")
        page.click("[...document.querySelectorAll('.label .link')].find((b) => b.textContent.startsWith('make'))")
        many = sum(row["pid"] == 1404 for row in report["table"]["rows"])
        ok(page.until(f"{text('#events .foot')}.startsWith('{many:,} of')"), "a click on a name searches for the process")

    def test_fields(self):
        page, report = self.page, json.loads(self.open("rich"))
        equal(page.read("[...document.querySelectorAll('.field h3 .long:first-child')].map((h) => h.innerText)"),
              [row["field"] for row in report["fields"]], "each field has a card")
        exact = page.read("Object.fromEntries([...document.querySelectorAll('.field')[1].querySelectorAll('dt')].map((t) => [t.innerText, t.nextSibling.title]))")
        row = report["fields"][1]
        equal([exact["min"], exact["p99"], exact["max"]], [f"{row[name]:,}" for name in ("min", "p99", "max")], "with exact values in the titles")
        ok("and 4 more fields in the trace" in page.read(text("#fields")), "fields without a card are counted")
        line = page.read("document.querySelector('.field .line').getAttribute('d')")
        equal(line.count("M"), 2, "the mean over time breaks where there is none")

    def test_flame(self):
        page, report = self.page, json.loads(self.open("rich", "#stacks"))
        frame = "[...document.querySelectorAll('#stacks .frame')].find((f) => f.querySelector('text')?.textContent === {})"
        names, nodes = report["stacks"]["names"], report["stacks"]["nodes"]
        total = {names[node[0]]: node[3] for node in reversed(nodes)}
        count = page.read("document.querySelectorAll('#stacks .frame').length")
        page.click(frame.format("'optimize'"))
        ok(f"optimize – {total['optimize']:,} events" in page.read(text("#stacks .readout")), "a click zooms into a function and says its events")
        ok(page.read("document.querySelectorAll('#stacks .frame').length") < count, "only what it calls is left")
        ok(page.read(f"{frame.format(json.dumps('main'))}.classList.contains('outer')"), "its callers stay above it")
        for key, name in (("ArrowDown", "inline"), ("ArrowRight", "dead_code"), ("ArrowUp", "optimize")):
            page.key(key)
            ok(page.read(text("#stacks .readout")).startswith(name + " –"), f"{key} goes to {name}")
        self.picture("flame")
        page.key("Escape")
        equal(page.read("document.querySelectorAll('#stacks .frame').length"), count, "Escape zooms out")
        ok(self.type_search("walk", "document.querySelectorAll('#stacks .match').length === 3"), "the search marks functions")
        matched = next(node[3] for node in nodes if names[node[0]] == "walk")
        ok(f"{100 * matched / report['stacks']['events']:.1f} %" in page.read(text("#stacks .found")), "and sums them, each stack once")
        rows = {row[0]: row[1:3] for row in page.read(table_rows("Functions"))}
        equal(rows["walk"], ["130", "130"], "a function that calls itself is counted once")

    def test_difference(self):
        page = self.page
        self.open("rich")
        ok("monday.etl: 1,840 events in 10.0 s, 3 errors" in page.read(text("#difference .facts")) and
           "tuesday.etl: 4,152 events in 20.0 s, 12 errors, INCOMPLETE: 5 events and 1 buffer known to be lost" in page.read(text("#difference .facts")),
           "both sides are summed up")
        equal(page.read(table_rows("Errors in A and B")), [["Shop-Orders/PaymentFailed", "3", "12", "×4.00", "0.30/s", "0.60/s", "+100.0 %"]], "rates stand beside counts")
        rows = {row[0]: row[1:] for row in page.read(table_rows("Providers in A and B"))}
        equal(rows["Sample-Block"], ["1,000", "3,400", "×3.40"], "what grew much is a multiple")
        equal([rows["Shop-Orders"][2], rows["Python-App"][2], rows["Etw-Image"][2]], ["−12.5 %", "new", "="], "what shrank, came, or stayed is said")
        ok(page.read("document.querySelectorAll('#difference .more.much').length") >= 3, "the flame graph shows where the share grew")
        page.click("[...document.querySelectorAll('#difference .frame')].find((f) => f.textContent === 'optimize')")
        ok("(before: 760," in page.read(text("#difference .readout")), "and says both numbers")

    def test_events(self):
        page, report = self.page, json.loads(self.open("rich", "#events"))
        rows = report["table"]["rows"]
        page.click(one(".port"))
        page.key("Home")
        page.read(f"{one('.grid')}.focus()")
        page.key("End")
        ok(f"{rows[-1]['t_ns'] / 1e9:.9f}" in page.read(text("#events .row[aria-selected=true]")), "End goes to the last of 10,000 rows")
        ok(page.read("document.querySelectorAll('.space .row').length") < 60, "only the rows in sight are drawn")
        page.key("Home")
        for _ in range(7):
            page.key("ArrowDown")
        ok(page.read(text("#events .detail")).rstrip().endswith('end-of-line"'), "a long text is shown whole below")
        ok(page.read("document.querySelector('.detail').scrollWidth <= document.querySelector('.detail').clientWidth"), "and is wrapped")
        ok("2,093,560 more; the table holds about one in 256, chosen by chance." in page.read(text("#events .foot")), "what the table leaves out is said")
        ok("2026-11-28 23:50:41.1" in page.read(text("#events .detail")), "with its absolute time")
        page.click("[...document.querySelectorAll('.row.head button')].find((b) => b.textContent === 'Process')")
        keys = sorted(f"{row['process']} {row['pid']}" + (f"/{row['tid']}" if row["tid"] != row["pid"] else "") for row in rows)
        page.read(f"{one('.port')}.scrollTop = 0")
        ok(page.until(f"{one('.space .row')}.children[2].innerText === {json.dumps(keys[0])}"), "the table sorts by any column")
        took = page.read("(() => { const t = performance.now(); chooseWords('sector'); chooseWords(''); return performance.now() - t; })()")
        print(f"# searching 10,000 rows and the whole page: {took / 2:.0f} ms")
        ok(took < 5000, "a search of the whole page takes less than seconds")

    # ------------------------------------------------------------ the page as a whole

    def test_keys(self):
        page = self.page
        self.open("rich")
        page.key("?")
        ok(page.read(f"{one('#help')}.open"), "? shows the keys")
        self.picture("keys")
        page.key("n")
        page.key("Escape")
        ok(page.read(f"!{one('#help')}.open && scrollY === 0"), "Escape closes them; the page did not hear the others")
        page.key("n")
        equal(page.read("location.hash"), "#top-lists", "n goes to the next section")
        page.key("6")
        equal(page.read("location.hash + document.activeElement.id"), "#fieldsfields", "6 to the sixth, with the keyboard")
        page.key("p")
        ok(page.until("document.querySelector('nav [aria-current]').innerText === 'Timeline'"), "p back; the list says where one is")
        # Tab reaches everything: the first stop is the way around the head.
        self.open("rich")
        page.key("Tab")
        equal(page.read("document.activeElement.className"), "skip", "Tab begins with a way to the report")
        page.key("Tab")
        equal(page.read("document.activeElement.id"), "search", "and goes on to the search")
        page.key("Tab")
        ok(page.read("getComputedStyle(document.activeElement).outlineStyle === 'solid'"), "what has the keyboard is framed")

    def contrast(self, name):
        """Text against what is behind it, of every kind of text in sight."""
        worst = self.page.read("""(() => {
            const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            const rgb = (c) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
            const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
                .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
            let worst = [99, ''];
            for (const e of document.querySelectorAll('main *, header *, nav *')) {
                if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length || e.closest('svg, .unseen, noscript')) continue;
                let behind = e;
                while (behind && rgb(getComputedStyle(behind).backgroundColor)[3] < 255) behind = behind.parentElement;
                const back = light(rgb(getComputedStyle(behind || document.documentElement).backgroundColor)), fore = light(rgb(getComputedStyle(e).color));
                const ratio = (Math.max(back, fore) + .05) / (Math.min(back, fore) + .05);
                if (ratio < worst[0]) worst = [ratio, e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 30)];
            }
            return worst;
        })()""")
        ok(worst[0] >= 4.5, f"{name}: all text has a contrast of 4.5 or more ({worst[0]:.1f}, {worst[1]})")

    def test_theme(self):
        page = self.page
        ground = "getComputedStyle(document.documentElement).backgroundColor"
        self.open("rich")
        light = page.read(ground)
        self.contrast("light")
        page.prefer("dark")
        dark = page.read(ground)
        ok(dark != light, "the theme follows the system")
        self.contrast("dark")
        self.picture("dark-1280")
        page.key("t")
        equal(page.read(ground), light, "t makes it light")
        page.key("t")
        page.prefer("light")
        equal(page.read(ground), dark, "and dark, whatever the system is")
        page.click(one("#theme"))
        equal(page.read(f"{text('#theme')} + {ground}"), "Theme: auto" + light, "and the button as the system again")

    def test_sizes(self):
        page = self.page
        for width, height, name in ((390, 844, "phone"), (820, 1180, "tablet"), (2560, 1440, "wide")):
            page.window(width, height, mobile=name == "phone")
            for kind in ("rich", "hostile"):
                self.open(kind)
                ok(page.read("document.documentElement.scrollWidth <= innerWidth"), f"{kind}, {name}: the page does not scroll sideways")
                if kind == "rich":
                    self.picture(f"{name}-{width}")
        page.window(1280, 800)

    def test_print(self):
        page = self.page
        page.prefer("dark")
        self.open("rich")
        page.pdf(f"{self.folder}/print.pdf")
        page.call("Emulation.setEmulatedMedia", media="print")
        notes = page.read("[...document.querySelectorAll('.on-paper')].map((note) => getComputedStyle(note).display === 'none' ? '' : note.textContent.trim())")
        ok(notes and all(re.fullmatch(r"The first [\d,]+ of [\d,]+ are printed\.", note) for note in notes), "a printed list says how much of it there is")
        page.call("Emulation.setEmulatedMedia", media="")
        with open(f"{self.folder}/print.pdf", "rb") as pdf:
            pages = len(re.findall(rb"/Type\s*/Page\b", pdf.read()))
        ok(3 <= pages <= 15, f"a report prints on a few pages: {pages}")
        page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        page.window(700, 990)
        page.read("dispatchEvent(new Event('beforeprint'))")
        page.picture(f"{self.folder}/print.png", True)
        equal(page.read("getComputedStyle(document.body).color"), "rgb(28, 32, 36)", "dark text on paper also from the dark theme")
        equal(page.read("['nav', '.tools', '.port'].map((s) => getComputedStyle(document.querySelector(s)).display).join()"), "none,none,none", "without what only a screen needs")
        equal(page.read("document.querySelectorAll('.printed tbody tr').length"), 60, "with the first events")
        page.call("Emulation.setEmulatedMedia", media="")
        page.prefer("light")
        page.window(1280, 800)

    def test_names(self):
        """What a screen reader gets: everything that acts has a name, every table a caption."""
        page = self.page
        self.open("rich")
        page.call("Accessibility.enable")
        unnamed = []
        for node in page.call("Accessibility.getFullAXTree")["nodes"]:
            role = node.get("role", {}).get("value")
            if role in ("button", "link", "slider", "searchbox", "checkbox", "table", "grid", "img", "image", "dialog", "application", "navigation") \
                    and not node.get("ignored") and not node.get("name", {}).get("value"):
                unnamed.append(role)
        page.call("Accessibility.disable")
        equal(unnamed, [], "everything that acts has a name")
        ok(page.read("[...document.querySelectorAll('table')].every((t) => t.caption && t.caption.textContent)"), "every table has a caption")
        ok(page.read("[...document.querySelectorAll('section')].every((s) => document.getElementById(s.getAttribute('aria-labelledby')))"), "every section has a heading")
        ok(page.read("new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size === document.querySelectorAll('[id]').length"), "no two elements have the same id")

    def test_empty(self):
        page = self.page
        self.open("empty")
        self.picture("empty")
        ok("recorded" not in page.read(text("#about")), "a trace without events has no start")
        equal(page.read(text("#verdict")), "Complete: nothing was lost.", "a whole trace says so first")
        for name, start in (("overview", "No rate"), ("top-lists", "The trace names no providers"), ("operations", "No operations"), ("errors", "No errors"),
                            ("timeline", "No timeline"), ("fields", "No fields"), ("stacks", "No stacks"), ("events", "No events")):
            equal(page.read(f"[...document.querySelectorAll('#{name} .says')].map((s) => s.innerText.startsWith({json.dumps(start)}))"), [True], f"empty: {name} has one line")
        ok(page.read(f"!{one('#difference')}"), "without two traces there is no difference")
        self.quiet("empty")
        self.open("single")
        self.picture("single")
        equal(page.read(text("#events .foot")), "1 event.", "a single event is one")
        ok("all events have the same time" in page.read(text("#overview .says")), "and has no rate")
        page.click(one("#event-0"))
        ok("0.000000000 s after the start, 2026-11-28 23:50:41.123456789 UTC" in page.read(text(".detail")), "its time is exact")
        self.quiet("single")

    def test_hostile(self):
        page = self.page
        self.open("hostile")
        self.picture("hostile")
        for summary in range(3):
            page.read(f"document.querySelectorAll('.slow')[{summary}].open = true")
        page.read("[...document.querySelectorAll('button')].filter((b) => /^Show all/.test(b.textContent)).forEach((b) => b.click())")
        page.read(f"{one('.grid')}.focus()")
        for _ in range(25):
            page.key("ArrowDown")
        page.read("dispatchEvent(new Event('beforeprint'))")
        equal(page.read("[window.hacked ?? null, ({}).hacked ?? null]"), [None, None], "nothing of the trace was run")
        equal(page.read("[...document.querySelectorAll('script, img, iframe, object, embed, base, form, style, link')].map((e) => e.tagName).sort()"),
              ["FORM", "SCRIPT", "SCRIPT", "STYLE"], "no element came of a text")
        equal(page.read("[...document.querySelectorAll('a')].filter((a) => !a.getAttribute('href').startsWith('#')).length"), 0, "no link leads elsewhere")
        equal(page.read("/[\\0-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]/u.exec(document.body.innerText.replace(/\\t/g, '')) === null"),
              True, "no character controls the text")
        equal(page.read("/[\\x1b\\u202a-\\u202e\\u2066-\\u2069]/u.test(document.title)"), False, "nor the title")
        ok("\\u{202e}gnp.exe" in page.read("document.body.innerText"), "they are shown as what they are")
        ok("</script><script>window.hacked=1</script>" in page.read("document.body.innerText"), "so is markup")
        self.quiet("hostile")

    def test_policy(self):
        page = self.page
        self.open("single")
        page.read("window.violations = []; document.addEventListener('securitypolicyviolation', (e) => violations.push(e.effectiveDirective))")
        page.read("(() => { const s = document.createElement('script'); try { s.text = 'window.hacked = 1'; } catch { } "
                  "s.append('window.hacked = 1'); document.body.append(s); })()")
        page.read("new Image().src = 'http://127.0.0.1:9/'; fetch('http://127.0.0.1:9/').catch(() => 0)")
        answer = page.call("Runtime.evaluate", expression="eval('window.hacked = 3')", allowUnsafeEvalBlockedByCSP=False)
        ok("exceptionDetails" in answer, "eval is refused")
        for attempt in ("document.body.innerHTML = '<b>x</b>'", "document.body.setAttribute('onclick', 'window.hacked = 2')"):
            answer = page.call("Runtime.evaluate", expression=attempt)
            ok("exceptionDetails" in answer, f"{attempt} is refused")
        ok(page.until("['img-src', 'connect-src'].every((d) => violations.includes(d))"), "loading is refused")
        equal(page.read("window.hacked ?? null"), None, "inline scripts are refused")

    def test_broken(self):
        page = self.page
        for kind, want in (("torn", "its data is not JSON"), ("newer", "its data has version 2, this page reads version 1"), ("nothing", "the file holds no report")):
            self.open(kind)
            ok(want in page.read(text("[role=alert]")), f"{kind}: the page says {want!r}")
            self.quiet(kind)

    def test_large(self):
        page = self.page
        self.open("large")
        size = os.path.getsize(f"{self.folder}/large.json")
        first = page.read("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1")
        drawn = page.read("performance.getEntriesByName('drawn')[0].startTime")
        ready = page.read("performance.getEntriesByName('ready')[0].startTime")
        print(f"# {size / 1e6:.1f} MB of JSON: first paint after {first:.0f} ms, the first screen drawn by {drawn:.0f} ms, all by {ready:.0f} ms")
        ok(size > 3_900_000 and 0 < first <= ready < 60000, "4 MB are drawn while one waits")
        equal(page.read("document.querySelectorAll('.strips canvas').length") > 16, True, "the timeline shows its first processes")
        page.click("[...document.querySelectorAll('#timeline .foot button')].find((b) => b.textContent.startsWith('Show all'))")
        ok(page.read("document.querySelectorAll('.label').length") >= 52, "and all when asked")
        page.click(one("#stacks .flame"))
        ok(page.read("document.querySelectorAll('#stacks .frame').length") <= 4000, "the flame graph draws what can be seen")
        self.quiet("large")


def main():
    tests = Tests(*sys.argv[1:3])
    only = sys.argv[3:]
    try:
        for name in [name for name in vars(Tests) if name.startswith("test_")]:
            if only and name[5:] not in only:
                continue
            try:
                getattr(tests, name)()
            except (driver.BrowserError, TypeError, StopIteration, KeyError, IndexError) as error:
                ok(False, f"{name[5:]}: {error}".splitlines()[0])
                print("# " + traceback.format_exc().replace("\n", "\n# "))
    finally:
        tests.page.close()
    print(f"1..{number}")
    sys.exit(1 if failed else 0)


main()
