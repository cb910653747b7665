// SPDX-License-Identifier: MIT
/* etw dump on a terminal: its width, colours, the short line of a file, the pager, progress */
#define _GNU_SOURCE
#include <pty.h>
#include <sys/ioctl.h>

#include "unit/etl/etl_loss.h"

#include <etw/abi.h>
#include "cli/machine/append.h"
#include "cli_run.h"
#include "lib/shell.h"
#include "lib/tap.h"

#define FIRST_MS	700	/* of cli/progress.c: no bar before */

static char screen[1 << 20];

/*
 * Run a shell command on a terminal of that width; what it showed into screen, without the
 * carriage returns that the terminal adds. Returns the exit status.
 */
static int on_terminal(unsigned int width, const char *format, ...)
{
	struct winsize size = { .ws_row = 24, .ws_col = (unsigned short)width };
	char command[4096], *to = screen, *end = screen + sizeof(screen) - 1, *at;
	va_list args;
	int master, status;
	ssize_t n;
	pid_t pid;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	fflush(stdout);
	pid = forkpty(&master, NULL, NULL, &size);
	if (!pid) {
		setenv("ETW_DEVICE", "/nonexistent", 1);
		setenv("TERM", "xterm", 1);
		setenv("TZ", "XYZ-1:30", 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		abort();
	while (to < end && (n = read(master, to, (size_t)(end - to))) > 0)
		to += n;
	*to = '\0';
	close(master);
	if (waitpid(pid, &status, 0) != pid)
		abort();
	for (at = to = screen; *at; at++)
		if (at[0] != '\r' || at[1] != '\n')
			*to++ = *at;
	*to = '\0';
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Remove the sequences that set colours. */
static void strip(void)
{
	char *at = screen, *to = screen;

	while (*at) {
		if (at[0] == '\033' && at[1] == '[' && at[2 + strspn(at + 2, "0123456789;")] == 'm')
			at += 3 + strspn(at + 2, "0123456789;");
		else
			*to++ = *at++;
	}
	*to = '\0';
}

static size_t widest(void)
{
	size_t most = 0, len;
	const char *at;

	for (at = screen; *at; at += len + (at[len] == '\n')) {
		len = strcspn(at, "\n");
		most = len > most ? len : most;
	}
	return most;
}

/* The column at which a text stands in the nth line that has it; -1: nowhere */
static int column_of(const char *text, int nth)
{
	const char *at = screen, *line;

	while ((at = strstr(at, text)) && nth--)
		at++;
	if (!at)
		return -1;
	for (line = at; line > screen && line[-1] != '\n'; line--)
		;
	return (int)(at - line);
}

/* ------------------------------------------------------------------------ files */

static const char schema[] = "\0Work\0first\0\x08second\0\x08text\0\x02";
static const char hostile[] = "\0\033[2J\xe2\x80\xae\0fir\033[31mst\0\x08second\0\x08text\0\x02";

/* Add an item to a record; returns its end. */
static unsigned char *put_item(unsigned char *to, uint16_t type, bool more, const void *data, size_t len)
{
	uint16_t head[4] = { (uint16_t)(8 + (len + 7) / 8 * 8), type, more, (uint16_t)len };

	memset(to, 0, head[0]);
	memcpy(to, head, sizeof(head));
	memcpy(to + sizeof(head), data, len);
	return to + head[0];
}

/* A TraceLogging event with two numbers, a text and, if depth is not 0, a stack */
static void put_event(struct make *m, int at, uint8_t level, const char *metadata, size_t size,
		      const char *text, unsigned int depth)
{
	struct etw_buffer_header *b = feed_header(&m->feed);
	unsigned char meta[256], *start = m->feed.data + b->offset, *to = start + sizeof(struct etw_event_header);
	uint64_t stack[8] = { 1, 0xffffffff00000010, 0x400123 };
	uint32_t numbers[2] = { (uint32_t)at, 70000 };
	uint16_t whole = (uint16_t)(size + 2);
	struct etw_event_header *h = (void *)start;

	memcpy(meta, &whole, 2);
	memcpy(meta + 2, metadata, size);
	to = put_item(to, ETW_EXT_EVENT_SCHEMA, depth, meta, whole);
	if (depth)
		to = put_item(to, ETW_EXT_STACK_TRACE64, false, stack, 8 * (1 + depth));
	memcpy(to, numbers, sizeof(numbers));
	strcpy((char *)to + sizeof(numbers), text);
	to += sizeof(numbers) + strlen(text) + 1;
	*h = (struct etw_event_header){
		.size = (uint16_t)(to - start), .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_EXTENDED_INFO | ETW_EVENT_NO_CPUTIME,
		.thread_id = 123456, .process_id = at % 20 ? 7 : 123456, .timestamp = 1000 + at * 100,
		.provider = feed_guid, .desc = { .channel = 11, .level = level },
	};
	b->offset += etw_record_slot(h->size);
	b->saved_offset = b->current_offset = b->offset;
	if (b->offset > m->feed.size)
		abort();
}

#define LONG_TEXT	"a [text] \"that says\" {much"

static const struct lost lost = { .first = 20, .last = 30, .noted = 40, .code = ETW_DROP_NO_BUFFER,
				  .cpu = 0, .events = 12 };

static void make_file(struct make *m)
{
	make_begin(m, 1);
	make_buffer(m, 0, 1);
	put_event(m, 10, 2, schema, sizeof(schema) - 1, "short", 0);
	put_event(m, 20, 4, schema, sizeof(schema) - 1, LONG_TEXT, 0);
	put_lost(&m->feed, &lost, "one");
	put_event(m, 50, 3, hostile, sizeof(hostile) - 1, "\033]0;title\007\r\n\x9b" "2J", 0);
	put_event(m, 60, 5, schema, sizeof(schema) - 1, "deep", 2);
	make_put(m);
	m->head.header.events_lost = 12;
	make_end(m);
}

/* Whose output fills a pipe */
static void make_long(struct make *m)
{
	int i, k;

	make_begin(m, 1);
	for (i = 0; i < 400; i++) {
		make_buffer(m, 0, (uint64_t)i + 1);
		for (k = 0; k < 10; k++)
			put_event(m, i * 10 + k, 4, schema, sizeof(schema) - 1, LONG_TEXT, 0);
		make_put(m);
	}
	make_end(m);
}

/* ------------------------------------------------------------------------ tests */

#define DUMP	"build/etw dump --no-pager "

/* Escapes: only those that set colours. */
static bool only_colours(void)
{
	strip();
	return !strpbrk(screen, "\033\007\r") && !strstr(screen, "\xe2\x80\xae");
}

static void test_width(const char *path, unsigned int width)
{
	ok(!on_terminal(width, DUMP "--no-losses %s 2>/dev/null", path), "%u columns", width);
	ok(only_colours(), "what events hold reaches no terminal");
	ok(widest() <= width, "no line is wider: %zu", widest());
	ok(strstr(screen, ": 4 CPUs, 2 buffers of 4 KB, 1.000 s, 12"),
	   "the file's header is a short line");
	ok(strstr(screen, "\n2022-06-18 +01:30\n05:56:40.000"), "the day and the zone have a line");
	ok(!strstr(screen + strcspn(screen, "\n"), "2022-06-18 +01:30\n05") ||
	   !strstr(strstr(screen, "2022-06-18 +01:30\n05") + 1, "2022-06-18"), "once");
	ok(column_of("Work", 0) > 0 && column_of("Work", 1) == column_of("Work", 2),
	   "columns are aligned");
	ok(strstr(screen, "first=20 second=70000\n        text=\"") ||
	   strstr(screen, "first=20 second=70000 text=\""), "lines are broken between fields");
}

static void test_columns(const char *path)
{
	is(on_terminal(120, DUMP "--no-losses %s 2>/dev/null", path), 0, "all columns");
	strip();
	ok(strstr(screen, " 000 7/123456 ") && strstr(screen, " error "), "have CPU and level: %s", screen);
	is(on_terminal(60, DUMP "--no-losses %s 2>/dev/null", path), 0, "few columns");
	strip();
	ok(!strstr(screen, " 000 ") && !strstr(screen, " error "), "do not, nor the provider");
	is(on_terminal(120, DUMP "--no-losses --columns event,cpu %s 2>/dev/null", path), 0, "chosen columns");
	strip();
	ok(strstr(screen, "\nWork             000\nWork             000\n"), "are all there is: %s",
	   screen);
	is(on_terminal(120, DUMP "--no-losses --columns event,time %s 2>/dev/null", path), 0, "the time behind another");
	strip();
	ok(strstr(screen, "\n2022-06-18 +01:30\nWork             05:56:40.0000010\nWork             05:56:40.0000020\n"),
	   "has the day in a line of its own: %s", screen);
	is(run("dump --no-losses --columns level,event,fields %s", path), 0, "also in a pipe");
	ok(strstr(run_out, "\nerror  Work              first=10 second=70000 text=\"short\"\n"),
	   "aligned with the file's header, not broken: %s", run_out);
	is(run("dump --columns level,x %s", path), 2, "a wrong name");
	ok(run_reported("--columns: \"x\" is none of time, cpu, process"), "is refused");
	is(run("dump --columns level --json %s", path), 2, "not in JSON");
}

/* The machine of a file is in its line if all files say theirs, and it is the same. */
static void test_machine(const char *path)
{
	const struct machine machine = { .boot = { .data1 = 1 }, .host = "one-host" };
	char described[128];

	snprintf(described, sizeof(described), "%s.described", path);
	if (!shell("cp %s %s", path, described) ||
	    machine_append_file(described, 0, &machine, NULL, NULL))
		abort();
	is(on_terminal(200, DUMP "--no-losses %s 2>/dev/null", described), 0, "a file's machine");
	ok(strstr(screen, "; one-host"), "is in its line");
	is(on_terminal(200, DUMP "--no-losses %s %s 2>/dev/null", described, path), 0, "of two files");
	ok(!strstr(screen, "one-host"), "one of which says nothing, it is in none");
	unlink(described);
}

static void test_colour(const char *path)
{
	is(on_terminal(120, DUMP "%s 2>/dev/null", path), 0, "colours");
	ok(strstr(screen, "\033[31m\033[2mfirst=\033[22m10 \033[2msecond=") ||
	   strstr(screen, "\033[31m\033[2mfirst=\033[22m10\033[2m second="),
	   "an error's values are red, and names faint");
	ok(strstr(screen, "\033[33m12 events "), "a loss is a warning");
	is(on_terminal(120, "NO_COLOR=1 " DUMP "%s 2>/dev/null", path), 0, "NO_COLOR");
	ok(!strchr(screen, '\033'), "has none");
	is(on_terminal(120, DUMP "--color never %s 2>/dev/null", path), 0, "--color never");
	ok(!strchr(screen, '\033'), "neither");
	is(on_terminal(120, "TERM=dumb " DUMP "%s 2>/dev/null", path), 0, "a dumb terminal");
	ok(!strchr(screen, '\033'), "neither");
}

/* What is no terminal gets lines that do not depend on one. */
static void test_pipe(const char *path)
{
	is(on_terminal(60, DUMP "%s 2>/dev/null | cat", path), 0, "a pipe");
	ok(strstr(screen, "2022-06-18 05:56:40.0000010+01:30 [000] 7/123456 ") &&
	   strstr(screen, "EventTrace/Header always BufferSize=4096 "), "has whole lines: %s", screen);
	ok(!strchr(screen, '\033'), "without colours");
}

static void test_stack(const char *path)
{
	is(run("dump --stack %s", path), 0, "--stack");
	ok(strstr(run_out, "text=\"deep\"\n        0xffffffff00000010\n        0x0000000000400123\n"),
	   "has a line for each frame: %s", run_out);
	is(run("dump %s", path), 0, "without");
	ok(strstr(run_out, "text=\"deep\" stack=[0xffffffff00000010 0x400123]\n"), "it is an item");
	is(run("dump --json --stack %s", path), 0, "as JSON");
	ok(strstr(run_out, "\"stack\":[\"0xffffffff00000010\",\"0x400123\"],\"functions\":["),
	   "there are functions besides");
}

/* A trace that names its processes, one of which had the id that this one has */
static void test_stack_of_other(void)
{
	struct {
		struct etw_process_payload payload;
		char texts[16];
	} process = { .payload = { .pid = (uint32_t)getpid(), .start_key = 1, .start = MAKE_START },
		      .texts = "dd\0/bin/dd" };
	struct etw_buffer_header *b;
	struct etw_event_header *h;
	static struct make m;
	unsigned char *to;
	uint64_t stack[2] = { 1, (uintptr_t)test_stack };

	make_begin(&m, 1);
	make_buffer(&m, 0, 1);
	b = feed_header(&m.feed);
	h = (void *)(m.data + b->offset);
	feed_event(&m.feed, 1000, 0, NULL, &process, sizeof(process));
	h->provider = (struct etw_guid)ETW_PROCESS_GUID;
	h->desc.opcode = ETW_PROCESS_RUNDOWN;
	h->flags |= ETW_EVENT_KERNEL_MODE;
	h = (void *)(m.data + b->offset);
	feed_event(&m.feed, 2000, 5, NULL, NULL, 0);
	to = put_item((unsigned char *)(h + 1), ETW_EXT_STACK_TRACE64, false, stack, sizeof(stack));
	h->size = (uint16_t)(to - (unsigned char *)h);
	h->flags |= ETW_EVENT_EXTENDED_INFO;
	h->process_id = h->thread_id = (uint32_t)getpid();
	b->offset = (uint32_t)((unsigned char *)h - m.data) + etw_record_slot(h->size);
	b->saved_offset = b->current_offset = b->offset;
	make_put(&m);
	make_end(&m);
	is(run("dump --stack %s", m.path), 0, "the stack of a process that has a name");
	ok(strstr(run_out, " dd-"), "which is shown");
	ok(!strstr(run_out, "cli_terminal+"), "but whose files are not those of the process that has its id: %s",
	   run_out);
	unlink(m.path);
}

static void test_pager(const char *path)
{
	static const char sed[] = "sed 's/^/page: /'";

	is(on_terminal(80, "ETW_PAGER=\"%s\" PAGER=false build/etw dump %s", sed, path), 0, "a pager");
	strip();
	ok(!strncmp(screen, "page: ", 6) && strstr(screen, "\npage: etw: "),
	   "gets the events and, if they go to the terminal, messages");
	ok(strstr(screen, "\npage:         "), "which are fitted to the terminal");
	is(on_terminal(80, "PAGER=\"%s\" build/etw dump %s", sed, path), 0, "$PAGER");
	ok(!strncmp(screen, "page: ", 6), "is one, too");
	is(on_terminal(80, "PAGER=\"%s\" build/etw dump --no-pager %s", sed, path), 0, "--no-pager");
	ok(!strstr(screen, "page: "), "has none");
	is(on_terminal(80, "PAGER=\"%s\" build/etw dump %s 2>/dev/null | cat", sed, path), 0, "a pipe");
	ok(!strstr(screen, "page: "), "neither");
	is(on_terminal(80, "PAGER=/nonexistent/pager build/etw dump %s", path), 0, "a pager that is missing");
	ok(strstr(screen, "text="), "is no loss");
	is(on_terminal(80, "PAGER= build/etw dump %s", path), 0, "none");
	ok(strstr(screen, "text="), "is none");
	is(on_terminal(80, "PAGER='sed q' build/etw dump %s%s%s; echo ends $?", path, " ", path), 0,
	   "a pager that ends early");
	ok(strstr(screen, "ends "), "ends the command");
}

static void test_loss(const char *path)
{
	is(run("dump %s", path), 0, "a loss");
	ok(strstr(run_out, "; session one; more --min-buffers or a larger --buffer-size would have kept them\n"),
	   "names the options that help");
	ok(run_reported(": 12 events lost when written, as shown above\n"), "and is counted once");
	is(run("dump --no-losses %s", path), 0, "--no-losses");
	ok(run_reported(": 12 events lost when written\n"), "has only the sum");
	is(run("dump --json %s", path), 0, "JSON");
	ok(strstr(run_out, ",\"remedies\":[\"--min-buffers\",\"--buffer-size\"]}}\n"), "has them as words");
}

/*
 * A reader that takes the events only after the time without a bar is over, so that a bar is
 * due whatever the speed of the machine.
 */
static void test_progress(const char *path)
{
	char out_path[80];

	snprintf(out_path, sizeof(out_path), "%s.fifo", path);
	is(on_terminal(80, "mkfifo %s; (exec 3<%s; sleep %g; cat <&3 >/dev/null) & build/etw dump %s >%s; "
		       "s=$?; wait; rm %s; exit $s", out_path, out_path, FIRST_MS / 1000.0 + 0.1, path,
		       out_path, out_path), 0, "events go elsewhere, slowly");
	ok(strstr(screen, "%  ") && strstr(screen, " events  ") && strstr(screen, "/s"),
	   "the terminal shows a bar, with the rate");
	is(on_terminal(80, DUMP "-n 2000 %s 2>/dev/null", path), 0, "events go to the terminal");
	ok(!strstr(screen, "]  ") && !strstr(screen, "\033[K"), "no bar is among them");
}

int main(void)
{
	static struct make m, big;

	make_file(&m);
	test_width(m.path, 120);
	test_width(m.path, 80);
	test_width(m.path, 60);
	test_columns(m.path);
	test_machine(m.path);
	test_colour(m.path);
	test_pipe(m.path);
	test_stack(m.path);
	test_stack_of_other();
	test_pager(m.path);
	test_loss(m.path);
	make_long(&big);
	test_progress(big.path);
	unlink(big.path);
	unlink(m.path);
	return done_testing();
}
