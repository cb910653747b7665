// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_bench - the cost of an event in the kernel, in instructions
 *
 *	etw_bench [--json FILE] [--loops N]
 *
 * Run it with scripts/bench, or under "scripts/vm --icount": there a TSC tick is one
 * executed instruction, and the figures are the same on every machine.  The JSON goes to
 * FILE or to the file named in $ETW_BENCH_JSON.
 *
 * Every figure is for one iteration of a loop of 20,000 with interrupts disabled, after a
 * warm-up.  Full buffers are delivered later and do not count.  The event is u32, u64,
 * char[16] in three pieces.  "net" is that figure minus one iteration of a loop without
 * the event:
 *  - for most rows, an empty loop (counter, compare, jump);
 *  - for a disabled static provider, the same loop with the branch of another
 *    static key that is never enabled.  Such a branch is patched out: what
 *    is left of it is one NOP, which no unit of the processor executes but
 *    which the emulator counts; "raw" has it, so both can be seen.
 * No event of a timed loop may be lost, and a disabled static provider may cost nothing
 * net, or the program fails.
 */
#include "lib/vm_dev.h"
#include "bench/guest.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_bench/etw_bench.h"
#include "lib/controller/payload.h"

#define WARM_UP		2000
#define LEVEL		4
#define KEYWORD		1

static const struct etw_guid static_guid = ETW_BENCH_STATIC_GUID;
static const struct etw_guid handle_guid = ETW_BENCH_HANDLE_GUID;
static const struct etw_guid named_guid = ETW_BENCH_NAMED_GUID;
static const struct etw_guid manifest_guid = ETW_BENCH_MANIFEST_GUID;

/* How one session enables the provider */
struct want {
	uint8_t level;
	uint64_t any;
};

struct row {
	const char *key;
	const char *title;
	uint32_t kind;
	uint32_t base;		/* kind of loop subtracted for net */
	uint32_t sessions;
	uint32_t clock;
	bool rejected;		/* no session takes the event */
	struct want want[2];	/* of the first two sessions; level 0: all levels */
	uint32_t property;	/* of every session */
	bool ids;		/* they enable 64 other ids only */
	bool name;		/* they enable another name only */
	bool no_stack;		/* they request the stacks of 64 other ids only */
	bool scope;		/* they enable it for processes of another program */
	struct etw_payload_predicate payload;	/* predicate on the payload; field: NULL for none */
	double raw, net;
};

#define ROW(_key, _title, _kind, _base, ...)					\
	{ .key = _key, .title = _title, .kind = ETW_BENCH_##_kind,		\
	  .base = ETW_BENCH_##_base, ##__VA_ARGS__ }

static struct row rows[] = {
	ROW("empty", "empty loop", EMPTY, EMPTY),
	ROW("key", "loop with an unrelated patched-out branch", NOP, EMPTY),
	ROW("clock", "ktime_get_mono_fast_ns(), to compare", CLOCK, EMPTY),
	ROW("disabled", "static provider, disabled", STATIC, NOP),
	ROW("disabled_handle", "run-time handle, disabled: etw_write()", HANDLE, EMPTY),
	ROW("disabled_handle_test", "run-time handle, disabled: etw_event_enabled()",
	    HANDLE_TEST, EMPTY),
	ROW("rejected_level", "static provider, rejected by level", STATIC, EMPTY,
	    .sessions = 1, .rejected = true, .want = { { LEVEL - 1, 0 } }),
	ROW("rejected_keyword", "static provider, rejected by keyword", STATIC, EMPTY,
	    .sessions = 1, .rejected = true, .want = { { 0, 2 } }),
	ROW("rejected_sessions", "passed inline, rejected by both sessions", STATIC, EMPTY,
	    .sessions = 2, .rejected = true, .want = { { LEVEL - 1, KEYWORD }, { LEVEL, 2 } }),
	ROW("rejected_ids", "passed inline, rejected by 64 event ids", STATIC, EMPTY,
	    .sessions = 1, .rejected = true, .ids = true),
	ROW("rejected_number", "passed inline, rejected by its payload's u32", STATIC, EMPTY,
	    .sessions = 1, .rejected = true, .payload = { "Number", ETW_PAYLOAD_EQ, "999999" }),
	ROW("rejected_text", "passed inline, rejected by a search in its char[16]", STATIC, EMPTY,
	    .sessions = 1, .rejected = true, .payload = { "Text", ETW_PAYLOAD_CONTAINS, "bcf" }),
	ROW("rejected_name", "passed inline, rejected by its name", NAMED, EMPTY,
	    .sessions = 1, .rejected = true, .name = true),
	ROW("rejected_scope", "enabled for processes of a program", STATIC, NOP,
	    .sessions = 1, .rejected = true, .scope = true),
	ROW("written_1", "written to 1 session", STATIC, EMPTY, .sessions = 1),
	ROW("written_fixed", "written to 1 session as one object", FIXED, EMPTY, .sessions = 1),
	ROW("written_fixed_2", "... to 2 sessions", FIXED, EMPTY, .sessions = 2),
	ROW("written_header", "written to 1 session by a manifest's header", HEADER, EMPTY,
	    .sessions = 1),
	ROW("written_2", "written to 2 sessions", STATIC, EMPTY, .sessions = 2),
	ROW("written_3", "written to 3 sessions", STATIC, EMPTY, .sessions = 3),
	ROW("written_8", "written to 8 sessions", STATIC, EMPTY, .sessions = 8),
	ROW("written_handle", "written to 1 session by a run-time handle", HANDLE, EMPTY,
	    .sessions = 1),
	ROW("written_system", "written to 1 session, system time", STATIC, EMPTY,
	    .sessions = 1, .clock = ETW_CLOCK_SYSTEM),
	ROW("written_ids", "written to 1 session, all but 64 event ids", STATIC, EMPTY,
	    .sessions = 1, .ids = true),
	ROW("written_payload", "written to 1 session, as its payload's u32 wants", STATIC, EMPTY,
	    .sessions = 1, .payload = { "Number", ETW_PAYLOAD_NE, "999999" }),
	ROW("written_named", "written to 1 session with its schema", NAMED, EMPTY, .sessions = 1),
	ROW("written_name", "... all but another name", NAMED, EMPTY, .sessions = 1, .name = true),
	ROW("written_no_stack", "written to 1 session, stacks of 64 other ids only", STATIC, EMPTY,
	    .sessions = 1, .property = ETW_ENABLE_STACK_TRACE, .no_stack = true),
	ROW("items_sid", "written to 1 session with the user", STATIC, EMPTY,
	    .sessions = 1, .property = ETW_ENABLE_SID),
	ROW("items_keys", "... with process key and event key", STATIC, EMPTY,
	    .sessions = 1, .property = ETW_ENABLE_PROCESS_START_KEY | ETW_ENABLE_EVENT_KEY),
	ROW("items_container", "... with the control group", STATIC, EMPTY,
	    .sessions = 1, .property = ETW_ENABLE_CONTAINER),
	ROW("items_stack", "... with the stack, kernel and user", STATIC, EMPTY,
	    .sessions = 1, .property = ETW_ENABLE_STACK_TRACE),
	ROW("items_user_stack", "... and a copy of the program's stack", STATIC, EMPTY,
	    .sessions = 1, .property = ETW_ENABLE_STACK_TRACE | ETW_ENABLE_USER_STACK),
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static int dev, bench;
static uint32_t loops = 20000;
static double turn[ETW_BENCH_KINDS];	/* of one iteration of the loops without an event */

static bool takes_handle(const struct row *r)
{
	return r->kind == ETW_BENCH_HANDLE || r->kind == ETW_BENCH_HANDLE_TEST;
}

/* The payload program of the row */
static int make_program(const struct row *r, void **program)
{
	static const struct etw_payload_field fields[] = {
		{ "Number", TDH_INTYPE_UINT32, 1, 0, -1, -1 },
		{ "Wide", TDH_INTYPE_UINT64, 1, 0, -1, -1 },
		{ "Text", TDH_INTYPE_ANSISTRING, 1, 0, -1, -1 },
	};
	static const struct etw_payload_layout layout = { 1, 0, 3, fields };

	return etw_payload_create(&layout, false, &r->payload, 1, program, NULL) ? -EINVAL : 0;
}

/* The row's filter; its type is 0 if the row has none. */
static int make_filter(const struct row *r, struct etw_filter *f, void **program)
{
	static struct etw_filter_event_id ids = { .count = ETW_FILTER_EVENT_IDS };
	static struct {
		struct etw_filter_event_name head;
		char name[16];
	} name = { .head = { .count = 1 } };
	const size_t head = offsetof(struct etw_filter_event_name, names);
	uint32_t i;
	int ret;

	*f = (struct etw_filter){ 0 };
	if (r->ids || r->no_stack) {
		ids.in = r->rejected || r->no_stack;
		for (i = 0; i < ids.count; i++)
			ids.ids[i] = 1000 + 3 * i;
		*f = (struct etw_filter){ VM_PTR(&ids), sizeof(ids),
			r->ids ? ETW_FILTER_EVENT_ID : ETW_FILTER_STACKWALK };
	} else if (r->name) {
		name.head.in = r->rejected;
		strcpy((char *)&name + head, "OtherEvent");
		*f = (struct etw_filter){ VM_PTR(&name), sizeof(name), ETW_FILTER_EVENT_NAME };
	} else if (r->scope) {
		*f = (struct etw_filter){ VM_PTR("etw_bench"), 9, ETW_FILTER_EXECUTABLE_NAME };
	} else if (r->payload.field) {
		ret = make_program(r, program);
		if (ret)
			return ret;
		*f = (struct etw_filter){ VM_PTR(*program),
			((struct etw_payload_header *)*program)->size, ETW_FILTER_PAYLOAD };
	}
	return 0;
}

static struct etw_guid provider_of(const struct row *r)
{
	if (r->kind == ETW_BENCH_NAMED)
		return named_guid;
	if (r->kind == ETW_BENCH_HEADER)
		return manifest_guid;
	return takes_handle(r) ? handle_guid : static_guid;
}

/* Enable the provider as the row specifies. */
static int enable(const struct row *r, uint64_t session, const struct want *w)
{
	struct etw_enable e = vm_enable_arg(session, provider_of(r));
	void *program = NULL;
	struct etw_filter f;
	int ret;

	ret = make_filter(r, &f, &program);
	if (ret)
		return ret;
	e.level = w->level;
	e.any = w->any;
	e.property = r->property;
	e.filters = VM_PTR(&f);
	e.filter_count = f.type != 0;
	ret = vm_ioctl(dev, ETW_IOC_ENABLE, &e);
	free(program);
	return ret;
}

/* An event's size, at most */
static uint64_t bytes_of(const struct row *r)
{
	if (r->property & ETW_ENABLE_USER_STACK)
		return 1000 + ETW_USER_STACK_MAX;
	return r->property || r->kind == ETW_BENCH_NAMED ? 1000 : 112;
}

/* All events of a row are in memory: of count, how many there are if they are large */
static uint32_t fitting(const struct row *r, uint32_t count)
{
	return r->property & ETW_ENABLE_USER_STACK ? count / 40 : count;
}

static uint32_t events_of(const struct row *r)
{
	return fitting(r, loops) + fitting(r, WARM_UP);
}

static int start_sessions(const struct row *r, uint64_t *handles)
{
	const uint64_t events = events_of(r);
	struct want all = { 0, 0 };
	char name[32];
	uint32_t i;
	int err;

	for (i = 0; i < r->sessions; i++) {
		const struct want *w = r->rejected && i < 2 ? &r->want[i] : &all;
		struct etw_session s;

		snprintf(name, sizeof(name), "etw-bench-%u", i);
		s = vm_session(name);
		s.clock = r->clock;
		/* Room for every event: no buffer is reused during the run. */
		s.min_buffers = s.max_buffers = 8 + events * bytes_of(r) / 65536 * 5 / 4;
		s.flush_ms = 600000;
		err = vm_start(dev, &s);
		if (!err)
			err = enable(r, s.handle, w);
		if (err)
			return fail("cannot start a session", err);
		handles[i] = s.handle;
	}
	return 0;
}

/* Check that each session took every event it should and lost none. */
static int stop_sessions(const struct row *r, const uint64_t *handles)
{
	struct etw_session_stat st;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < r->sessions; i++) {
		uint64_t want = r->rejected ? 0 : events_of(r);

		if (vm_stat(dev, handles[i], &st) || st.written != want || vm_dropped(&st)) {
			fprintf(stderr, "etw_bench: %s: session %u has %llu events of %llu, %llu lost\n",
				r->key, i, (unsigned long long)st.written,
				(unsigned long long)want, (unsigned long long)vm_dropped(&st));
			ret = -1;
		}
		vm_stop(dev, handles[i]);
	}
	return ret;
}

static int run_loop(const struct row *r, uint32_t count, double *ticks)
{
	struct etw_bench_run run = { .kind = r->kind, .loops = count,
				     .level = LEVEL, .keyword = KEYWORD };
	int err = vm_ioctl(bench, ETW_BENCH_RUN, &run);

	if (err)
		return fail("cannot run", err);
	if (run.failed) {
		fprintf(stderr, "etw_bench: %s: %llu writes failed\n", r->key,
			(unsigned long long)run.failed);
		return -1;
	}
	*ticks = (double)run.ticks / count;
	return 0;
}

static int measure(struct row *r)
{
	uint64_t handles[ETW_PROVIDER_SESSIONS];
	double warm;

	if (start_sessions(r, handles))
		return -1;
	if (run_loop(r, fitting(r, WARM_UP), &warm) || run_loop(r, fitting(r, loops), &r->raw))
		return -1;
	if (stop_sessions(r, handles))
		return -1;
	if (!r->sessions)
		turn[r->kind] = r->raw;
	/* The loop's own end is spread over its iterations: cut that off. */
	r->net = (long)((r->raw - turn[r->base]) * 100) / 100.0;
	return 0;
}

static const struct row *row(const char *key)
{
	unsigned int i;

	for (i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].key, key))
			return &rows[i];
	return NULL;
}

static void print_table(const char *kernel)
{
	unsigned int i;

	printf("Linux %s, %u events, TSC ticks (instructions under --icount)\n", kernel, loops);
	printf("%-50s %10s %10s\n", "per event", "raw", "net");
	for (i = 0; i < ROWS; i++)
		printf("%-50s %10.1f %10.1f\n", rows[i].title, rows[i].raw, rows[i].net);
	printf("%-50s %10s %10.1f\n", "each further session, 1 to 8", "",
	       (row("written_8")->net - row("written_1")->net) / 7);
}

static int print_json(const char *path, const char *kernel)
{
	FILE *f = fopen(path, "we");
	unsigned int i;

	if (!f)
		return fail(path, -errno);
	fprintf(f, "{\n  \"kernel\": \"%s\",\n  \"unit\": \"TSC ticks\",\n  \"loops\": %u,\n",
		kernel, loops);
	fprintf(f, "  \"rows\": [\n");
	for (i = 0; i < ROWS; i++)
		fprintf(f, "    {\"key\": \"%s\", \"title\": \"%s\", \"sessions\": %u, "
			"\"raw\": %.2f, \"net\": %.2f}%s\n",
			rows[i].key, rows[i].title, rows[i].sessions, rows[i].raw, rows[i].net,
			i + 1 < ROWS ? "," : "");
	fprintf(f, "  ]\n}\n");
	return fclose(f) ? fail(path, -errno) : 0;
}

/* Check the limit for disabled providers, in the precision of the table. */
static int check_disabled(void)
{
	double net = row("disabled")->net;

	if (net > -0.05 && net < 0.05)
		return 0;
	fprintf(stderr, "etw_bench: a disabled static provider costs %.2f, not 0.0\n", net);
	return -1;
}

static int run_all(const char *json)
{
	struct utsname u;
	unsigned int i;

	uname(&u);
	vm_stop_all(dev);
	for (i = 0; i < ROWS; i++)
		if (measure(&rows[i]))
			return -1;
	print_table(u.release);
	if (json && print_json(json, u.release))
		return -1;
	return check_disabled();
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON");
	int i, ret;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--loops") && atoi(argv[i + 1]) > 0)
			loops = atoi(argv[i + 1]);
		else
			break;
	}
	if (i < argc) {
		fprintf(stderr, "usage: etw_bench [--json FILE] [--loops N]\n");
		return 2;
	}
	dev = vm_open();
	if (dev < 0)
		return fail(ETW_DEVICE_PATH, dev), 1;
	ret = vm_insmod("etw_bench");
	if (ret)
		return fail("etw_bench.ko", ret), 1;
	bench = vm_kmod_open("etw_bench");
	ret = bench < 0 ? fail("/dev/etw_bench", bench) : run_all(json);
	vm_stop_all(dev);
	close(bench);
	vm_rmmod("etw_bench");
	close(dev);
	return ret ? 1 : 0;
}
