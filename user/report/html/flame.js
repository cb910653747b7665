// SPDX-License-Identifier: MIT
// flame.js - the flame graph of stacks, also of the difference of two traces

const FRAME_HEIGHT = 20;
const NARROWEST = 0.8;
const MOST_FRAMES = 4000;

// frameTree(stacks): the nodes as a tree under one root. A node is [name, parent, self, total],
// or [name, parent, self of a, total of a, self of b, total of b] where two traces differ.
function frameTree(stacks) {
	const names = list(stacks.names).map(textOf);
	const root = { name: 'all', children: [], depth: 0, self: 0, total: 0, other: 0 };
	const frames = list(stacks.nodes).filter(Array.isArray).map((node) => {
		const two = node.length >= 6;

		return {
			name: names[node[0]] || '?', up: node[1], children: [], parent: null, depth: 0,
			self: number(node[two ? 4 : 2]), total: number(node[two ? 5 : 3]), other: two ? number(node[3]) : null, two,
		};
	});

	// A parent stands before its children, so nothing can be its own ancestor.
	frames.forEach((frame, i) => {
		frame.parent = Number.isInteger(frame.up) && frame.up >= 0 && frame.up < i ? frames[frame.up] : root;
		frame.depth = frame.parent.depth + 1;
		frame.parent.children.push(frame);
	});
	for (const frame of [root, ...frames])
		frame.children.sort((a, b) => width(b) - width(a));
	root.total = root.children.reduce((all, frame) => all + frame.total, 0);
	root.other = root.children.reduce((all, frame) => all + number(frame.other), 0);
	root.two = frames.some((frame) => frame.two);
	return { root, frames };
}

// Of two traces the larger share gives the width, so that what went away stays in sight.
function width(frame) {
	return Math.max(frame.total, frame.two ? number(frame.other) : 0);
}

function hashOf(text) {
	let hash = 7;

	for (let i = 0; i < text.length; i++)
		hash = (hash * 31 + text.charCodeAt(i)) % 997;
	return hash;
}

class FlameGraph {
	constructor(tree, label) {
		this.root = tree.root;
		this.zoomed = tree.root;
		this.chosen = tree.root;
		this.frames = tree.frames;
		this.label = label;
		this.build();
		watch('words', () => this.draw());
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	build() {
		this.host = element('div', { class: 'flame', tabindex: 0, role: 'application', 'aria-roledescription': 'flame graph', 'aria-label': this.label, on: {
			keydown: (event) => this.key(event),
			click: (event) => this.pointed(event, (frame) => this.zoom(frame)),
			pointermove: (event) => this.pointed(event, (frame) => this.say(frame)),
			pointerleave: () => this.say(this.chosen),
		} });
		this.readout = element('p', { class: 'readout', role: 'status', 'aria-live': 'polite' });
		this.found = element('span', { class: 'found' });
		this.out = element('button', { type: 'button', class: 'link', on: { click: () => this.zoom(this.root) } }, 'Zoom out');
		this.node = element('div', null, element('p', { class: 'foot' }, this.out, ' ', this.found), this.host, this.readout);
	}

	pointed(event, f) {
		const shape = event.target.closest('[data-frame]');

		if (shape)
			f(this.drawn[Number(shape.dataset.frame)]);
	}

	say(frame) {
		const all = this.root;
		let text = frame.name + ' – ' + plural(frame.total, 'event') + ', ' + share(frame.total, all.total) + ' of all';

		if (all.two)
			text += ' (before: ' + count(number(frame.other)) + ', ' + share(number(frame.other), all.other) + ')';
		else if (frame !== all)
			text += ', ' + count(frame.self) + ' in itself';
		this.readout.textContent = shown(text);
	}

	matched(frame) {
		return view.words.length > 0 && frame !== this.root && !view.words.some((word) => /^(pid|tid|cpu|level):/.test(word)) &&
			view.words.every((word) => frame.name.toLowerCase().includes(word));
	}

	// How many events have a frame that matches; an inner match is not counted again.
	drawFound() {
		let events = 0;
		const left = [this.root];

		while (left.length) {
			const frame = left.pop();

			if (this.matched(frame))
				events += frame.total;
			else
				left.push(...frame.children);
		}
		this.found.textContent = view.words.length ? 'The search matches ' + share(events, this.root.total) + ' of the events.' : '';
	}

	colour(frame) {
		if (!this.root.two)
			return 'frame tone' + hashOf(frame.name) % 4;
		const a = this.root.other ? number(frame.other) / this.root.other : 0;
		const b = this.root.total ? frame.total / this.root.total : 0;
		const change = b - a;

		if (Math.abs(change) < 0.0005 && Math.abs(change) <= 0.05 * Math.max(a, b))
			return 'frame same';
		return 'frame ' + (change > 0 ? 'more' : 'less') + (Math.abs(change) > 0.25 * Math.max(a, b) ? ' much' : '');
	}

	shape(frame, x, y, w) {
		const fit = Math.floor((w - 8) / 6.6);
		const name = shown(frame.name);
		const text = name.length <= fit ? name : fit >= 4 ? name.slice(0, fit - 1) + '…' : '';
		const node = drawing('g', { 'data-frame': this.drawn.length, class: this.colour(frame) + (this.matched(frame) ? ' match' : '') +
			(frame.depth < this.zoomed.depth ? ' outer' : '') + (frame === this.chosen ? ' chosen' : '') },
		drawing('rect', { x: place(x), y, width: place(Math.max(w - 0.6, 0.4)), height: FRAME_HEIGHT - 1, rx: 1.5 }));

		if (text)
			node.append(drawing('text', { x: place(x + 4), y: y + FRAME_HEIGHT - 6, text }));
		this.drawn.push(frame);
		return node;
	}

	// Where each frame stands: [frame, x, width]. A frame is as wide as those it calls, or wider, so
	// that of very many the widest are a whole tree, too.
	places(whole) {
		const found = [[this.zoomed, 0, whole]];
		let narrow = 0;

		for (let i = 0; i < found.length; i++) {
			const [frame, x, w] = found[i];
			const inner = frame.children.reduce((all, child) => all + width(child), 0);
			const scale = w / Math.max(width(frame), inner, 1);
			let at = x;

			for (const child of frame.children) {
				if (width(child) * scale >= NARROWEST)
					found.push([child, at, width(child) * scale]);
				else
					narrow++;
				at += width(child) * scale;
			}
		}
		if (found.length > MOST_FRAMES) {
			narrow += found.length - MOST_FRAMES;
			found.sort((a, b) => b[2] - a[2]);
			found.length = MOST_FRAMES;
		}
		return { found, narrow };
	}

	draw() {
		const whole = this.host.clientWidth || 960;
		const { found, narrow } = this.places(whole);
		const above = [];

		this.drawn = [];
		for (let frame = this.zoomed.parent; frame; frame = frame.parent)
			above.unshift([frame, 0, whole]);
		const shapes = [...above, ...found].map(([frame, x, w]) => this.shape(frame, x, frame.depth * FRAME_HEIGHT, w));
		const height = (Math.max(...found.map(([frame]) => frame.depth)) + 1) * FRAME_HEIGHT;

		this.host.replaceChildren(drawing('svg', { viewBox: '0 0 ' + whole + ' ' + height, height, width: '100%', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, ...shapes));
		this.out.hidden = this.zoomed === this.root;
		this.drawFound();
		this.say(this.chosen);
		if (narrow)
			this.found.append(' ' + plural(narrow, 'branch is', 'branches are') + ' too narrow to draw; zoom in to see ' + (narrow === 1 ? 'it.' : 'them.'));
	}

	zoom(frame) {
		this.zoomed = frame;
		this.chosen = frame;
		this.draw();
	}

	key(event) {
		const frame = this.chosen;
		const beside = frame.parent ? frame.parent.children : [frame];
		const steps = {
			ArrowDown: () => frame.children[0], ArrowUp: () => frame.parent,
			ArrowRight: () => beside[beside.indexOf(frame) + 1], ArrowLeft: () => beside[beside.indexOf(frame) - 1],
			Home: () => this.root,
		};

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === 'Enter')
			this.zoom(frame);
		else if (event.key === 'Backspace')
			this.zoom(this.zoomed.parent || this.root);
		else if (event.key === 'Escape' && this.zoomed !== this.root)
			this.zoom(this.root);
		else if (steps[event.key])
			this.step(steps[event.key]());
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	// What is chosen is always drawn: the zoom goes up with it.
	step(frame) {
		if (!frame)
			return;
		this.chosen = frame;
		let above = frame;

		while (above && above !== this.zoomed)
			above = above.parent;
		if (!above)
			this.zoomed = frame.parent || frame;
		this.draw();
	}
}

// Functions by how many events have them at the end of their stack, or anywhere in it
function functionRows(tree) {
	const rows = new Map();

	for (const frame of tree.frames) {
		const row = rows.get(frame.name) || { name: frame.name, self: 0, total: 0 };
		let above = frame.parent;

		// A function that calls itself is counted once for each stack.
		while (above && above.name !== frame.name)
			above = above.parent;
		row.self += frame.self;
		if (!above)
			row.total += frame.total;
		rows.set(frame.name, row);
	}
	return [...rows.values()].sort((a, b) => b.self - a.self || b.total - a.total).slice(0, 200);
}

function showStacks(report) {
	const stacks = part(report.stacks);
	const tree = frameTree(stacks);
	const node = section('stacks', 'Stacks', tree.frames.length ? plural(number(stacks.events), 'event') + ' with a stack' : null);

	if (!tree.frames.length) {
		node.append(says(report.stacks ? 'No stacks: no event has one. Record with --stack to get them.' : 'No stacks: the report has none.'));
		return;
	}
	if (number(stacks.truncated))
		node.append(says(plural(number(stacks.truncated), 'stack is', 'stacks are') + ' cut off: the outer functions are not known.'));
	if (number(part(stacks.other).nodes))
		node.append(says(plural(number(part(stacks.other).nodes), 'smaller branch is', 'smaller branches are') + ' left out.'));
	node.append(new FlameGraph(tree, 'Flame graph: callers above, functions called below; the width is the number of events').node,
		element('h3', null, 'Functions'),
		rowsTable({
			caption: 'Functions', rows: functionRows(tree), limit: 10, hay: (row) => haystack([row.name]), columns: [
				{ title: 'Function', kind: 'name', value: (row) => row.name },
				{ title: 'In itself', bar: true, numeric: true, value: (row) => row.self, show: (row) => brief(row.self), exact: (row) => count(row.self) },
				{ title: 'With what it calls', bar: true, numeric: true, value: (row) => row.total, show: (row) => brief(row.total), exact: (row) => count(row.total) },
				{ title: 'Share', numeric: true, show: (row) => share(row.total, tree.root.total) },
			],
		}));
}
