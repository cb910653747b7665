// SPDX-License-Identifier: MIT
// chart.js - bars, lines and histograms, as SVG that scales with its place

const CHART_WIDTH = 1000;
const CHART_HEIGHT = 100;

function place(value) {
	return value.toFixed(2);
}

// Steps of equal width: one path for any number of bars
function barsPath(values, largest, from) {
	const step = CHART_WIDTH / values.length;
	let path = '';

	values.forEach((value, i) => {
		const height = largest ? CHART_HEIGHT * value / largest : 0;

		// What is there is seen, however little it is.
		if (value > 0)
			path += 'M' + place(i * step) + ' ' + (from || CHART_HEIGHT) + 'v-' +
				place(Math.max(height, 1.5)) + 'h' + place(step * (step > 3 ? 0.88 : 1)) + 'V' + (from || CHART_HEIGHT) + 'z';
	});
	return path;
}

// A line that breaks where a value is missing; a lone value is a short dash.
function linePath(values, least, largest) {
	const step = CHART_WIDTH / Math.max(values.length, 1);
	const span = largest - least || 1;
	let path = '', open = false;

	values.forEach((value, i) => {
		if (value === null) {
			open = false;
			return;
		}
		const y = place(CHART_HEIGHT - 4 - (CHART_HEIGHT - 8) * (value - least) / span);
		const lone = !open && (i + 1 === values.length || values[i + 1] === null);

		path += (open ? 'L' : 'M') + place((i + (lone ? 0 : 0.5)) * step) + ' ' + y;
		if (lone)
			path += 'h' + place(step);
		open = true;
	});
	return path;
}

function picture(label, ...shapes) {
	return drawing('svg', {
		viewBox: '0 0 ' + CHART_WIDTH + ' ' + CHART_HEIGHT, preserveAspectRatio: 'none',
		role: label ? 'img' : null, 'aria-label': label, 'aria-hidden': label ? null : 'true', focusable: 'false',
	}, ...shapes);
}

// A small one in a table's cell
function sparkline(values, label) {
	const largest = Math.max(...values, 0);

	return element('span', { class: 'spark' }, picture(label, drawing('path', { class: 'area', d: barsPath(values, largest) })));
}

// Labels below a chart: [[share of the width, text], ...]
function axisBelow(ticks) {
	const axis = element('div', { class: 'axis', 'aria-hidden': 'true' });

	for (const [at, text] of ticks) {
		const tick = element('span', { class: at < 0.04 ? 'first' : at > 0.96 ? 'last' : null }, text);

		tick.style.left = 100 * at + '%';
		axis.append(tick);
	}
	return axis;
}

// Five times of the trace, the first and the last included
function timeAxis(durationNs) {
	return axisBelow([0, 0.25, 0.5, 0.75, 1].map((at) => [at, moment(at * durationNs, durationNs / 100)]));
}

// Equal steps of the logarithm: bins are divided by how much of each step they cover.
function logBars(bins, least, largest, bars) {
	const from = Math.log10(least);
	const step = (Math.log10(largest) - from) / bars || 1;
	const heights = new Array(bars).fill(0);

	for (const [low, high, many] of bins) {
		const middle = Math.log10(Math.max((low + Math.max(high, low)) / 2, least));

		heights[Math.max(0, Math.min(bars - 1, Math.floor((middle - from) / step)))] += many;
	}
	return heights;
}

function linearBars(bins, least, largest, bars) {
	const step = (largest - least) / bars || 1;
	const heights = new Array(bars).fill(0);

	for (const [low, high, many] of bins)
		heights[Math.max(0, Math.min(bars - 1, Math.floor(((low + high) / 2 - least) / step)))] += many;
	return heights;
}

// Powers of ten between least and largest; with fewer than two, their doubles and fives too
function logTicks(least, largest, show) {
	const from = Math.log10(least), span = Math.log10(largest) - from || 1;
	const ticks = [];

	for (let power = Math.floor(from); power <= Math.log10(largest); power++)
		for (const times of span < 2 ? [1, 2, 5] : [1]) {
			const at = (Math.log10(times) + power - from) / span;

			if (at >= 0 && at <= 1)
				ticks.push([at, show(times * Math.pow(10, power))]);
		}
	return ticks;
}

// histogram({ bins, min, max, log, show, marks, label, tall }): marks are [value, text]
function histogram(options) {
	const { bins, show } = options;
	const log = options.log;
	const least = log ? Math.max(options.min, 1) : options.min;
	const largest = Math.max(options.max, log ? least * 1.001 : least);
	const bars = Math.max(1, Math.min(64, log ? Math.ceil(Math.log2(largest / least) * 8) || 1 : 48));
	const heights = (log ? logBars : linearBars)(bins, least, largest, bars);
	const largestBar = Math.max(...heights, 0);
	const drawn = options.countsLog ? heights.map((h) => h ? Math.log10(h) + 0.3 : 0) : heights;
	const span = log ? Math.log10(largest / least) || 1 : largest - least || 1;
	const at = (value) => Math.max(0, Math.min(1, (log ? Math.log10(Math.max(value, least) / least) : value - least) / span));
	const plot = element('div', { class: 'plot' + (options.tall ? ' tall' : '') },
		picture(options.label, drawing('path', { class: 'area', d: barsPath(drawn, Math.max(...drawn, 0)) })));

	(options.marks || []).forEach(([value, text], i) => {
		const mark = element('span', { class: 'mark', 'aria-hidden': 'true', title: text + ' ' + show(value) }, element('i', null, text));

		mark.style.left = 100 * at(value) + '%';
		mark.style.setProperty('--row', i);
		plot.append(mark);
	});
	return element('div', { class: 'chart' },
		element('div', { class: 'top-label' }, brief(largestBar) + (options.countsLog ? ' (log)' : '')), plot,
		axisBelow(log ? logTicks(least, largest, show) : [0, 0.5, 1].map((x) => [x, show(least + x * (largest - least))])));
}
