// SPDX-License-Identifier: MIT
// diff.js - what changed from one trace, or one range of time, to another

// The lists of a difference, and which of a row's numbers are compared. A row has "a" and "b",
// each the number itself or an object of them; what one side lacks is missing or null.
const EVENTS = [['events', 'Events', brief], ['per_second', 'Rate', (value) => brief(value) + '/s']];
const DIFFERENCES = [
	['providers', 'Providers', EVENTS],
	['events', 'Events', EVENTS],
	['errors', 'Errors', EVENTS],
	['processes', 'Processes', EVENTS],
	['cpus', 'CPUs', EVENTS],
	['containers', 'Containers', EVENTS],
	['levels', 'Levels', EVENTS],
	['operations', 'Operations', [['count', 'Count', brief], ['p50_ns', 'p50', duration], ['p99_ns', 'p99', duration], ['max_ns', 'max', duration]]],
	['fields', 'Fields', [['count', 'Count', brief], ['mean', 'mean', brief], ['p99', 'p99', brief]]],
];

function sideOf(row, side, member) {
	const value = row[side];

	// A number without a name is that of events.
	if (value && typeof value === 'object')
		return number(value[member]);
	return number(value);
}

function diffName(row) {
	if (row.field)
		return textOf(row.event) + ': ' + textOf(row.field);
	if (typeof row.cpu === 'number')
		return 'CPU ' + row.cpu;
	return textOf(row.key || row.name || row.process || (typeof row.level === 'number' ? levelName(row.level) : '') ||
		(typeof row.pid === 'number' ? 'process ' + row.pid : '')) || '–';
}

// How the second differs from the first: "+12.5 %", "new", "gone", "×3.4"
function changeText(a, b) {
	if (!a && !b)
		return '–';
	if (!a)
		return 'new';
	if (!b)
		return 'gone';
	if (a === b)
		return '=';
	if (b > 2 * a)
		return '×' + digits(b / a);
	return (b > a ? '+' : '−') + (Math.abs(b - a) / a * 100).toFixed(1) + ' %';
}

// To sort by: the logarithm of the ratio, beyond every other where one side has nothing
function changeSize(a, b) {
	if (!a || !b)
		return a === b ? 0 : a ? -100 : 100;
	return Math.log(b / a);
}

function diffColumns(measures, rows) {
	const columns = [{ title: 'Name', kind: 'name', value: diffName }];

	for (const [member, title, show] of measures) {
		// A report of one file in two ranges of time has counts alone.
		if (!rows.some((row) => ['a', 'b'].some((side) => member === 'events' || (row[side] && typeof row[side] === 'object' && typeof row[side][member] === 'number'))))
			continue;
		const a = (row) => sideOf(row, 'a', member), b = (row) => sideOf(row, 'b', member);

		columns.push({ title: title + ' A', numeric: true, value: a, show: (row) => show(a(row)), exact: (row) => count(a(row)) },
			{ title: 'B', about: 'Sort by ' + title.toLowerCase() + ' of B', numeric: true, value: b, show: (row) => show(b(row)), exact: (row) => count(b(row)) },
			{ title: 'Change', about: 'Sort by the change of ' + title.toLowerCase(), numeric: true, value: (row) => changeSize(a(row), b(row)),
				show: (row) => element('span', { class: b(row) > a(row) ? 'grew' : b(row) < a(row) ? 'shrank' : 'faint' }, changeText(a(row), b(row))) });
	}
	return columns;
}

function showDiff(report) {
	if (!report.diff || typeof report.diff !== 'object')
		return;
	const { diff } = report;
	const node = section('difference', 'Difference');
	const cards = element('div', { class: 'cards' });
	const stacks = part(diff.stacks);
	const tree = frameTree(stacks);

	node.append(element('dl', { class: 'facts across' }, ['a', 'b'].map((side) =>
		element('div', null, element('dt', null, side.toUpperCase()), element('dd', { class: 'long' }, textOf(part(diff[side]).title) || '–',
			typeof part(diff[side]).events === 'number' ? ': ' + plural(diff[side].events, 'event') + ' in ' + duration(number(diff[side].duration_ns)) +
				', ' + plural(number(diff[side].errors), 'error') + (diff[side].complete === false ? ', INCOMPLETE: ' +
					plural(number(diff[side].lost_events), 'event') + ' and ' + plural(number(diff[side].lost_buffers), 'buffer') + ' known to be lost' : '') : '')))));
	for (const [name, title, measures] of DIFFERENCES) {
		const rows = objects(diff[name]);
		const wide = measures.length > 1;

		if (rows.length)
			cards.append(element('div', { class: wide ? 'card whole' : 'card' }, element('h3', null, title), rowsTable({
				caption: title + ' in A and B', rows, limit: 10, columns: diffColumns(measures, rows), more: remainder(diff[name + '_other'], 'row'),
				hay: (row) => haystack([diffName(row), row.name, row.provider], { pid: row.pid, cpu: row.cpu }),
			})));
	}
	if (tree.frames.length)
		node.append(element('h3', null, 'Differential flame graph'), element('p', { class: 'key' },
			element('i', { class: 'more-key' }), 'larger share in B', element('i', { class: 'less-key' }), 'smaller share in B'),
		new FlameGraph(tree, 'Differential flame graph: the colour tells which shares grew and which shrank').node);
	if (!cards.childNodes.length && !tree.frames.length)
		node.append(says('No difference: both have the same events.'));
	node.append(cards);
}
