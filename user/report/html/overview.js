// SPDX-License-Identifier: MIT
// overview.js - the first screen: losses, totals, rate, and who wrote most

function lossWhen(row) {
	if (typeof row.first_ns !== 'number')
		return 'unknown';
	if (typeof row.last_ns !== 'number' || row.last_ns === row.first_ns)
		return moment(row.first_ns, 1e6);
	const piece = Math.max((row.last_ns - row.first_ns) / 10, 1e3);

	return moment(row.first_ns, piece) + ' – ' + moment(row.last_ns, piece);
}

function lossWhose(row) {
	return [row.provider, typeof row.cpu === 'number' ? 'CPU ' + row.cpu : null, row.file].filter((x) => x !== null && x !== undefined)
		.join(', ') || 'not known';
}

// The time of a loss as a range: at least one step of the chart, so that it can be seen
function lossRange(report, row) {
	const step = number(report.rate.bucket_ns) || 1;
	const last = typeof row.last_ns === 'number' ? row.last_ns : row.first_ns;

	return [Math.max(0, Math.floor(row.first_ns / step) * step), (Math.floor(last / step) + 1) * step];
}

function lossTable(report) {
	const { losses } = report;
	const rows = objects(losses.rows);

	return rowsTable({
		caption: 'Losses', rows, limit: 6, selectable: (row) => typeof row.first_ns === 'number',
		select: (row) => chooseRange(lossRange(report, row)),
		hay: (row) => haystack([row.cause, row.provider, row.file, row.unit], { cpu: row.cpu }),
		more: number(losses.more) ? 'and ' + count(number(losses.more)) + ' more lost, in places not listed' : null,
		columns: [
			{ title: 'When', value: (row) => number(row.first_ns), show: lossWhen,
				exact: (row) => typeof row.first_ns === 'number' ? exactly(row.first_ns, 'ns') + ' – ' + exactly(number(row.last_ns), 'ns') : 'The time is not known' },
			{ title: 'How many', numeric: true, value: (row) => number(row.count),
				show: (row) => typeof row.count === 'number' ? plural(row.count, row.unit === 'buffers' ? 'buffer' : 'event')
					: 'unknown number of ' + (row.unit === 'buffers' ? 'buffers' : 'events') },
			{ title: 'Whose', kind: 'text', value: lossWhose },
			{ title: 'Why', kind: 'text', value: (row) => textOf(row.cause) },
		],
	});
}

function verdict(report) {
	const { losses, totals } = report;
	const events = number(totals.lost_events), buffers = number(totals.lost_buffers);
	const rows = objects(losses.rows);

	if (losses.complete === true && !events && !buffers && !rows.length)
		return element('div', { class: 'band good', id: 'verdict' }, element('strong', null, 'Complete: nothing was lost.'));
	const unknown = rows.some((row) => typeof row.count !== 'number');
	const lost = [events ? plural(events, 'event') : null, buffers ? plural(buffers, 'buffer') : null].filter((x) => x);
	const of = events ? ' (' + share(events, events + number(totals.events)) + ' of all)' : '';

	return element('div', { class: 'band bad', id: 'verdict' },
		element('strong', null, lost.length ? 'Incomplete: ' + (unknown ? 'at least ' : '') + lost.join(' and ') + ' lost' + of + '.'
			: rows.length ? 'Incomplete: an unknown number of events was lost.'
				: 'Perhaps incomplete: the files do not say that nothing is missing.'),
		rows.length ? lossTable(report) : null);
}

function figure(text, label, exact) {
	return element('div', { class: 'figure', title: exact }, element('dt', null, label), element('dd', null, text));
}

function figures(report) {
	const { totals, time } = report;
	const spent = number(time.duration_ns);
	const node = element('dl', { class: 'figures' });
	const counted = [['providers', 'provider', 'providers'], ['event_kinds', 'kind of event', 'kinds of event'], ['processes', 'process', 'processes'],
		['threads', 'thread', 'threads'], ['cpus', 'CPU', 'CPUs'], ['containers', 'container', 'containers'], ['undecoded', 'not decoded', 'not decoded']];

	node.append(figure(brief(number(totals.events)), totals.events === 1 ? 'event' : 'events', count(number(totals.events))),
		figure(bytes(number(totals.bytes)), 'of events', exactly(number(totals.bytes), 'bytes')),
		figure(duration(spent), 'duration', exactly(spent, 'ns')),
		figure(spent ? brief(number(totals.events) / spent * 1e9) : '–', 'events/s'));
	// The engine counts different ones exactly up to a limit.
	const least = totals.at_least === true ? '≥ ' : '';

	for (const [name, one, many] of counted)
		if (number(totals[name]) || name !== 'containers' && name !== 'undecoded')
			node.append(figure((name === 'undecoded' || name === 'cpus' ? '' : least) + brief(number(totals[name])), totals[name] === 1 ? one : many, count(number(totals[name]))));
	return node;
}

function rateChart(report) {
	const { rate } = report;
	const events = numbers(rate.events), sizes = numbers(rate.bytes), lost = numbers(rate.lost);
	const width = number(rate.bucket_ns) || 1;
	const largest = Math.max(...events, 0), lostMost = Math.max(...lost, 0);
	const perSecond = (value) => value / width * 1e9;

	if (!events.length || !largest)
		return says('No rate over time: the trace has no events.');
	if (!number(report.time.duration_ns))
		return says('No rate over time: all events have the same time.');
	const step = CHART_WIDTH / events.length;
	// Lost events stand as red bars on a strip of their own, each with a pale band above it.
	const bands = lost.map((value, i) => value ? 'M' + place(i * step) + ' 0h' + place(Math.max(step, 2)) + 'V100h-' + place(Math.max(step, 2)) + 'z' : '').join('');
	const plot = element('div', { class: 'plot rate' },
		picture('Events per second over time' + (lostMost ? ', with losses marked' : ''),
			lostMost ? drawing('path', { class: 'lost-band', d: bands }) : null,
			drawing('path', { class: 'area', d: barsPath(events, largest) })));
	const readout = brush(plot, {
		buckets: events.length, bucketNs: width, label: 'Time in the rate chart',
		hint: 'Drag, or Shift and the arrow keys, to select a range of time.',
		describe: (i) => brief(perSecond(events[i])) + ' events/s, ' + bytes(Math.round(perSecond(number(sizes[i])))) + '/s' +
			(lost[i] ? ', ' + count(lost[i]) + ' LOST' : ''),
	});

	return element('div', { class: 'chart' },
		element('div', { class: 'top-label' }, brief(perSecond(largest)) + ' events/s'), plot,
		lostMost ? element('div', { class: 'plot lost' }, picture(null,
			drawing('path', { class: 'lost-bar', d: barsPath(lost.map((x) => x ? Math.log10(x) + 1 : 0), Math.log10(lostMost) + 1) }))) : null,
		timeAxis(events.length * width),
		lostMost ? element('p', { class: 'key' }, element('i', { class: 'lost-key' }), 'lost events (at most ' + count(lostMost) + ' in one step)') : null,
		readout);
}

function rateColumn(label) {
	return { title: 'Over time', kind: 'spark-cell', show: (row) => sparkline(numbers(row.rate), label(row)) };
}

function eventsColumn(total) {
	return { title: 'Events', bar: true, numeric: true, value: (row) => number(row.events), show: (row) => brief(number(row.events)),
		exact: (row) => count(number(row.events)) + ', ' + share(number(row.events), total) };
}

const bytesColumn = { title: 'Size', numeric: true, value: (row) => number(row.bytes), show: (row) => bytes(number(row.bytes)),
	exact: (row) => exactly(number(row.bytes), 'bytes') };

function providerName(row) {
	return textOf(row.name || row.guid);
}

function processName(row) {
	return row.process || row.name || (typeof row.pid === 'number' ? 'process ' + row.pid : '–');
}

// Each list: its title, rows, what is left out, columns, and the texts that a search looks in.
// A click on a row searches for the last.
function topLists(report) {
	const total = number(report.totals.events);
	const share_ = { title: 'Share', numeric: true, kind: 'share', show: (row) => share(number(row.events), total) };

	return [
		['Providers', report.providers, remainder(report.providers_other, 'provider'), [
			{ title: 'Provider', kind: 'name', value: providerName, exact: (row) => textOf(row.name) + ' ' + textOf(row.guid) },
			eventsColumn(total), share_, bytesColumn, rateColumn((row) => 'Events of ' + providerName(row) + ' over time'),
		], (row) => haystack([row.name, row.guid]), providerName],
		['Events', report.events, remainder(report.events_other, 'kind', 'kinds'), [
			{ title: 'Event', kind: 'name', value: (row) => textOf(row.key), show: (row) => shortKey(row.key),
				exact: (row) => textOf(row.key) + ', id ' + textOf(row.id) + ', version ' + textOf(row.version) + ', opcode ' + textOf(row.opcode) },
			{ title: 'Level', kind: 'level', value: (row) => number(row.level), show: (row) => levelName(number(row.level)) },
			eventsColumn(total), bytesColumn,
		], (row) => haystack([row.key, row.name], { level: row.level }), (row) => textOf(row.key)],
		['Processes', report.processes, remainder(report.processes_other, 'process', 'processes'), [
			{ title: 'Process', kind: 'name', value: processName,
				exact: (row) => processName(row) + ', pid ' + row.pid + ', ' + plural(number(row.threads), 'thread') + ', from ' +
					duration(number(row.first_ns)) + ' to ' + duration(number(row.last_ns)) },
			{ title: 'Pid', numeric: true, value: (row) => number(row.pid), show: (row) => String(row.pid) },
			eventsColumn(total), bytesColumn, rateColumn((row) => 'Events of ' + processName(row) + ' over time'),
		], (row) => haystack([row.name, row.container], { pid: row.pid }), (row) => 'pid:' + row.pid],
		['CPUs', report.cpus, remainder(report.cpus_other, 'CPU'), [
			{ title: 'CPU', value: (row) => number(row.cpu), show: (row) => 'CPU ' + row.cpu },
			eventsColumn(total), share_, bytesColumn,
			{ title: 'Lost', numeric: true, value: (row) => number(row.lost),
				show: (row) => element('span', { class: number(row.lost) ? 'lost-number' : 'faint' }, count(number(row.lost))) },
		], (row) => haystack([], { cpu: row.cpu }), (row) => 'cpu:' + row.cpu],
		['Containers', report.containers, remainder(report.containers_other, 'container'), [
			{ title: 'Container', kind: 'name', value: (row) => textOf(row.name) || 'none' },
			eventsColumn(total), share_, bytesColumn,
		], (row) => haystack([row.name]), (row) => textOf(row.name)],
	];
}

function showOverview(report) {
	const node = section('overview', 'Overview');

	// The first screen is for what matters; the page's title is above it already.
	node.querySelector('h2').classList.add('unseen');

	node.append(verdict(report), figures(report), element('h3', null, 'Rate over time'), rateChart(report));
}

function showTop(report) {
	const node = section('top-lists', 'Who wrote most');
	const cards = element('div', { class: 'cards' });
	const missing = [];

	for (const [title, value, more, columns, hay, words] of topLists(report)) {
		const rows = objects(value);

		if (!rows.length) {
			missing.push(title.toLowerCase().replace('cpus', 'CPUs'));
			continue;
		}
		cards.append(element('div', { class: 'card' }, element('h3', null, title),
			rowsTable({ caption: title, columns, rows, hay, more, limit: 8, select: (row) => searchFor(words(row)) })));
	}
	if (cards.childNodes.length)
		node.append(cards);
	if (missing.length)
		node.append(says('The trace names no ' + missing.join(', ').replace(/, ([^,]*)$/, ' or $1') + '.'));
}
