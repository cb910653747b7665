// SPDX-License-Identifier: MIT
/*
 * bridge_set - what the bridge does where the module is older than the program: it leaves out the
 * names of values, and shows addresses of sockets as numbers
 */
#include <errno.h>
#include <string.h>

#include "lib/tap.h"

/* Instead of tracefs */
#define trace_schema_read_older	fake_read_older
#include "bridge/trace_set.c"

static const char format[] =
	"name: sys_enter_connect\nID: 321\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:struct sockaddr * uservaddr;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int addrlen;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"%d\", REC->fd\n";

static struct {
	bool knows_names, knows_bytes;	/* the module */
	int error;			/* which it returns anyway */
	unsigned int calls;
	struct etw_trace_event made;
	char read[64];
	int read_error;
} fake;

static struct trace_schema s;

static int fake_ioctl(int fd, unsigned int command, void *arg)
{
	const struct etw_trace_event *event = arg;
	const struct etw_trace_piece *pieces = (const void *)(uintptr_t)event->pieces;
	unsigned int i;

	(void)fd;
	if (command != ETW_IOC_TRACE_EVENT)
		return -ENOTTY;
	fake.calls++;
	fake.made = *event;
	if (fake.error)
		return fake.error;
	if (event->manifest && !fake.knows_names)
		return -E2BIG;
	for (i = 0; i < event->piece_count; i++)
		if (pieces[i].kind == ETW_TRACE_USER_BYTES && !fake.knows_bytes)
			return -EINVAL;
	return 0;
}

static int parse(bool older, struct trace_schema *schema)
{
	return trace_schema_parse(format, strlen(format), "sys_enter_connect", older, schema);
}

int fake_read_older(const char *event, struct trace_schema *schema)
{
	snprintf(fake.read, sizeof(fake.read), "%s", event);
	return fake.read_error ? fake.read_error : parse(true, schema);
}

static int make_it(struct trace_set *set)
{
	fake.calls = 0;
	fake.read[0] = '\0';
	return trace_set_register(0, set, 0, &s);
}

static void with_bytes(struct trace_set *set)
{
	fake.knows_names = fake.knows_bytes = true;
	is(make_it(set), 0, "a module that knows all");
	ok(fake.calls == 1 && fake.made.manifest && fake.made.piece_count == s.piece_count,
	   "is asked once");
	ok(!strcmp(set->fields[0], "id=0: i32 fd, cbin uservaddr, i32 addrlen"),
	   "filters test what it makes: %s", set->fields[0]);
	fake.knows_names = false;
	is(make_it(set), 0, "one without names of values");
	ok(fake.calls == 2 && !fake.made.manifest, "gets none");
	ok(!*fake.read, "and still reads addresses");
	fake.error = -EEXIST;
	is(make_it(set), -EEXIST, "an error of another kind");
	ok(fake.calls == 1 && !*fake.read, "is final");
	fake.error = 0;
}

static void without(struct trace_set *set)
{
	fake.knows_names = fake.knows_bytes = false;
	is(make_it(set), 0, "a module that does not read addresses");
	ok(!strcmp(fake.read, "syscalls:sys_enter_connect"), "gets another description");
	ok(!strcmp(set->fields[0], "id=0: i32 fd, u64 uservaddr, i32 addrlen"),
	   "filters test what it makes: %s", set->fields[0]);
	fake.read_error = -ENOENT;
	is(make_it(set), -ENOENT, "the format is gone");
	fake.read_error = 0;
	fake.error = -EINVAL;
	is(make_it(set), -EINVAL, "the module refuses that as well");
	s.reads_bytes = false;
	is(make_it(set), -EINVAL, "one that has no address");
	ok(!*fake.read, "is not tried again");
}

int main(void)
{
	static const struct etw_kdev_ops device = { .ioctl = fake_ioctl };
	struct trace_set set = { .count = 0 };

	etw_kdev_ops = &device;
	is(parse(false, &s), 0, "a format with an address");
	strcpy(s.names, "<map name=\"m\"><entry value=\"1\" message=\"a\"/></map>");
	is(trace_set_add(&set, TRACE_EVENT_PREFIX "syscalls:sys_enter_connect"), 0, "its provider");
	with_bytes(&set);
	without(&set);
	trace_set_free(&set);
	return done_testing();
}
