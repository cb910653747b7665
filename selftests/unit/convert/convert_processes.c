// SPDX-License-Identifier: MIT
/* convert_processes - the names of processes in what etw convert writes, against those in the file */
#include "unit/etl/etl_make.h"

#include "unit/cli/cli_run.h"
#include "lib/shell.h"
#include "lib/tap.h"

static const struct etw_guid process = ETW_PROCESS_GUID;
static struct make make;

static struct etw_event_header *put(uint64_t us, uint16_t id, uint32_t pid, const void *data,
				    uint32_t len)
{
	uint32_t at = feed_header(&make.feed)->offset;
	struct etw_event_header *h;

	if (!feed_event(&make.feed, 1000 + us * 1000, id, NULL, data, len))
		abort();
	h = (void *)(make.data + at);
	h->process_id = pid;
	h->thread_id = pid;
	return h;
}

static void put_process(uint64_t us, uint8_t what, uint32_t pid, const char *name)
{
	struct etw_process_payload payload = { .pid = pid, .parent = 1, .start_key = pid,
					       .start = MAKE_START };
	struct etw_event_header *h;
	char data[128];
	size_t len = sizeof(payload);

	memcpy(data, &payload, len);
	len += (size_t)snprintf(data + len, 32, "%s", name) + 1;
	len += (size_t)snprintf(data + len, 32, "/bin/%s", name) + 1;
	h = put(us, 0, pid, data, (uint32_t)len);
	h->provider = process;
	h->desc.opcode = what;
	h->flags |= ETW_EVENT_KERNEL_MODE;
}

static void make_file(void)
{
	make_begin(&make, 1);
	make_buffer(&make, 0, 1);
	put_process(0, ETW_PROCESS_RUNDOWN, 20, "dd");
	put(10, 1, 20, "", 0);
	put(20, 2, 21, "", 0);
	put_process(30, ETW_PROCESS_RENAME, 20, "a \"b\"");
	put(40, 3, 20, "", 0);
	put_process(50, ETW_PROCESS_RENAME, 20, "a\xff");
	put(60, 4, 20, "", 0);
	make_put(&make);
	make_end(&make);
}

/* Does babeltrace2's line of the event with this id have this name, NULL: none? */
static bool has_name(const char *text, int id, const char *name)
{
	char want[64], field[64];
	const char *line, *end;

	snprintf(want, sizeof(want), " id = %d, ", id);
	line = strstr(text, want);
	end = line ? strchr(line, '\n') : NULL;
	if (!end)
		return false;
	snprintf(field, sizeof(field), "procname = %s%s%s", name ? "\"" : "", name ? name : "",
		 name ? "\"" : "");
	line = strstr(line, field);
	return name ? line && line < end : !line || line > end;
}

static void test_ctf(void)
{
	static char text[65536];
	char dir[] = "/tmp/etw-processes-XXXXXX";
	FILE *f;
	size_t n = 0;

	if (!mkdtemp(dir))
		abort();
	is(run("convert --to ctf --replace -o %s/ctf %s", dir, make.path), 0, "to CTF");
	snprintf(text, sizeof(text), "babeltrace2 %s/ctf", dir);
	f = popen(text, "r");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		is(pclose(f), 0, "babeltrace2 reads it");
	}
	text[n] = '\0';
	ok(has_name(text, 1, "dd"), "the name of a process: %s", text);
	ok(has_name(text, 2, NULL), "none if it is unknown");
	ok(has_name(text, 3, "a \\\"b\\\""), "its name at the time of the event");
	/* The metadata says that strings are UTF-8; a process may choose any bytes. */
	ok(has_name(text, 4, "a\xef\xbf\xbd"), "in UTF-8");
	shell("rm -r %s", dir);
}

int main(void)
{
	make_file();
	test_ctf();
	unlink(make.path);
	return done_testing();
}
