// SPDX-License-Identifier: MIT
// model.js - the report's numbers, and what the reader has chosen of them

// What comes from the file is never trusted to have the right type.
function list(value) {
	return Array.isArray(value) ? value : [];
}

function objects(value) {
	return list(value).filter((row) => row && typeof row === 'object');
}

function number(value) {
	return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function numbers(value) {
	return list(value).map(number);
}

function textOf(value) {
	return value === null || value === undefined ? '' : String(value);
}

function part(value) {
	return value && typeof value === 'object' ? value : {};
}

// readReport: the model, or throws an Error that says what is wrong.
function readReport(source) {
	let report;

	if (!source.trim())
		throw new Error('the file holds no report');
	try {
		report = JSON.parse(source);
	} catch (error) {
		throw new Error('its data is not JSON: ' + error.message);
	}
	if (!report || typeof report !== 'object')
		throw new Error('its data is no object');
	if (report.version !== 1)
		throw new Error('its data has version ' + JSON.stringify(report.version) + ', this page reads version 1');
	for (const name of ['time', 'totals', 'losses', 'rate', 'errors', 'timeline', 'table'])
		report[name] = part(report[name]);
	return report;
}

const LEVELS = ['always', 'critical', 'error', 'warning', 'information', 'verbose'];

function levelName(level) {
	return LEVELS[level] || 'level ' + level;
}

// An event's key without most of the GUID of a provider that has no name, so that there is room
// for what tells events apart.
function shortKey(key) {
	return textOf(key).replace(/^([0-9a-f]{8})-[0-9a-f-]{27}\//i, '$1…/');
}

// "2026-11-28 23:50:41.123456789 UTC" of a time in the trace, or '' if the start is unknown
function absolute(report, ns) {
	// A trace without events has no start.
	if (!report.time.start || !/^-?\d{1,20}$/.test(textOf(report.time.start_ns)))
		return '';
	const at = BigInt(report.time.start_ns) + BigInt(Math.round(ns));
	const date = new Date(Number(at / 1000000n));

	if (Number.isNaN(date.getTime()))
		return '';
	return date.toISOString().slice(0, 19).replace('T', ' ') + '.' +
		String(at % 1000000000n).padStart(9, '0') + ' UTC';
}

// What the reader has chosen. The search and the range narrow every list; the cursor and the
// range are the same in every chart over time.
const view = { words: [], range: null, cursor: null };
const watchers = [];

// watch(what, f): calls f after a change of view.words ("words"), view.range or view.cursor.
function watch(what, f) {
	watchers.push([what, f]);
}

function changed(what) {
	for (const [of, f] of watchers)
		if (of === what)
			f();
}

function chooseWords(text) {
	view.words = text.toLowerCase().split(/\s+/).filter((word) => word);
	changed('words');
}

function chooseRange(range) {
	view.range = range;
	changed('range');
}

function moveCursor(ns) {
	view.cursor = ns;
	changed('cursor');
}

// Texts to search in: haystack([name], {pid: 7}) is " name pid:7 ".
function haystack(texts, keys) {
	let text = ' ' + texts.map(textOf).join(' ').toLowerCase() + ' ';

	for (const [key, value] of Object.entries(keys || {}))
		if (value !== null && value !== undefined)
			text += key + ':' + value + ' ';
	return text;
}

// Every word of the search is in the text. "pid:7" is no word but the whole key, and does not
// concern a text without such a key.
function matches(hay) {
	return view.words.every((word) => {
		const key = /^(pid|tid|cpu|level):\d+$/.exec(word);

		if (!key)
			return hay.includes(word);
		return hay.includes(' ' + word + ' ') || !hay.includes(' ' + key[1] + ':');
	});
}

function inRange(ns) {
	return !view.range || (ns >= view.range[0] && ns < view.range[1]);
}
