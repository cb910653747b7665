// SPDX-License-Identifier: MIT
/* Records of classic providers: their bytes, and how a consumer sees them */
#include "unit/lib/lib_fake.h"
#include "unit/lib/lib_feed.h"

#include <evntcons.h>
#include <evntrace.h>
#include "lib/tap.h"

#define START	133000000000000000LL	/* start time of the session, at clock 1000 ns */
#define MS	10000			/* in units of 100 ns */

static const struct etw_guid class_guid = { 0xC1A55, 1, 2, { 3, 4, 5, 6, 7, 8, 9, 10 } };
static const struct etw_guid parent_guid = { 0xFA7E4, 1, 2, { 3, 4, 5, 6, 7, 8, 9, 10 } };

static struct etw_classic record(uint16_t type, const char *text)
{
	return (struct etw_classic){
		.type = type, .event_type = 7, .level = 4, .version = 258, .thread_id = 11,
		.process_id = 10, .guid = class_guid, .data = text, .len = strlen(text),
	};
}

static struct etw_classic message(uint16_t options, const char *text)
{
	struct etw_classic c = record(ETW_TYPE_MESSAGE, text);

	c.options = options;
	c.number = 513;
	return c;
}

/* Build a record in poisoned memory; returns its size. */
static uint32_t build(uint8_t *slot, const struct etw_classic *c)
{
	memset(slot, 0xEE, 512);
	etw_classic_write(slot, c, 0x1122334455667788, 0xABCD);
	return etw_classic_size(c);
}

/* B104: each kind has its own marker and the bytes found in Windows' files */
static void test_bytes(void)
{
	static uint8_t slot[512] __attribute__((__aligned__(8)));
	struct etw_classic c = record(ETW_TYPE_FULL64, "hello");
	static const uint8_t full[] = { 53, 0, 0x14, 0xC0, 7, 4, 2, 1, 11, 0, 0, 0, 10, 0, 0, 0,
					0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 };
	static const uint8_t head[] = { 45, 0, 0, 0x90, 1, 2, 0x2B, 0, 0xCD, 0xAB, 0, 0 };

	is(build(slot, &c), 53, "size of an event");
	ok(!memcmp(slot, full, sizeof(full)) && !memcmp(slot + 24, &class_guid, 16) &&
	   !memcmp(slot + 48, "hello\0\0\0", 8) && slot[56] == 0xEE, "its bytes, padding too");
	c = record(ETW_TYPE_INSTANCE64, "x");
	c.instance = 5;
	c.parent = 6;
	c.parent_guid = parent_guid;
	is(build(slot, &c), 73, "size of an instance");
	ok(slot[2] == 0x15 && slot[3] == 0xC0 && slot[48] == 5 && slot[52] == 6 &&
	   !memcmp(slot + 56, &parent_guid, 16) && slot[72] == 'x' && !slot[73], "its bytes");
	c = message(ETW_MESSAGE_SEQUENCE | ETW_MESSAGE_GUID | ETW_MESSAGE_TIMESTAMP |
		    ETW_MESSAGE_SYSTEMINFO, "m");
	is(build(slot, &c), 8 + 4 + 16 + 8 + 8 + 1, "size of a message");
	ok(!memcmp(slot, head, sizeof(head)) && !memcmp(slot + 12, &class_guid, 16) &&
	   slot[28] == 0x88 && slot[36] == 11 && slot[40] == 10 && slot[44] == 'm', "its bytes");
	c = message(ETW_MESSAGE_COMPONENT, "");
	is(build(slot, &c), 12, "size of a message of a component");
	ok(!memcmp(slot + 8, &class_guid, 4) && slot[15] != 0xEE && slot[16] == 0xEE, "its bytes");
}

/* For any bytes, a walk stays within the buffer and ends. */
static void test_garbage(void)
{
	static const uint16_t types[] = { ETW_TYPE_FULL32, ETW_TYPE_FULL64, ETW_TYPE_INSTANCE32,
					  ETW_TYPE_INSTANCE64, ETW_TYPE_MESSAGE, ETW_TYPE_EVENT64 };
	unsigned int round, i, steps, bad = 0, seen = 0;
	struct etw_classic_view classic = { .time = 0 };
	struct etw_record_view view;

	srandom(4711);
	for (round = 0; round < 20000; round++) {
		uint32_t len = 8 * (1 + random() % 40), offset = 0;
		uint8_t *buf = aligned_alloc(8, len);
		uint16_t head[2] = { random() % 100, types[random() % 6] };

		for (i = 0; i < len; i++)
			buf[i] = random() % 8 ? 0 : random();
		memcpy(buf, head, len < 4 ? len : 4);
		for (steps = 0; etw_record_any(buf, len, &offset, &view, &classic) == 1; steps++) {
			const uint8_t *data = view.data;

			seen++;
			if (view.data_len && (data < buf || data + view.data_len > buf + len))
				bad++;
			if (steps > len / 8)
				break;
		}
		bad += steps > len / 8;
		free(buf);
	}
	ok(!bad && seen > 1000, "%u records in garbage, %u of them bad", seen, bad);
}

/* ----------------------------------------------------------------- consumers */

static EVENT_RECORD records[8];
static EVENT_TRACE traces[8];
static EVENT_EXTENDED_ITEM_INSTANCE instance;
static char text[8][64];
static int count;

static void keep(const void *data, ULONG len)
{
	memset(text[count], 0, sizeof(text[0]));
	memcpy(text[count], data, len < 64 ? len : 63);
	count++;
}

static VOID WINAPI on_record(PEVENT_RECORD r)
{
	if (!memcmp(&r->EventHeader.ProviderId, &EventTraceGuid, sizeof(GUID)))
		return;
	records[count] = *r;
	if (r->ExtendedDataCount && r->ExtendedData->ExtType == EVENT_HEADER_EXT_TYPE_INSTANCE_INFO)
		memcpy(&instance, (void *)(uintptr_t)r->ExtendedData->DataPtr, sizeof(instance));
	keep(r->UserData, r->UserDataLength);
}

static VOID WINAPI on_trace(PEVENT_TRACE t)
{
	if (!memcmp(&t->Header.Guid, &EventTraceGuid, sizeof(GUID)))
		return;
	traces[count] = *t;
	keep(t->MofData, t->MofLength);
}

/* A modern event and one of each classic kind, on two CPUs. */
static void process(ULONG mode)
{
	EVENT_TRACE_LOGFILEA l = { .LoggerName = (char *)"session",
				   .ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | mode };
	struct etw_classic c;
	TRACEHANDLE trace;
	struct feed f;

	if (mode & PROCESS_TRACE_MODE_EVENT_RECORD)
		l.EventRecordCallback = on_record;
	else
		l.EventCallback = on_trace;
	count = 0;
	pthread_mutex_lock(&fake->lock);
	fake->buffer_count = fake->buffer_next = 0;
	fake->ended = true;
	pthread_mutex_unlock(&fake->lock);
	trace = OpenTraceA(&l);
	feed_fake(&f, 0, 0);
	feed_header(&f)->ref_clock = 1000 + 500000;
	c = message(0, "untimed");
	feed_classic(&f, &c, 0, 0);
	c = record(ETW_TYPE_FULL64, "full");
	feed_classic(&f, &c, 1000 + 1000000, 0);
	c = message(ETW_MESSAGE_COMPONENT | ETW_MESSAGE_SEQUENCE, "later");
	feed_classic(&f, &c, 0, 17);
	feed_deliver();
	feed_fake(&f, 1, 1);
	feed_header(&f)->ref_clock = 1000 + 600000;
	c = record(ETW_TYPE_INSTANCE32, "instance");
	c.instance = 5;
	c.parent = 6;
	c.parent_guid = parent_guid;
	feed_classic(&f, &c, 1000 + 1500000, 0);
	c = message(ETW_MESSAGE_GUID | ETW_MESSAGE_TIMESTAMP | ETW_MESSAGE_SYSTEMINFO, "m");
	feed_classic(&f, &c, 1000 + 2000000, 0);
	feed_event(&f, 1000 + 3000000, 9, NULL, "modern", 6);
	feed_deliver();
	is(ProcessTrace(&trace, 1, NULL, NULL), ERROR_SUCCESS, "process");
	CloseTrace(trace);
	is(count, 6, "six records");
}

static bool at(int i, LONGLONG time, USHORT flags)
{
	const EVENT_HEADER *h = &records[i].EventHeader;

	return h->TimeStamp.QuadPart == START + time &&
	       (h->Flags & (EVENT_HEADER_FLAG_CLASSIC_HEADER | EVENT_HEADER_FLAG_TRACE_MESSAGE |
			    EVENT_HEADER_FLAG_32_BIT_HEADER | EVENT_HEADER_FLAG_NO_CPUTIME)) ==
	       (flags | EVENT_HEADER_FLAG_NO_CPUTIME);
}

/* B104: flags TRACE_MESSAGE and CLASSIC_HEADER; a message's prefix is payload */
static void test_records(void)
{
	const EVENT_HEADER *h;

	process(PROCESS_TRACE_MODE_EVENT_RECORD);
	ok(at(0, 5 * MS / 10, EVENT_HEADER_FLAG_TRACE_MESSAGE) && !strcmp(text[0], "untimed"),
	   "a message without a time has that of its buffer");
	h = &records[1].EventHeader;
	ok(at(1, MS, EVENT_HEADER_FLAG_CLASSIC_HEADER) && !strcmp(text[1], "full"), "an event");
	ok(!memcmp(&h->ProviderId, &class_guid, 16) && h->EventDescriptor.Opcode == 7 &&
	   h->EventDescriptor.Level == 4 && h->EventDescriptor.Version == 2 &&
	   h->ThreadId == 11 && h->ProcessId == 10 && !records[1].ExtendedDataCount,
	   "its header");
	ok(at(2, MS, EVENT_HEADER_FLAG_TRACE_MESSAGE) && text[2][0] == 17 &&
	   records[2].UserDataLength == 4 + 4 + 5 && !memcmp(text[2] + 8, "later", 5),
	   "a message with the time of the event before it, number and component in front");
	ok(at(3, 15 * MS / 10, EVENT_HEADER_FLAG_CLASSIC_HEADER | EVENT_HEADER_FLAG_32_BIT_HEADER) &&
	   !strcmp(text[3], "instance"), "an instance, from a 32-bit process");
	ok(records[3].ExtendedDataCount == 1 && instance.InstanceId == 5 &&
	   instance.ParentInstanceId == 6 && !memcmp(&instance.ParentGuid, &parent_guid, 16),
	   "its item");
	h = &records[4].EventHeader;
	ok(at(4, 2 * MS, EVENT_HEADER_FLAG_TRACE_MESSAGE) && h->EventDescriptor.Id == 513 &&
	   h->EventDescriptor.Task == (ETW_MESSAGE_GUID | ETW_MESSAGE_TIMESTAMP |
				       ETW_MESSAGE_SYSTEMINFO), "number and flags of a message");
	ok(!memcmp(&h->ProviderId, &class_guid, 16) && h->ThreadId == 11 && h->ProcessId == 10,
	   "the fields of its prefix");
	ok(records[5].EventHeader.EventDescriptor.Id == 9 && !strcmp(text[5], "modern") &&
	   !(records[5].EventHeader.Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER), "a modern event");
}

/* B175: a consumer without EVENT_RECORD mode gets EVENT_TRACE */
static void test_traces(void)
{
	process(0);
	ok(traces[1].Header.Class.Type == 7 && traces[1].Header.Class.Level == 4 &&
	   !memcmp(&traces[1].Header.Guid, &class_guid, 16) && traces[1].MofLength == 4 &&
	   !strcmp(text[1], "full") && !traces[1].InstanceId, "an event");
	ok(traces[3].InstanceId == 5 && traces[3].ParentInstanceId == 6 &&
	   !memcmp(&traces[3].ParentGuid, &parent_guid, 16), "an instance");
	ok(traces[4].Header.Class.Version == 513 && !memcmp(&traces[4].Header.Guid, &class_guid, 16),
	   "a message has its number for a version");
	ok(!traces[5].InstanceId && !strcmp(text[5], "modern"), "a modern event");
}

int main(void)
{
	struct {
		EVENT_TRACE_PROPERTIES p;
		char name[64];
	} b = { .p = { .Wnode.BufferSize = sizeof(b), .Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		       .LogFileMode = EVENT_TRACE_REAL_TIME_MODE,
		       .LoggerNameOffset = sizeof(b.p) } };
	TRACEHANDLE session;

	fake_init();
	test_bytes();
	test_garbage();
	is(StartTraceA(&session, "session", &b.p), ERROR_SUCCESS, "a session");
	test_records();
	test_traces();
	return done_testing();
}
