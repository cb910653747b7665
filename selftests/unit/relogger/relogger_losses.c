// SPDX-License-Identifier: MIT
/* The relogger and records of losses: they go along, once, whatever the callback does */
#define _GNU_SOURCE
#include "relog_call.h"

#include <evntrace.h>

#include "etl/loss.h"
#include "etl/verify/verify.h"
#include "unit/etl/etl_loss.h"

static struct make source;

static void make_source(void)
{
	static const struct lost one = { .first = 20, .last = 30, .noted = 40, .cpu = 1,
					 .events = 5, .of_provider = true };

	source.head.header.events_lost = 5;
	source.head.logger_id = 3;
	make_begin(&source, 1);
	make_buffer(&source, 0, 0);
	feed_header(&source.feed)->timestamp = 1000 + 60 * 100;
	feed_event(&source.feed, 1000 + 10 * 100, 10, NULL, "abc", 3);
	put_lost(&source.feed, &one, "the session");
	feed_event(&source.feed, 1000 + 60 * 100, 60, NULL, "abc", 3);
	make_put(&source);
	make_end(&source);
	etw_utf8_to_utf16(source.path, strlen(source.path) + 1, in16, 128);
}

static struct etw_loss lost;
static unsigned int losses;

static int take_loss(void *context, const struct etw_loss *loss)
{
	(void)context;
	lost = *loss;
	losses++;
	return 0;
}

/* The output has the loss once, and verify says of it what it says of the source. */
static void is_told(void)
{
	struct etw_verdict before, after;
	const struct etw_gap *a, *b;

	losses = 0;
	ok(!etw_losses_of(out_path, take_loss, NULL) && losses == 1, "the loss is there, once");
	ok(lost.first == MAKE_START + 20 && lost.last == MAKE_START + 30 && lost.payload.cpu == 1 &&
	   lost.payload.events == 5 && !strcmp(lost.session, "the session"), "as it was");
	if (!ok(!etw_etl_verify(source.path, &before) && !etw_etl_verify(out_path, &after),
		"both files can be judged"))
		return;
	etw_verdict_finish(&before, 1);
	etw_verdict_finish(&after, 1);
	a = before.gaps;
	b = after.gaps;
	ok(before.gap_count == 1 && after.gap_count == 1 && a->events == 5 && b->events == 5 &&
	   a->first == b->first && a->last == b->last && a->cpu == b->cpu &&
	   !memcmp(&a->provider, &b->provider, sizeof(a->provider)) && !strcmp(a->detail, b->detail),
	   "verify says the same");
	etw_verdict_free(&before);
	etw_verdict_free(&after);
	unlink(out_path);
}

static HRESULT drop(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	(void)e;
	(void)r;
	(void)record;
	return S_OK;
}

static bool is_loss(const EVENT_RECORD *record)
{
	static const struct etw_guid ledger = ETW_LEDGER_GUID;

	return !memcmp(&record->EventHeader.ProviderId, &ledger, sizeof(ledger));
}

static HRESULT forge(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	static const GUID other = { 1, 2, 3, { 4 } };

	(void)r;
	if (is_loss(record))
		ITraceEvent_SetProviderId(e, &other);
	return S_OK;
}

/* Keep the events: the relogger makes new ones. */
static HRESULT hold(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	(void)r;
	if (is_loss(record)) {
		ITraceEvent_AddRef(e);
		call.kept = e;
	}
	return S_OK;
}

/* A circular file that has overwritten its first buffers; flags: of one of its buffers */
static void make_circular(uint16_t flags)
{
	static struct make circular;
	unsigned int i;

	memset(&circular, 0, sizeof(circular));
	make_begin(&circular, EVENT_TRACE_FILE_MODE_CIRCULAR);
	for (i = 5; i < 8; i++) {
		make_buffer(&circular, 0, i);
		feed_event(&circular.feed, 1000 + i * 1000, 7, NULL, "abc", 3);
		feed_header(&circular.feed)->flags |= i == 6 ? flags : 0;
		make_put(&circular);
	}
	make_end(&circular);
	strcpy(source.path, circular.path);
	etw_utf8_to_utf16(source.path, strlen(source.path) + 1, in16, 128);
}

/* What no record tells: since when the source is complete, and that others were lost. */
static void test_silent(void)
{
	struct etw_verdict before, after;
	unsigned int flagged;

	for (flagged = 0; flagged < 2; flagged++) {
		make_circular(flagged ? ETW_BUFFER_BUFFER_LOST : 0);
		is(relog(NULL), S_OK, "a circular file");
		if (!ok(!etw_etl_verify(source.path, &before) && !etw_etl_verify(out_path, &after),
			"both files can be judged"))
			return;
		etw_verdict_finish(&before, 1);
		etw_verdict_finish(&after, 1);
		ok(before.since && after.since && after.since_time >= before.since_time &&
		   after.since_time < before.since_time + 10, "both are complete since a time");
		ok(etw_verdict_whole(&before) == !flagged && etw_verdict_whole(&after) == !flagged,
		   flagged ? "or not, if one says that others were lost" : "and whole");
		etw_verdict_free(&before);
		etw_verdict_free(&after);
		unlink(source.path);
		unlink(out_path);
	}
}

int main(void)
{
	unsigned int ids[8];

	relog_set_up();
	make_source();
	is(relog(NULL), S_OK, "all events are injected");
	is(read_output(ids, NULL), 3, "three");
	is_told();
	is(relog(drop), S_OK, "no event is injected");
	is(read_output(ids, NULL), 1, "so there is the loss");
	is_told();
	is(relog(forge), S_OK, "it is changed, but not injected");
	is_told();
	is(relog(hold), S_OK, "it is kept");
	is_told();
	is(ITraceEvent_Release(call.kept), 0, "and released");
	unlink(source.path);
	test_silent();
	relog_tear_down();
	return done_testing();
}
