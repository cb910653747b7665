// SPDX-License-Identifier: MIT
// rows.js - events as rows: a few of them as a list, many in a table that draws what is in sight

const ROW_HEIGHT = 25;
const PRINTED_ROWS = 60;

function rowHay(row) {
	return haystack([row.event, row.process, row.text, levelName(number(row.level))],
		{ pid: row.pid, tid: row.tid, cpu: row.cpu, level: row.level });
}

function levelClass(level) {
	return level === 1 || level === 2 ? 'severe' : level === 3 ? 'warning' : '';
}

function whose(row) {
	return textOf(row.process) + (row.process ? ' ' : '') + textOf(row.pid) + (row.tid !== row.pid ? '/' + textOf(row.tid) : '');
}

const rowColumns = [
	{ title: 'Time, s', numeric: true, kind: 'time', value: (row) => number(row.t_ns), show: (row) => seconds(number(row.t_ns)) },
	{ title: 'Level', kind: 'level', value: (row) => number(row.level), show: (row) => levelName(number(row.level)) },
	{ title: 'Process', kind: 'process', value: whose },
	{ title: 'CPU', numeric: true, kind: 'cpu', value: (row) => number(row.cpu), show: (row) => textOf(row.cpu) },
	{ title: 'Event', kind: 'event', value: (row) => textOf(row.event), show: (row) => shortKey(row.event) },
	{ title: 'Fields', kind: 'fields', value: (row) => textOf(row.text) },
];

// A few rows below each other, as around a slow operation
function rowsList(rows, caption, marked) {
	return element('div', { class: 'wide' }, element('table', { class: 'rows' }, element('caption', { class: 'unseen' }, caption),
		element('thead', null, element('tr', null, rowColumns.map((c) => element('th', { scope: 'col', class: 'of-' + c.kind + (c.numeric ? ' number' : '') }, c.title)))),
		element('tbody', null, rows.map((row) => element('tr', { class: marked && marked(row) ? 'marked' : levelClass(row.level) },
			rowColumns.map((c, i) => element(i ? 'td' : 'th', {
				scope: i ? null : 'row', class: c.kind + (c.numeric ? ' number' : ''), title: c.kind === 'fields' || c.kind === 'event' ? c.value(row) : null,
			}, c.show ? c.show(row) : c.value(row))))))));
}

function detail(report, row) {
	const facts = [['Time', seconds(number(row.t_ns)) + ' s after the start, ' + absolute(report, number(row.t_ns))], ['Event', textOf(row.event)],
		['Level', levelName(number(row.level))], ['Process', textOf(row.process) || '–'], ['Pid, tid', textOf(row.pid) + ', ' + textOf(row.tid)],
		['CPU', textOf(row.cpu)], ['Fields', textOf(row.text) || '–']];

	return element('dl', { class: 'facts' }, facts.map(([name, value]) => [element('dt', null, name), element('dd', null, value)]));
}

// The table of events: the viewport holds only the rows in sight, and scrolls over the height
// of all of them. The row that the keys move to stays chosen while the order changes.
class EventTable {
	constructor(report) {
		this.report = report;
		this.rows = objects(report.table.rows);
		this.hays = this.rows.map(rowHay);
		this.order = this.rows.map((row, i) => i);
		this.column = rowColumns[0];
		this.down = false;
		this.chosen = -1;
		this.build();
		this.select();
		watch('words', () => this.select());
		watch('range', () => this.select());
	}

	build() {
		this.head = element('div', { role: 'row', class: 'row head', 'aria-rowindex': 1 });
		this.space = element('div', { class: 'space', role: 'rowgroup' });
		this.port = element('div', { class: 'port', tabindex: -1, role: 'presentation', on: { scroll: () => this.draw() } }, this.space);
		this.grid = element('div', { class: 'grid', tabindex: 0, role: 'grid', 'aria-label': 'Events', 'aria-colcount': rowColumns.length, on: {
			keydown: (event) => this.key(event),
		} }, element('div', { role: 'rowgroup' }, this.head), this.port);
		this.foot = element('p', { class: 'foot', role: 'status' });
		this.detail = element('div', { class: 'detail', 'aria-live': 'polite' }, says('Choose an event to see all of it.'));
		this.printed = element('div', { class: 'printed' });
		this.node = element('div', { class: 'events' }, this.grid, this.foot, this.detail, this.printed);
		// By the place, not by the element: rows are drawn anew whenever the port scrolls, also
		// between the button's going down and up.
		this.space.addEventListener('click', (event) => {
			this.choose(Math.floor((event.clientY - this.space.getBoundingClientRect().top) / ROW_HEIGHT));
			this.grid.focus({ preventScroll: true });
		});
		new ResizeObserver(() => this.draw()).observe(this.port);
		window.addEventListener('beforeprint', () => this.print());
		this.drawHead();
	}

	drawHead() {
		this.head.replaceChildren(...rowColumns.map((column) => {
			const sorted = column === this.column;

			return element('div', { role: 'columnheader', class: column.kind, 'aria-sort': sorted ? (this.down ? 'descending' : 'ascending') : null },
				element('button', { type: 'button', class: 'sort', on: { click: () => this.sortBy(column) } }, column.title,
					element('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted ? (this.down ? '↓' : '↑') : '')));
		}));
	}

	sortBy(column) {
		this.down = this.column === column && !this.down;
		this.column = column;
		this.drawHead();
		this.head.querySelector('[aria-sort] button').focus();
		this.select();
	}

	// Which rows fit, in which order
	select() {
		const kept = this.order[this.chosen];
		const { column, down } = this;

		this.order = [];
		this.rows.forEach((row, i) => {
			if (inRange(number(row.t_ns)) && matches(this.hays[i]))
				this.order.push(i);
		});
		const values = this.rows.map(column.value);

		this.order.sort((a, b) => (typeof values[a] === 'number' ? values[a] - values[b]
			: values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0) * (down ? -1 : 1) || a - b);
		this.chosen = kept === undefined ? -1 : this.order.indexOf(kept);
		this.space.style.height = this.order.length * ROW_HEIGHT + 'px';
		this.grid.setAttribute('aria-rowcount', this.order.length + 1);
		this.grid.classList.toggle('short', this.order.length < 12);
		this.port.scrollTop = this.chosen < 0 ? 0 : Math.max(0, (this.chosen - 3) * ROW_HEIGHT);
		this.drawFoot();
		this.draw();
	}

	drawFoot() {
		const { more, stride, firsts } = this.report.table;
		const all = this.rows.length, fit = this.order.length;

		this.foot.textContent = (fit === all ? plural(all, 'event') : fit ? count(fit) + ' of ' + plural(all, 'event') + ' shown'
			: 'None of ' + plural(all, 'event') + ' fits the search and the range') +
			(number(more) ? '. The trace has ' + count(number(more)) + ' more; the table holds ' +
				(number(stride) > 1 ? 'about one in ' + count(number(stride)) + ', chosen by chance' +
				(number(firsts) ? ', and the first of each kind' : '') + '.' : 'the first.') : '.');
	}

	draw() {
		const height = this.port.clientHeight || 400;
		const first = Math.max(0, Math.floor(this.port.scrollTop / ROW_HEIGHT) - 6);
		const last = Math.min(this.order.length, first + Math.ceil(height / ROW_HEIGHT) + 12);
		const lines = [];

		for (let at = first; at < last; at++)
			lines.push(this.line(at));
		this.space.replaceChildren(...lines);
		if (this.chosen >= first && this.chosen < last)
			this.grid.setAttribute('aria-activedescendant', 'event-' + this.chosen);
		else
			this.grid.removeAttribute('aria-activedescendant');
	}

	line(at) {
		const row = this.rows[this.order[at]];
		const node = element('div', {
			role: 'row', class: 'row ' + levelClass(row.level), id: 'event-' + at, 'aria-rowindex': at + 2,
			'aria-selected': at === this.chosen ? 'true' : 'false',
		}, rowColumns.map((c) => {
			const text = textOf(c.show ? c.show(row) : c.value(row));

			// A cell shows one line; the whole text is in the detail.
			return element('div', { role: 'gridcell', class: c.kind }, text.length > 400 ? text.slice(0, 400) + ' …' : text);
		}));

		node.style.top = at * ROW_HEIGHT + 'px';
		return node;
	}

	choose(at) {
		if (at < 0 || at >= this.order.length)
			return;
		const row = this.rows[this.order[at]];
		const top = at * ROW_HEIGHT, height = this.port.clientHeight;

		this.chosen = at;
		if (top < this.port.scrollTop)
			this.port.scrollTop = top;
		else if (top + ROW_HEIGHT > this.port.scrollTop + height)
			this.port.scrollTop = top + ROW_HEIGHT - height;
		this.detail.replaceChildren(detail(this.report, row));
		moveCursor(number(row.t_ns));
		this.draw();
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.port.clientHeight / ROW_HEIGHT) - 1);
		const to = {
			ArrowDown: this.chosen + 1, ArrowUp: this.chosen - 1, PageDown: this.chosen + page, PageUp: this.chosen - page,
			Home: 0, End: this.order.length - 1,
		}[event.key];

		if (to === undefined || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		this.choose(Math.max(0, Math.min(this.order.length - 1, to)));
	}

	// Is there a row of this thread and time?
	has(ns, tid) {
		return this.rows.some((row) => number(row.t_ns) === ns && row.tid === tid);
	}

	// goTo(ns, tid): the thread's event at this time, or else the first that is not before it
	goTo(ns, tid) {
		let best = this.order.findIndex((i) => number(this.rows[i].t_ns) === ns && this.rows[i].tid === tid);

		if (best >= 0) {
			this.choose(best);
			this.grid.focus();
			return;
		}

		this.order.forEach((i, at) => {
			const time = number(this.rows[i].t_ns);

			if (time >= ns && (best < 0 || time < number(this.rows[this.order[best]].t_ns)))
				best = at;
		});
		this.choose(best < 0 ? this.order.length - 1 : best);
		this.grid.focus();
	}

	// Paper does not scroll: it gets the first rows as they are sorted and selected.
	print() {
		const rows = this.order.slice(0, PRINTED_ROWS).map((i) => this.rows[i]);

		this.printed.replaceChildren(rows.length ? rowsList(rows, 'The first events') : '');
		if (this.order.length > rows.length)
			this.printed.append(says('These are the first ' + count(rows.length) + '; the file shows all of them.'));
	}
}

let eventTable = null;

function showEvents(report) {
	const node = section('events', 'Events');

	if (!objects(report.table.rows).length) {
		node.append(says(number(report.totals.events) ? 'The report holds no table of events.' : 'No events: the trace is empty.'));
		return;
	}
	eventTable = new EventTable(report);
	node.append(eventTable.node);
	eventTable.select();
}

function levelTable(report, levels) {
	return rowsTable({
		caption: 'Events by level', rows: levels, hay: (row) => haystack([row.name || levelName(number(row.level))], { level: row.level }),
		columns: [
			{ title: 'Level', kind: 'name', value: (row) => number(row.level), show: (row) => LEVELS[row.level] || textOf(row.name) || levelName(number(row.level)) },
			eventsColumn(number(report.totals.events)),
			{ title: 'Share', numeric: true, kind: 'share', show: (row) => share(number(row.events), number(report.totals.events)) },
		],
	});
}

function errorTable(counts, more) {
	return rowsTable({
		caption: 'Errors by event', rows: counts, limit: 8, hay: (row) => haystack([row.key], { level: row.level }),
		more: more ? 'and ' + plural(more, 'error') + ' of kinds not listed' : null, columns: [
			{ title: 'Event', kind: 'name', value: (row) => textOf(row.key), show: (row) => shortKey(row.key), exact: (row) => textOf(row.key) },
			{ title: 'Level', kind: 'level', value: (row) => number(row.level), show: (row) => levelName(number(row.level)) },
			eventsColumn(counts.reduce((all, row) => all + number(row.events), 0)),
		],
	});
}

function showErrors(report) {
	const { errors } = report;
	const counts = objects(errors.counts), latest = objects(errors.latest), levels = objects(report.levels);
	const node = section('errors', 'Errors');
	const cards = element('div', { class: 'cards' });

	node.append(cards);

	if (levels.length)
		cards.append(element('div', { class: 'card' }, element('h3', null, 'Events by level'), levelTable(report, levels)));
	if (counts.length)
		cards.append(element('div', { class: 'card' }, element('h3', null, 'Which errors'), errorTable(counts, number(errors.more))));
	if (!counts.length && !latest.length)
		node.append(says('No errors: no event has the level critical or error.'));
	if (!latest.length)
		return;
	const host = element('div');
	const draw = () => {
		const fitting = latest.filter((row) => matches(rowHay(row)) && inRange(number(row.t_ns)));

		host.replaceChildren(fitting.length ? rowsList(fitting, 'The latest errors')
			: says('None of the latest ' + plural(latest.length, 'error') + ' fits the search and the range.'));
	};

	node.append(element('h3', null, 'The latest errors'), host);
	watch('words', draw);
	watch('range', draw);
	draw();
}
