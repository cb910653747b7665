// SPDX-License-Identifier: MIT
// timeline.js - when each process and thread wrote: strips whose colour is the number of events

const STRIPS_AT_FIRST = 16;

// One pixel for each bucket; the style stretches it. A little is seen as well: the
// opacity grows with the square root.
function paintStrip(canvas, values, largest) {
	const context = canvas.getContext('2d');

	canvas.width = Math.max(1, values.length);
	canvas.height = 1;
	// The style gives it the accent of the theme, which a canvas cannot name.
	context.fillStyle = getComputedStyle(canvas).color;
	values.forEach((value, i) => {
		if (value <= 0)
			return;
		context.globalAlpha = 0.1 + 0.9 * Math.sqrt(value / largest);
		context.fillRect(i, 0, 1, 1);
	});
}

function addUp(rows) {
	const sum = new Array(Math.max(0, ...rows.map((row) => numbers(row.events).length))).fill(0);

	for (const row of rows)
		numbers(row.events).forEach((value, i) => {
			sum[i] += value;
		});
	return sum;
}

// Processes in the order of the model, each with its threads
function byProcess(threads) {
	const processes = new Map();

	for (const thread of threads) {
		// An id that was used again is another process.
		const key = textOf(thread.pid) + ' ' + textOf(thread.start_key);

		if (!processes.has(key))
			processes.set(key, { key, pid: thread.pid, process: thread.process, threads: [] });
		processes.get(key).threads.push(thread);
	}
	return [...processes.values()];
}

class Timeline {
	constructor(report, threads) {
		this.more = remainder(report.timeline.other, 'thread');
		this.bucketNs = number(report.timeline.bucket_ns) || 1;
		this.groups = byProcess(threads);
		this.open = new Set(this.groups.slice(0, 2).filter((group) => group.threads.length > 1).map((group) => group.key));
		this.all = false;
		this.buckets = Math.max(1, ...threads.map((thread) => list(thread.events).length));
		this.largest = Math.max(1, ...threads.map((thread) => Math.max(0, ...numbers(thread.events))));
		this.build();
		watch('words', () => this.draw());
		this.draw();
	}

	build() {
		this.labels = element('div', { class: 'labels' });
		this.strips = element('div', { class: 'strips' });
		this.foot = element('p', { class: 'foot' });
		this.plot = element('div', { class: 'strips-plot' }, this.strips);
		this.readout = brush(this.plot, {
			buckets: this.buckets, bucketNs: this.bucketNs, label: 'Time in the timeline', hint: 'Drag, or Shift and the arrow keys, to select a range of time.',
			describe: (bucket, event) => this.describe(bucket, event),
		});
		this.node = element('div', { class: 'timeline' }, this.labels,
			element('div', { class: 'chart' }, this.plot, timeAxis(this.buckets * this.bucketNs)));
	}

	describe(bucket, event) {
		const at = event ? Math.floor((event.clientY - this.strips.getBoundingClientRect().top) / (this.strips.clientHeight / Math.max(1, this.lines.length))) : -1;
		const line = this.lines[at];

		if (line)
			return line.name + ': ' + plural(number(line.values[bucket]), 'event');
		return plural(this.lines.filter((one) => one.whole).reduce((all, one) => all + number(one.values[bucket]), 0), 'event') +
			' of the threads shown';
	}

	label(line, group) {
		const opens = line.whole && group.threads.length > 1;

		return element('div', { class: 'label' + (line.whole ? '' : ' thread') },
			opens ? element('button', { type: 'button', class: 'fold', 'aria-expanded': this.open.has(group.key) ? 'true' : 'false',
				'aria-label': 'Threads of ' + line.name, on: { click: () => this.fold(group) } }, this.open.has(group.key) ? '▾' : '▸') : null,
			element('button', { type: 'button', class: 'link', title: line.name + ': search for it', on: { click: () => searchFor(line.key) } }, line.name),
			line.errors ? element('span', { class: 'lost-number', title: plural(line.errors, 'error') }, '●') : null);
	}

	fold(group) {
		if (!this.open.delete(group.key))
			this.open.add(group.key);
		this.draw();
		[...this.labels.querySelectorAll('.fold')].find((button) => button.dataset.group === group.key)?.focus();
	}

	linesOf(group) {
		const threads = group.threads.filter((thread) => matches(haystack([thread.process], { pid: thread.pid, tid: thread.tid })));
		const name = (textOf(group.process) || 'process') + ' ' + textOf(group.pid);

		if (!threads.length)
			return [];
		const lines = [{ whole: true, name, key: 'pid:' + group.pid, values: addUp(threads),
			errors: threads.reduce((all, thread) => all + number(thread.errors), 0) }];

		if (group.threads.length > 1 && this.open.has(group.key))
			for (const thread of threads)
				lines.push({ name: 'thread ' + textOf(thread.tid), key: 'tid:' + thread.tid, values: numbers(thread.events), errors: number(thread.errors) });
		return lines;
	}

	draw() {
		const fitting = this.groups.map((group) => [group, this.linesOf(group)]).filter(([, lines]) => lines.length);
		const drawn = this.all ? fitting : fitting.slice(0, STRIPS_AT_FIRST);

		this.lines = [];
		this.labels.replaceChildren();
		this.strips.replaceChildren();
		for (const [group, lines] of drawn)
			for (const line of lines) {
				const label = this.label(line, group);
				const canvas = element('canvas', { 'aria-hidden': 'true' });

				if (label.querySelector('.fold'))
					label.querySelector('.fold').dataset.group = group.key;
				this.labels.append(label);
				this.strips.append(canvas);
				line.canvas = canvas;
				this.lines.push(line);
			}
		this.paint();
		this.foot.replaceChildren(fitting.length ? '' : 'No thread matches the search. ',
			fitting.length > drawn.length ? element('span', { class: 'on-paper' }, 'The first ' + count(drawn.length) + ' of ' + count(fitting.length) + ' are printed. ') : '',
			fitting.length > drawn.length || this.all ? element('button', { type: 'button', class: 'link', on: { click: () => {
				this.all = !this.all;
				this.draw();
			} } }, this.all ? 'Show fewer' : 'Show all ' + plural(fitting.length, 'process', 'processes')) : '', ' ', this.more || '');
	}

	paint() {
		const largest = Math.max(this.largest, ...this.lines.map((line) => Math.max(0, ...line.values)));

		for (const line of this.lines)
			paintStrip(line.canvas, line.values, largest);
	}
}

let timeline = null;

function showTimeline(report) {
	const threads = objects(report.timeline.threads);
	const node = section('timeline', 'Timeline', threads.length ? 'events of each process and thread' : null);

	if (!threads.length) {
		node.append(says('No timeline: the trace names no threads.'));
		return;
	}
	timeline = new Timeline(report, threads);
	node.append(timeline.node, timeline.readout, timeline.foot);
	// A canvas has its colour only where it stands in the page.
	timeline.paint();
}
