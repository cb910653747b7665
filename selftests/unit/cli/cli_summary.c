// SPDX-License-Identifier: MIT
/* cli_summary - the summaries of etw merge and split as JSON, against the files that they write */
#include "unit/etl/etl_make.h"

#include <sys/stat.h>

#include "cli_run.h"
#include "lib/tap.h"

static const struct etw_guid other = ETW_GUID(0x12345678, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8);
static const struct etw_guid process = ETW_PROCESS_GUID;

static char dir[] = "/tmp/etw-summary-XXXXXX";
static struct make make;

static void put(const struct etw_guid *provider, uint16_t id, const void *data, uint32_t len)
{
	uint32_t at = feed_header(&make.feed)->offset;
	struct etw_event_header *h;

	if (!feed_event(&make.feed, 1000 + id * 100, id, NULL, data, len))
		abort();
	h = (void *)(make.data + at);
	h->provider = *provider;
	h->process_id = 20;
	if (provider != &process)
		return;
	h->desc.opcode = ETW_PROCESS_RUNDOWN;
	h->flags |= ETW_EVENT_KERNEL_MODE;
}

/* Three events of one provider, two of another, and one that only names a process */
static void make_file(void)
{
	struct {
		struct etw_process_payload id;
		char name[3], path[8];
	} __attribute__((__packed__)) dd = {
		{ .pid = 20, .start_key = 20, .start = MAKE_START }, "dd", "/bin/dd",
	};

	make_begin(&make, 1);
	make_buffer(&make, 0, 1);
	put(&process, 1, &dd, sizeof(dd));
	put(&feed_guid, 10, "abc", 3);
	put(&other, 20, "abc", 3);
	put(&feed_guid, 30, "abc", 3);
	put(&other, 40, "abc", 3);
	put(&feed_guid, 50, "abc", 3);
	make_put(&make);
	make_end(&make);
}

static long long size_of(const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) ? -1 : (long long)st.st_size;
}

/* Was exactly one object printed for this output, with what the file has? */
static bool tells(const char *name, unsigned int events, const char *rest)
{
	char want[512];
	const char *at;

	snprintf(want, sizeof(want), "{\"output\":\"%s/%s\",\"events\":%u,\"bytes\":%lld,%s}\n", dir,
		 name, events, size_of(name), rest);
	at = strstr(run_out, want);
	return at && !strstr(at + 1, want);
}

static unsigned int objects(void)
{
	const char *at = run_out;
	unsigned int n = 0;

	for (; (at = strstr(at, "{\"output\":")); at++)
		n++;
	return n;
}

static void test_merge(void)
{
	char moved[128];

	is(run("merge --json -o %s/all.etl %s", dir, make.path), 0, "merge");
	ok(objects() == 1 && tells("all.etl", 5, "\"moved\":null"), "its summary: %s", run_out);
	snprintf(moved, sizeof(moved), "\"moved\":\"%s/all.etl.old\"", dir);
	is(run("merge --json -q --filter 'id > 20' -o %s/all.etl %s", dir, make.path), 0, "some of it");
	ok(tells("all.etl", 3, moved) && run_reported(""), "what became of the older file: %s", run_out);
	is(run("merge --json --provider Etw-Process -o %s/all.etl --replace %s", dir, make.path), 0,
	   "the names alone");
	ok(tells("all.etl", 1, "\"moved\":null"), "count if they are selected: %s", run_out);
	ok(run("merge --json -o %s/none/all.etl %s", dir, make.path) == 1 && !run_out[0],
	   "no summary of a failure");
}

static void test_split(void)
{
	is(run("split --json --by events=2 -o %s/part_%%d.etl %s", dir, make.path), 0, "split");
	ok(objects() == 3 && tells("part_1.etl", 2, "\"moved\":null") &&
	   tells("part_2.etl", 2, "\"moved\":null") && tells("part_3.etl", 1, "\"moved\":null"),
	   "a summary for each part: %s", run_out);
	is(run("split --json -q --by provider -o %s/of_%%d.etl --filter 'id > 1' %s", dir, make.path),
	   0, "by provider");
	ok(objects() == 3 && strstr(run_out, "\"events\":3,") && strstr(run_out, "\"events\":2,") &&
	   strstr(run_out, "\"events\":1,") &&
	   strstr(run_out, "\"provider\":\"12345678-0001-0002-0102-030405060708\",\"provider_name\":null}"),
	   "whose each is: %s", run_out);
}

int main(void)
{
	if (!mkdtemp(dir))
		abort();
	make_file();
	test_merge();
	test_split();
	snprintf(run_out, sizeof(dir) + 8, "rm -r %s", dir);
	ok(!system(run_out), "all is removed");
	unlink(make.path);
	return done_testing();
}
