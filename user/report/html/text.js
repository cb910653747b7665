'use strict';
// SPDX-License-Identifier: MIT
// text.js - numbers, times and texts as people read them, and the elements that hold them

// Every text that reaches the page goes through here. What has no shape of its own, moves
// the cursor or turns the direction of the line becomes visible as an escape.
function shown(text) {
	text = String(text);
	if (/^[ -~]*$/.test(text))
		return text;
	return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (c) => {
		const code = c.codePointAt(0);

		if (c === '\n')
			return '\\n';
		if (c === '\t')
			return '\\t';
		return code < 0x100 ? '\\x' + code.toString(16).padStart(2, '0')
			: '\\u{' + code.toString(16) + '}';
	});
}

// element('td', {class, text, title, data: {}, on: {}, ...attributes}, child...)
function fill(node, properties, children) {
	for (const [name, value] of Object.entries(properties || {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name === 'text')
			node.textContent = shown(value);
		else if (name === 'on')
			for (const [event, handler] of Object.entries(value))
				node.addEventListener(event, handler);
		else
			node.setAttribute(name, value === true ? '' : shown(value));
	}
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false)
			node.append(child instanceof Node ? child : shown(child));
	return node;
}

function element(name, properties, ...children) {
	return fill(document.createElement(name), properties, children);
}

function drawing(name, properties, ...children) {
	return fill(document.createElementNS('http://www.w3.org/2000/svg', name), properties, children);
}

const LARGEST = Number.MAX_SAFE_INTEGER;

// 1,234,567; what is larger than JavaScript's integers was rounded when it was read.
function count(value) {
	if (Math.abs(value) > LARGEST)
		return '≈ ' + value.toLocaleString('en-US', { maximumSignificantDigits: 16 });
	return value.toLocaleString('en-US', { maximumFractionDigits: Number.isInteger(value) ? 0 : 3 });
}

// digits(12.3456) is "12.3": three digits, no exponent.
function digits(value) {
	const size = Math.abs(value);

	if (size >= 100)
		return count(Math.round(value));
	return value.toFixed(size >= 10 ? 1 : 2);
}

// brief(12345678) is "12.3 M"
function brief(value) {
	const size = Math.abs(value);

	if (size < 100000)
		return Number.isInteger(value) ? count(value) : size && size < 0.01 ? value.toExponential(1) : digits(value);
	for (const [least, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M']])
		if (size >= least)
			return digits(value / least) + ' ' + unit;
	return digits(value / 1e3) + ' k';
}

function scaled(value, units, step) {
	let unit = 0;

	while (Math.abs(value) >= step && unit < units.length - 1) {
		value /= step;
		unit++;
	}
	return (unit ? digits(value) : count(value)) + ' ' + units[unit];
}

function bytes(value) {
	return scaled(value, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'], 1024);
}

function duration(ns) {
	if (ns < 60e9)
		return scaled(Number.isInteger(ns) ? ns : Math.round(ns), ['ns', 'µs', 'ms', 's'], 1000);
	const seconds = Math.round(ns / 1e9);
	const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
	const texts = [];
	let left = seconds;

	for (const [size, unit] of parts) {
		const whole = Math.floor(left / size);

		left -= whole * size;
		if (whole || texts.length)
			texts.push(whole + ' ' + unit);
	}
	return texts.slice(0, 2).join(' ');
}

// An exact time for a title: "1,234,567 ns"
function exactly(value, unit) {
	return count(value) + ' ' + unit;
}

// A time in the trace in seconds, nine places: "12.345678901"
function seconds(ns) {
	if (ns < 0)
		return '-' + seconds(-ns);
	const whole = Math.floor(ns / 1e9);

	return count(whole) + '.' + String(Math.round(ns - whole * 1e9)).padStart(9, '0');
}

// A time in the trace as coarse as a piece of the axis, "12.35 s"
function moment(ns, piece) {
	const places = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(Math.max(piece, 1)))));

	if (piece < 1e3)
		return count(Math.round(ns)) + ' ns';
	if (!ns)
		return '0 s';
	return (ns / 1e9).toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places }) + ' s';
}

function share(part, whole) {
	if (!whole)
		return '–';
	const percent = 100 * part / whole;

	return percent && percent < 0.1 ? '< 0.1 %' : percent.toFixed(1) + ' %';
}

function isSize(unit) {
	return /^(B|byte|bytes)$/.test(unit);
}

// withUnit(value, 'ns' | 'bytes' | any other unit | null)
function withUnit(value, unit) {
	if (/^(ns|nanoseconds)$/.test(unit))
		return value < 0 ? '-' + duration(-value) : duration(value);
	if (/^(us|µs|microseconds)$/.test(unit))
		return value < 0 ? '-' + duration(-value * 1e3) : duration(value * 1e3);
	if (/^(ms|milliseconds)$/.test(unit))
		return value < 0 ? '-' + duration(-value * 1e6) : duration(value * 1e6);
	if (isSize(unit))
		return bytes(value);
	return brief(value) + (unit ? ' ' + unit : '');
}

function plural(value, one, many) {
	return count(value) + ' ' + (value === 1 ? one : many || one + 's');
}
