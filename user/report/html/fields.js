// SPDX-License-Identifier: MIT
// fields.js - numbers in the events: how they are distributed, and their mean over time

const FIELDS_AT_FIRST = 9;

function meansOverTime(field) {
	// A mean may stand alone or in a list of its own.
	return list(field.over_time).map((mean) => {
		const value = Array.isArray(mean) ? mean[0] : mean;

		return typeof value === 'number' ? value : null;
	});
}

function meanChart(field, show) {
	const means = meansOverTime(field);
	const present = means.filter((mean) => mean !== null);

	if (present.length < 2)
		return null;
	const least = Math.min(...present), largest = Math.max(...present);

	return element('div', { class: 'chart' },
		element('div', { class: 'top-label' }, 'mean over time, ' + show(least) + ' to ' + show(largest)),
		element('div', { class: 'plot low' }, picture('Mean of ' + textOf(field.field) + ' over time',
			drawing('path', { class: 'line', d: linePath(means, least, largest) }))));
}

function fieldCard(field) {
	const show = (value) => withUnit(value, field.unit);
	const bins = list(field.histogram).filter((bin) => list(bin).length >= 3).map(numbers);
	const min = number(field.min), max = number(field.max);
	const facts = ['min', 'p50', 'mean', 'p90', 'p99', 'max'].filter((name) => typeof field[name] === 'number');

	return element('div', { class: 'card field' },
		element('h3', { title: textOf(field.event) + ': ' + textOf(field.field) }, element('span', { class: 'long' }, textOf(field.field)),
			element('span', { class: 'note long' }, textOf(field.event))),
		bins.length ? histogram({
			bins, min, max, log: min >= 0 && max >= 1000 * Math.max(min, 1), binary: isSize(field.unit), show,
			label: 'Distribution of ' + textOf(field.field) + ' from ' + show(min) + ' to ' + show(max),
		}) : says('No distribution.'),
		element('dl', { class: 'facts across' },
			element('div', null, element('dt', null, 'count'), element('dd', { title: count(number(field.count)) }, brief(number(field.count)))),
			number(field.missed) ? element('div', null, element('dt', null, 'not counted'),
				element('dd', { title: 'Events before there was room for the field' }, brief(number(field.missed)))) : null,
			facts.map((name) => element('div', null, element('dt', null, name), element('dd', { title: count(field[name]) }, show(field[name]))))),
		meanChart(field, show));
}

function showFields(report) {
	const fields = objects(report.fields);
	const node = section('fields', 'Fields', fields.length ? 'numbers in the events' : null);

	if (!fields.length) {
		node.append(says('No fields: no event has a number among its fields.'));
		return;
	}
	const cards = element('div', { class: 'cards three' });
	const foot = element('p', { class: 'foot' });
	let all = false;

	function draw() {
		const fitting = fields.filter((field) => matches(haystack([field.event, field.field, field.unit])));
		const drawn = all ? fitting : fitting.slice(0, FIELDS_AT_FIRST);

		cards.replaceChildren(...drawn.map(fieldCard));
		foot.replaceChildren(fitting.length ? '' : 'No field matches the search. ',
			fitting.length > drawn.length ? element('span', { class: 'on-paper' }, 'The first ' + count(drawn.length) + ' of ' + count(fitting.length) + ' are printed. ') : '',
			fitting.length > drawn.length || all ? element('button', { type: 'button', class: 'link', on: { click: () => {
				all = !all;
				draw();
			} } }, all ? 'Show fewer' : 'Show all ' + plural(fitting.length, 'field')) : '',
		number(report.fields_more) ? ' and ' + plural(report.fields_more, 'more field') + ' in the trace' : '');
	}
	watch('words', draw);
	draw();
	node.append(cards, foot);
}
