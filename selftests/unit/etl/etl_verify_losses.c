// SPDX-License-Identifier: MIT
/*
 * The judge of log files: each loss that a header, a buffer's flag or a record reports is a gap.
 */
#include "etl_verify_make.h"

#include "core/losses.h"

static const struct etw_guid lost_event = ETW_LOST_EVENT_GUID;

static void test_reported(void)
{
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
}

/* A record of the class RT_LostEvent with these flags: is it a gap of that file? */
static bool reports(enum kind kind, uint16_t flags, uint8_t opcode)
{
	struct etw_event_header *e;
	struct etw_verdict v;
	bool found;

	make(&good, kind);
	bad = good;
	e = (void *)((char *)buffer(&bad, 3) + ETW_BUFFER_HEADER_SIZE);
	e->provider = lost_event;
	e->desc.opcode = opcode;
	e->flags = flags;
	if (!judge_bad(&v))
		return false;
	found = has_gap(&v, ETW_GAP_READER);
	if (found == etw_verdict_whole(&v))
		abort();
	etw_verdict_free(&v);
	return found;
}

/* A process cannot make a whole file incomplete. */
static void test_lost_event(void)
{
	uint8_t opcode;

	for (opcode = 32; opcode <= 34; opcode++) {
		ok(reports(SESSION, ETW_EVENT_KERNEL_MODE, opcode), "a loss of a driver's event");
		ok(!reports(SESSION, ETW_EVENT_USER_MODE, opcode), "a process pretends a loss");
		ok(!reports(SESSION, ETW_EVENT_CLASSIC_HEADER, opcode), "by a classic event");
		ok(reports(PROGRAM, ETW_EVENT_CLASSIC_HEADER, opcode), "a record of a reader's loss");
		ok(!reports(PROGRAM, ETW_EVENT_USER_MODE, opcode), "a copy of what a process wrote");
		ok(reports(WINDOWS, ETW_EVENT_CLASSIC_HEADER, opcode), "another system's record");
		ok(reports(WINDOWS, ETW_EVENT_USER_MODE, opcode), "whatever its flags mean there");
	}
	ok(!reports(SESSION, ETW_EVENT_KERNEL_MODE, 31) && !reports(SESSION, ETW_EVENT_KERNEL_MODE, 35),
	   "other types report nothing");
}

#define LOSS_BUFFER	5

/* Replace the records of a buffer by a record of a loss. */
static int64_t put_recorded(struct image *m, int64_t events, uint16_t flags)
{
	struct etw_buffer_header *h = buffer(m, LOSS_BUFFER);
	struct etw_event_header *e = (void *)((char *)h + ETW_BUFFER_HEADER_SIZE);
	int64_t noted = filetime((uint64_t)e->timestamp), raw = e->timestamp;
	struct etw_loss_payload loss = {
		.code = ETW_DROP_NO_BUFFER, .cpu = 2, .events = events, .first = noted - 50,
		.last = noted - 10, .noted = noted, .provider = ETW_LEDGER_GUID,
	};

	memset(e, ETW_TAIL_BYTE, SIZE - ETW_BUFFER_HEADER_SIZE);
	h->offset = ETW_BUFFER_HEADER_SIZE + etw_loss_build((void *)e, &loss, "s", 1, raw, flags);
	h->saved_offset = h->offset;
	h->current_offset = h->offset;
	h->flags |= ETW_BUFFER_EVENTS_LOST;
	return noted;
}

static uint64_t events_of(const struct etw_verdict *v, enum etw_gap_cause cause)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < v->gap_count; i++)
		if (v->gaps[i].cause == cause)
			sum += v->gaps[i].events;
	return sum;
}

/* Losses that the session recorded itself */
static void test_recorded(void)
{
	struct etw_verdict v;
	int64_t noted;

	bad = good;
	noted = put_recorded(&bad, 3, ETW_EVENT_KERNEL_MODE);
	header(&bad)->events_lost = 3;
	if (!ok(judge_bad(&v), "a file whose session recorded a loss can be judged"))
		return;
	ok(v.gap_count == 1 && v.gaps[0].cause == ETW_GAP_NOT_WRITTEN && v.gaps[0].events == 3,
	   "the record is the gap: no flag, no count");
	ok(v.gaps[0].first == noted - 50 && v.gaps[0].last == noted - 10, "its bounds");
	ok(v.gaps[0].cpu == 2 && v.gaps[0].has_provider && v.gaps[0].detail &&
	   !strcmp(v.gaps[0].detail, "no free buffer"), "its CPU, provider and cause");
	etw_verdict_free(&v);

	header(&bad)->events_lost = 5;
	ok(judge_bad(&v) && has_gap(&v, ETW_GAP_FLAGGED) && v.gap_count == 3 &&
	   events_of(&v, ETW_GAP_NOT_WRITTEN) == 5, "a record that does not count all");
	etw_verdict_free(&v);

	header(&bad)->events_lost = 3;
	header(&bad)->end_time = 0;
	ok(judge_bad(&v) && has_gap(&v, ETW_GAP_FLAGGED) && has_gap(&v, ETW_GAP_NOT_CLOSED) &&
	   events_of(&v, ETW_GAP_NOT_WRITTEN) == 3, "a file that was not closed");
	etw_verdict_free(&v);

	bad = good;
	put_recorded(&bad, 3, ETW_EVENT_KERNEL_MODE);
	header(&bad)->events_lost = 6;
	memcpy(bad.data + bad.at[LOSS_BUFFER + 1], bad.data + bad.at[LOSS_BUFFER], SIZE);
	ok(judge_bad(&v) && v.recorded == 3 && has_gap(&v, ETW_GAP_DUPLICATE) &&
	   events_of(&v, ETW_GAP_NOT_WRITTEN) == 6, "a copy of a record adds nothing");
	etw_verdict_free(&v);

	bad = good;
	put_recorded(&bad, 3, ETW_EVENT_USER_MODE);
	header(&bad)->events_lost = 3;
	ok(judge_bad(&v) && !v.recorded && has_gap(&v, ETW_GAP_FLAGGED), "a process cannot record a loss");
	etw_verdict_free(&v);
}

/* ------------------------------------------- buffers that the file did not get */

#define MISSING		4	/* buffers */
#define MISSING_EVENTS	9

static struct etw_losses lost_to_file(const struct etw_buffer_header *last, int64_t buffers)
{
	struct etw_losses losses = { 0 };
	struct etw_loss_payload loss = {
		.code = ETW_LOSS_DISK_FULL, .cpu = -1, .events = MISSING_EVENTS, .buffers = buffers,
		.first = filetime((uint64_t)last->timestamp) - 100,
		.last = filetime((uint64_t)last->timestamp) - 10,
	};

	etw_losses_add(&losses, &loss);
	etw_losses_add_missing_buffer(&losses, last, last->timestamp - 1);
	return losses;
}

/* The buffers before the one at i and itself are missing, and one records them. */
static void put_stand_in(struct image *m, unsigned int i, int64_t recorded)
{
	struct etw_losses losses = lost_to_file(buffer(m, i), recorded);
	struct etw_loss_output output = {
		.data = m->data + m->at[i], .end = SIZE, .timestamp = losses.closed,
		.noted = filetime((uint64_t)losses.closed), .session = "s", .session_len = 1,
	};
	unsigned int n = MISSING - 1;

	etw_losses_stand_in(&losses, &output);
	memset(output.data + output.at, ETW_TAIL_BYTE, SIZE - output.at);
	memmove(m->data + m->at[i - n], m->data + m->at[i], m->len - m->at[i]);
	m->len -= n * SIZE;
	header(m)->buffers_written -= n;
	header(m)->buffers_lost = MISSING;
}

/* The last buffers are missing, and the first one records them. */
static void put_in_head(struct image *m, int64_t recorded)
{
	struct etw_losses losses = lost_to_file(buffer(m, m->count - 1), recorded);
	struct etw_buffer_header *h = (void *)m->data;
	struct etw_loss_output output = {
		.data = m->data, .at = h->offset, .end = SIZE, .timestamp = 1000,
		.noted = MAKE_START, .session = "s", .session_len = 1,
	};

	etw_losses_build(&losses, &output);
	h->offset = output.at;
	h->saved_offset = output.at;
	h->current_offset = output.at;
	m->len -= MISSING * SIZE;
	header(m)->buffers_written -= MISSING;
	header(m)->buffers_lost = MISSING;
}

/* The gaps that judging finds, and whether one is that the file records */
static bool lost_is(unsigned int gaps, uint64_t buffers, int64_t from)
{
	struct etw_verdict v;
	uint64_t least, most;
	bool good = false;
	uint32_t i;

	if (!judge_bad(&v))
		return false;
	etw_verdict_lost(&v, &least, &most);
	for (i = 0; i < v.gap_count; i++) {
		if (v.gap_count != gaps)
			printf("# %s: %s\n", etw_gap_texts[v.gaps[i].cause].key, v.gaps[i].detail);
		good |= v.gaps[i].cause == ETW_GAP_LOST && v.gaps[i].buffers == buffers &&
			v.gaps[i].events == MISSING_EVENTS && v.gaps[i].from == from &&
			!strcmp(v.gaps[i].detail, "the disk or a quota was full");
	}
	good &= v.gap_count == gaps && least == MISSING_EVENTS && (gaps > 1 || most == least);
	etw_verdict_free(&v);
	return good;
}

/* Where buffers are not in their places, a record may be another session's. */
static void test_out_of_place(void)
{
	uint64_t least, most;
	struct etw_verdict v;

	make(&good, SESSION);
	bad = good;
	put_recorded(&bad, 7, ETW_EVENT_KERNEL_MODE);
	if (!ok(judge_bad(&v), "a file with a record can be judged"))
		return;
	etw_verdict_lost(&v, &least, &most);
	is(least, 7, "it says how much is missing");
	etw_verdict_free(&v);
	insert(bad.data, &bad.len, bad.at[LOSS_BUFFER + 1], bad.data + bad.at[LOSS_BUFFER - 1], SIZE);
	if (!ok(judge_bad(&v), "so can one with a buffer twice"))
		return;
	etw_verdict_lost(&v, &least, &most);
	ok(!least && most >= 7, "then it says at most how much");
	etw_verdict_free(&v);
}

static void test_lost_to_file(void)
{
	int64_t first;

	bad = good;
	first = buffer(&bad, 20)->sequence - (MISSING - 1);
	put_stand_in(&bad, 20, MISSING);
	ok(lost_is(1, MISSING, first), "a buffer records exactly what is missing before it");
	cut(bad.data, &bad.len, SIZE * 40, SIZE);
	header(&bad)->buffers_written--;
	ok(lost_is(2, MISSING, first), "another one that is missing is a gap of its own");

	bad = good;
	put_stand_in(&bad, 20, MISSING - 1);
	ok(lost_is(2, MISSING - 1, first + 1), "a buffer more is missing than it records");

	bad = good;
	put_stand_in(&bad, MISSING, MISSING);
	ok(lost_is(1, MISSING, 0), "the first ones are missing");

	bad = good;
	put_in_head(&bad, MISSING);
	ok(lost_is(1, MISSING, -1), "the first buffer records what is missing at the end");
	cut(bad.data, &bad.len, SIZE * 40, SIZE);
	ok(lost_is(2, MISSING, -1), "a missing buffer is not one that was recorded");

	bad = good;
	put_in_head(&bad, MISSING - 1);
	ok(lost_is(2, MISSING - 1, -1), "the header counts more than is recorded");
}
/* ------------------------------------------------------------- very many losses */

#define MANY	(ETW_GAPS_MAX + 100)

static const struct etw_loss_payload one_lost = {
	.code = ETW_DROP_NO_BUFFER, .cpu = 1, .events = 2, .first = MAKE_START + 1000,
	.last = MAKE_START + 1001, .noted = MAKE_START + 2000,
};

/* A log file that grows to any size, in path, and the verdict on it */
static struct big {
	FILE *file;
	unsigned char data[0x10000] __attribute__((__aligned__(16)));
	uint64_t sequence;
	uint32_t at, buffers;
	struct etw_verdict v;
	uint64_t least, most;	/* events that are lost by the verdict */
} big;

static void big_begin(void)
{
	begin(&bad, EVENT_TRACE_FILE_MODE_SEQUENTIAL, 0);
	etw_verdict_free(&big.v);
	memset(&big, 0, sizeof(big));
	big.file = fopen(path, "w");
	if (!big.file || fwrite(bad.data, SIZE, 1, big.file) != 1)
		abort();
	big.buffers = 1;
}

/* Put the records so far into a buffer of SIZE bytes. */
static void big_put(void)
{
	struct etw_buffer_header *h = (void *)big.data;

	h->timestamp = (int64_t)(2000000 + big.sequence++);
	h->offset = h->saved_offset = h->current_offset = big.at;
	if (fwrite(big.data, SIZE, 1, big.file) != 1)
		abort();
	big.buffers++;
	big.at = 0;
}

static unsigned char *big_room(uint32_t len)
{
	struct feed feed;

	if (big.at && big.at + len > SIZE)
		big_put();
	if (!big.at) {
		feed_start(&feed, big.data, SIZE, 0, big.sequence);
		big.at = ETW_BUFFER_HEADER_SIZE;
	}
	return big.data + big.at;
}

/* Add so many records of a loss, each 100 ns later and of the CPU that is by step the next one. */
static void big_add(struct etw_loss_payload loss, unsigned int count, int step)
{
	for (; count; count--, loss.first++, loss.last++, loss.cpu += step)
		big.at += etw_loss_build(big_room(ETW_LOSS_SLOT_MAX), &loss, "s", 1,
					 1000 + (loss.noted - MAKE_START) * 100,
					 ETW_EVENT_KERNEL_MODE);
}

/* Close the file, with this count of lost events, and judge it. */
static void big_end(uint32_t lost)
{
	if (big.at)
		big_put();
	finish(&bad);
	header(&bad)->buffers_written = big.buffers;
	header(&bad)->events_lost = lost;
	rewind(big.file);
	if (fwrite(bad.data, SIZE, 1, big.file) != 1 || fclose(big.file) || !judge(&big.v))
		abort();
	etw_verdict_lost(&big.v, &big.least, &big.most);
}

/* The first buffer says that nobody closed the file before its session appended to it. */
static void put_unclosed(struct image *m)
{
	struct etw_buffer_header *h = (void *)m->data;
	struct etw_loss_payload loss = {
		.code = ETW_LOSS_FILE_UNCLOSED, .cpu = -1, .events = -1, .buffers = -1,
		.first = MAKE_START, .last = MAKE_START + 1000, .noted = MAKE_START + 1000,
	};

	h->offset += etw_loss_build(m->data + h->offset, &loss, "s", 1, 1000,
				    ETW_EVENT_KERNEL_MODE);
	h->saved_offset = h->current_offset = h->offset;
}

/*
 * What a session has recorded whose losses no header counts does not account for those of a later
 * session, of which only a flag gives the place.
 */
static void test_unclosed(void)
{
	struct etw_verdict v;

	make(&good, APPENDED);
	bad = good;
	put_unclosed(&bad);
	put_recorded(&bad, 12, ETW_EVENT_KERNEL_MODE);
	buffer(&bad, bad.count - 2)->flags |= ETW_BUFFER_EVENTS_LOST;
	header(&bad)->events_lost = 3;
	if (!ok(judge_bad(&v), "a file that was appended to after a crash can be judged"))
		return;
	is(events_of(&v, ETW_GAP_NOT_WRITTEN), 12, "the first session's record is a gap");
	ok(has_gap(&v, ETW_GAP_FLAGGED), "and so is a flag of the second one");
	etw_verdict_free(&v);
	make(&good, SESSION);
}

/* Hints fill no place of a list that has exact records; those are not forgotten with them. */
static void test_many_hints(void)
{
	struct etw_loss_payload loss = one_lost;
	struct etw_event_header e = {
		.size = ETW_EVENT_HEADER_SIZE, .type = ETW_TYPE_EVENT64, .timestamp = 150000,
		.provider = lost_event, .flags = ETW_EVENT_KERNEL_MODE, .desc.opcode = 32,
	};
	unsigned int i;

	big_begin();
	for (i = 0; i < MANY; i++) {
		memcpy(big_room(sizeof(e)), &e, sizeof(e));
		big.at += sizeof(e);
	}
	loss.events = 7;
	big_add(loss, 1, 0);
	big_end(7);
	ok(!etw_verdict_whole(&big.v) && big.v.gap_count == 1 && !big.v.more && big.least == 7 &&
	   big.most == 7, "records account for %u hints, and remain", MANY);
}

/* All are counted, and damage keeps its place. */
static void test_many_records(void)
{
	struct etw_loss_payload loss = one_lost;
	const struct etw_gap *gap;

	big_begin();
	loss.cpu = 0;
	big_add(loss, MANY, 1);
	big_put();
	big.sequence += 3;
	big_room(0);
	big_end(2 * MANY);
	gap = &big.v.gaps[0];
	ok(big.least == 2 * MANY && big.most != ETW_GAP_UNKNOWN && big.most >= big.least,
	   "all records count");
	ok(big.v.gap_count == ETW_GAPS_MAX && big.v.more == MANY + 1 - ETW_GAPS_MAX &&
	   gap->cause == ETW_GAP_NUMBERS && gap->buffers == 3,
	   "missing buffers have a place before them");

	big_begin();
	big_add(one_lost, MANY, 0);
	big_end(2 * MANY);
	gap = &big.v.gaps[0];
	ok(!big.v.more && big.least == 2 * MANY && big.most == big.least && gap->events == 4 &&
	   gap->last == gap->first + 2, "records of one CPU and cause share gaps");
}

/* Counts that no session can have */
static void test_huge(void)
{
	struct etw_loss_payload loss = one_lost;
	struct etw_verdict v;

	big_begin();
	loss.events = INT64_MAX;
	big_add(loss, 3, 0);
	big_end(3);
	ok(big.least == ETW_GAP_UNKNOWN - 1 && big.most == ETW_GAP_UNKNOWN, "a sum does not wrap");
	bad = good;
	header(&bad)->end_time = INT64_MAX;
	ok(judge_bad(&v) && etw_verdict_whole(&v), "the latest end that a header can have");
	etw_verdict_free(&v);
}

/* The session counts one event of each buffer that was not finished; there may be more. */
static void test_abandoned(void)
{
	struct etw_loss_payload loss = one_lost;

	big_begin();
	loss.code = ETW_LOSS_ABANDONED;
	loss.events = 3;
	loss.buffers = 2;
	big_add(loss, 1, 0);
	big_end(3);
	ok(big.v.gap_count == 1 && big.least == 3 &&
	   big.most == 2 * (SIZE / sizeof(struct etw_message_header)),
	   "buffers that were not finished may have had more events");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	make(&good, SESSION);
	test_reported();
	test_lost_event();
	make(&good, SESSION);
	test_recorded();
	test_out_of_place();
	test_lost_to_file();
	test_unclosed();
	test_many_hints();
	test_many_records();
	test_huge();
	test_abandoned();
	etw_verdict_free(&big.v);
	unlink(path);
	return done_testing();
}
