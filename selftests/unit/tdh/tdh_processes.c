// SPDX-License-Identifier: MIT
/* tdh_processes - which process an id stood for at a time, against a model that knows */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <etw/format.h>

#include "lib/tap.h"
#include "tdh/process/process_table.h"

#define SECOND	10000000LL
#define START	133000000000000000LL
#define T(s)	(START + (int64_t)((s) * SECOND))

static struct etw_process_table *table;

static void is_str(const char *got, const char *want, const char *what)
{
	if (!ok(!strcmp(got, want), "%s", what))
		printf("# got %s, want %s\n", got, want);
}

/* One of Etw-Process's events, as etw.ko writes it */
struct own {
	unsigned int what;
	double at, began;	/* seconds */
	uint32_t pid, parent;
	const char *name, *path;
};

static uint64_t key_of(uint32_t pid, double began)
{
	return (uint64_t)(began * 1e9) >> 20 << 22 | pid;
}

static int own(struct own e)
{
	struct etw_process_payload payload = {
		.pid = e.pid, .parent = e.parent, .start = T(e.began), .start_key = key_of(e.pid, e.began),
	};
	struct etw_event_header header = {
		.provider = ETW_PROCESS_GUID, .desc = { .opcode = (uint8_t)e.what, .level = 4 },
		.flags = ETW_EVENT_KERNEL_MODE, .type = ETW_TYPE_EVENT64,
	};
	const char *path = e.path ? e.path : "";
	const size_t size = sizeof(payload) + strlen(e.name) + strlen(path) + 2;
	struct etw_event event = { .time = T(e.at) };
	char *data = malloc(size);
	int ret;

	memcpy(data, &payload, sizeof(payload));
	strcpy(data + sizeof(payload), e.name);
	strcpy(data + sizeof(payload) + strlen(e.name) + 1, path);
	event.record = (struct etw_record_view){ .header = &header, .data = data,
						 .data_len = (uint32_t)size };
	ret = etw_process_learn(table, &event);
	free(data);
	return ret;
}

#define OWN(...)	own((struct own){ __VA_ARGS__ })

/* "name path parent", with "-" for what is not known */
static const char *at(double seconds, uint32_t pid)
{
	struct etw_process process, parent;
	static char text[1024];

	if (!etw_process_find(table, pid, T(seconds), NULL, &process))
		return "-";
	if (!etw_process_find_parent(table, pid, T(seconds), NULL, &parent))
		parent.name = "-";
	snprintf(text, sizeof(text), "%s %s %s", process.name, process.path ? process.path : "-",
		 parent.name);
	return text;
}

static void begin(size_t max)
{
	etw_process_table_free(table);
	table = etw_process_table_new(max);
	if (!table)
		abort();
}

static void test_life(void)
{
	begin(0);
	is_str(at(1, 7), "-", "nothing is known");
	OWN(ETW_PROCESS_RUNDOWN, 5, 1, 7, 1, "sh", "/bin/sh");
	is_str(at(5, 7), "sh /bin/sh -", "a process of a rundown");
	is_str(at(2, 7), "sh /bin/sh -", "before the rundown");
	is_str(at(0.5, 7), "-", "not before it started");
	OWN(ETW_PROCESS_START, 6, 6, 8, 7, "sh", "/bin/sh");
	OWN(ETW_PROCESS_RENAME, 6.1, 6, 8, 7, "dd", NULL);
	OWN(ETW_PROCESS_EXEC, 6.2, 6, 8, 7, "dd", "/bin/dd");
	is_str(at(6.05, 8), "sh /bin/sh sh", "a child is called like its parent");
	is_str(at(6.15, 8), "dd /bin/sh sh", "its name, and then");
	is_str(at(6.3, 8), "dd /bin/dd sh", "its program change");
	OWN(ETW_PROCESS_RUNDOWN, 1, 0, 1, 0, "init", "/init");
	OWN(ETW_PROCESS_STOP, 7, 6, 8, 1, "dd", NULL);
	is_str(at(7.1, 8), "dd /bin/dd sh", "while it ends, when init has adopted it");
	is_str(at(9, 8), "-", "and no longer");
	is_str(at(6.3, 9), "-", "another id");
}

/* An id is used again, by a process that started before the trace and ended in it, too. */
static void test_reuse(void)
{
	struct etw_process process;
	uint64_t key = key_of(7, 1), other = key_of(7, 4);

	begin(0);
	OWN(ETW_PROCESS_STOP, 3, 1, 7, 1, "old", NULL);
	OWN(ETW_PROCESS_START, 4, 4, 7, 1, "init", "/init");
	OWN(ETW_PROCESS_EXEC, 4.5, 4, 7, 1, "new", "/new");
	is_str(at(2, 7), "old - -", "the first one, of which only the end is known");
	is_str(at(4.2, 7), "init /init -", "the second one's first name");
	is_str(at(5, 7), "new /new -", "and its last one");
	ok(etw_process_find(table, 7, T(5), &key, &process) && !strcmp(process.name, "old"),
	   "a start key finds its process at any time");
	ok(etw_process_find(table, 7, T(2), &other, &process) == true &&
	   process.start_key == other, "also the other one");
	other++;
	ok(!etw_process_find(table, 7, T(5), &other, &process), "an unknown key");
}

static void test_change_first(void)
{
	begin(0);
	OWN(ETW_PROCESS_EXEC, 5, 1, 7, 1, "dd", "/bin/dd");
	is_str(at(4, 7), "-", "the name before the first known change is not known");
	is_str(at(5, 7), "dd /bin/dd -", "but since then");
	OWN(ETW_PROCESS_RENAME, 8, 1, 7, 1, "a", NULL);
	OWN(ETW_PROCESS_RENAME, 7, 1, 7, 1, "b", NULL);
	OWN(ETW_PROCESS_RUNDOWN, 7.5, 1, 7, 1, "b", "/bin/dd");
	is_str(at(7.9, 7), "b /bin/dd -", "changes come in any order");
	is_str(at(8, 7), "a /bin/dd -", "and so on");
}

static void test_hostile(void)
{
	static char name[70000];
	unsigned int i;
	struct etw_event_header header = { .provider = ETW_PROCESS_GUID };
	struct etw_event event = { .record = { .header = &header } };

	begin(0);
	is(etw_process_learn(table, &event), 0, "what a program writes is not believed");
	header.flags = ETW_EVENT_KERNEL_MODE;
	is(etw_process_learn(table, &event), 0, "an event that is too short");
	memset(name, 0xFC, sizeof(name) - 1);
	is(OWN(ETW_PROCESS_RUNDOWN, 1, 1, 7, 1, name, name), 1, "a long name");
	ok(strlen(at(1, 7)) <= 2 * 255 + 4, "is cut");
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		OWN(ETW_PROCESS_RENAME, 2 + i, 1, 7, 1, name, NULL);
	}
	is_str(at(1001, 7), "n999 - -", "many names: the last ones are kept");
	is_str(at(10, 7), "-", "and no wrong one is given for the first ones");
}

/* ------------------------------------------------------------------- the model */

#define PIDS	50
#define LIVES	40

static struct {
	double began, execs, ends;
} lives[PIDS][LIVES];

static void make_lives(void)
{
	unsigned int pid, i;
	double now;

	for (pid = 0; pid < PIDS; pid++)
		for (now = i = 0; i < LIVES; i++) {
			now += 0.1 + rand() % 100 / 10.0;
			lives[pid][i].began = now;
			lives[pid][i].execs = now += 0.1 + rand() % 100 / 10.0;
			lives[pid][i].ends = now += 0.1 + rand() % 100 / 10.0;
		}
}

/* part: of the events of a life, START, EXEC or STOP */
static void put(uint32_t pid, unsigned int i, unsigned int part)
{
	char name[32], path[64];

	snprintf(name, sizeof(name), "p%u.%u%c", pid, i, part ? 'b' : 'a');
	snprintf(path, sizeof(path), "/bin/%s", name);
	if (!part)
		OWN(ETW_PROCESS_START, lives[pid][i].began, lives[pid][i].began, pid + 1, 0, name, path);
	else if (part == 1)
		OWN(ETW_PROCESS_EXEC, lives[pid][i].execs, lives[pid][i].began, pid + 1, 0, name, path);
	else
		OWN(ETW_PROCESS_STOP, lives[pid][i].ends, lives[pid][i].began, pid + 1, 0, name, NULL);
}

/* The answer for any time between a start and the end of the same process */
static unsigned int count_wrong(void)
{
	unsigned int pid, i, wrong = 0;
	char want[128];

	for (pid = 0; pid < PIDS; pid++)
		for (i = 0; i < LIVES; i++) {
			double t = lives[pid][i].began;

			for (; t < lives[pid][i].ends; t += 0.07) {
				const char c = T(t) < T(lives[pid][i].execs) ? 'a' : 'b';

				snprintf(want, sizeof(want), "p%u.%u%c /bin/p%u.%u%c -", pid, i, c,
					 pid, i, c);
				wrong += strcmp(at(t, pid + 1), want) != 0;
			}
		}
	return wrong;
}

static void test_model(void)
{
	static uint32_t order[PIDS * LIVES * 3];
	const unsigned int all = PIDS * LIVES * 3;
	unsigned int i, j;
	uint32_t swap;

	make_lives();
	begin(0);
	for (i = 0; i < all; i++) {
		order[i] = i;
		put(i / 3 / LIVES, i / 3 % LIVES, i % 3);
	}
	is(count_wrong(), 0, "all processes of all ids, at all times");
	begin(0);
	for (i = all - 1; i > 0; i--) {
		j = (unsigned int)rand() % (i + 1);
		swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (i = 0; i < all; i++)
		put(order[i] / 3 / LIVES, order[i] / 3 % LIVES, order[i] % 3);
	is(count_wrong(), 0, "the same if the events come in any order");
	for (i = 0; i < all; i++)
		put(i / 3 / LIVES, i / 3 % LIVES, i % 3);
	is(count_wrong(), 0, "and a second time");
	is((int)etw_process_forgotten(table), 0, "nothing is forgotten");
}

static void test_limit(void)
{
	unsigned int i;
	char name[32];

	begin(100);
	for (i = 1; i <= 1000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		OWN(ETW_PROCESS_START, i, i, i, 0, name, "/x");
		at(i, 1);
	}
	is((int)etw_process_forgotten(table), 900, "processes beyond the limit are forgotten");
	is_str(at(1000, 1000), "n1000 /x -", "not the last one");
	is_str(at(1, 1), "n1 /x -", "nor the one that is asked for");
	is_str(at(500, 500), "-", "but those that are not");
}

/* A file may say that one id had any number of processes; a lookup must not see them all. */
static void test_one_id(void)
{
	unsigned int i;
	char name[32];

	begin(0);
	for (i = 1; i <= 200000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		OWN(ETW_PROCESS_START, i, i, 7, 0, name, NULL);
		OWN(ETW_PROCESS_STOP, i + 0.5, i, 7, 0, name, NULL);
	}
	is_str(at(200000, 7), "n200000 - -", "the last process of an id");
	is_str(at(199900, 7), "n199900 - -", "and one of those before");
	is_str(at(199000, 7), "-", "of which so many are kept");
	is((int)etw_process_forgotten(table), 200000 - ETW_PROCESS_LIVES, "the others are forgotten");
}

/* ------------------------------------------------------- Windows' kernel logger */

static int windows(uint8_t type, double when, uint32_t pid, uint32_t parent, const char *name)
{
	struct etw_event_header header = {
		.provider = ETW_GUID(0x3d6fa8d0, 0xfe05, 0x11d0, 0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba,
				     0x7c),
		.desc = { .opcode = type, .version = 3 },
		.flags = ETW_EVENT_CLASSIC_HEADER | 0x40, .type = ETW_TYPE_EVENT64,
	};
	struct etw_buffer_header buffer = { .logger_id = 1 };
	struct etw_event event = { .time = T(when), .buffer = &buffer };
	uint8_t data[256] = { 0 };
	size_t at = 8;

	memcpy(data + at, &pid, 4);
	memcpy(data + at + 4, &parent, 4);
	at += 4 * 4 + 8;
	at += 4;	/* no SID: four zero bytes */
	strcpy((char *)data + at, name);
	at += strlen(name) + 1 + 2;
	event.record = (struct etw_record_view){ .header = &header, .data = data,
						 .data_len = (uint32_t)at };
	return etw_process_learn(table, &event);
}

static void test_windows(void)
{
	unsigned int twice;

	begin(0);
	for (twice = 0; twice < 2; twice++) {
		windows(3, 1, 4, 0, "System");
		windows(3, 1, 500, 4, "svchost.exe");
		windows(1, 5, 600, 500, "cmd.exe");
		windows(2, 6, 600, 500, "cmd.exe");
		windows(1, 8, 600, 500, "notepad.exe");
		windows(4, 9, 500, 4, "svchost.exe");
		is_str(at(0, 500), "svchost.exe - System", "a process that was there at the start");
		is_str(at(5.5, 600), "cmd.exe - svchost.exe", "one that starts");
		is_str(at(7.5, 600), "-", "and ends");
		is_str(at(8.5, 600), "notepad.exe - svchost.exe", "its id is used again");
	}
}

int main(void)
{
	test_life();
	test_reuse();
	test_change_first();
	test_hostile();
	test_model();
	test_limit();
	test_one_id();
	test_windows();
	etw_process_table_free(table);
	return done_testing();
}
