// SPDX-License-Identifier: MIT
// lists.js - sections, and tables that sort, follow the search and show their first rows

const sections = [];

// section('operations', 'Operations', note): a section of the page and its entry in the list
function section(id, title, note) {
	const heading = element('h2', { id: id + '-title' }, title);
	const node = element('section', { id, 'aria-labelledby': id + '-title', tabindex: -1 }, heading);
	const link = element('a', { href: '#' + id }, title);

	if (note)
		heading.append(' ', element('span', { class: 'note' }, note));
	document.getElementById('sections').append(element('li', null, link));
	document.getElementById('main').append(node);
	sections.push({ id, node, link });
	return node;
}

function says(text) {
	return element('p', { class: 'says' }, text);
}

// A bar behind a number, as long as its share of the largest one
function barCell(text, title, value, largest) {
	const cell = element('td', { class: 'number bar', title }, element('span', null, text));

	cell.style.setProperty('--share', largest > 0 ? 100 * value / largest + '%' : '0%');
	return cell;
}

function compare(a, b) {
	if (typeof a === 'number' && typeof b === 'number')
		return a - b;
	return String(a).localeCompare(String(b), 'en', { numeric: true });
}

// What a list does not hold: "and 12 more providers with 3,456 events"
function remainder(other, one, many) {
	const left = part(other);

	if (!number(left.count) && !number(left.events))
		return null;
	return 'and ' + plural(number(left.count), 'more ' + one, 'more ' + (many || one + 's')) +
		(number(left.events) ? ' with ' + plural(number(left.events), 'event') : '') +
		// The engine's memory is bounded: it may have met one of these before it had room for it.
		(number(left.missing_at_most) ? '; one that is listed may have up to ' + count(number(left.missing_at_most)) + ' more' : '');
}

function headCell(column, state, sortBy) {
	const sorted = state.column === column;
	const cell = element('th', {
		scope: 'col', class: ((column.numeric ? 'number ' : '') + (column.kind === 'name' ? '' : column.kind || '')).trim() || null,
		'aria-sort': sorted ? (state.down ? 'descending' : 'ascending') : null,
	});

	if (!column.value) {
		cell.append(column.title);
		return cell;
	}
	cell.append(element('button', {
		type: 'button', class: 'sort', title: column.about || 'Sort by ' + column.title.toLowerCase(),
		on: { click: () => sortBy(column) },
	}, column.title, element('span', { class: 'arrow', 'aria-hidden': 'true' }, sorted ? (state.down ? '↓' : '↑') : '')));
	return cell;
}

function bodyCell(column, row, largest, first, options) {
	const value = column.value ? column.value(row) : '';
	const content = column.show ? column.show(row) : value;
	const title = column.exact ? column.exact(row) : null;

	if (column.bar)
		return barCell(content, title, value, largest);
	if (!first)
		return element('td', { class: ((column.numeric ? 'number ' : '') + (column.kind || '')).trim() || null, title }, content);
	if (!options.select || (options.selectable && !options.selectable(row)))
		return element('th', { scope: 'row', class: column.kind || null, title: title || content }, content);
	return element('th', { scope: 'row', class: column.kind || null, title: title || content }, element('button', {
		type: 'button', class: 'choose', on: { click: () => options.select(row) },
	}, content));
}

// rowsTable({ caption, columns, rows, hay, limit, more, select, selectable, sort }): the first
// column is the row's heading, and a button where select(row) is there and selectable(row) true. A column has a title, value(row) to sort by, and show(row), exact(row)
// for what the cell and its title say; numeric, bar, kind for how it looks. Rows stay in
// the order of the model until a column is chosen, or sort names one.
function rowsTable(options) {
	const state = { column: null, down: true, all: false };
	const head = element('thead');
	const body = element('tbody');
	const foot = element('p', { class: 'foot' });
	const table = element('table', { class: options.kind || null },
		element('caption', { class: options.heading ? null : 'unseen' }, options.caption), head, body);
	const node = element('div', { class: 'list' }, element('div', { class: 'wide' }, table), foot);
	const hays = new Map(options.rows.map((row) => [row, options.hay(row)]));

	function sortBy(column) {
		state.down = state.column === column ? !state.down : !!column.numeric || !!column.bar;
		state.column = column;
		draw();
		head.querySelector('[aria-sort] button').focus();
	}

	function drawFoot(fitting, drawn) {
		foot.textContent = '';
		if (fitting.length < options.rows.length)
			foot.append(fitting.length ? count(fitting.length) + ' of ' + count(options.rows.length) + ' match the search. '
				: 'None of ' + count(options.rows.length) + ' matches the search. ');
		if (drawn < fitting.length || state.all)
			foot.append(element('button', { type: 'button', class: 'link', on: { click: () => { state.all = !state.all; draw(); } } },
				state.all ? 'Show fewer' : 'Show all ' + count(fitting.length)), ' ');
		if (drawn < fitting.length)
			foot.append(element('span', { class: 'on-paper' }, 'The first ' + count(drawn) + ' of ' + count(fitting.length) + ' are printed. '));
		if (options.more)
			foot.append(element('span', null, options.more));
		foot.hidden = !foot.childNodes.length;
	}

	function draw() {
		const fitting = options.rows.filter((row) => matches(hays.get(row)));
		const { column, down } = state;

		if (column)
			fitting.sort((a, b) => compare(column.value(a), column.value(b)) * (down ? -1 : 1));
		const drawn = state.all ? fitting : fitting.slice(0, options.limit || fitting.length);
		const largest = options.columns.map((c) => c.bar ? Math.max(...options.rows.map(c.value), 0) : 0);

		head.replaceChildren(element('tr', null, options.columns.map((c) => headCell(c, state, sortBy))));
		body.replaceChildren(...drawn.map((row) => {
			const line = element('tr', { 'aria-current': options.chosen && options.chosen() === row ? 'true' : null },
				options.columns.map((c, i) => bodyCell(c, row, largest[i], i === 0, options)));
			return line;
		}));
		table.hidden = !fitting.length;
		drawFoot(fitting, drawn.length);
	}

	if (options.sort !== undefined)
		state.column = options.columns[options.sort];
	draw();
	watch('words', draw);
	node.redraw = draw;
	return node;
}
