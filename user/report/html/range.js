// SPDX-License-Identifier: MIT
// range.js - the cursor and the range of time, the same in every chart over time

// brush(plot, { buckets, bucketNs, label, describe }): the pointer or the keys move the cursor
// over the plot and select a range of whole buckets; describe(bucket, event) says what is there.
function brush(plot, options) {
	const { buckets, bucketNs } = options;
	const selection = element('div', { class: 'selection', hidden: true });
	const cursor = element('div', { class: 'cursor', hidden: true });
	const node = element('div', {
		class: 'brush', tabindex: 0, role: 'slider', 'aria-label': options.label,
		'aria-valuemin': 0, 'aria-valuemax': buckets - 1, 'aria-valuenow': 0, 'aria-valuetext': 'no time chosen',
	}, selection, cursor);
	const readout = element('p', { class: 'readout', 'aria-hidden': 'true' }, options.hint);
	let anchor = null, dragging = false, moved = false;

	function bucketOf(ns) {
		return Math.max(0, Math.min(buckets - 1, Math.floor(ns / bucketNs)));
	}

	function bucketAt(event) {
		const box = node.getBoundingClientRect();

		return Math.max(0, Math.min(buckets - 1, Math.floor((event.clientX - box.left) / box.width * buckets)));
	}

	function stretch(from, to) {
		chooseRange([Math.min(from, to) * bucketNs, (Math.max(from, to) + 1) * bucketNs]);
	}

	function describe(bucket, event) {
		const text = moment(bucket * bucketNs, bucketNs) + ' – ' + moment((bucket + 1) * bucketNs, bucketNs) + ': ' +
			options.describe(bucket, event);

		readout.textContent = shown(text);
		node.setAttribute('aria-valuenow', bucket);
		node.setAttribute('aria-valuetext', shown(text));
	}

	function drawCursor() {
		cursor.hidden = view.cursor === null;
		if (!cursor.hidden)
			cursor.style.left = 100 * (bucketOf(view.cursor) + 0.5) / buckets + '%';
	}

	function drawRange() {
		selection.hidden = !view.range;
		if (!view.range)
			return;
		selection.style.left = Math.max(0, Math.min(100, 100 * view.range[0] / bucketNs / buckets)) + '%';
		selection.style.right = Math.max(0, 100 - 100 * view.range[1] / bucketNs / buckets) + '%';
	}

	node.addEventListener('pointerdown', (event) => {
		if (event.button)
			return;
		node.setPointerCapture(event.pointerId);
		anchor = bucketAt(event);
		dragging = true;
		moved = false;
	});
	node.addEventListener('pointermove', (event) => {
		const bucket = bucketAt(event);

		moveCursor(bucket * bucketNs);
		describe(bucket, event);
		if (dragging && (moved || bucket !== anchor)) {
			moved = true;
			stretch(anchor, bucket);
		}
	});
	node.addEventListener('pointerup', () => {
		// A click without a drag takes the range away.
		if (dragging && !moved && view.range)
			chooseRange(null);
		dragging = false;
	});
	node.addEventListener('pointercancel', () => {
		dragging = false;
	});
	node.addEventListener('pointerleave', () => {
		if (!dragging && document.activeElement !== node) {
			moveCursor(null);
			readout.textContent = options.hint;
		}
	});
	node.addEventListener('keydown', (event) => {
		const now = view.cursor === null ? 0 : bucketOf(view.cursor);
		const leap = Math.max(1, Math.round(buckets / 10));
		const to = {
			ArrowLeft: now - 1, ArrowRight: now + 1, PageUp: now - leap, PageDown: now + leap, Home: 0, End: buckets - 1,
		}[event.key];

		if (to === undefined || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		const bucket = Math.max(0, Math.min(buckets - 1, view.cursor === null ? 0 : to));

		// A range begins where the cursor was, and grows from there.
		if (!event.shiftKey || !view.range || anchor === null)
			anchor = event.shiftKey ? now : bucket;
		moveCursor(bucket * bucketNs);
		describe(bucket, null);
		if (event.shiftKey)
			stretch(anchor, bucket);
	});
	watch('cursor', drawCursor);
	watch('range', drawRange);
	plot.append(node);
	return readout;
}

// What was chosen, below the page's head, with a way out of it
function showChosen(report) {
	const bar = document.getElementById('chosen');

	function draw() {
		bar.replaceChildren();
		if (view.range) {
			const [from, to] = view.range;
			const rate = report.rate, width = number(rate.bucket_ns) || 1;
			const sum = (values) => numbers(values).reduce((all, value, i) => all + ((i + 0.5) * width >= from && (i + 0.5) * width < to ? value : 0), 0);
			const lost = sum(rate.lost), lostBuffers = sum(rate.lost_buffers), gaps = sum(rate.gaps);
			const isWhole = from % width === 0 && to % width === 0;

			bar.append(element('span', null, moment(from, (to - from) / 100) + ' – ' + moment(to, (to - from) / 100) + ' (' + duration(to - from) + '): ' +
				(isWhole ? '' : 'about ') + plural(sum(rate.events), 'event') + (lost ? ', ' + count(lost) + ' lost' : '') +
				(lostBuffers ? ', ' + plural(lostBuffers, 'buffer') + ' lost' : '') + (gaps && !lost && !lostBuffers ? ', something is missing' : '') + '. ',
			element('span', { class: 'note' }, 'Rows of events, errors and slowest operations are those of this range; totals, lists, latencies and fields those of the whole trace. ')),
			element('button', { type: 'button', class: 'link', on: { click: () => chooseRange(null) } }, 'Whole trace'));
		}
		bar.hidden = !view.range;
	}
	watch('range', draw);
}
