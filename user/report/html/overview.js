// SPDX-License-Identifier: MIT
// overview.js - the first screen: losses, totals, rate, and who wrote most

// The times of a loss without a place are only those of its file.
function hasPlace(row) {
	return typeof row.first_ns === 'number' && row.placed !== false;
}

function lossWhen(row) {
	if (!hasPlace(row))
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
		caption: 'Losses', rows, limit: 6, selectable: hasPlace,
		select: (row) => chooseRange(lossRange(report, row)),
		hay: (row) => haystack([row.cause, row.provider, row.file, row.unit], { cpu: row.cpu }),
		more: number(losses.more) ? 'and ' + count(number(losses.more)) + ' more lost, in places not listed' : null,
		columns: [
			{ title: 'When', value: (row) => hasPlace(row) ? row.first_ns : -Infinity, show: lossWhen,
				exact: (row) => hasPlace(row) ? exactly(row.first_ns, 'ns') + ' – ' + exactly(number(row.last_ns), 'ns') : 'The time is not known' },
			{ title: 'How many', numeric: true, value: (row) => number(row.count),
				show: (row) => (typeof row.count === 'number' ? plural(row.count, row.unit === 'buffers' ? 'buffer' : 'event')
					: 'unknown number of ' + (row.unit === 'buffers' ? 'buffers' : 'events')) +
					(row.missing === false ? ' wrong, none missing' : '') },
			{ title: 'Whose', kind: 'text', value: lossWhose },
			{ title: 'Why', kind: 'text', value: (row) => textOf(row.cause) },
		],
	});
}

// Sums over all losses, of which the table may have only the largest
function lossSums(report) {
	const causes = objects(report.losses.causes), providers = objects(report.losses.providers);
	const times = { title: 'Losses', numeric: true, value: (row) => number(row.losses), show: (row) => count(number(row.losses)) };
	const events = { title: 'Events', numeric: true, value: (row) => number(row.events),
		show: (row) => (row.at_least === true ? '≥ ' : '') + count(number(row.events)) };
	const node = element('div', { class: 'cards' });

	if (causes.length > 1)
		node.append(rowsTable({ caption: 'Losses by cause', heading: true, rows: causes, limit: 6, hay: (row) => haystack([row.cause]), columns: [
			{ title: 'Why', kind: 'text', value: (row) => textOf(row.cause) }, times, events,
			{ title: 'Buffers', numeric: true, value: (row) => number(row.buffers), show: (row) => count(number(row.buffers)) },
		] }));
	if (providers.some((row) => row.name))
		node.append(rowsTable({ caption: 'Losses by provider', heading: true, rows: providers, limit: 6, hay: (row) => haystack([row.name]),
			more: remainder(report.losses.providers_other, 'provider'), columns: [
				{ title: 'Whose', kind: 'name', value: (row) => textOf(row.name) || 'not known' }, times, events,
			] }));
	return node.childNodes.length ? node : null;
}

// From when on nothing is missing, or ''
function sinceText(report) {
	const { losses } = report;

	if (!losses.since_reason)
		return '';
	return (typeof losses.since_ns === 'number' ? ' since ' + (absolute(report, losses.since_ns) || moment(losses.since_ns, 1e3)) : ' since an unknown time') +
		'; before that, ' + textOf(losses.since_reason);
}

function missingBounds(losses) {
	if (typeof losses.at_least !== 'number')
		return null;
	return 'In all, at least ' + plural(losses.at_least, 'event') + (losses.at_least === 1 ? ' is' : ' are') + ' missing' +
		(typeof losses.at_most === 'number' ? ', at most ' + count(losses.at_most) : '') + '.';
}

function verdict(report) {
	const { losses, totals } = report;
	const events = number(totals.lost_events), buffers = number(totals.lost_buffers);
	const rows = objects(losses.rows);

	if (losses.complete === true && !events && !buffers && !rows.length)
		return element('div', { class: 'band ' + (losses.since_reason ? 'since' : 'good'), id: 'verdict' }, element('strong', null,
			losses.since_reason ? 'Nothing was lost' + sinceText(report) + '.' : 'Complete: nothing was lost.'));
	const unknown = rows.some((row) => typeof row.count !== 'number');
	const lost = [events ? plural(events, 'event') : null, buffers ? plural(buffers, 'buffer') : null].filter((x) => x);
	// Losses are those of all events: beside selected ones they have no share.
	const of = events && report.selects !== true ? ' (' + share(events, events + number(totals.events)) + ' of all)' : '';
	const rest = [missingBounds(losses), losses.since_reason ? 'Besides, ' + textOf(losses.since_reason) + '.' : null,
		report.selects === true ? 'Losses are not selected: they are those of all events.' : null].filter((x) => x);

	return element('div', { class: 'band bad', id: 'verdict' },
		element('strong', null, lost.length ? 'Incomplete: ' + (unknown ? 'at least ' : '') + lost.join(' and ') + ' lost' + of + '.'
			: rows.some((row) => row.missing !== false) ? 'Incomplete: an unknown number of events was lost.'
				: 'Perhaps incomplete: the files do not say that nothing is missing.'),
		rest.length ? element('p', null, rest.join(' ')) : null,
		rows.length ? lossTable(report) : null, lossSums(report));
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

	for (const [level, one] of [[1, 'critical'], [2, 'error'], [3, 'warning']]) {
		const events = objects(report.levels).filter((row) => row.level === level).reduce((all, row) => all + number(row.events), 0);

		if (level === 2 || events)
			node.append(figure(brief(events), level === 1 || events === 1 ? one : one + 's', count(events)));
	}
	for (const [name, one, many] of counted)
		if (number(totals[name]) || name !== 'containers' && name !== 'undecoded')
			node.append(figure((name === 'undecoded' || name === 'cpus' ? '' : least) + brief(number(totals[name])), totals[name] === 1 ? one : many, count(number(totals[name]))));
	return node;
}

function rateChart(report) {
	const { rate } = report;
	const events = numbers(rate.events), sizes = numbers(rate.bytes), lost = numbers(rate.lost);
	const lostBuffers = numbers(rate.lost_buffers), gaps = rate.gaps ? numbers(rate.gaps) : lost;
	const unplaced = [number(rate.lost_unplaced) ? plural(rate.lost_unplaced, 'event') : null,
		number(rate.lost_buffers_unplaced) ? plural(rate.lost_buffers_unplaced, 'buffer') : null].filter((x) => x);
	const width = number(rate.bucket_ns) || 1;
	const largest = Math.max(...events, 0), lostMost = Math.max(...lost, 0);
	const perSecond = (value) => value / width * 1e9;
	// A few events in a short step are no rate.
	const rateText = (value) => value < 10 ? plural(value, 'event') + ' in ' + duration(width) : brief(perSecond(value)) + ' events/s';

	if (!events.length || !largest)
		return says('No rate over time: the trace has no events.');
	if (!number(report.time.duration_ns))
		return says('No rate over time: all events have the same time.');
	const step = CHART_WIDTH / events.length;
	// Lost events stand as red bars on a strip of their own. Wherever something is missing, events,
	// buffers or an unknown number of either, there is a pale band.
	const marked = gaps.some((value) => value);
	const bands = gaps.map((value, i) => value ? 'M' + place(i * step) + ' 0h' + place(Math.max(step, 2)) + 'V100h-' + place(Math.max(step, 2)) + 'z' : '').join('');
	const plot = element('div', { class: 'plot rate' },
		picture('Events per second over time' + (marked ? ', with losses marked' : ''),
			marked ? drawing('path', { class: 'lost-band', d: bands }) : null,
			drawing('path', { class: 'area', d: barsPath(events, largest) })));
	const readout = brush(plot, {
		buckets: events.length, bucketNs: width, label: 'Time in the rate chart',
		hint: 'Drag, or Shift and the arrow keys, to select a range of time.',
		describe: (i) => rateText(events[i]) + ', ' + bytes(Math.round(perSecond(number(sizes[i])))) + '/s' +
			(lost[i] ? ', ' + count(lost[i]) + ' LOST' : '') + (lostBuffers[i] ? ', ' + plural(lostBuffers[i], 'buffer') + ' LOST' : '') +
			(gaps[i] && !lost[i] && !lostBuffers[i] ? ', something is missing' : ''),
	});

	return element('div', { class: 'chart' },
		element('div', { class: 'top-label' }, 'at most ' + rateText(largest)), plot,
		lostMost ? element('div', { class: 'plot lost' }, picture(null,
			drawing('path', { class: 'lost-bar', d: barsPath(lost.map((x) => x ? Math.log10(x) + 1 : 0), Math.log10(lostMost) + 1) }))) : null,
		timeAxis(events.length * width),
		marked ? element('p', { class: 'key' }, element('i', { class: 'lost-key' }),
			lostMost ? 'lost events (at most ' + count(lostMost) + ' in one step)' : 'something is missing') : null,
		unplaced.length ? element('p', { class: 'key' }, 'Lost at an unknown time: ' + unplaced.join(' and ') + '.') : null,
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

	if (report.mixed === true)
		node.append(element('p', { class: 'band since' }, 'The files are of several machines or boots: processes, threads and CPUs with the same numbers are counted as one.'));
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
