// SPDX-License-Identifier: MIT
/* The etw command over the model of the device: events that arrive while it reads, files */
#include "cli_fake.h"

#include "unit/lib/lib_feed.h"
#include "unit/manifest/manifest.h"
#include "tdh/decode/embed.h"
#include "tdh/store/store.h"

#define PROVIDER	"11111111-2222-3333-4444-555555555555"
#define OTHER		"89abcdef-0001-0001-0102-030405060708"

static const GUID provider = { 0x11111111, 0x2222, 0x3333, { 0x44, 0x44, 0x55, 0x55, 0x55, 0x55,
							      0x55, 0x55 } };
static const char schema[] = HEAD
	"<templates><template tid='t'><data name='Size' inType='win:UInt32'/></template>"
	"</templates><events><event value='7' template='t'/></events>" TAIL;

static struct feed feed;
static uint32_t buffers;

/* A buffer for the next read */
static void next_buffer(void)
{
	feed_start(&feed, fake->buffers[buffers], FAKE_BUFFER_SIZE, 0, buffers + 1);
	buffers++;
}

static int put_piece(void *context, const void *record, size_t size)
{
	struct etw_buffer_header *h = feed_header(&feed);

	(void)context;
	if (h->offset + etw_record_slot(size) > feed.size)
		abort();
	memcpy(feed.data + h->offset, record, size);
	h->offset += etw_record_slot(size);
	h->saved_offset = h->current_offset = h->offset;
	return 0;
}

/* The schema, as a provider writes it into the session in small pieces */
static void put_schema(int64_t time)
{
	struct etw_problems none = { .count = 0 };
	struct etw_manifest *m;

	if (etw_manifest_read_memory(schema, sizeof(schema) - 1, "", &m, &none))
		abort();
	etw_store_add(m);
	is(etw_embed_records(&provider, time, 400, put_piece, NULL), 0, "a schema is written");
	etw_store_remove(m);
	etw_manifest_put(m);
}

static void put_event(int64_t time, uint16_t id, uint32_t size)
{
	struct etw_event_header *h = (void *)(feed.data + feed_header(&feed)->offset);

	if (!feed_event(&feed, (uint64_t)time, id, NULL, &size, sizeof(size)))
		abort();
	memcpy(&h->provider, &provider, sizeof(provider));
	h->desc.version = 0;
	h->desc.opcode = 0;
}

/* Shared with the command: had the session a reader when the providers were listed? */
static struct {
	bool listed, read, read_first;
} *order;

/* The consumers of the session; none until test_former_reader() */
static struct etw_consumer_info consumers[2];
static uint32_t consumer_count;

/*
 * The model with counters that say that nothing was written. Prepared buffers are
 * delivered as soon as a reader exists, then the session ends.
 */
static int live_ioctl(int fd, unsigned int command, void *arg)
{
	struct etw_session_stat *stat = arg;
	struct etw_session *session = arg;
	uint32_t nr = command & 0xFF, i;
	int ret;

	if (nr == 0x07) {
		stat->written = 0;
		memset(stat->dropped, 0, sizeof(stat->dropped));
		stat->consumer_count = consumer_count;
		if (consumer_count)
			memcpy((void *)(uintptr_t)stat->consumers, consumers,
			       consumer_count * sizeof(*consumers));
		return 0;
	}
	if (nr == 0x23) {
		order->listed = true;
		order->read_first = order->read_first || order->read;
	}
	ret = cli_ioctl(fd, command, arg);
	if (!ret && nr <= 0x05)
		session->events_lost = 0;
	if (ret || nr != 0x40)
		return ret;
	order->read = true;
	fake->buffer_count = buffers;
	fake->buffer_next = 0;
	fake->ended = true;
	for (i = 0; i <= buffers; i++)
		if (write(fake->consumer_wake, "", 1) < 0)
			abort();
	return 0;
}

/* --------------------------------------------------------------------- schemas */

#define DUMP(...)	RUN(cmd_dump, (char *)"dump", (char *)"session", (char *)"--no-names", \
			    (char *)"--format", (char *)"%i %{Size}", __VA_ARGS__)

/* Events are decoded with the schemas before them, for the filter as for printing. */
static void test_schemas(void)
{
	next_buffer();
	put_schema(5000);
	next_buffer();
	put_event(6000, 7, 42);
	put_event(7000, 7, 43);
	put_event(8000, 8, 44);
	is(DUMP(NULL), 0, "a session is dumped");
	ok(!strcmp(out, "7 42\n7 43\n8 \n"), "by a schema that it brings: %s", out);
	is(DUMP((char *)"--filter", (char *)"Size == 43"), 0, "with a filter of a field");
	ok(!strcmp(out, "7 43\n"), "which has that schema as well: %s%s", out, err);
	is(DUMP((char *)"--provider", (char *)"P"), 0, "with a provider's name");
	ok(!strcmp(out, "7 42\n7 43\n8 \n"), "it is decoded, too: %s%s", out, err);
	is(DUMP((char *)"--filter", (char *)"Size == 43", (char *)"--id", (char *)"7"), 0,
	   "if its pieces are filtered out");
	ok(!strcmp(out, "7 43\n"), "they are still read: %s%s", out, err);
	is(DUMP((char *)"--filter", (char *)"Size == 42", (char *)"--raw"), 0, "with raw payloads");
	ok(strstr(out, "7 ") == out, "it is decoded, too: %s%s", out, err);
}

/* To find the trace events among all providers takes long, in which a session may overflow. */
static void test_order(void)
{
	memset(order, 0, sizeof(*order));
	is(DUMP((char *)"-n", (char *)"1", NULL), 0, "a session is dumped");
	ok(order->listed && order->read && !order->read_first, "its trace events are looked for before it has a reader");
}

/* At the end of the trace, fields that no event had are reported. */
static void test_missing(void)
{
	static const char message[] =
		"etw: --filter: column 14: no event is known to have a field \"Sise\"\n";

	is(DUMP((char *)"--filter", (char *)"Size == 1 || Sise == 43"), 0, "a field is misspelt");
	ok(!*out && strstr(err, message), "which is reported: %s", err);
	is(DUMP((char *)"--filter", (char *)"Sise == 43 || Size == 43", (char *)"-n", (char *)"1"),
	   0, "one event is requested, and arrives");
	ok(!strcmp(out, "7 43\n") && !strstr(err, "Sise"), "nothing is reported: %s", err);
	is(DUMP((char *)"--filter", (char *)"Size == 1 || Sise == 43", (char *)"-n", (char *)"1"),
	   0, "it does not arrive");
	ok(strstr(err, message), "it is reported: %s", err);
	is(DUMP((char *)"--pid", (char *)"4000000000", (char *)"--id", (char *)"7"), 0, "nobody wrote any");
	ok(!*out && strstr(err, "etw: no event matched; 3 were looked at, from ") &&
	   strstr(err, "; --pid left out 3\n"), "which is reported: %s", err);
	is(DUMP((char *)"--filter", (char *)"Size == 43 && opcode == \"Stopp\""), 0,
	   "an opcode is");
	ok(!*out && strstr(err, "column 25: no event is known to have an opcode \"Stopp\"\n"),
	   "it is reported, too: %s", err);
}

static void put_opcode(int64_t time, uint16_t id, uint8_t opcode)
{
	struct etw_event_header *h = (void *)(feed.data + feed_header(&feed)->offset);

	put_event(time, id, 1);
	h->desc.opcode = opcode;
}

/* The events around the slowest operation were kept while the session was read. */
static void test_around(void)
{
	put_opcode(9000, 21, 1);
	put_event(9500, 22, 1);
	put_opcode(10000, 23, 2);
	is(DUMP((char *)"--slowest", (char *)"1", (char *)"--around", (char *)"1us"), 0, "--around");
	ok(!strcmp(out, "21 \n  8 \n> 21 \n  22 \n< 23 \n"), "shows them: %s%s", out, err);
	is(DUMP((char *)"--slowest", (char *)"1", (char *)"--around", (char *)"0", (char *)"--id",
		(char *)"21"), 0, "--around 0");
	ok(!strcmp(out, "21 \n> 21 \n  22 \n< 23 \n"), "begins and ends with it: %s%s", out, err);
}

/* ---------------------------------------------------------------------- record */

static char dir[] = "/tmp/etw-live.XXXXXX", path[64];

#define RECORD(...)	RUN(cmd_record, (char *)"record", (char *)"-o", path, __VA_ARGS__,	\
			    (char *)"--", (char *)"true")

/* The message about a recording without events is true. */
static void test_nothing(void)
{
	struct etw_register reg = { .flags = ETW_REGISTER_NOTIFY };
	int fd = etw_kdev_open();

	memcpy(&reg.provider, &provider, sizeof(provider));
	is(etw_kdev_register(fd, &reg), 0, "one provider is registered");
	is(RECORD((char *)"-p", (char *)PROVIDER), 0, "recorded");
	ok(strstr(err, "etw: provider \"" PROVIDER "\" is registered, but no event was recorded\n"),
	   "registered, and silent: %s", err);
	is(RECORD((char *)"-p", (char *)PROVIDER ":2:0x8", (char *)"--all", (char *)"0x10",
		  (char *)"--exe", (char *)"sh", (char *)"--id", (char *)"5"), 0,
	   "and restricted");
	ok(strstr(err, " is registered, but no event was recorded; selected were events "
		  "up to level 2, with one of the keywords 0x8, with all of the keywords 0x10, "
		  "of the selected processes, that pass the filters\n"),
	   "all restrictions are reported: %s", err);
	is(RECORD((char *)"-p", (char *)OTHER, (char *)"-p", (char *)PROVIDER), 0, "with another");
	ok(strstr(err, "etw: provider \"" OTHER "\" is not registered now that the command has ended: "
		  "check its name or GUID\n"),
	   "which is not registered: %s", err);
	is(RECORD((char *)"-p", (char *)OTHER ":3"), 0, "that up to a level");
	ok(strstr(err, "or GUID; selected were events up to level 3\n"), "is reported: %s", err);
	is(RECORD((char *)"-p", (char *)OTHER, (char *)"--group"), 0, "a group");
	ok(strstr(err, "etw: provider \"" OTHER "\": no event was recorded\n"), "only that: %s", err);
	is(RECORD((char *)"-p", (char *)OTHER, (char *)"-q"), 0, "quietly");
	ok(!*err, "nothing");
	etw_kdev_close(fd);
}

/*
 * If the file is removed while it is recorded, the command fails although the session has
 * written it.
 */
static void test_gone(void)
{
	char remove[80];
	const char *message = "x.etl\": is gone: it was removed or renamed while";

	snprintf(remove, sizeof(remove), "rm %s", path);
#define RECORD_WITH(command, ...)	RUN(cmd_record, (char *)"record", (char *)"-o", path,	\
					    (char *)"-p", (char *)PROVIDER, __VA_ARGS__,	\
					    (char *)"--", (char *)"sh", (char *)"-c", command)
	is(RECORD_WITH(remove, (char *)"--sequence", (char *)"local"), 1, "the file is removed");
	ok(strstr(err, message), "that is reported: %s", err);
	is(RECORD_WITH(remove, (char *)"-q"), 1, "quietly");
	ok(strstr(err, message), "it is reported, too: %s", err);
	strcat(remove, "; exit 7");
	is(RECORD_WITH(remove, (char *)"-q"), 7, "the command's own status takes precedence");
	is(RECORD_WITH((char *)":", (char *)"-q"), 0, "one that stays");
	ok(!*err, "is fine: %s", err);
}

/* ------------------------------------------------------------------------ query */

/* The disk of a log file fails: the session continues in a new one, and that is reported. */
static void test_new_file(void)
{
	char folder[] = "/tmp/etw-live.XXXXXX", file[64];

	if (!mkdtemp(folder))
		abort();
	snprintf(file, sizeof(file), "%s/x.etl", folder);
	is(RUN(cmd_start, (char *)"start", (char *)"rotated", (char *)"--file", file), 0,
	   "a session with a file");
	is(unlink(file), 0, "which was moved away");
	fake->error[0x05] = -EIO;
	is(RUN(cmd_flush, (char *)"flush", (char *)"rotated", (char *)"--new-file"), 1,
	   "flushed to a disk that fails");
	ok(strstr(err, "\"rotated\""), "the error is reported: %s", err);
	is(unlink(file), 0, "there is a new file");
	is(RUN(cmd_stop, (char *)"stop", (char *)"rotated"), 0, "stopped");
	rmdir(folder);
}

static void test_query(void)
{
	struct fake_session *s = &fake->sessions[0];

	cli_logs->log = (struct etw_session_log){
		.size = sizeof(cli_logs->log), .name_len = 5, .buffers = 9, .max_size = 64,
	};
	memcpy(cli_logs->path, "/tmp/x.etl", 5);
	s->s.mode = ETW_MODE_CIRCULAR | ETW_MODE_KBYTES;
	is(RUN(cmd_query, (char *)"query", (char *)"session"), 0, "a session with a file");
	ok(strstr(out, "\nfile         /tmp/, circular, at most 64 KB\nin the file  9 buffers"),
	   "its kind and size");
	/* The state that CONVERT_TO_REALTIME leaves */
	s->s.mode = ETW_MODE_REAL_TIME;
	is(RUN(cmd_query, (char *)"query", (char *)"session"), 0, "whose file was ended");
	ok(strstr(out, "\nmode         real-time\n") &&
	   strstr(out, "\nlast file    /tmp/\nin the file  9 buffers"),
	   "that is the last one, of no kind: %s", out);
	is(RUN(cmd_query, (char *)"query", (char *)"session", (char *)"--json"), 0, "as JSON");
	ok(strstr(out, "\"name\":\"/tmp/\",\"kind\":null,") && strstr(out, "\"max_bytes\":null"),
	   "the same line: %s", out);
	s->s.mode = ETW_MODE_REAL_TIME | ETW_MODE_SEQUENTIAL;
	is(RUN(cmd_query, (char *)"query", (char *)"session"), 0, "real time and a file");
	ok(strstr(out, "\nfile         /tmp/, sequential, at most 64 MB\n"), "is another thing");
}

/* ---------------------------------------------------------------------- verify */

#define VERIFY()	RUN(cmd_verify, (char *)"verify", (char *)"session", (char *)"--json")

/* The model has lost 7 buffers to readers; of a file, 6 more that its disk refused. */
static void test_former_reader(void)
{
	cli_logs->log = (struct etw_session_log){
		.size = sizeof(cli_logs->log), .name_len = 5, .buffers_lost = 6 + 2,
	};
	consumers[0] = (struct etw_consumer_info){ .buffers_lost = 2 };
	consumers[1] = (struct etw_consumer_info){ .pid = 9, .buffers_lost = 1 };
	consumer_count = 2;
	is(VERIFY(), 3, "a session with a file and a reader");
	ok(strstr(out, "{\"cause\":\"file\",\"buffers\":8,\"events\":0}") &&
	   strstr(out, "{\"cause\":\"reader\",\"buffers\":1,\"events\":0,\"pid\":9}"),
	   "each has its loss: %s", out);
	ok(strstr(out, "{\"cause\":\"former_reader\",\"buffers\":4,\"events\":0}"),
	   "the rest is a former reader's");
	cli_logs->log.buffers_lost = 6 + 7;
	consumers[0].buffers_lost = 7;
	consumer_count = 1;
	is(VERIFY(), 3, "only the file was too slow");
	ok(!strstr(out, "reader"), "which is no reader's loss: %s", out);
	consumer_count = 0;
	is(VERIFY(), 3, "the file has ended");
	ok(!strstr(out, "reader"), "its losses may be the same ones: %s", out);
}

int main(void)
{
	struct etw_session s = { .buffer_kb = 4, .mode = ETW_MODE_REAL_TIME };

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/x.etl", dir);
	order = mmap(NULL, sizeof(*order), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	cli_fake_init(live_ioctl);
	etw_kdev_name_session(&s, "session");
	fake_start(&s);
	test_schemas();
	test_order();
	test_missing();
	test_nothing();
	test_gone();
	test_new_file();
	test_query();
	test_around();
	test_former_reader();
	unlink(path);
	strcat(path, ".old");
	unlink(path);
	rmdir(dir);
	return done_testing();
}
