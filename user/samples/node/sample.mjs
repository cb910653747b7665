// SPDX-License-Identifier: MIT
// Writes three events, or reads a log file or a session.
//
//	npm install
//	sudo etw start node --file /tmp/node.etl
//	sudo etw enable node 9b0f6f7e-2f43-4a77-b0c4-5f1d6e8a3b21
//	node sample.mjs write
//	sudo etw stop node
//	node sample.mjs read /tmp/node.etl
import { Event, Provider, listen, open } from './etw.mjs';

const [command, name] = process.argv.slice(2);

function write() {
	const provider = new Provider('Sample-Node', '9b0f6f7e-2f43-4a77-b0c4-5f1d6e8a3b21');

	for (let number = 1; number <= 3; number++) {
		// Build an event only if a session wants it.
		if (!provider.enabled(4, 1n))
			throw new Error('no session has enabled the provider');
		provider.write(new Event('Step').uint32('Number', number).utf8('Text', 'from Node'), { level: 4, keyword: 1n });
	}
	provider.close();
}

async function print(trace) {
	for await (const event of trace)
		console.log(event.providerName, event.name, event.fields);
}

try {
	if (command === 'write')
		write();
	else if ((command === 'read' || command === 'listen') && name)
		await print(command === 'read' ? open(name) : listen(name));
	else
		throw new Error('usage: sample.mjs write | read FILE | listen SESSION');
} catch (error) {
	console.error(`sample: ${error.message}`);
	process.exitCode = 1;
}
