// SPDX-License-Identifier: MIT
/* report_losses - what etw report says about losses: the verdict, when, whose, how many */
#define _GNU_SOURCE
#include "unit/etl/etl_loss.h"

#include "lib/tap.h"
#include "report_run.h"

#define MODE_SEQUENTIAL	1
#define MODE_CIRCULAR	2

static struct make make;
static uint64_t sequence;

static void begin(uint32_t mode, uint64_t first)
{
	memset(&make.head, 0, sizeof(make.head));
	make.head.logger_id = 3;
	sequence = first;
	make_begin(&make, mode);
	make_buffer(&make, 0, sequence);
}

/* Events of a second, with other numbers of buffers from skip_at on */
static void put_events(unsigned int count, unsigned int skip_at, unsigned int skip)
{
	static const char data[200];
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (i == skip_at)
			sequence += skip;
		make_driver_event(&make, &sequence, (uint64_t)i * 1000000 / count, 7, data,
				  sizeof(data));
		feed_header(&make.feed)->timestamp = 1000 + (int64_t)i * 1000000000 / count;
	}
}

static void end(void)
{
	make_put(&make);
	make_end(&make);
}

static void test_complete(void)
{
	begin(MODE_SEQUENTIAL, 0);
	put_events(100, 0, 0);
	end();
	says(make.path, "r['losses']['verdict'], r['losses']['since_ns'], r['losses']['at_most'], "
	     "r['files'][0]['verdict']", "complete None 0 complete", "a whole file");
	is(run("report %s", make.path), 0, "as text");
	ok(strstr(run_out, "Nothing was lost.\n") != NULL, "nothing was lost");
	unlink(make.path);
}

/* Its first buffers were overwritten: nothing is missing since then, but much before. */
static void test_circular(void)
{
	begin(MODE_CIRCULAR, 40);
	make.head.header.max_file_size = 1;
	put_events(100, 0, 0);
	end();
	says(make.path, "r['losses']['complete'], r['losses']['verdict'], r['losses']['since_reason'], "
	     "r['files'][0]['verdict']",
	     "True complete_since older events were overwritten by newer ones complete_since",
	     "a file that overwrites itself is complete since some time only");
	says(make.path, "type(r['losses']['since_ns']).__name__", "int", "it says since when");
	is(run("report %s", make.path), 0, "as text");
	ok(strstr(run_out, "Nothing was lost since 2022-06-18 04:26:4") &&
	   strstr(run_out, "  Before: older events were overwritten"), "text, too");
	unlink(make.path);
}

/* Buffers are missing around the middle: there is a mark at their time, although no count. */
static void test_buffers(void)
{
	begin(MODE_SEQUENTIAL, 0);
	put_events(1000, 500, 3);
	end();
	says(make.path, "r['totals']['lost_buffers'], sum(r['rate']['lost_buffers']), "
	     "r['rate']['lost_buffers_unplaced']", "3 3 0", "missing buffers have a time");
	/* Another CPU may have had some from the start on. */
	says(make.path, "0.4 < r['rate']['gaps'].index(0) / len(r['rate']['gaps']) < 0.6, "
	     "r['rate']['gaps'][-1]", "True 0", "which is that of the gap");
	says(make.path, "[(w['cause'], w['buffers'], w['at_least']) for w in r['losses']['causes']]",
	     "[('missing between two buffers', 3, True)]", "a sum for the cause");
	says(make.path, "r['losses']['at_least'], r['losses']['at_most'] > 3", "0 True",
	     "bounds for their events");
	unlink(make.path);
}

/* The header counts events that no record locates: that is no peak at the start. */
static void test_unplaced(void)
{
	begin(MODE_SEQUENTIAL, 0);
	put_events(100, 0, 0);
	make.head.header.events_lost = 77;
	end();
	says(make.path, "r['totals']['lost_events'], sum(r['rate']['lost']), sum(r['rate']['gaps']), "
	     "r['rate']['lost_unplaced'], r['losses']['rows'][0]['placed']", "77 0 0 77 False",
	     "losses of an unknown time are at none");
	is(run("report %s", make.path), 0, "as text");
	ok(strstr(run_out, "77 events, at an unknown time") && !strstr(run_out, "over time\n |") &&
	   !strstr(run_out, "Lost events over time"), "text does not chart them");
	unlink(make.path);
}

/* More buffers than the header counts are none that are lost. */
static void test_surplus(void)
{
	begin(MODE_SEQUENTIAL, 0);
	put_events(100, 0, 0);
	make_put(&make);
	make.buffers -= 3;
	make_end(&make);
	says(make.path, "r['losses']['complete'], r['totals']['lost_buffers'], "
	     "[(w['key'], w['missing'], w['count']) for w in r['losses']['rows']]",
	     "False 0 [('surplus', False, 3)]", "buffers too many are not lost");
	unlink(make.path);
}

/* The largest come first, and each provider has a sum of its own. */
static void test_order(void)
{
	static const struct etw_guid other = ETW_GUID(0x6a5c2f0e, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);
	struct lost lost = { .code = ETW_DROP_NO_BUFFER, .cpu = 0, .of_provider = true };
	unsigned int i;

	begin(MODE_SEQUENTIAL, 0);
	put_events(100, 0, 0);
	for (i = 0; i < 6; i++) {
		lost.first = (int)(1000000 * i + 500000);
		lost.last = lost.first + 1000;
		lost.noted = lost.last;
		lost.events = (i * 5 + 1) % 6 + 1;
		lost.provider = i % 2 ? &other : NULL;
		put_lost(&make.feed, &lost, "one");
	}
	make.head.header.events_lost = 21;
	end();
	says(make.path, "[w['count'] for w in r['losses']['rows']]", "[6, 5, 4, 3, 2, 1]",
	     "losses are in the order of their size");
	says(make.path, "sorted((w['losses'], w['name'][:8]) for w in r['losses']['providers']), "
	     "sum(w['events'] for w in r['losses']['providers'])",
	     "[(3, '11111111'), (3, '6a5c2f0e')] 21", "sums by provider");
	says(make.path, "sum(r['rate']['lost']), r['losses']['at_least'], r['losses']['at_most']",
	     "21 21 21", "exact ones over time and in all");
	is(run("report --since +0.1s --until +0.2s -o /tmp/etw-report.%d.json %s", getpid(), make.path),
	   0, "a part of the time");
	said("[w['count'] for w in r['losses']['rows']], r['selection'], r['selects']",
	     "[1] ['--since +0.1s', '--until +0.2s'] False", "has its losses");
	is(run("report --id 7 --filter 'id == 7' --filter 'pid > 0 || id == 7' -o /tmp/etw-report.%d.json %s",
	       getpid(), make.path), 0, "selected events");
	said("r['selects'], r['selection'], r['filter']", "True ['--id 7', '--filter id == 7', "
	     "'--filter pid > 0 || id == 7'] (id == 7) && (pid > 0 || id == 7)",
	     "the report has all that selects");
	unlink(make.path);
}

int main(void)
{
	test_complete();
	test_circular();
	test_buffers();
	test_unplaced();
	test_surplus();
	test_order();
	return done_testing();
}
