// SPDX-License-Identifier: MIT
// main.js - the page: its head, its keys, its theme, its sections in order

const THEMES = ['auto', 'light', 'dark'];

// A file that was opened from a disk may not be allowed to keep anything.
function keep(name, value) {
	try {
		if (value === undefined)
			return localStorage.getItem(name);
		localStorage.setItem(name, value);
	} catch (error) {
		return null;
	}
	return null;
}

function useTheme(theme) {
	const button = document.getElementById('theme');

	document.documentElement.dataset.theme = theme;
	button.textContent = { auto: 'Theme: auto', light: 'Theme: light', dark: 'Theme: dark' }[theme];
	button.title = 'Light, dark, or as the system (t)';
	// Canvases hold colours of the theme before.
	if (timeline)
		timeline.paint();
}

function nextTheme() {
	const now = document.documentElement.dataset.theme;
	const theme = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];

	keep('etw-report-theme', theme);
	useTheme(theme);
}

function searchFor(text) {
	document.getElementById('search').value = text;
	chooseWords(text);
}

function showHead(report) {
	const files = objects(report.files);
	const names = files.map((file) => textOf(file.path).replace(/.*\//, '')).join(', ') || 'Trace report';
	const file = files[0] || {};
	const hosts = [...new Set(files.map((one) => textOf(one.host)).filter((host) => host))];
	const began = absolute(report, 0) || textOf(report.time.start);
	const about = [began && 'recorded ' + began.replace(/\.\d+ UTC$/, ' UTC'), hosts.length && 'on ' + hosts.join(', '),
		file.kernel && 'Linux ' + textOf(file.kernel).replace(/^Linux /, ''), files.length && bytes(files.reduce((all, one) => all + number(one.bytes), 0)),
		list(report.selection).length ? 'only ' + list(report.selection).map(textOf).join(' ')
			: report.filter && 'only events with ' + textOf(report.filter), report.generator && 'by ' + textOf(report.generator)];

	document.title = shown(names + ' – trace report');
	document.getElementById('title').textContent = shown(names);
	document.getElementById('title').title = shown(files.map((one) => one.path).join('\n'));
	document.getElementById('about').textContent = shown(about.filter((x) => x).join(' · '));
	document.getElementById('about').title = began;
}

function goToSection(index) {
	const at = sections[Math.max(0, Math.min(sections.length - 1, index))];

	location.hash = '#' + at.id;
	at.node.focus({ preventScroll: true });
	at.node.scrollIntoView();
}

// The section in sight: the last that begins in the upper part of the window. At the end of the
// page, where the last ones cannot come up there, it is the one that was gone to.
function sectionInSight() {
	const tops = sections.map((one) => one.node.getBoundingClientRect().top);
	const gone = sections.findIndex((one) => '#' + one.id === location.hash);
	const atEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;

	if (atEnd && gone >= 0 && tops[gone] >= 0 && tops[gone] < innerHeight)
		return gone;
	return scrollY < 8 ? 0 : Math.max(0, tops.filter((top) => top < 160).length - 1);
}

function markSection() {
	const now = sectionInSight();

	sections.forEach((one, i) => {
		if (i === now)
			one.link.setAttribute('aria-current', 'true');
		else
			one.link.removeAttribute('aria-current');
	});
}

function escape_() {
	const search = document.getElementById('search');

	if (search.value)
		searchFor('');
	else if (view.range)
		chooseRange(null);
	else
		search.blur();
}

function listenToKeys() {
	const search = document.getElementById('search');
	const help = document.getElementById('help');
	const keys = {
		'/': () => { search.focus(); search.select(); },
		'?': () => help.showModal(),
		t: nextTheme,
		n: () => goToSection(sectionInSight() + 1),
		p: () => goToSection(sectionInSight() - 1),
		Escape: escape_,
	};

	document.addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey || help.open)
			return;
		if (event.target === search && event.key !== 'Escape')
			return;
		if (/^[1-9]$/.test(event.key) && Number(event.key) <= sections.length)
			goToSection(Number(event.key) - 1);
		else if (keys[event.key])
			keys[event.key]();
		else
			return;
		event.preventDefault();
	});
}

function listen() {
	const search = document.getElementById('search');
	let wait = 0;

	search.addEventListener('input', () => {
		clearTimeout(wait);
		wait = setTimeout(() => chooseWords(search.value), 80);
	});
	document.getElementById('theme').addEventListener('click', nextTheme);
	document.getElementById('help-open').addEventListener('click', () => document.getElementById('help').showModal());
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => useTheme(document.documentElement.dataset.theme));
	document.addEventListener('scroll', markSection, { passive: true });
	window.addEventListener('hashchange', markSection);
	listenToKeys();
}

// The first screen is drawn at once, each of the other sections in a task of its own, so that
// a large report is soon in sight.
function drawAll(report) {
	const rest = [showTop, showOperations, showErrors, showTimeline, showFields, showStacks, showDiff, showEvents];

	function next() {
		const show = rest.shift();

		if (show) {
			show(report);
			setTimeout(next, 0);
			return;
		}
		document.documentElement.dataset.ready = 'yes';
		performance.mark('ready');
		markSection();
		if (location.hash)
			document.getElementById(location.hash.slice(1))?.scrollIntoView();
	}
	showOverview(report);
	performance.mark('drawn');
	setTimeout(next, 0);
}

function start() {
	let report;

	useTheme(THEMES.includes(keep('etw-report-theme')) ? keep('etw-report-theme') : 'auto');
	try {
		report = readReport(document.getElementById('data').textContent);
	} catch (error) {
		document.getElementById('about').textContent = '';
		document.getElementById('main').append(element('p', { class: 'band bad', role: 'alert' }, 'This report cannot be shown: ' + error.message + '.'));
		document.documentElement.dataset.ready = 'yes';
		return;
	}
	showHead(report);
	showChosen(report);
	listen();
	drawAll(report);
}

start();
