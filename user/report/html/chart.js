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
				place(Math.max(height, 1.5)) + 'h' + place(step > 3 ? step - Math.min(step * 0.12, 2) : step) + 'V' + (from || CHART_HEIGHT) + 'z';
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

// spread(bins, edges, scale): how many elements lie between each two edges. A bin has the whole
// numbers from its lowest to its highest; where it crosses an edge its elements are taken to be even.
function spread(bins, edges, scale) {
	const bars = new Array(edges.length - 1).fill(0);
	const first = scale(edges[0]), step = (scale(edges[bars.length]) - first) / bars.length || 1;
	const barOf = (at) => Math.max(0, Math.min(bars.length - 1, Math.floor((at - first) / step + 1e-9)));

	for (const [low, high, many] of bins) {
		// The last bin may reach beyond the last edge: all of its elements are before it.
		const from = Math.min(scale(Math.max(low, edges[0])), scale(edges[bars.length]));
		const to = Math.min(Math.max(scale(Math.max(high + 1, edges[0])), from), scale(edges[bars.length]));
		const lowest = barOf(from), highest = barOf(to);

		if (lowest === highest) {
			bars[lowest] += many;
			continue;
		}
		for (let i = lowest; i <= highest; i++)
			bars[i] += many * (Math.min(first + (i + 1) * step, i === highest ? to : Infinity) - Math.max(first + i * step, from)) / (to - from);
	}
	return bars;
}

function edgesOf(least, largest, bars, log) {
	return Array.from({ length: bars + 1 }, (x, i) => log ? least * Math.pow(largest / least, i / bars) : least + (largest - least) * i / bars);
}

// Powers of ten between least and largest; with fewer than two, their doubles and fives too.
// Sizes have powers of two.
function logTicks(least, largest, show, binary) {
	const span = Math.log10(largest / least) || 1;
	const values = [];

	if (binary)
		for (let power = 0; power <= 50; power += span > 6 ? 10 : span > 2 ? 5 : 1)
			values.push(Math.pow(2, power));
	else
		for (let power = 0; power <= 16; power++)
			for (const times of span < 2 ? [1, 2, 5] : [1])
				values.push(times * Math.pow(10, power));
	return values.filter((value) => value >= least && value <= largest)
		.map((value) => [Math.log10(value / least) / span, show(value).replace(/\.0+ /, ' ')]);
}

// histogram({ bins, min, max, log, binary, show, marks, label, tall, countsLog }): marks are
// [value, text]
function histogram(options) {
	const { bins, show, log } = options;
	const least = log ? Math.max(options.min, 1) : options.min;
	const whole = !log && options.max - options.min < 48 && bins.every(([low]) => Number.isInteger(low));
	const largest = whole ? options.max + 1 : Math.max(options.max, log ? least * 1.001 : least);
	const bars = whole ? Math.floor(largest - least) : Math.max(1, Math.min(64, log ? Math.ceil(Math.log2(largest / least) * 8) || 1 : 48));
	const scale = log ? Math.log : Number;
	const heights = spread(bins, edgesOf(least, largest, bars, log), scale);
	const drawn = options.countsLog ? heights.map((h) => h > 0 ? Math.log10(h + 1) : 0) : heights;
	const at = (value) => Math.max(0, Math.min(1, (scale(Math.max(value, least)) - scale(least)) / (scale(largest) - scale(least) || 1)));
	const plot = element('div', { class: 'plot' + (options.tall ? ' tall' : '') },
		picture(options.label, drawing('path', { class: 'area', d: barsPath(drawn, Math.max(...drawn, 0)) })),
		element('span', { class: 'peak' }, brief(Math.round(Math.max(...heights, 0))) + (options.countsLog ? ' (logarithmic)' : '')));

	(options.marks || []).forEach(([value, text], i) => {
		const mark = element('span', { class: 'mark' + (at(value) > 0.8 ? ' left' : ''), 'aria-hidden': 'true' },
			element('i', null, text + ' ' + show(value)));

		mark.style.left = 100 * at(value) + '%';
		mark.style.setProperty('--row', i);
		plot.append(mark);
	});
	return element('div', { class: 'chart' }, plot,
		axisBelow(log ? logTicks(least, largest, show, options.binary)
			: (options.min === options.max ? [[0.5, options.min]] : [[0, options.min], [1, options.max]]).map(([x, value]) => [x, show(value)])));
}
