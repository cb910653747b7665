// SPDX-License-Identifier: MIT
// operations.js - operations with their latency, and the slowest of them in their context

const PERCENTILES = [['p50_ns', 'p50'], ['p90_ns', 'p90'], ['p99_ns', 'p99'], ['p999_ns', 'p99.9'], ['max_ns', 'max']];

function latencyColumn([member, title]) {
	return { title, numeric: true, value: (row) => number(row[member]), show: (row) => number(row.count) ? duration(number(row[member])) : '–',
		exact: (row) => exactly(number(row[member]), 'ns') };
}

function operationFacts(row) {
	const facts = [['Paired by', textOf(row.paired_by) || '–'], ['Total', duration(number(row.sum_ns)), exactly(number(row.sum_ns), 'ns')],
		['Mean', number(row.count) ? duration(typeof row.mean_ns === 'number' ? row.mean_ns : number(row.sum_ns) / row.count) : '–'], ['Minimum', duration(number(row.min_ns)), exactly(number(row.min_ns), 'ns')],
		['Failed', typeof row.failed === 'number' ? count(row.failed) : 'not known'],
		['Starts without a stop', count(number(row.unpaired_starts))], ['Stops without a start', count(number(row.unpaired_stops))]];

	return element('dl', { class: 'facts across' }, facts.map(([name, value, title]) =>
		element('div', null, element('dt', null, name), element('dd', { title }, value))));
}

function latencyChart(row) {
	const bins = list(row.histogram).filter((bin) => list(bin).length >= 3).map(numbers);
	const host = element('div');
	const box = element('input', { type: 'checkbox', on: { change: draw } });

	function draw() {
		host.replaceChildren(histogram({
			bins, min: number(row.min_ns), max: number(row.max_ns), log: true, tall: true, show: duration, countsLog: box.checked,
			marks: PERCENTILES.slice(0, 4).map(([member, title]) => [number(row[member]), title]),
			label: 'Latency of ' + textOf(row.name) + ' on a logarithmic scale: half take at most ' + duration(number(row.p50_ns)) +
				', 99 % at most ' + duration(number(row.p99_ns)) + ', the longest ' + duration(number(row.max_ns)),
		}));
	}
	if (!bins.length)
		return says('No histogram: no operation was paired.');
	draw();
	return element('div', null, element('label', { class: 'check' }, box, ' counts on a logarithmic scale, too'), host);
}

function slowOperation(slow, number_) {
	const rows = objects(slow.context);
	const end = number(slow.start_ns) + number(slow.duration_ns);
	const own = (row) => row.tid === slow.tid && (number(row.t_ns) === number(slow.start_ns) || number(row.t_ns) === end);
	const node = element('details', { class: 'slow' }, element('summary', null,
		element('span', { class: 'length', title: exactly(number(slow.duration_ns), 'ns') }, duration(number(slow.duration_ns))),
		element('span', { class: 'at' }, 'at ' + seconds(number(slow.start_ns)) + ' s'),
		element('span', { class: 'by' }, whose(slow) + (typeof slow.cpu === 'number' ? ', CPU ' + slow.cpu : '')),
		element('span', { class: 'fields', title: textOf(slow.fields) }, textOf(slow.fields))));

	// What is inside is made when it is first opened.
	node.addEventListener('toggle', () => {
		if (node.childNodes.length > 1)
			return;
		node.append(rows.length ? rowsList(rows, 'Events around the slowest operation ' + number_, own) : says('The report holds no events around it.'));
		if (number(slow.skipped))
			node.append(says('These are events of its threads; between row ' + count(number(slow.skipped_at)) + ' and the next, ' +
				plural(slow.skipped, 'event is', 'events are') + ' left out.'));
		if (eventTable)
			node.append(element('p', { class: 'foot' }, element('button', { type: 'button', class: 'link', on: { click: () => {
				chooseRange(null);
				location.hash = '#events';
				eventTable.goTo(number(slow.start_ns), slow.tid);
			} } }, eventTable.has(number(slow.start_ns), slow.tid) ? 'Find it in the table of events' : 'Go to its time in the table of events, which does not hold it')));
	});
	return node;
}

function slowest(row) {
	const slow = objects(row.slowest);
	const host = element('div');

	function draw() {
		const fitting = slow.filter((s) => inRange(number(s.start_ns)));

		host.replaceChildren(element('h4', null, 'The slowest'),
			...(fitting.length ? fitting.map((s, i) => slowOperation(s, i + 1))
				: [says(slow.length ? 'None of the slowest began in the range of time.' : 'The report names no slow one.')]));
	}
	draw();
	return { host, draw };
}

function showOperations(report) {
	const rows = objects(report.operations);
	const node = section('operations', 'Operations', rows.length ? 'latency between start and stop' : null);

	if (!rows.length) {
		node.append(says('No operations: no events with the opcodes start and stop could be paired.'));
		return;
	}
	const panel = element('div', { class: 'card panel', 'aria-live': 'polite' });
	let chosen = rows[0], drawSlowest = null;

	function drawPanel() {
		const { host, draw } = slowest(chosen);

		drawSlowest = draw;
		panel.replaceChildren(element('h3', null, element('span', { class: 'long' }, textOf(chosen.name)), ' ',
			element('span', { class: 'note long' }, textOf(chosen.provider))), latencyChart(chosen), operationFacts(chosen), host);
	}
	const table = rowsTable({
		caption: 'Operations and their latency', kind: 'picks', rows, limit: 15, more: remainder(report.operations_other, 'operation'),
		hay: (row) => haystack([row.name, row.provider, row.paired_by]),
		chosen: () => chosen, select: (row) => {
			chosen = row;
			drawPanel();
			table.redraw();
			table.querySelector('[aria-current] button').focus();
		},
		columns: [
			{ title: 'Operation', kind: 'name', value: (row) => textOf(row.name), exact: (row) => textOf(row.provider) + ': ' + textOf(row.name) },
			{ title: 'Count', bar: true, numeric: true, value: (row) => number(row.count), show: (row) => brief(number(row.count)),
				exact: (row) => count(number(row.count)) },
			...PERCENTILES.map(latencyColumn),
			{ title: 'Total', numeric: true, value: (row) => number(row.sum_ns), show: (row) => duration(number(row.sum_ns)),
				exact: (row) => exactly(number(row.sum_ns), 'ns') },
			{ title: 'Failed', numeric: true, value: (row) => number(row.failed),
				show: (row) => typeof row.failed === 'number' ? element('span', { class: row.failed ? 'lost-number' : 'faint' }, count(row.failed)) : '–' },
			{ title: 'Unpaired', numeric: true, value: (row) => number(row.unpaired_starts) + number(row.unpaired_stops),
				show: (row) => brief(number(row.unpaired_starts) + number(row.unpaired_stops)),
				exact: (row) => plural(number(row.unpaired_starts), 'start') + ', ' + plural(number(row.unpaired_stops), 'stop') },
		],
	});

	drawPanel();
	watch('range', () => drawSlowest());
	node.append(table, panel);
}
