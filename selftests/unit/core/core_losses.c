/* SPDX-License-Identifier: MIT */
/*
 * core_losses - what one stream loses, added up by cause and recorded in its own buffer
 */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "core/losses.h"

#define ROOM	4096

/* The index of a cause's sum */
#define KIND(cause)	(ETW_LOSS_OTHER_KINDS + ETW_LOSS_##cause - ETW_LOSS_ABANDONED)

static u8 *data;

static struct etw_loss_payload loss(u32 code, s32 cpu, s64 events, s64 first, s64 last)
{
	struct etw_loss_payload l = {
		.code = code, .cpu = cpu, .events = events, .buffers = 1, .first = first,
		.last = last, .provider = ETW_LEDGER_GUID,
	};

	return l;
}

static void add(struct etw_losses *to, u32 code, s32 cpu, s64 events, s64 first, s64 last)
{
	struct etw_loss_payload l = loss(code, cpu, events, first, last);

	etw_losses_add(to, &l);
}

static void miss(struct etw_losses *to, s64 sequence, u16 flags)
{
	struct etw_buffer_header h = {
		.buffer_size = ROOM, .sequence = sequence, .flags = flags, .logger_id = 3,
		.clock = ETW_CLOCK_QPC | 1000ULL << ETW_CLOCK_FREQ_SHIFT,
		.state = ETW_BUFFER_STATE_FLUSH, .processor = 2,
	};

	etw_losses_add_missing_buffer(to, &h, 100 + sequence);
}

static u32 stand_in(const struct etw_losses *from, u32 *used)
{
	struct etw_loss_output output = {
		.data = data, .end = ROOM, .timestamp = from->closed, .noted = 5000,
		.session = "s", .session_len = 1,
	};
	u32 built = etw_losses_stand_in(from, &output);

	*used = output.at;
	memset(data + output.at, ETW_TAIL_BYTE, ROOM - output.at);
	return built;
}

static void test_add(void)
{
	static const struct etw_guid none;
	struct etw_losses l = { 0 };
	const struct etw_loss_payload *sum = &l.sum[KIND(CONSUMER)];
	struct etw_loss_payload other;

	add(&l, ETW_LOSS_CONSUMER, 1, 10, 100, 200);
	ok(l.present == 1u << KIND(CONSUMER) && sum->events == 10 && sum->cpu == 1,
	   "the first loss of a cause is its sum");
	add(&l, ETW_LOSS_CONSUMER, 1, 5, 50, 150);
	ok(sum->events == 15 && sum->buffers == 2 && sum->first == 50 && sum->last == 200 &&
	   sum->cpu == 1, "another one of the CPU widens it");
	ok(memcmp(&sum->provider, &none, sizeof(none)), "of the same provider");
	add(&l, ETW_LOSS_CONSUMER, 2, 1, 50, 300);
	ok(sum->cpu == -1, "of two CPUs it names none");
	other = loss(ETW_LOSS_CONSUMER, 2, -1, 60, 70);
	memset(&other.provider, 1, sizeof(other.provider));
	etw_losses_add(&l, &other);
	ok(sum->events == -1 && sum->buffers == 4, "an unknown number makes it unknown");
	ok(!memcmp(&sum->provider, &none, sizeof(none)), "of two providers it names none");
	add(&l, 0x7777, 1, 1, 1, 1);
	add(&l, ETW_DROP_CAUSES, 1, 1, 1, 1);
	is(l.present, 1u << KIND(CONSUMER), "a cause that is not known is not added");
}

/* What nobody counted of missed probes, as where perf refuses a counter, hides no number. */
static void test_uncounted(void)
{
	struct etw_losses l = { 0 }, read = { 0 };
	const struct etw_loss_payload *counted = &read.sum[ETW_DROP_PROBE];
	const struct etw_loss_payload *uncounted = &read.sum[ETW_LOSS_UNCOUNTED_KIND];
	u32 built, used;

	add(&l, ETW_DROP_PROBE, 1, 3, 100, 200);
	add(&l, ETW_DROP_PROBE, -1, -1, 150, 250);
	add(&l, ETW_DROP_PROBE, 1, 4, 300, 400);
	add(&l, ETW_DROP_PROBE, -1, -1, 350, 450);
	miss(&l, 4, 0);
	built = stand_in(&l, &used);
	is(built, l.present, "both are recorded");
	etw_losses_add_records(&read, data, ETW_BUFFER_HEADER_SIZE, used);
	ok(counted->events == 7 && counted->cpu == 1 && counted->last == 400, "the counted ones");
	ok(uncounted->code == ETW_DROP_PROBE && uncounted->events == -1 && uncounted->first == 150,
	   "the others apart from them");
	etw_losses_clear(&l, built);
	ok(!l.present, "nothing is left");
}

static void test_stand_in(void)
{
	const struct etw_buffer_header *h = (const void *)data;
	struct etw_losses l = { 0 }, read = { 0 };
	struct etw_buffer_header checked;
	u32 built, used;

	add(&l, ETW_LOSS_CONSUMER, 1, 10, 100, 200);
	miss(&l, 6, ETW_BUFFER_EVENTS_LOST | ETW_BUFFER_PROCESSOR_INDEX);
	add(&l, ETW_LOSS_CONSUMER, 1, 20, 200, 300);
	add(&l, ETW_DROP_NO_BUFFER, 0, 7, 120, 130);
	miss(&l, 7, ETW_BUFFER_PROCESSOR_INDEX);
	built = stand_in(&l, &used);
	is(built, l.present, "all fit in one buffer");
	is(etw_buffer_check(data, ROOM, &checked), 0, "it is a good buffer");
	ok(h->sequence == 7 && h->processor == 2 && h->offset == used, "in place of the last one");
	is(h->flags, ETW_BUFFER_EVENTS_LOST | ETW_BUFFER_PROCESSOR_INDEX | ETW_BUFFER_BUFFER_LOST,
	   "with the flags of all");
	etw_losses_add_records(&read, data, ETW_BUFFER_HEADER_SIZE, used);
	ok(read.present == l.present && read.sum[KIND(CONSUMER)].events == 30 &&
	   read.sum[KIND(CONSUMER)].buffers == 2 && read.sum[0].events == 7 &&
	   read.sum[0].noted == 5000, "its records can be read");
	etw_losses_clear(&l, built);
	ok(!l.present && !l.missing, "nothing is left");
}

/* More causes than fit: the stream's own come first, and the rest stays. */
static void test_little_room(void)
{
	struct etw_losses l = { 0 };
	struct etw_loss_output output = { .data = data, .end = 2 * ETW_LOSS_SLOT_MAX };
	u32 built, i;

	for (i = 0; i < ETW_DROP_CAUSES; i++)
		add(&l, i, 0, 1, 1, 1);
	add(&l, ETW_LOSS_DISK_FULL, 0, 1, 1, 1);
	miss(&l, 1, 0);
	output.session = "";
	built = etw_losses_build(&l, &output);
	ok(built & 1u << KIND(DISK_FULL),
	   "the cause of the gap is recorded");
	ok(output.at <= output.end && built != l.present, "no more than there is room for");
	etw_losses_clear(&l, built);
	ok(l.present && !l.missing, "the rest waits for the next gap");
	output.at = output.end - 8;
	is(etw_losses_build(&l, &output), 0, "without room nothing is recorded");
}

static void test_move(void)
{
	struct etw_losses a = { 0 }, b = { 0 };

	etw_losses_move(&a, &b);
	ok(!a.present && !a.missing, "nothing moves from nothing");
	add(&a, ETW_LOSS_FILE_ERROR, 0, 1, 10, 20);
	miss(&a, 3, ETW_BUFFER_EVENTS_LOST);
	add(&b, ETW_LOSS_FILE_ERROR, 0, 2, 20, 30);
	add(&b, ETW_LOSS_FILE_SLOW, 0, 4, 20, 30);
	miss(&b, 9, 0);
	etw_losses_move(&a, &b);
	ok(a.sum[KIND(FILE_ERROR)].events == 3 && a.sum[KIND(FILE_SLOW)].events == 4,
	   "the sums are added");
	ok(a.last.sequence == 9 && a.last.flags & ETW_BUFFER_EVENTS_LOST, "up to the later one");
	ok(!b.present && !b.missing, "nothing stays behind");
}

static void test_causes(void)
{
	u32 code, other = 0;

	for (code = ETW_LOSS_ABANDONED; code < ETW_LOSS_END; code++)
		other += !strcmp(etw_loss_cause(code), "other");
	is(other, 0, "each cause has a word");
	ok(!strcmp(etw_loss_cause(ETW_LOSS_END), "other") &&
	   !strcmp(etw_loss_cause(ETW_DROP_CAUSES), "other"), "but no other one");
}

int main(void)
{
	data = aligned_alloc(8, ROOM);
	if (!data)
		abort();
	test_add();
	test_uncounted();
	test_stand_in();
	test_little_room();
	test_move();
	test_causes();
	free(data);
	return done_testing();
}
