// SPDX-License-Identifier: MIT
/*
 * etw top on a terminal, driven through tmux: what a person sees and types
 *
 * tmux runs this program again, as "top_screen --model FOLDER ARGUMENT...": etw top over the model
 * of the device. Orders for events come by a FIFO, and how it ended goes into a file.
 */
#include "top_model.h"
#include "top_tmux.h"

#include <limits.h>
#include <sys/stat.h>

#include "lib/shell.h"
#include "lib/tap.h"

static char folder[] = "/tmp/etw-top.XXXXXX", program[PATH_MAX], result[64];
static int orders = -1;

/* ------------------------------------------------------------------ the command */

static void *feed_orders(void *path)
{
	struct model_order order;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (read(fd, &order, sizeof(order)) == (ssize_t)sizeof(order))
		model_put(&order);
	return NULL;
}

static unsigned int sessions(void)
{
	unsigned int i, count = 0;

	for (i = 0; i < FAKE_SESSIONS; i++)
		count += fake->sessions[i].s.handle != 0;
	return count;
}

static int run_model(int argc, char **argv)
{
	static char path[PATH_MAX];
	pthread_t thread;
	int status;
	FILE *to;

	model_init();
	snprintf(path, sizeof(path), "%s/orders", argv[0]);
	if (pthread_create(&thread, NULL, feed_orders, path))
		abort();
	argv[0] = (char *)"top";
	cli_restart("top");
	status = cmd_top(argc, argv);
	snprintf(strrchr(path, '/'), 16, "/result");
	to = fopen(path, "w");
	fprintf(to, "status %d, sessions %u, %s\n", status, sessions(), model->maps ? "maps" : "no maps");
	fclose(to);
	return status;
}

/* --------------------------------------------------------------------- the test */

/* before: shell words in front of the command, as variables of the environment */
static void begin(unsigned int width, unsigned int height, const char *before, const char *arguments)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/orders", folder);
	unlink(path);
	unlink(result);
	if (mkfifo(path, 0600))
		abort();
	/* A shell goes on behind it, so that what is left of the screen can be looked at. */
	if (!tmux("new-session -d -x %u -y %u \"%s %s --model %s %s; echo Left with \\$?; exec cat\"",
		  width, height, before, program, folder, arguments))
		abort();
	orders = open(path, O_WRONLY | O_CLOEXEC);
	if (orders < 0)
		abort();
}

static void end(void)
{
	close(orders);
	tmux("kill-server 2>&1");
	tmux_server++;
}

static void give(const struct model_order *order)
{
	if (write(orders, order, sizeof(*order)) != (ssize_t)sizeof(*order))
		abort();
}

#define GIVE(n, of_provider, called, ...) give(&(struct model_order){			\
	.count = (n), .provider = of_provider, .name = called, __VA_ARGS__ })

static bool type(const char *keys)
{
	return tmux("send-keys %s", keys);
}

static bool ended_with(const char *text)
{
	unsigned int left = TMUX_WAIT;
	char got[64] = "";

	while (left-- && !*got) {
		FILE *from = fopen(result, "r");

		if (from) {
			if (!fgets(got, sizeof(got), from))
				*got = '\0';
			fclose(from);
		}
		usleep(100000);
	}
	if (!strstr(got, text))
		printf("# ended with %s\n", got);
	return strstr(got, text);
}

/* Does the line that begins so have these behind it, in this order? */
static bool row_has(const char *begin, const char *a, const char *b)
{
	const char *line = tmux_row(begin);
	const char *at = *line ? strstr(line + strlen(begin) - 1, a) : NULL;

	return at && strstr(at + strlen(a) - 1, b);
}

/* After tmux_look_closely() */
static bool is_reversed(void)
{
	return strstr(tmux_screen, "\033[7m") || strstr(tmux_screen, ";7m");
}

static unsigned int widest(void)
{
	unsigned int most = 0, i;

	for (i = 0; i < 200; i++)
		if (strlen(tmux_line(i)) > most)
			most = (unsigned int)strlen(tmux_line(i));
	return most;
}

#define UTF8	"LC_ALL=C.UTF-8 NO_COLOR="
#define PLAIN	"LC_ALL=C NO_COLOR="

/* What is there at any size */
static void test_size(unsigned int width, unsigned int height)
{
	begin(width, height, PLAIN, "session -i 200ms");
	ok(tmux_shows("No events yet"), "%ux%u: a session without events", width, height);
	GIVE(70, "Alpha", "one");
	GIVE(30, "Beta", "two");
	ok(tmux_until(row_has("Alpha ", " 70 ", "") && row_has("Beta ", " 30 ", "")), "its rows");
	ok(!strncmp(tmux_line(0), "session  by provider", 20), "below a title: %s", tmux_line(0));
	ok(!strncmp(tmux_line(1), "PROVIDER ", 9) && strstr(tmux_line(1), ">EVENTS/S"),
	   "and headings: %s", tmux_line(1));
	ok(!strncmp(tmux_line(height - 1), "q quit  / filter  b by", 22), "with the keys below: %s",
	   tmux_line(height - 1));
	ok(widest() <= width, "in the width: %u", widest());
	ok(tmux_look_closely() && is_reversed(), "headings are reversed");
	ok(!strstr(tmux_screen, "\033[31m"), "nothing is red");
	GIVE(1, "Alpha", "one", .opcode = 1);
	GIVE(1, "Alpha", "one", .opcode = 2, .step_ns = 5000000);
	ok(tmux_until(row_has("Alpha ", " 72 ", "5.00 ms")), "an operation has a time: %s",
	   tmux_row("Alpha "));
	ok(strstr(tmux_line(1), "P99") && !strstr(tmux_line(1), "P99.9") == (width < 132),
	   "and the screen columns for it: %s", tmux_line(1));
	GIVE(1, "Alpha", "one", .lose = 12);
	ok(tmux_until(!strncmp(tmux_line(0), "LOST 12 events: 12 no free buffer", 33)),
	   "losses come first: %s", tmux_line(0));
	ok(!strncmp(tmux_line(1), "session  by provider", 20), "above the title");
	type("q");
	ok(ended_with("status 0"), "q ends it");
	ok(tmux_shows("12 events lost when written: no free buffer"), "and the loss is reported");
	ok(!strstr(tmux_screen, "PROVIDER"), "on the screen as it was");
	end();
}

static void test_keys(void)
{
	begin(80, 24, UTF8, "session -i 200ms --by event --sort events");
	GIVE(40, "Alpha", "one", .step = 1);
	GIVE(20, "Beta", "two", .pid = 4000001);
	ok(tmux_until(row_has("Alpha/one ", " 40 ", "") && row_has("Beta/two ", " 20 ", "")), "by event");
	type("b");
	ok(tmux_until(row_has("4000000 ", " 40 ", "") && row_has("4000001 ", " 20 ", "")),
	   "b: by process, and events that came before are there");
	ok(tmux_shows("by process"), "as the title says");
	type("B B");
	ok(tmux_until(row_has("Alpha ", " 40 ", "") && strstr(tmux_line(0), "by provider")), "B: back");
	type("f");
	ok(tmux_shows("by field:"), "f: asks for a field");
	type("Numbex BSpace r Enter");
	ok(tmux_until(strstr(tmux_line(0), "by Number") && strstr(tmux_screen, "others: ")),
	   "whose values are rows, and those without room one");
	ok(row_has("0 ", " 21 ", ""), "with their events: %s", tmux_row("0 "));
	type("r");
	ok(tmux_until(strstr(tmux_line(1), "<EVENTS ")), "r: reversed");
	type("r '>'");
	ok(tmux_until(strstr(tmux_line(1), ">BYTES")), ">: by another column: %s", tmux_line(1));
	type("'>'");
	ok(tmux_until(!strncmp(tmux_line(1), ">Number", 7)), "and another: %s", tmux_line(1));
	type("'<'");
	ok(tmux_until(strstr(tmux_line(1), ">BYTES")), "<: back");
	type("End");
	ok(tmux_shows("39 "), "End: the last row");
	type("Home h");
	ok(tmux_shows("Any key goes back."), "h: help");
	type("x");
	ok(tmux_hides("Any key goes back."), "which a key ends");
	type("z");
	ok(tmux_shows("0 events, 0"), "z: from zero");
	GIVE(7, "Alpha", "one");
	ok(tmux_shows(" 7 events,"), "on");
	type("C-c");
	ok(ended_with("status 0"), "Ctrl-C ends it");
	end();
}

static void test_filter(void)
{
	begin(80, 24, UTF8, "session -i 200ms --by event");
	GIVE(40, "Alpha", "one", .step = 1);
	GIVE(20, "Beta", "two");
	ok(tmux_until(row_has("Alpha/one ", " 40 ", "") && row_has("Beta/two ", " 20 ", "")), "rows");
	type("/");
	type("-l 'Number >='");
	ok(tmux_shows("column 10: "), "half a filter has an error");
	ok(row_has("Alpha/one ", " 39 ", ""), "and leaves that before it, Number, which is not 0");
	type("-l ' 38'");
	ok(tmux_until(row_has("Alpha/one ", " 2 ", "") && !strstr(tmux_screen, "Beta/two")),
	   "a whole one selects at once, of events that came before");
	ok(strstr(tmux_screen, "filter: Number >= 38"), "as one sees");
	type("Enter");
	ok(tmux_shows("q quit"), "Enter keeps it");
	GIVE(5, "Alpha", "one", .number = 50);
	ok(tmux_until(row_has("Alpha/one ", " 7 ", "")), "for what comes");
	type("/ C-u");
	ok(tmux_until(row_has("Beta/two ", " 20 ", "")), "without one all are there");
	type("Escape");
	ok(tmux_until(!strstr(tmux_screen, "Beta/two") && strstr(tmux_screen, "filter: Number >= 38")),
	   "Escape: as it was");
	type("/ C-u");
	type("-l 'duration > 1ms'");
	type("Enter");
	GIVE(2, "Beta", "two", .opcode = 1, .pid = 4000002);
	GIVE(1, "Beta", "two", .opcode = 2, .step_ns = 5000000, .pid = 4000002);
	ok(tmux_until(row_has("Beta/two/Start ", " 1 ", " ms")), "a duration selects operations");
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

static void test_freeze(void)
{
	begin(80, 24, UTF8, "session -i 200ms --by event");
	GIVE(40, "Alpha", "one");
	ok(tmux_until(row_has("Alpha/one ", " 40 ", "")), "rows");
	type("Space");
	ok(tmux_shows("FROZEN, 0 passed over"), "space: frozen");
	GIVE(30, "Beta", "two");
	ok(tmux_shows("FROZEN, 30 passed over"), "what comes is counted");
	ok(!strstr(tmux_screen, "Beta/two") && row_has("Alpha/one ", " 40 ", ""), "and not shown");
	ok(row_has("(others", " 30 ", ""), "but among the others: %s", tmux_row("(others"));
	type("b");
	ok(tmux_until(row_has("4000000 ", " 40 ", "")), "the rows can be looked at in another way");
	ok(row_has("(others", " 30 ", ""), "with those passed over: %s", tmux_row("(others"));
	type("B Space");
	ok(tmux_hides("FROZEN"), "space: no longer");
	GIVE(3, "Beta", "two");
	ok(tmux_until(row_has("Beta/two ", " 3 ", "")), "it goes on");
	GIVE(0, "", "", .end = true);
	ok(tmux_shows("ENDED"), "the session ends, and the screen stays");
	type("q");
	ok(ended_with("status 0"), "until one leaves it");
	end();
}

#define FUNCTIONS	(MODEL_LETTERS + 20000)	/* more than the tree has room for */

/* Names for the functions of MODEL_PID's stacks: those of 'a', 'b' and so on, then others */
static void name_functions(const char *const *names, unsigned int count)
{
	char path[128];
	unsigned int i;
	FILE *map;

	shell("mkdir -p %s/tmp", folder);
	snprintf(path, sizeof(path), "%s/tmp/perf-%u.map", folder, MODEL_PID);
	map = fopen(path, "w");
	for (i = 0; i < MODEL_LETTERS; i++)
		fprintf(map, "%llx %x %s\n", MODEL_CODE + i * MODEL_FUNCTION, MODEL_FUNCTION,
			i < count ? names[i] : i == MODEL_LETTERS - 1 ? "the_last" : "another");
	for (; i < FUNCTIONS; i++)
		fprintf(map, "%llx %x function%u\n", MODEL_CODE + i * MODEL_FUNCTION, MODEL_FUNCTION, i);
	fclose(map);
}

/* Does a line of the screen have this, and behind it that? */
static bool line_has(const char *a, const char *b)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		const char *at = strstr(tmux_line(i), a);

		if (at && strstr(at + strlen(a), b))
			return true;
	}
	return false;
}

/* The number of the line that ends so; 200: there is none */
static unsigned int line_of(const char *end)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		const char *line = tmux_line(i);

		if (strlen(line) > strlen(end) && !strcmp(line + strlen(line) - strlen(end), end))
			break;
	}
	return i;
}

static void begin_flame(unsigned int width, unsigned int height, const char *locale)
{
	static const char *const names[] = {
		"main", "parse", "lex", "emit", "write\033[2J\r", "a_function_whose_name_is_longer_than_any_screen_"
		"of_eighty_columns_and_than_most_of_those_that_have_a_hundred_more_is_cut",
	};
	static char arguments[256];

	name_functions(names, sizeof(names) / sizeof(*names));
	snprintf(arguments, sizeof(arguments), "session -i 200ms --symbols %s", folder);
	begin(width, height, locale, arguments);
}

/* The length of the bar in the line that ends so, and where it begins */
static unsigned int bar_of(const char *end, unsigned int *begin)
{
	const char *line = tmux_line(line_of(end));

	*begin = (unsigned int)strcspn(line, "#");
	return (unsigned int)strspn(line + *begin, "#");
}

static void test_flame(unsigned int width, unsigned int height)
{
	unsigned int begin;

	begin_flame(width, height, PLAIN);
	GIVE(30, "Alpha", "one", .stack = "abc");
	GIVE(10, "Alpha", "one", .stack = "abd");
	ok(tmux_until(row_has("Alpha ", " 40 ", "")), "%ux%u: events with stacks", width, height);
	type("t");
	ok(tmux_until(line_has(" 75.0% ", "|-lex") && line_has(" 25.0% ", "`-emit")),
	   "t: their functions, those of earlier events, too");
	ok(!strncmp(tmux_line(0), "session  stacks by provider", 27), "below a title: %s", tmux_line(0));
	ok(!strncmp(tmux_line(1), " >TOTAL   SELF   EVENTS FLAME", 29) &&
	   strstr(tmux_line(1), "PROVIDER AND FUNCTIONS"), "and headings: %s", tmux_line(1));
	ok(line_has("100.0%   0.0%       40 ####", "# Alpha") && line_of(" Alpha") < line_of("  main") &&
	   line_of("  main") < line_of("  parse") && line_of("  parse") < line_of("|-lex") &&
	   line_of("|-lex") < line_of("`-emit"), "callers are above what they call, a chain is straight");
	ok(bar_of("|-lex", &begin) == (width / 4 * 3 + 3) / 4 && begin == 24 &&
	   bar_of("`-emit", &begin) == (width / 4 + 3) / 4 && begin == 24 + width / 4 * 3 / 4,
	   "bars are as long as shares, and follow one another");
	ok(tmux_shows("40 of 40 events have a stack"), "how many events these are");
	ok(!strncmp(tmux_line(height - 1), "q quit  / filter  b by  f field  t table", 40),
	   "with the keys below: %s", tmux_line(height - 1));
	ok(widest() <= width, "in the width: %u", widest());
	GIVE(40, "Beta", "two", .stack = "abf");
	GIVE(20, "Beta", "two", .lose = 3);
	ok(tmux_until(!strncmp(tmux_line(0), "LOST 3", 6) && line_has(" 50.0% ", " Beta") &&
		      line_has(" 37.5% ", "|-lex")), "what comes is counted, and losses are above it");
	ok(tmux_shows("80 of 100 events have a stack"), "events without a stack are said");
	ok(line_has("a_fun", "..."), "a long name is cut, not its share");
	type("t");
	ok(tmux_until(row_has("Alpha ", " 40 ", "") && row_has("Beta ", " 60 ", "") &&
		      strstr(tmux_screen, "PROVIDER ")), "t: the table, where no event counts twice");
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

/* The keys of the table do in the tree what they do there. */
static void test_flame_keys(void)
{
	begin_flame(80, 24, UTF8);
	type("t");
	ok(tmux_shows("No events yet."), "a tree without events");
	GIVE(1, "Alpha", "one");
	ok(tmux_shows("No event had a stack yet"), "without stacks");
	type("z");
	ok(tmux_shows("No events yet."), "z: neither");
	GIVE(10, "Alpha", "one", .stack = "ab", .number = 7);
	GIVE(6, "Alpha", "two", .stack = "ac", .number = 9);
	GIVE(4, "Alpha", "two", .stack = "acd", .number = 9);
	ok(tmux_until(line_has(" 50.0% ", "├─parse") && line_has(" 50.0% ", "└─lex")), "a tree");
	ok(line_of("├─parse") < line_of("└─lex"), "of what is equal the first one first");
	ok(line_has(" 20.0% ", "    emit"), "a chain is no branch");
	type("'>'");
	ok(tmux_until(strstr(tmux_line(1), ">SELF") && line_has("50.0%  50.0%", "├─parse") &&
		      line_has("50.0%  30.0%", "└─lex")), ">: by their own events");
	type("'>'");
	ok(tmux_until(strstr(tmux_line(1), ">PROVIDER") && line_of("├─lex") < line_of("└─parse")),
	   ">: by name");
	type("r");
	ok(tmux_until(strstr(tmux_line(1), "<PROVIDER") && line_of("├─parse") < line_of("└─lex")),
	   "r: reversed");
	type("'<' '<' r");
	type("b");
	ok(tmux_until(line_has(" 50.0% ", " Alpha/one") && line_has(" 50.0% ", " Alpha/two") &&
		      strstr(tmux_line(0), "stacks by event")), "b: below events");
	type("b");
	ok(tmux_until(line_has("100.0% ", " 4000000")), "b: below processes");
	type("/");
	type("-l 'Number == 9'");
	ok(tmux_until(line_has("100.0%  60.0%", "lex") && !strstr(tmux_screen, "parse")),
	   "/: of the events that a filter selects");
	type("C-u Enter");
	ok(tmux_until(line_has(" 50.0% ", "parse")), "and of all");
	type("Space");
	ok(tmux_shows("FROZEN, 0 passed over"), "space: frozen");
	GIVE(20, "Alpha", "one", .stack = "ae");
	ok(tmux_shows("FROZEN, 20 passed over") && tmux_shows("20 of 20 events have a stack"),
	   "what comes is not in the tree");
	type("Space");
	ok(tmux_hides("FROZEN"), "space: no longer");
	GIVE(20, "Alpha", "one", .stack = "ae");
	ok(tmux_until(line_has(" 50.0% ", "├─write\\u001b[2J\\r")), "it goes on, and a hostile name is text: %s",
	   tmux_line(4));
	type("z");
	ok(tmux_shows("No events yet."), "z: from zero");
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

/* Names in the stacks of its own session need what processes map. */
static void test_flame_session(void)
{
	begin(80, 24, UTF8, "-p " MODEL_GUID " --stack -i 200ms");
	ok(tmux_shows("etw-top-"), "a session of its own");
	type("q");
	ok(ended_with("sessions 1, maps"), "with stacks, and so with what is mapped");
	end();
	begin(80, 24, UTF8, "-p " MODEL_GUID " -i 200ms");
	ok(tmux_shows("etw-top-"), "another");
	type("q");
	ok(ended_with("sessions 1, no maps"), "without stacks");
	end();
}

/* More branches than lines, and than the tree has room for */
static void test_flame_many(void)
{
	unsigned int i;

	begin_flame(80, 24, PLAIN);
	type("t");
	for (i = 0; i < 25; i++)
		GIVE(4, "Alpha", "one", .stack = { 'a', 'b', (char)('b' + i), (char)('b' + i), (char)('b' + i) });
	ok(tmux_until(strstr(tmux_screen, "100 of 100 events have a stack")), "more functions than lines");
	ok(line_has("100.0%", "main") && strstr(tmux_screen, " Alpha"), "the begin");
	type("'>' '>'");
	ok(tmux_shows(">PROVIDER"), "by name");
	type("End");
	ok(tmux_until(!strstr(tmux_screen, " main") && line_has("  4.0% ", "|-the_last") &&
		      line_has("  4.0% ", "`-write")), "End: the end");
	type("Home");
	ok(tmux_until(strstr(tmux_screen, " main")), "Home: back");
	ok(tmux("resize-window -x 40 -y 10"), "on a small screen");
	ok(tmux_until(!strncmp(tmux_line(9), "q quit", 6) && line_has("100.0%", "main") && widest() <= 40),
	   "there are names");
	type("z");
	ok(tmux_shows("No events yet."), "from zero");
	GIVE(FUNCTIONS - MODEL_LETTERS, "Alpha", "one", .stack = "ab", .step = 1, .spread = true);
	ok(tmux("resize-window -x 132 -y 10"), "on a flat screen");
	ok(tmux_shows("20000 of 20000 events have a stack; "), "more branches than the tree has room for");
	ok(strstr(tmux_screen, " branches below 0.5%; ") && strstr(tmux_screen, " given up") &&
	   line_has("100.0%   0.0%    20000 ", "parse"), "are counted: %s", tmux_line(5));
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

/* More values than there can be rows: none is lost without being counted. */
static void test_many(void)
{
	unsigned int i;

	begin(80, 24, PLAIN, "session -i 200ms --by Number --sort events");
	for (i = 0; i < 30; i++)
		GIVE(100, "Alpha", "one", .number = i * 100, .step = 1);
	GIVE(100, "Alpha", "one", .number = 1000000);
	ok(tmux_until(strstr(tmux_line(0), " 3100 events")), "all are counted: %s", tmux_line(0));
	ok(tmux_until(row_has("1000000 ", " 100 ", "")), "the largest is there");
	/* 20 rows: that, and 19 of one event each */
	ok(row_has("(others: ", " given up) ", " 2981 "), "what was given up is among the others: %s",
	   tmux_row("(others"));
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

static void test_hostile(const char *locale)
{
	const bool utf8 = strstr(locale, "UTF-8");

	begin(80, 24, locale, "session -i 200ms --by event --sort name");
	GIVE(1, "A", "a\033[2J\033]0;title\007");
	GIVE(1, "A", "b\xe2\x80\xae\xc2\x9b" "31m");
	GIVE(1, "A", "c\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x81" "e\xcc\x81");
	GIVE(1, "A", "d\xc3\xff\xe2\x80");
	GIVE(1, "A", "e\r\n\x08\x7f" "and much more that is far too long");
	ok(tmux_until(strstr(tmux_line(0), " 5 events")), "hostile names in %s", locale);
	ok(tmux_until(*tmux_row("A/a\\u001b[2J")), "escape sequences are text");
	ok(tmux_until(*tmux_row("A/b\\u{202e}\\u009b31m")), "controls are, too: %s", tmux_row("A/b"));
	ok(tmux_until(*tmux_row(utf8 ? "A/c\xe4\xbd\xa0\xe5\xa5\xbd" : "A/c???e?")),
	   "wide characters as the locale has them: %s", tmux_row("A/c"));
	ok(tmux_until(*tmux_row("A/d\\xc3\\xff")), "half characters: %s", tmux_row("A/d"));
	ok(tmux_until(*tmux_row("A/e\\r\\n")), "ends of lines: %s", tmux_row("A/e"));
	ok(tmux_until(!strncmp(tmux_line(0), "session  by event", 17) &&
		      !strncmp(tmux_line(23), "q quit", 6)), "and the screen is whole");
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

static void test_resize(void)
{
	begin(132, 43, UTF8, "session -i 200ms");
	GIVE(70, "Alpha", "one");
	ok(tmux_until(row_has("Alpha ", " 70 ", "")), "a large screen");
	ok(!strncmp(tmux_line(42), "q quit", 6), "is used");
	ok(tmux("resize-window -x 80 -y 24"), "becomes small");
	ok(tmux_until(!strncmp(tmux_line(23), "q quit", 6) && row_has("Alpha ", " 70 ", "")),
	   "which it follows");
	ok(tmux("resize-window -x 30 -y 6"), "and tiny");
	ok(tmux_until(!strncmp(tmux_line(5), "q quit", 6) && row_has("Alpha ", " 70", "")), "too");
	ok(tmux("resize-window -x 132 -y 43"), "and large again");
	ok(tmux_until(!strncmp(tmux_line(42), "q quit", 6) && strstr(tmux_line(1), "BYTES")), "too");
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

static void test_colour(void)
{
	begin(80, 24, "LC_ALL=C.UTF-8", "session -i 200ms");
	ok(tmux_shows("No events yet"), "a terminal with colours");
	GIVE(1, "Alpha", "one", .lose = 3);
	ok(tmux_until(!strncmp(tmux_line(0), "LOST 3", 6)), "a loss");
	ok(tmux_look_closely() && strstr(tmux_screen, "\033[31m"), "is red where there are colours");
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
	begin(80, 24, "LC_ALL=C NO_COLOR=1", "session -i 200ms");
	ok(tmux_shows("No events yet"), "one where they are not wanted");
	GIVE(1, "Alpha", "one", .lose = 3);
	ok(tmux_until(!strncmp(tmux_line(0), "LOST 3", 6)), "without them");
	ok(tmux_look_closely() && !strstr(tmux_screen, "\033[31m") && is_reversed(),
	   "it is reversed");
	type("q");
	ok(ended_with("status 0"), "the end");
	end();
}

/* The terminal vanishes: its session is stopped. */
static void test_vanish(const char *before, const char *what)
{
	begin(80, 24, before, "-p " MODEL_GUID " -i 200ms");
	ok(tmux_shows("etw-top-"), "a session of its own");
	end();
	ok(ended_with("sessions 1"), "is stopped when the terminal vanishes, %s", what);
}

static void test_refused(void)
{
	/* ncurses does not free all that it has for one that it does not know. */
	begin(132, 24, "ASAN_OPTIONS=detect_leaks=0 TERM=nonsense", "session");
	ok(tmux_shows("the type of the terminal, TERM, is not known: use --batch"), "an unknown terminal");
	ok(tmux_shows("Left with 1"), "is refused");
	end();
	begin(132, 24, "TERM=dumb", "-p " MODEL_GUID);
	ok(tmux_shows("cannot place its cursor: use --batch"), "a dumb one");
	ok(ended_with("status 1, sessions 1"), "too, and its session stopped");
	end();
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--model"))
		return run_model(argc - 2, argv + 2);
	if (!realpath(argv[0], program) || !mkdtemp(folder))
		abort();
	snprintf(result, sizeof(result), "%s/result", folder);
	if (!shell("command -v tmux >/dev/null")) {
		printf("1..0 # SKIP tmux is not installed\n");
		return 0;
	}
	test_size(80, 24);
	test_size(132, 43);
	test_keys();
	test_filter();
	test_freeze();
	test_flame(80, 24);
	test_flame(132, 43);
	test_flame_keys();
	test_flame_many();
	test_flame_session();
	test_many();
	test_hostile(UTF8);
	test_hostile(PLAIN);
	test_resize();
	test_colour();
	test_vanish(UTF8, "which is a signal");
	test_vanish("trap '' HUP;", "though that signal is ignored");
	test_refused();
	shell("rm -rf %s", folder);
	return done_testing();
}
