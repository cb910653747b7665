// SPDX-License-Identifier: MIT
/*
 * The judge of log files: no damage may be called complete, and the bounds of a gap hold
 * what is gone. Files of a session, of Windows and of a program are damaged at random.
 */
#include "etl_make.h"

#include <string.h>
#include <sys/stat.h>

#include "etl/file.h"
#include "etl/verify.h"
#include "etl/write.h"
#include "lib/tap.h"

#define SIZE		1024		/* bytes of a buffer */
#define CPUS		4
#define EVENTS		240
#define BUFFERS		200		/* at most, in a file */
#define BYTES		(SIZE * (BUFFERS + 50))
#define RUNS		2000		/* of each kind */

enum kind { SESSION, APPENDED, WINDOWS, PROGRAM, PACKED, KINDS };

static const char *const kinds[] = { "session", "appended", "Windows", "program", "compressed" };

/* A file, and where its buffers are */
static struct image {
	unsigned char data[BYTES];
	size_t len;
	size_t at[BUFFERS], size[BUFFERS];	/* of the buffers; [0] is the header's */
	unsigned int count;
	unsigned int events;
} good, bad;

static uint64_t seed = 1;
static char path[] = "/tmp/etw-verify-XXXXXX";

static uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

static int64_t filetime(uint64_t clock)
{
	return MAKE_START + ((int64_t)clock - 1000) / 100;
}

static void save(const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || (len && fwrite(data, len, 1, f) != 1) || fclose(f))
		abort();
}

/* ----------------------------------------------------------- undamaged files */

/* Number and its complement: an altered payload shows. */
static uint32_t payload_of(uint32_t number, uint32_t out[40])
{
	uint32_t i, words = 2 + rnd(37);

	out[0] = number;
	out[1] = ~number;
	for (i = 2; i < words; i++)
		out[i] = rnd(8) ? 0x11111111 * i : number;
	return words * 4;
}

static void begin(struct image *m, uint32_t mode, uint32_t os)
{
	struct etw_log_head head = { .header = {
		.buffer_size = SIZE, .version = { 10, 0, 1, 5 }, .processors = CPUS, .mode = mode,
		.pointer_size = 8, .start_buffers = 1, .frequency = 1000000000,
		.start_time = MAKE_START, .clock = ETW_CLOCK_QPC, .provider_version = os,
	}, .start_clock = 1000, .logger = "s", .logger_len = 1, .file = "/f", .file_len = 2 };

	memset(m, 0, sizeof(*m));
	etw_log_head_build(m->data, &head);
	m->size[0] = SIZE;
	m->len = SIZE;
	m->count = 1;
}

static struct etw_log_header *header(struct image *m)
{
	return (void *)(m->data + ETW_LOG_HEADER_AT);
}

static struct etw_buffer_header *buffer(struct image *m, unsigned int i)
{
	return (void *)(m->data + m->at[i]);
}

static void finish(struct image *m)
{
	header(m)->end_time = MAKE_START + 10000000;
	header(m)->buffers_written = m->count;
}

static void deliver(struct image *m, const void *data)
{
	if (m->count == BUFFERS)
		abort();
	memcpy(m->data + m->len, data, SIZE);
	m->at[m->count] = m->len;
	m->size[m->count++] = SIZE;
	m->len += SIZE;
}

struct writer {
	unsigned char data[CPUS][SIZE] __attribute__((__aligned__(16)));
	struct feed feed[CPUS];
	uint64_t clock, sequence;
	bool lost;		/* events, since the last buffer */
};

static void close_buffer(struct image *m, struct writer *w, unsigned int cpu, enum kind kind)
{
	struct etw_buffer_header *h = (void *)w->data[cpu];

	if (!w->feed[cpu].data)
		return;
	h->timestamp = (int64_t)++w->clock;
	if (kind != WINDOWS)
		h->sequence = (int64_t)w->sequence++;
	h->flags |= w->lost ? ETW_BUFFER_EVENTS_LOST : 0;
	w->lost = false;
	deliver(m, w->data[cpu]);
	w->feed[cpu].data = NULL;
}

/* Write events of all CPUs. */
static void write_events(struct image *m, struct writer *w, enum kind kind, unsigned int n)
{
	uint32_t words[40], len;
	unsigned int cpu;

	while (n--) {
		cpu = rnd(rnd(3) ? 2 : CPUS);
		len = payload_of(m->events, words);
		w->clock += 100 + rnd(2000);
		if (w->feed[cpu].data &&
		    feed_event(&w->feed[cpu], w->clock, m->events & 0xFFFF, NULL, words, len)) {
			m->events++;
			continue;
		}
		close_buffer(m, w, cpu, kind);
		feed_start(&w->feed[cpu], w->data[cpu], SIZE, cpu, w->sequence);
		w->sequence += kind == WINDOWS;
		w->clock += 10;
		feed_event(&w->feed[cpu], w->clock, m->events & 0xFFFF, NULL, words, len);
		m->events++;
	}
}

static void write_session(struct image *m, enum kind kind)
{
	static struct writer w;
	unsigned int cpu;

	memset(&w, 0, sizeof(w));
	w.clock = 1000 + 1000ull * m->events;
	w.sequence = kind == WINDOWS;
	write_events(m, &w, kind, EVENTS / (kind == APPENDED ? 2 : 1));
	for (cpu = 0; cpu < CPUS; cpu++)
		close_buffer(m, &w, cpu, kind);
}

/* A file that a program writes, with the library's writer */
static void write_program(struct image *m, bool compress)
{
	struct etw_etl_options options = { .buffer_size = SIZE, .compress = compress,
					   .replace = true };
	_Alignas(8) unsigned char record[SIZE];
	struct etw_etl_writer *w;
	struct etw_buffer_header h;
	struct feed feed;
	uint32_t words[40], len;
	FILE *f;

	if (etw_etl_create(path, &options, &w))
		abort();
	memset(m, 0, sizeof(*m));
	for (; m->events < EVENTS; m->events++) {
		len = payload_of(m->events, words);
		feed_start(&feed, record, SIZE, 0, 0);
		feed_event(&feed, 2000 + m->events * 50, m->events & 0xFFFF, NULL, words, len);
		len += ETW_EVENT_HEADER_SIZE;
		if (etw_etl_write(w, rnd(CPUS), record + ETW_BUFFER_HEADER_SIZE, len))
			abort();
	}
	if (etw_etl_finish(w, 0, NULL))
		abort();
	f = fopen(path, "r");
	if (!f)
		abort();
	m->len = fread(m->data, 1, BYTES, f);
	fclose(f);
	for (size_t at = 0; at < m->len; at += h.buffer_size) {
		memcpy(&h, m->data + at, sizeof(h));
		m->at[m->count] = at;
		m->size[m->count++] = h.buffer_size;
	}
}

static void make(struct image *m, enum kind kind)
{
	if (kind == PROGRAM || kind == PACKED) {
		write_program(m, kind == PACKED);
		return;
	}
	begin(m, kind == APPENDED ? EVENT_TRACE_FILE_MODE_APPEND : EVENT_TRACE_FILE_MODE_SEQUENTIAL,
	      kind == WINDOWS ? 19045 : 0);
	write_session(m, kind);
	if (kind == APPENDED)
		write_session(m, kind);
	finish(m);
}

/* ------------------------------------------------------------------- damage */

static void cut(struct image *m, size_t at, size_t len)
{
	memmove(m->data + at, m->data + at + len, m->len - at - len);
	m->len -= len;
}

static void insert(struct image *m, size_t at, const void *data, size_t len)
{
	if (m->len + len > BYTES)
		return;
	memmove(m->data + at + len, m->data + at, m->len - at);
	memcpy(m->data + at, data, len);
	m->len += len;
}

/* A random buffer but the first, by its place in the undamaged file */
static unsigned int any(const struct image *m)
{
	return 1 + rnd(m->count - 1);
}

/* Offset of a field that decides where something ends or belongs */
static size_t structure(const struct image *m)
{
	static const unsigned char of_buffer[] = { 0, 1, 2, 4, 8, 24, 25, 40, 48, 49, 52, 54 };
	static const unsigned char of_record[] = { 0, 1, 2, 3, 4 };
	unsigned int i = any(m);
	size_t at = m->at[i];
	uint32_t end, next;
	uint16_t size;

	if (rnd(2))
		return at + of_buffer[rnd(sizeof(of_buffer))];
	memcpy(&end, m->data + at + 48, sizeof(end));
	for (next = ETW_BUFFER_HEADER_SIZE; next < end && next + 8 < m->size[i];) {
		if (!rnd(3))
			break;
		memcpy(&size, m->data + at + next, sizeof(size));
		next += size ? (size + 7) / 8 * 8 : 8;
	}
	return at + next + of_record[rnd(sizeof(of_record))];
}

static uint32_t slot_of(const struct image *m, size_t at)
{
	uint16_t size;

	memcpy(&size, m->data + at, sizeof(size));
	return size ? (size + 7u) / 8 * 8 : 8;
}

/*
 * Change sizes so that all that is left makes sense: a record that swallows those behind it,
 * or a buffer whose used size ends before its last records. A compressed buffer has its used
 * size in several places; one of them stays.
 */
static void hide(struct image *m, bool packed)
{
	unsigned int i = any(m), n = 1 + rnd(3);
	size_t at = m->at[i], first, next;
	uint32_t end, used;
	uint16_t size;

	if (at + m->size[i] > m->len)
		return;
	memcpy(&end, m->data + at + 48, sizeof(end));
	if (end > m->size[i])
		return;
	for (first = ETW_BUFFER_HEADER_SIZE; first < end && rnd(3);)
		first += slot_of(m, at + first);
	for (next = first; next < end && n--;)
		next += slot_of(m, at + next);
	if (next > end || first >= end)
		return;
	if (!packed && rnd(2)) {
		size = (uint16_t)(next - first);
		memcpy(m->data + at + first, &size, sizeof(size));
		return;
	}
	used = (uint32_t)first;
	memcpy(m->data + at + 48, &used, sizeof(used));
	if (!packed) {
		memcpy(m->data + at + 4, &used, sizeof(used));
		memcpy(m->data + at + 8, &used, sizeof(used));
	}
}

static void damage(struct image *m, bool packed)
{
	unsigned char noise[3 * SIZE];
	unsigned int i = any(m), k = any(m);
	size_t at, len, j;

	for (j = 0; j < sizeof(noise); j++)
		noise[j] = (unsigned char)(rnd(4) ? rnd(256) : 0xC0);
	switch (rnd(12)) {
	case 0:		/* drop */
		if (m->at[i] + m->size[i] <= m->len)
			cut(m, m->at[i], m->size[i]);
		break;
	case 1:		/* duplicate */
		if (m->at[i] + m->size[i] <= m->len && m->at[k] <= m->len) {
			memcpy(noise, m->data + m->at[i], m->size[i]);
			insert(m, m->at[k], noise, m->size[i]);
		}
		break;
	case 2:		/* exchange, or replace by a copy */
	case 3:
		if (m->size[i] != m->size[k] || m->at[i] + m->size[i] > m->len ||
		    m->at[k] + m->size[k] > m->len)
			break;
		memcpy(noise, m->data + m->at[i], m->size[i]);
		if (rnd(2))
			memcpy(m->data + m->at[i], m->data + m->at[k], m->size[k]);
		memcpy(m->data + m->at[k], noise, m->size[i]);
		break;
	case 4:		/* truncate */
		len = rnd(2) ? m->at[i] : rnd((uint32_t)m->len);
		m->len = len < m->len && len >= m->size[0] ? len : m->len;
		break;
	case 5:		/* zeros or noise */
	case 6:
		at = m->size[0] + rnd((uint32_t)(m->len - m->size[0] + 1));
		len = 1 + rnd(rnd(2) ? 16 : 2 * SIZE);
		if (at + len > m->len)
			break;
		if (rnd(2))
			memset(noise, 0, len);
		memcpy(m->data + at, noise, len);
		break;
	case 7:		/* bytes too many or too few */
		at = m->size[0] + rnd((uint32_t)(m->len - m->size[0] + 1));
		len = 1 + rnd(SIZE);
		if (rnd(2))
			insert(m, at, noise, len);
		else if (at + len <= m->len)
			cut(m, at, len);
		break;
	case 8:
		hide(m, packed);
		break;
	default:
		at = structure(m);
		if (at < m->len)
			m->data[at] ^= (unsigned char)(rnd(2) ? 1u << rnd(8) : 1 + rnd(255));
	}
}

/* ------------------------------------------------------------------- judging */

/* Does a reader get every event exactly once, apart from those whose bytes were altered? */
static bool reads_all(const struct image *m, unsigned int *events)
{
	static unsigned char seen[2 * EVENTS];
	unsigned int altered = 0, missing = 0, twice = 0, i;
	struct etw_etl_file *file;
	struct etw_event e;
	uint32_t words[2];

	memset(seen, 0, sizeof(seen));
	*events = 0;
	if (etw_etl_open(path, NULL, NULL, &file))
		return false;
	while (etw_etl_next(file, &e) == 1) {
		if (e.record.header->type != ETW_TYPE_EVENT64 && *events == 0 &&
		    !e.record.header->desc.task)
			continue;	/* the file's header */
		++*events;
		if (e.record.data_len >= 8)
			memcpy(words, e.record.data, 8);
		if (e.record.data_len < 8 || words[0] != ~words[1] || words[0] >= m->events)
			altered++;
		else if (seen[words[0]]++)
			twice++;
	}
	etw_etl_close(file);
	for (i = 0; i < m->events; i++)
		missing += !seen[i];
	return !twice && missing == altered && *events == m->events;
}

static bool judge(struct etw_verdict *v)
{
	return !etw_etl_verify(path, v) && !etw_verdict_finish(v, 1);
}

/* Print what a wrong verdict was about, so that it can be repeated. */
static void explain(const char *kind, unsigned int run, unsigned int events)
{
	printf("# %s, run %u: called complete, but %u of %u events are there\n", kind, run, events,
	       good.events);
}

static void test_undamaged(enum kind kind)
{
	struct etw_verdict v;
	unsigned int events;

	save(good.data, good.len);
	ok(reads_all(&good, &events), "a file of a %s has all events", kinds[kind]);
	if (!ok(judge(&v), "it can be judged"))
		return;
	ok(etw_verdict_whole(&v) && !v.since, "it is complete");
	if (v.gap_count)
		printf("# %s: %s\n", etw_gap_texts[v.gaps[0].cause].key,
		       v.gaps[0].detail ? v.gaps[0].detail : "");
	is(v.events, good.events, "all events are counted");
	ok(v.numbered && v.closed && v.counted, "all of its claims hold");
	etw_verdict_free(&v);
}

static void test_damaged(enum kind kind)
{
	unsigned int run, wrong = 0, harmless = 0, found = 0, unreadable = 0, events, n;
	struct etw_verdict v;

	for (run = 0; run < RUNS; run++) {
		bad = good;
		for (n = 1 + rnd(3); n; n--)
			damage(&bad, kind == PACKED);
		save(bad.data, bad.len);
		if (!judge(&v)) {
			unreadable++;
			continue;
		}
		if (etw_verdict_whole(&v) && !v.since) {
			if (reads_all(&good, &events))
				harmless++;
			else if (wrong++ < 5)
				explain(kinds[kind], run, events);
		} else {
			found++;
		}
		etw_verdict_free(&v);
	}
	is(wrong, 0, "no damage is called complete");
	ok(found > RUNS / 2, "most damage is found: %u of %u; %u changed no event", found, RUNS,
	   harmless);
	is(unreadable, 0, "what has a header can be judged");
}

/* -------------------------------------------------------------------- bounds */

/* Is a time within one of the gaps? */
static bool within(const struct etw_verdict *v, int64_t time)
{
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (time >= v->gaps[i].first && (!v->gaps[i].last || time <= v->gaps[i].last))
			return true;
	return false;
}

static unsigned int outside(const struct etw_verdict *v, struct image *m, unsigned int i)
{
	struct etw_buffer_header *h = buffer(m, i);
	uint32_t at = ETW_BUFFER_HEADER_SIZE;
	struct etw_event_header e;
	unsigned int n = 0;

	for (; at < h->offset; at += etw_record_slot(e.size)) {
		memcpy(&e, (char *)h + at, sizeof(e));
		n += !within(v, filetime((uint64_t)e.timestamp));
	}
	return n;
}

/* Drop any number of buffers: the bounds hold each of them; times: of good are known. */
static void test_bounds(bool times)
{
	unsigned int run, i, k, out = 0, wrong = 0;
	bool gone[BUFFERS];
	struct etw_verdict v;
	uint64_t dropped, missing;

	for (run = 0; run < 200; run++) {
		bad = good;
		dropped = 0;
		for (i = good.count - 1; i; i--) {
			gone[i] = !rnd(2 + run % 20);
			dropped += gone[i];
			if (gone[i])
				cut(&bad, good.at[i], SIZE);
		}
		save(bad.data, bad.len);
		if (!judge(&v))
			continue;
		for (missing = 0, k = 0; k < v.gap_count; k++)
			missing += v.gaps[k].buffers;
		wrong += missing != dropped || etw_verdict_whole(&v) != !dropped;
		for (i = 1; i < good.count; i++)
			out += gone[i] && times ? outside(&v, &good, i) : 0;
		etw_verdict_free(&v);
	}
	is(wrong, 0, "as many buffers are missing as were dropped");
	is(out, 0, "every missing event is within the bounds of a gap");
}

/* ----------------------------------------------------------- kinds of losses */

static bool has_gap(const struct etw_verdict *v, enum etw_gap_cause cause)
{
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (v->gaps[i].cause == cause)
			return true;
	return false;
}

/* Judge a session's file that has been changed. */
static bool finds(enum etw_gap_cause cause)
{
	struct etw_verdict v;
	bool found;

	save(bad.data, bad.len);
	if (!judge(&v))
		return false;
	found = has_gap(&v, cause) && v.gap_count == 1;
	if (!found)
		printf("# %u gaps\n", v.gap_count);
	etw_verdict_free(&v);
	return found;
}

static void test_reported(void)
{
	static const struct etw_guid lost_event = ETW_GUID(0x6a399ae0, 0x4bc6, 0x4de9, 0x87, 0x0b,
							   0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e);
	struct etw_event_header *e;

	bad = good;
	header(&bad)->events_lost = 3;
	ok(finds(ETW_GAP_NOT_WRITTEN), "events that the header counts as lost");
	bad = good;
	header(&bad)->buffers_lost = 3;
	ok(finds(ETW_GAP_NOT_STORED), "buffers that the header counts as lost");
	bad = good;
	header(&bad)->buffers_written++;
	ok(finds(ETW_GAP_NOT_STORED), "a buffer more in the header than in the file");
	bad = good;
	header(&bad)->buffers_written--;
	ok(finds(ETW_GAP_SURPLUS), "a buffer less in the header than in the file");
	bad = good;
	header(&bad)->end_time = 0;
	ok(finds(ETW_GAP_NOT_CLOSED), "a file that was not closed");
	bad = good;
	buffer(&bad, 5)->flags |= ETW_BUFFER_EVENTS_LOST;
	ok(finds(ETW_GAP_FLAGGED), "a buffer's flag for lost events");
	bad = good;
	buffer(&bad, 5)->flags |= ETW_BUFFER_BUFFER_LOST;
	ok(finds(ETW_GAP_FLAGGED_BUFFER), "a buffer's flag for lost buffers");
	bad = good;
	e = (void *)((char *)buffer(&bad, 5) + ETW_BUFFER_HEADER_SIZE);
	e->provider = lost_event;
	e->desc.opcode = 32;
	ok(finds(ETW_GAP_READER), "a record of a reader's loss");
}

/* A circular file: the newest buffers, the oldest of them anywhere */
static void test_circular(void)
{
	unsigned int kept = good.count / 2, from = good.count - kept, turn = kept / 3, i, late = 0;
	struct etw_verdict v;

	bad = good;
	for (i = 0; i < kept; i++)
		memcpy(bad.data + SIZE * (1 + (i + turn) % kept), good.data + good.at[from + i], SIZE);
	bad.len = SIZE * (1 + kept);
	header(&bad)->mode = EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_USE_KBYTES_FOR_SIZE;
	header(&bad)->max_file_size = 1 + kept;
	header(&bad)->buffers_written = 1 + kept;
	save(bad.data, bad.len);
	if (!ok(judge(&v), "a circular file can be judged"))
		return;
	ok(etw_verdict_whole(&v) && v.since && v.overwritten, "it is complete since some time");
	if (v.gap_count)
		printf("# %s\n", etw_gap_texts[v.gaps[0].cause].key);
	for (i = 1; i < from; i++)
		late += buffer(&good, i)->timestamp > 0 &&
			filetime((uint64_t)buffer(&good, i)->timestamp) > v.since_time;
	is(late, 0, "what was overwritten is older");
	etw_verdict_free(&v);
	memmove(bad.data + SIZE * 4, bad.data + SIZE * 5, bad.len - SIZE * 5);
	bad.len -= SIZE;
	header(&bad)->buffers_written--;
	ok(finds(ETW_GAP_NUMBERS), "a gap in a circular file");
}

/* The same file as two of a series, without the buffers from..to - 1 */
static bool series(unsigned int to, unsigned int *gaps, uint64_t *buffers, bool *since)
{
	struct etw_verdict v[2];
	unsigned int half = good.count / 2, i, k;
	bool fine;

	bad = good;
	bad.len = SIZE * half;
	header(&bad)->buffers_written = half;
	save(bad.data, bad.len);
	fine = !etw_etl_verify(path, &v[1]);
	bad = good;
	cut(&bad, SIZE, SIZE * (to - 1));
	header(&bad)->buffers_written = good.count - to + 1;
	save(bad.data, bad.len);
	fine = fine && !etw_etl_verify(path, &v[0]) && !etw_verdict_finish(v, 2);
	if (!fine)
		return false;
	*gaps = v[0].gap_count + v[1].gap_count;
	*since = v[0].since || v[1].since;
	for (*buffers = 0, i = 0; i < 2; i++) {
		for (k = 0; k < v[i].gap_count; k++)
			*buffers += v[i].gaps[k].buffers;
		etw_verdict_free(&v[i]);
	}
	return true;
}

static void test_series(void)
{
	unsigned int gaps, half = good.count / 2;
	uint64_t buffers;
	bool since;

	ok(series(half, &gaps, &buffers, &since) && !gaps && !since,
	   "two files of a session are complete together");
	ok(series(half + 3, &gaps, &buffers, &since) && gaps == 1 && buffers == 3,
	   "buffers that are in neither are missing");
}

int main(void)
{
	unsigned int kind;
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	for (kind = 0; kind < KINDS; kind++) {
		make(&good, kind);
		test_undamaged(kind);
		test_damaged(kind);
		if (kind == SESSION || kind == WINDOWS || kind == PROGRAM)
			test_bounds(kind != PROGRAM);
		if (kind != SESSION)
			continue;
		test_reported();
		test_circular();
		test_series();
	}
	unlink(path);
	return done_testing();
}
