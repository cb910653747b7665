// SPDX-License-Identifier: MIT
// Functions of libetw and libtdh for Node, by koffi ("npm install").
//
//	const provider = new Provider("Sample-Node", "9b0f6f7e-...");
//	if (provider.enabled(4, 1n))
//		provider.write(new Event("Step").uint32("Number", 7), { level: 4, keyword: 1n });
//	for await (const event of open("trace.etl"))
//		console.log(event.name, event.fields);
//
// Names of functions and their parameters are those of Windows. 64-bit numbers are BigInts.
// Events arrive while the event loop runs.
import koffi from 'koffi';

const etw = koffi.load('libetw.so.0');
const tdh = koffi.load('libtdh.so.0');

const REAL_TIME = 0x100, EVENT_RECORD = 0x10000000;
const EVENT_METADATA = 1, PROVIDER_METADATA = 2, SET_TRAITS = 2;
const CHAIN = 128, ARRAY = 64, LIMIT = 65535;

koffi.struct('EVENT_DATA_DESCRIPTOR', { Ptr: 'const uint8_t *', Size: 'uint32_t', Reserved: 'uint32_t' });
koffi.struct('EVENT_DESCRIPTOR', {
	Id: 'uint16_t', Version: 'uint8_t', Channel: 'uint8_t', Level: 'uint8_t', Opcode: 'uint8_t',
	Task: 'uint16_t', Keyword: 'uint64_t',
});
koffi.struct('EVENT_HEADER', {
	Size: 'uint16_t', HeaderType: 'uint16_t', Flags: 'uint16_t', EventProperty: 'uint16_t',
	ThreadId: 'uint32_t', ProcessId: 'uint32_t', TimeStamp: 'int64_t',
	ProviderId: koffi.array('uint8_t', 16, 'Typed'), EventDescriptor: 'EVENT_DESCRIPTOR',
	ProcessorTime: 'uint64_t', ActivityId: koffi.array('uint8_t', 16, 'Typed'),
});
koffi.proto('void EventRecordCallback(void *record)');
koffi.struct('EVENT_TRACE_LOGFILEA', {
	LogFileName: 'const char *', LoggerName: 'const char *', CurrentTime: 'int64_t',
	BuffersRead: 'uint32_t', ProcessTraceMode: 'uint32_t',
	CurrentEvent: koffi.array('uint64_t', 11), LogfileHeader: koffi.array('uint64_t', 35),
	BufferCallback: 'void *', BufferSize: 'uint32_t', Filled: 'uint32_t', EventsLost: 'uint32_t',
	EventRecordCallback: 'EventRecordCallback *', IsKernelTrace: 'uint32_t', Context: 'void *',
});
// The head of struct etw_decoded of <etw/decode.h>
koffi.struct('etw_decoded', { record: 'void *', source: 'int', provider: 'const char *', event: 'const char *' });

const EventRegister = etw.func('uint32_t EventRegister(const uint8_t *id, void *callback, void *context, _Out_ uint64_t *handle)');
const EventUnregister = etw.func('uint32_t EventUnregister(uint64_t handle)');
const EventSetInformation = etw.func('uint32_t EventSetInformation(uint64_t handle, int type, const uint8_t *data, uint32_t size)');
const EventProviderEnabled = etw.func('uint8_t EventProviderEnabled(uint64_t handle, uint8_t level, uint64_t keyword)');
const EventWriteTransfer = etw.func('uint32_t EventWriteTransfer(uint64_t handle, EVENT_DESCRIPTOR *descriptor, const uint8_t *activity, const uint8_t *related, uint32_t count, EVENT_DATA_DESCRIPTOR *data)');
const OpenTraceA = etw.func('uint64_t OpenTraceA(EVENT_TRACE_LOGFILEA *logfile)');
const ProcessTrace = etw.func('uint32_t ProcessTrace(uint64_t *handles, uint32_t count, void *start, void *end)');
const CloseTrace = etw.func('uint32_t CloseTrace(uint64_t handle)');
const GetLastError = etw.func('uint32_t GetLastError()');
const etw_decoder_new = tdh.func('void *etw_decoder_new()');
const etw_decoder_free = tdh.func('void etw_decoder_free(void *decoder)');
const etw_decode = tdh.func('int etw_decode(void *decoder, void *record, _Out_ void **event)');
const etw_format_json = tdh.func('int etw_format_json(uint8_t *text, void *decoder)');
const etw_text_free = tdh.func('void etw_text_free(uint8_t *text)');

export class EtwError extends Error {
	constructor(what, code) {
		super(`${what}: error ${code}`);
		this.code = code;	// as on Windows
	}
}

function check(what, code) {
	if (code)
		throw new EtwError(what, code);
}

/** The 16 bytes of 01234567-89ab-cdef-0123-456789abcdef. */
export function guid(text) {
	const bytes = Buffer.from(text.replace(/[{}-]/g, ''), 'hex');

	if (bytes.length !== 16)
		throw new TypeError(`not a GUID: ${text}`);
	bytes.subarray(0, 4).reverse();
	bytes.subarray(4, 6).reverse();
	bytes.subarray(6, 8).reverse();
	return bytes;
}

export function guidText(bytes) {
	const b = Buffer.from(bytes);

	b.subarray(0, 4).reverse();
	b.subarray(4, 6).reverse();
	b.subarray(6, 8).reverse();
	return b.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// ------------------------------------------------------------------ TraceLogging

function number(size, write) {
	return (value) => {
		const bytes = Buffer.alloc(size);

		bytes[write](size === 8 && write.includes('Big') ? BigInt(value) : value);
		return bytes;
	};
}

function counted(bytes) {
	if (bytes.length > LIMIT)
		throw new RangeError(`${bytes.length} bytes, more than ${LIMIT}`);
	return Buffer.concat([number(2, 'writeUInt16LE')(bytes.length), bytes]);
}

/** in-type, out-type, and the bytes of a value, by the names of the types; see TraceLoggingProvider.h. */
export const types = {
	int8: [3, 0, number(1, 'writeInt8')], uint8: [4, 0, number(1, 'writeUInt8')],
	int16: [5, 0, number(2, 'writeInt16LE')], uint16: [6, 0, number(2, 'writeUInt16LE')],
	int32: [7, 0, number(4, 'writeInt32LE')], uint32: [8, 0, number(4, 'writeUInt32LE')],
	int64: [9, 0, number(8, 'writeBigInt64LE')], uint64: [10, 0, number(8, 'writeBigUInt64LE')],
	float32: [11, 0, number(4, 'writeFloatLE')], float64: [12, 0, number(8, 'writeDoubleLE')],
	boolean: [4, 3, (value) => Buffer.from([value ? 1 : 0])],
	binary: [14, 0, (value) => counted(Buffer.from(value))], guid: [15, 0, guid],
	filetime: [17, 38, number(8, 'writeBigUInt64LE')],
	hexint32: [20, 0, number(4, 'writeUInt32LE')], hexint64: [21, 0, number(8, 'writeBigUInt64LE')],
	utf16: [22, 0, (value) => counted(Buffer.from(value, 'utf16le'))],
	utf8: [23, 35, (value) => counted(Buffer.from(value))],
};

/** An event: event.uint32("Number", 7).utf8("Name", "seven"), and so on for each type. */
export class Event {
	constructor(name) {
		this.meta = [Buffer.from([0]), this.name(name)];	// no tags
		this.data = [];
	}

	name(name) {
		if (name.includes('\0'))
			throw new RangeError(`a name contains a NUL: ${name}`);
		return Buffer.from(name + '\0');
	}

	describe(name, inType, outType) {
		this.meta.push(this.name(name), Buffer.from(outType ? [inType | CHAIN, outType] : [inType]));
		return this;
	}

	field(type, name, value) {
		const [inType, outType, bytes] = types[type];

		this.data.push(bytes(value));
		return this.describe(name, inType, outType);
	}

	array(type, name, values) {
		const [inType, outType, bytes] = types[type];

		this.data.push(number(2, 'writeUInt16LE')(values.length), ...values.map(bytes));
		return this.describe(name, inType | ARRAY, outType);
	}

	/** The next fields, of this number, are members of a structure. */
	struct(name, members) {
		return this.describe(name, 24, members);
	}
}

for (const type of Object.keys(types))
	Event.prototype[type] = function (name, value) { return this.field(type, name, value); };

/** A registration, which ends with close() or the process. */
export class Provider {
	#handle = 0n;

	constructor(name, id) {
		const handle = [0n], text = Buffer.from(name + '\0');

		this.traits = Buffer.concat([number(2, 'writeUInt16LE')(text.length + 2), text]);
		check('EventRegister', EventRegister(guid(id), null, null, handle));
		this.#handle = handle[0];
		check('EventSetInformation', EventSetInformation(this.#handle, SET_TRAITS, this.traits, this.traits.length));
	}

	close() {
		EventUnregister(this.#handle);
		this.#handle = 0n;
	}

	enabled(level = 0, keyword = 0n) {
		return EventProviderEnabled(this.#handle, level, keyword) !== 0;
	}

	/** 0, or the code with which a session lost the event, and counted it. */
	write(event, { level = 5, keyword = 0n, opcode = 0, activity = null } = {}) {
		const meta = Buffer.concat([Buffer.alloc(2), ...event.meta]), data = Buffer.concat(event.data);
		const descriptor = { Id: 0, Version: 0, Channel: 11, Level: level, Opcode: opcode, Task: 0, Keyword: keyword };
		const piece = (bytes, kind) => ({ Ptr: bytes, Size: bytes.length, Reserved: kind });

		meta.writeUInt16LE(meta.length);
		return EventWriteTransfer(this.#handle, descriptor, activity && guid(activity), null, 3, [
			piece(this.traits, PROVIDER_METADATA), piece(meta, EVENT_METADATA), piece(data, 0),
		]);
	}
}

// --------------------------------------------------------------------- consumers

// A thread that waits to call back would wait for ever once the event loop has ended, and the end
// of the process for that thread.
const _exit = koffi.load('libc.so.6').func('void _exit(int status)');
let running = 0;
process.on('exit', (status) => {
	if (running)
		_exit(status);
});

/** JSON in which integers that a Number cannot hold become BigInts. */
function parse(json) {
	const marked = json.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g,
		(token) => token[0] === '"' ? token : `{"$int":"${token}"}`);

	return JSON.parse(marked, (_, value) => value?.$int === undefined ? value : BigInt(value.$int));
}

class Trace {
	#events = [];
	#wake = () => {};
	#ended = false;
	#error = null;
	#decoder = etw_decoder_new();
	#text = Buffer.alloc(32);	// struct etw_text

	constructor(name, live) {
		const callback = koffi.register((record) => this.#add(record), 'EventRecordCallback *');
		const handle = OpenTraceA({
			LogFileName: live ? null : name, LoggerName: live ? name : null, CurrentTime: 0, BuffersRead: 0,
			ProcessTraceMode: EVENT_RECORD | (live ? REAL_TIME : 0), CurrentEvent: Array(11).fill(0),
			LogfileHeader: Array(35).fill(0), BufferCallback: null, BufferSize: 0, Filled: 0, EventsLost: 0,
			EventRecordCallback: callback, IsKernelTrace: 0, Context: null,
		});
		const error = GetLastError();

		if (BigInt(handle) === 0xffffffffffffffffn) {
			koffi.unregister(callback);
			etw_decoder_free(this.#decoder);
			throw new EtwError(`OpenTrace: ${name}`, error);
		}
		this.close = () => { CloseTrace(handle); };
		running++;
		ProcessTrace.async([handle], 1, null, null, (failure, code) => {
			running--;
			CloseTrace(handle);
			koffi.unregister(callback);
			etw_decoder_free(this.#decoder);
			etw_text_free(this.#text);
			this.#error ??= failure ?? (code ? new EtwError('ProcessTrace', code) : null);
			this.#ended = true;
			this.#wake();
		});
	}

	// Of a record, which is valid only now, what an event needs
	#add(record) {
		try {
			const header = koffi.decode(record, 'EVENT_HEADER'), out = [null];
			const failed = etw_decode(this.#decoder, record, out);
			const decoded = koffi.decode(out[0], 'etw_decoded');
			const { Id, Level, Opcode, Keyword } = header.EventDescriptor;
			const activity = guidText(header.ActivityId);

			this.#events.push({
				provider: guidText(header.ProviderId), providerName: decoded.provider, name: decoded.event,
				id: Id, level: Level, opcode: Opcode, keyword: BigInt(Keyword), pid: header.ProcessId,
				tid: header.ThreadId, timestamp: BigInt(header.TimeStamp),
				activity: activity.match(/^[0-]+$/) ? null : activity,
				json: failed ? null : this.#format(),	// as libtdh writes it
				get fields() { return this.json && parse(this.json); },
			});
		} catch (error) {
			this.#error = error;
			this.close();
		}
		this.#wake();
	}

	#format() {
		this.#text.writeBigUInt64LE(0n, 8);	// empty again
		if (etw_format_json(this.#text, this.#decoder))
			return null;
		return koffi.decode.string(this.#text.readBigUInt64LE(0), Number(this.#text.readBigUInt64LE(8)));
	}

	async *[Symbol.asyncIterator]() {
		try {
			for (;;) {
				while (this.#events.length)
					yield this.#events.shift();
				if (this.#ended)
					break;
				await new Promise((resolve) => { this.#wake = resolve; });
			}
			if (this.#error)
				throw this.#error;
		} finally {
			if (!this.#ended)
				this.close();
		}
	}
}

/** The events of a log file, in the order of time; the first describes the file. */
export const open = (file) => new Trace(file, false);

/** The events of a running session until it stops. */
export const listen = (session) => new Trace(session, true);
