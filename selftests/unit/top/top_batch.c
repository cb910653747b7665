// SPDX-License-Identifier: MIT
/* etw top without a terminal: what it counts, as text and as JSON */
#include "top_model.h"

#include "lib/tap.h"

#define TOP(...)	RUN(cmd_top, (char *)"top", (char *)MODEL_SESSION, __VA_ARGS__)

/* A session that ends with these events; the next run begins with none. */
static void prepare(const struct model_order *orders, unsigned int count)
{
	unsigned int i;

	memset(model, 0, sizeof(*model));
	fake->buffer_count = fake->buffer_next = 0;
	fake->consumer_ino = 0;
	fake->ended = false;
	model->time = model_now();
	for (i = 0; i < count; i++)
		model_put(&orders[i]);
	fake->ended = true;
}

#define PREPARE(...) do {							\
	const struct model_order list[] = { __VA_ARGS__ };			\
	prepare(list, sizeof(list) / sizeof(*list));				\
} while (0)

#define EVENTS(n, of_provider, called, ...)	\
	{ .count = (n), .provider = of_provider, .name = called, __VA_ARGS__ }

/* The line of the output that begins so; "" if there is none */
static const char *line(const char *begin)
{
	static char found[512];
	const char *at = out;

	found[0] = '\0';
	for (; at && *at; at = strchr(at, '\n'), at += at != NULL)
		if (!strncmp(at, begin, strlen(begin)))
			snprintf(found, sizeof(found), "%.*s", (int)strcspn(at, "\n"), at);
	return found;
}

/* The words of that line, apart by one blank each */
static const char *words(const char *begin)
{
	static char squeezed[512];
	const char *at = line(begin);
	char *to = squeezed;

	for (; *at; at++)
		if (*at != ' ' || (to > squeezed && to[-1] != ' '))
			*to++ = *at;
	*to = '\0';
	return squeezed;
}

static void test_rows(void)
{
	PREPARE(EVENTS(70, "Alpha", "one"), EVENTS(30, "Beta", "two"), EVENTS(5, "Alpha", "three"));
	is(TOP((char *)"--sort", (char *)"events"), 0, "a session that ends");
	ok(strstr(out, "session  by provider  "), "one block: %s%s", out, err);
	ok(strstr(words("Alpha"), " 75 ") && strstr(words("Beta"), " 30 "), "each provider is a row");
	ok(strstr(out, "Alpha") < strstr(out, "Beta"), "sorted");
	ok(!*line("(others"), "nothing is left");
	ok(!strstr(out, "P50") && !strstr(out, "LOST"), "without operations and losses no columns for them");
	is(TOP((char *)"--by", (char *)"event", (char *)"--sort", (char *)"name"), 0, "by event");
	ok(strstr(words("Alpha/one"), " 70 ") && strstr(words("Alpha/three"), " 5 ") &&
	   strstr(words("Beta/two"), " 30 "), "with the name of the provider: %s", out);
	ok(strstr(out, "Alpha/one") < strstr(out, "Beta/two"), "by name");
	is(TOP((char *)"--by", (char *)"event", (char *)"--sort", (char *)"events", (char *)"--rows",
	       (char *)"1", (char *)"--reverse"), 0, "one row, the smallest");
	ok(strstr(words("Alpha/three"), " 5 ") && strstr(words("(others: 2 more)"), " 100 "),
	   "and the others together: %s", out);
}

static void test_keys(void)
{
	PREPARE(EVENTS(6, "Alpha", "one", .step = 1, .level = 2), EVENTS(4, "Alpha", "one", .pid = MODEL_PID + 1, .empty = true));
	is(TOP((char *)"--by", (char *)"Number"), 0, "by a field");
	ok(strstr(words("0 "), " 5 ") && strstr(words("5 "), " 1 "), "its values are rows: %s", out);
	is(TOP((char *)"--by", (char *)"Text"), 0, "by a text");
	ok(strstr(words("x "), " 6 ") && strstr(words("\"\" "), " 4 "), "also an empty one: %s", out);
	is(TOP((char *)"--by", (char *)"Nothing"), 0, "by one that no event has");
	ok(strstr(words("(none)"), " 10 "), "all are in one row: %s", out);
	is(TOP((char *)"--by", (char *)"process"), 0, "by process");
	ok(strstr(words("4000000 "), " 6 ") && strstr(words("4000001 "), " 4 "), "by id: %s", out);
	is(TOP((char *)"--by", (char *)"thread"), 0, "by thread");
	ok(strstr(words("4000000/4000000"), " 6 "), "and thread: %s", out);
	is(TOP((char *)"--by", (char *)"cpu"), 0, "by CPU");
	ok(strstr(words("0 "), " 10 "), "number: %s", out);
	is(TOP((char *)"--by", (char *)"level"), 0, "by level");
	ok(strstr(out, " 6 ") && strstr(out, " 4 "), "each: %s", out);
	is(TOP((char *)"--by", (char *)"\"level\""), 0, "a quoted word is a field");
	ok(strstr(words("(none)"), " 10 "), "which these lack: %s", out);
}

static void test_filter(void)
{
	PREPARE(EVENTS(20, "Alpha", "one", .step = 1), EVENTS(9, "Beta", "two"));
	is(TOP((char *)"--show", (char *)"Number >= 15 && provider == Alpha"), 0, "a filter");
	ok(strstr(words("Alpha"), " 5 ") && !*line("Beta"), "selects: %s", out);
}

/* Start, then stop after 1 ms, 24 times; and once after 1 s.  Each fills a buffer of the model. */
static void put_operations(void)
{
	static const struct model_order start = EVENTS(1, "Alpha", "work", .opcode = 1);
	static const struct model_order stop = EVENTS(1, "Alpha", "work", .opcode = 2, .step_ns = 1000000);
	struct model_order last = stop;
	unsigned int i;

	PREPARE(EVENTS(1, "Beta", "two"));
	fake->ended = false;
	last.step_ns = SECOND;
	for (i = 0; i < 25; i++) {
		model_put(&start);
		model_put(i < 24 ? &stop : &last);
	}
	fake->ended = true;
}

static void test_operations(void)
{
	put_operations();
	is(TOP((char *)"--by", (char *)"event"), 0, "operations");
	ok(strstr(words("EVENT "), "OPS P50 P90 P99 P99.9 MAX"), "have columns: %s", out);
	ok(strstr(words("Alpha/work/Start"), " 25 1.00 ms 1.00 ms 998.2 ms 998.2 ms 1.00 s"),
	   "and times: %s", words("Alpha/work/Start"));
	is(TOP((char *)"--show", (char *)"duration > 10ms"), 0, "a duration");
	ok(strstr(words("Alpha"), " 1 ") && !*line("Beta"), "selects operations: %s", out);
	is(TOP((char *)"--json", (char *)"--by", (char *)"event"), 0, "JSON");
	ok(strstr(out, "\"key\":\"Alpha/work/Start\",\"events\":25,") &&
	   strstr(out, "\"operations\":25,\"p50_ns\":") && strstr(out, "\"max_ns\":1000000000,"),
	   "has nanoseconds: %s", out);
}

static void test_losses(void)
{
	PREPARE(EVENTS(3, "Alpha", "one"));
	is(TOP((char *)"--json"), 0, "no losses");
	ok(strstr(out, "\"lost\":{\"no_buffer\":0,"), "are zero: %s", out);
	/* The counters change while it reads: see top_screen. Those of the reader are its own. */
	model->unread = 7;
	is(TOP(NULL), 0, "a slow reader");
	ok(!strncmp(out, "LOST 7 events: 7 this reader was too slow\n", 40), "comes first: %s", out);
	ok(strstr(err, "1 buffer (7 events) lost: this reader was too slow"), "and last: %s", err);
	is(TOP((char *)"--json"), 0, "as JSON");
	ok(strstr(out, "\"reader_events_lost\":7,\"reader_buffers_lost\":1,"), "in members: %s", out);
}

/* See top_screen for more values than there can be rows. */
static void test_many(void)
{
	PREPARE(EVENTS(40, "Alpha", "one", .number = 1 << 20), EVENTS(800, "Alpha", "one", .step = 1));
	is(TOP((char *)"--by", (char *)"Number", (char *)"--sort", (char *)"events", (char *)"--rows",
	       (char *)"10"), 0, "many values");
	ok(strstr(words("1048576"), " 40 ") && strstr(words("(others: 791 more)"), " 791 "),
	   "the others are a row: %s", out);
}

static void test_hostile(void)
{
	PREPARE(EVENTS(2, "Evil\033[2J\x9b" "31m", "\033]0;title\007/\xe2\x80\xae", .text = "\xff\xfe\r\n\t"));
	is(TOP((char *)"--by", (char *)"event"), 0, "hostile names");
	ok(!strpbrk(out, "\033\007\r\x9b") && !strstr(out, "\xe2\x80\xae") &&
	   strstr(out, "Evil\\u001b[2J"), "are escaped: %s", out);
	is(TOP((char *)"--by", (char *)"Text", (char *)"--json"), 0, "hostile text");
	ok(!strpbrk(out, "\033\007\r\x9b\xff\xfe"), "is JSON: %s", out);
}

static void test_refused(void)
{
	is(RUN(cmd_top, (char *)"top", (char *)"nobody", (char *)"--once"), 1, "another session");
	ok(strstr(err, "no session \"nobody\"") != NULL, "is not there: %s", err);
}

int main(void)
{
	model_init();
	test_rows();
	test_keys();
	test_filter();
	test_operations();
	test_losses();
	test_many();
	test_hostile();
	test_refused();
	return done_testing();
}
