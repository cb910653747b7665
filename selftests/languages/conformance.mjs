// SPDX-License-Identifier: GPL-2.0-only
// Node's part of the conformance suite; conformance.py says what each part does.
import { readFileSync } from 'node:fs';

// Its folder has koffi: the runner copies etw.mjs there.
const { Event, Provider, listen, open } = await import(process.env.ETW_NODE_MODULE);

const PROVIDER = 'c0f0a3e1-6b1d-4d5e-8f2a-7d3c1b2a4f60';
const unescape = (text) => text.replace(/\\(.)/g, (_, c) => ({ n: '\n', t: '\t', 0: '\0', '\\': '\\' })[c]);

function value(type, text) {
	if (type.startsWith('utf'))
		return unescape(text);
	if (type === 'guid')
		return text;
	if (type === 'binary')
		return Buffer.from(text, 'hex');
	if (type === 'boolean')
		return text === '1';
	return /64$|filetime/.test(type) && !type.startsWith('float') ? BigInt(text) : Number(text);
}

function addField(event, name, type, text) {
	const [base, times] = type.split('*');

	if (type.endsWith('[]')) {
		const kind = type.slice(0, -2);

		event.array(kind, name, text === '' ? [] : text.split('|').map((part) => value(kind, part)));
	} else {
		event.field(base, name, value(base, text.repeat(Number(times ?? 1))));
	}
}

function write(table) {
	const provider = new Provider('Test-Conformance', PROVIDER);
	let event = null, options;
	const send = () => {
		const code = event ? provider.write(event, options) : 0;

		if (code)
			throw new Error(`write: error ${code}`);
	};

	if (!provider.enabled())
		throw new Error('no session has enabled the provider');
	for (const line of readFileSync(table, 'utf8').split('\n')) {
		const [kind, name, ...rest] = line.split('\t');

		if (line === '' || line.startsWith('#'))
			continue;
		if (kind === 'event') {
			send();
			event = new Event(name);
			options = { level: Number(rest[0]), opcode: Number(rest[1]), keyword: BigInt(rest[2]),
				activity: rest[3] === '-' ? null : rest[3] };
		} else if (kind === 'struct') {
			event.struct(name, Number(rest[0]));
		} else if (kind === 'field') {
			addField(event, name, rest[0], rest[1]);
		} else {
			throw new Error(`bad line: ${line}`);
		}
	}
	send();
	provider.close();
}

async function print(trace) {
	console.error('ready');
	for await (const event of trace) {
		if (event.provider !== PROVIDER)
			continue;
		const head = JSON.stringify({ event: event.name, level: event.level, opcode: event.opcode,
			keyword: `0x${event.keyword.toString(16)}`, activity: event.activity });

		console.log(`${head.slice(0, -1)},"fields":${event.json}}`);
		if (typeof event.fields !== 'object')
			throw new Error('the fields are not JSON');
	}
}

const [command, name] = process.argv.slice(2);
try {
	if (command === 'write')
		write(name);
	else if (command === 'read' || command === 'listen')
		await print(command === 'read' ? open(name) : listen(name));
	else
		throw new Error('usage: conformance write TABLE | read FILE | listen SESSION');
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}
