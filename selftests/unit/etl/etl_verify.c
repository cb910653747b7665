// SPDX-License-Identifier: MIT
/*
 * The judge of log files: no damage may be called complete, and the bounds of a gap hold
 * what is gone. Files of a session, of Windows and of a program are damaged at random.
 */
#include "etl_verify_make.h"

#include <inttypes.h>

#define RUNS		2000		/* of each kind */

static const char *const kinds[] = { "session", "appended", "Windows", "program", "compressed" };

/* ------------------------------------------------------------------- damage */

/* A random buffer but the first, by its place in the undamaged file */
static unsigned int any(const struct image *m)
{
	return 1 + pick(m->count - 1);
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

	if (pick(2))
		return at + of_buffer[pick(sizeof(of_buffer))];
	memcpy(&end, m->data + at + 48, sizeof(end));
	for (next = ETW_BUFFER_HEADER_SIZE; next < end && next + 8 < m->size[i];) {
		if (!pick(3))
			break;
		memcpy(&size, m->data + at + next, sizeof(size));
		next += size ? (size + 7) / 8 * 8 : 8;
	}
	return at + next + of_record[pick(sizeof(of_record))];
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
	unsigned int i = any(m), n = 1 + pick(3);
	size_t at = m->at[i], first, next;
	uint32_t end, used;
	uint16_t size;

	if (at + m->size[i] > m->len)
		return;
	memcpy(&end, m->data + at + 48, sizeof(end));
	if (end > m->size[i])
		return;
	for (first = ETW_BUFFER_HEADER_SIZE; first < end && pick(3);)
		first += slot_of(m, at + first);
	for (next = first; next < end && n--;)
		next += slot_of(m, at + next);
	if (next > end || first >= end)
		return;
	if (!packed && pick(2)) {
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
		noise[j] = (unsigned char)(pick(4) ? pick(256) : 0xC0);
	switch (pick(12)) {
	case 0:		/* drop */
		if (m->at[i] + m->size[i] <= m->len)
			cut(m->data, &m->len, m->at[i], m->size[i]);
		break;
	case 1:		/* duplicate */
		if (m->at[i] + m->size[i] <= m->len && m->at[k] <= m->len) {
			memcpy(noise, m->data + m->at[i], m->size[i]);
			insert(m->data, &m->len, m->at[k], noise, m->size[i]);
		}
		break;
	case 2:		/* exchange, or replace by a copy */
	case 3:
		if (m->size[i] != m->size[k] || m->at[i] + m->size[i] > m->len ||
		    m->at[k] + m->size[k] > m->len)
			break;
		memcpy(noise, m->data + m->at[i], m->size[i]);
		if (pick(2))
			memcpy(m->data + m->at[i], m->data + m->at[k], m->size[k]);
		memcpy(m->data + m->at[k], noise, m->size[i]);
		break;
	case 4:		/* truncate */
		len = pick(2) ? m->at[i] : pick((uint32_t)m->len);
		m->len = len < m->len && len >= m->size[0] ? len : m->len;
		break;
	case 5:		/* zeros or noise */
	case 6:
		at = m->size[0] + pick((uint32_t)(m->len - m->size[0] + 1));
		len = 1 + pick(pick(2) ? 16 : 2 * SIZE);
		if (at + len > m->len)
			break;
		if (pick(2))
			memset(noise, 0, len);
		memcpy(m->data + at, noise, len);
		break;
	case 7:		/* bytes too many or too few */
		at = m->size[0] + pick((uint32_t)(m->len - m->size[0] + 1));
		len = 1 + pick(SIZE);
		if (pick(2))
			insert(m->data, &m->len, at, noise, len);
		else if (at + len <= m->len)
			cut(m->data, &m->len, at, len);
		break;
	case 8:
		hide(m, packed);
		break;
	default:
		at = structure(m);
		if (at < m->len)
			m->data[at] ^= (unsigned char)(pick(2) ? 1u << pick(8) : 1 + pick(255));
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
		for (n = 1 + pick(3); n; n--)
			damage(&bad, kind == PACKED);
		if (!judge_bad(&v)) {
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
			gone[i] = !pick(2 + run % 20);
			dropped += gone[i];
			if (gone[i])
				cut(bad.data, &bad.len, good.at[i], SIZE);
		}
		if (!judge_bad(&v))
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

/* A file with nothing but a buffer and its copy, in place of another one */
static void test_copies(void)
{
	struct etw_verdict v;

	bad = good;
	memcpy(bad.data + 2 * SIZE, bad.data + SIZE, SIZE);
	bad.len = 3 * SIZE;
	header(&bad)->buffers_written = 3;
	ok(judge_bad(&v) && has_gap(&v, ETW_GAP_DUPLICATE) && has_gap(&v, ETW_GAP_NOT_STORED),
	   "nothing but copies of one buffer");
	etw_verdict_free(&v);
}

static uint64_t buffers_of(const struct etw_verdict *v)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		sum += v->gaps[i].buffers;
	return sum;
}

/* A buffer that cannot be read is missing once, amid others or at the end. */
static void test_damaged_buffer(void)
{
	uint64_t least, most[2];
	struct etw_verdict v;

	bad = good;
	bad.len -= SIZE;
	header(&bad)->buffers_written = bad.count;
	ok(judge_bad(&v) && buffers_of(&v) == 1, "a buffer is cut off");
	etw_verdict_lost(&v, &least, &most[0]);
	etw_verdict_free(&v);
	bad.len += SIZE - 1;
	ok(judge_bad(&v) && has_gap(&v, ETW_GAP_BUFFER) && buffers_of(&v) == 1,
	   "a part of it is one buffer, too");
	etw_verdict_lost(&v, &least, &most[1]);
	is(most[1], most[0], "with as many events");
	etw_verdict_free(&v);
	bad = good;
	memset(bad.data + bad.at[5], 0, SIZE);
	ok(judge_bad(&v) && has_gap(&v, ETW_GAP_BUFFER) && has_gap(&v, ETW_GAP_NUMBERS) &&
	   buffers_of(&v) == 1, "and so is one that is not there");
	etw_verdict_lost(&v, &least, &most[1]);
	is(most[1], most[0], "with as many events");
	etw_verdict_free(&v);
}

/* Sessions of one buffer each, which all have the number 0 */
static void test_short_sessions(void)
{
	struct etw_verdict v;
	unsigned int i;

	begin(&bad, EVENT_TRACE_FILE_MODE_APPEND, 0);
	for (i = 0; i < 3; i++)
		write_session(&bad, APPENDED, 1);
	finish(&bad);
	ok(bad.count == 4 && judge_bad(&v) && etw_verdict_whole(&v) && !v.since,
	   "sessions of one buffer are complete");
	etw_verdict_free(&v);
	memcpy(bad.data + 3 * SIZE, bad.data + 2 * SIZE, SIZE);
	ok(judge_bad(&v) && has_gap(&v, ETW_GAP_DUPLICATE) && has_gap(&v, ETW_GAP_NOT_STORED),
	   "but not if one is there twice");
	etw_verdict_free(&v);
	memcpy(bad.data + 2 * SIZE, bad.data + 3 * SIZE, SIZE);
	memcpy(bad.data + SIZE, bad.data + 3 * SIZE, SIZE);
	ok(judge_bad(&v) && v.gap_count == 3 && has_gap(&v, ETW_GAP_NOT_STORED) &&
	   !has_gap(&v, ETW_GAP_SURPLUS), "and if it is all that there is: two copies, two missing");
	etw_verdict_free(&v);
}

/* A program has read a file that lacks a buffer, which may have been larger than its own. */
static void test_foreign_buffer(void)
{
	struct etw_verdict v;
	uint64_t least, most;

	bad = good;
	header(&bad)->buffers_lost = 1;
	ok(judge_bad(&v) && has_gap(&v, ETW_GAP_NOT_STORED), "a buffer that was not read");
	etw_verdict_lost(&v, &least, &most);
	is(most, ETW_GAP_UNKNOWN, "had any number of events");
	etw_verdict_free(&v);
}

/* ------------------------------------------------------------- a wall clock that is set */

/* Set the wall clock of a file while its buffer i is open. */
static void set_back(struct image *m, unsigned int i, int64_t by)
{
	struct etw_buffer_header *first = (void *)m->data, *h;
	int64_t begun;

	for (; i < m->count; i++) {
		h = buffer(m, i);
		memcpy(&begun, (char *)h + ETW_BUFFER_HEADER_SIZE + 16, sizeof(begun));
		h->ref_clock = begun;
		h->ref_time = filetime((uint64_t)begun) - by;
	}
	header(m)->end_time -= by;
	first->ref_time -= by;
}

static void test_set_back(void)
{
	static const int64_t steps[] = { -3000000000, 600000000, 3000000000 };
	unsigned int i, k, last = good.count - 1;
	struct etw_buffer_header *h;
	struct etw_verdict v;

	for (i = 0; i < 3; i++) {
		bad = good;
		set_back(&bad, 1, 0);
		header(&bad)->end_time -= steps[i];
		((struct etw_buffer_header *)bad.data)->ref_time -= steps[i];
		ok(judge_bad(&v) && etw_verdict_whole(&v),
		   "a step of %" PRId64 " s in the last buffer", -steps[i] / 10000000);
		etw_verdict_free(&v);
		for (k = 5; k + 2 < last; k += 20) {
			bad = good;
			set_back(&bad, 1, 0);
			set_back(&bad, k, steps[i]);
			cut(bad.data, &bad.len, good.at[k + 2], SIZE);
			if (!judge_bad(&v))
				abort();
			if (v.gap_count != 1 || v.gaps[0].cause != ETW_GAP_NUMBERS ||
			    outside(&v, &good, k + 2) || v.gaps[0].last < v.gaps[0].first)
				break;
			etw_verdict_free(&v);
		}
		ok(k + 2 >= last, "a buffer missing after a step is listed with its time");
	}
	bad = good;
	h = buffer(&bad, last);
	h->timestamp = CLOSED + 10000000;
	ok(finds(ETW_GAP_STRANGE), "a buffer that was delivered after the file was closed");
}

/* ---------------------------------------------------- circular files and series */

/* A circular file: the newest buffers, the oldest of them anywhere */
static void test_circular(void)
{
	unsigned int kept = good.count / 2, from = good.count - kept, turn = kept / 3, i, late = 0;
	uint64_t least, most;
	struct etw_verdict v;

	bad = good;
	for (i = 0; i < kept; i++)
		memcpy(bad.data + SIZE * (1 + (i + turn) % kept), good.data + good.at[from + i], SIZE);
	bad.len = SIZE * (1 + kept);
	header(&bad)->mode = EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_USE_KBYTES_FOR_SIZE;
	header(&bad)->max_file_size = 1 + kept;
	header(&bad)->buffers_written = 1 + kept;
	if (!ok(judge_bad(&v), "a circular file can be judged"))
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
	memset(bad.data + SIZE, 0, bad.len - SIZE);
	if (!ok(judge_bad(&v), "one with a damaged rest can be judged"))
		return;
	etw_verdict_lost(&v, &least, &most);
	ok(has_gap(&v, ETW_GAP_BUFFER) && most == ETW_GAP_UNKNOWN,
	   "nobody knows how much it had before");
	etw_verdict_free(&v);
	bad.len = SIZE;
	if (!ok(judge_bad(&v), "its first buffer alone can be judged"))
		return;
	etw_verdict_lost(&v, &least, &most);
	ok(!etw_verdict_whole(&v) && !v.since && most == ETW_GAP_UNKNOWN,
	   "then nobody knows how much is missing");
	etw_verdict_free(&v);
}

/* A snapshot that was taken right after another one has nothing, and says so. */
static void test_empty_snapshot(void)
{
	struct etw_verdict v;

	begin(&bad, EVENT_TRACE_BUFFERING_MODE, 0);
	finish(&bad);
	if (!ok(judge_bad(&v), "an empty snapshot can be judged"))
		return;
	ok(etw_verdict_whole(&v) && v.since && v.overwritten && v.since_time == v.end,
	   "it covers nothing that was written before it");
	etw_verdict_free(&v);
	header(&bad)->buffers_written = 3;
	if (!ok(judge_bad(&v), "one that lost its buffers can be judged"))
		return;
	ok(!etw_verdict_whole(&v) && !v.since, "it is not complete");
	etw_verdict_free(&v);
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
	cut(bad.data, &bad.len, SIZE, SIZE * (to - 1));
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
	pick_seed = 1;
	for (kind = 0; kind < KINDS; kind++) {
		make(&good, kind);
		test_undamaged(kind);
		test_damaged(kind);
		if (kind == SESSION || kind == WINDOWS || kind == PROGRAM)
			test_bounds(kind != PROGRAM);
		if (kind == APPENDED)
			test_short_sessions();
		if (kind == PROGRAM)
			test_foreign_buffer();
		if (kind != SESSION)
			continue;
		test_copies();
		test_damaged_buffer();
		test_set_back();
		test_circular();
		test_empty_snapshot();
		test_series();
	}
	unlink(path);
	return done_testing();
}
