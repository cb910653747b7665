// SPDX-License-Identifier: MIT
/* CTF traces of many streams: a few files are open at a time, and they stay so */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/ctf_in/files.h"
#include "convert/ctf_in/read.h"
#include "etl/file.h"
#include "lib/tap.h"

static char dir[] = "/tmp/etw-ctffiles-XXXXXX";
static char folder[64], out[64];

static const char metadata[] =
	"/* CTF 1.8 */ typealias integer { size = 8; } := u8;"
	"typealias integer { size = 32; } := u32;"
	"clock { name = c; freq = 1000; };"
	"trace { major = 1; minor = 8; byte_order = le; };"
	"stream { packet.context := struct { u32 packet_size; };"
	" event.header := struct { u8 id;"
	" integer { size = 32; map = clock.c.value; } t; }; };"
	"event { id = 1; name = \"e\"; };";

static void name_stream(char path[96], unsigned int i)
{
	snprintf(path, 96, "%s/stream%u", folder, i);
}

static void put_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f))
		abort();
}

/* Packets of one event each; the next event of all is in the next stream. */
static void make(unsigned int streams, unsigned int packets)
{
	struct packet {
		uint32_t bits;
		uint8_t id;
		uint32_t time;
	} __attribute__((packed)) *list = calloc(packets, sizeof(*list));
	unsigned int i, k;
	char path[96];

	snprintf(path, sizeof(path), "%s/metadata", folder);
	put_file(path, metadata, strlen(metadata));
	for (i = 0; i < streams; i++) {
		for (k = 0; k < packets; k++)
			list[k] = (struct packet){ 8 * sizeof(*list), 1, 1000 + k * streams + i };
		name_stream(path, i);
		put_file(path, list, packets * sizeof(*list));
	}
	free(list);
}

static void clear(unsigned int streams)
{
	char path[96];

	while (streams--) {
		name_stream(path, streams);
		unlink(path);
	}
}

static unsigned int open_now, open_most, gone;

static unsigned int count_open(void)
{
	DIR *fds = opendir("/proc/self/fd");
	unsigned int n = 0;

	if (!fds)
		abort();
	while (readdir(fds))
		n++;
	closedir(fds);
	return n;
}

static bool on_progress(void *context, uint64_t read, uint64_t size, uint64_t events)
{
	unsigned int n = count_open();

	(void)context, (void)read, (void)size, (void)events;
	if (n > open_now + open_most)
		open_most = n - open_now;
	if (gone)
		clear(gone);
	return false;
}

static struct ctfin_result result;

static int from_ctf(void)
{
	const struct ctfin_options options = { .replace = true, .progress = on_progress };
	int err;

	open_now = count_open();
	open_most = 0;
	memset(&result, 0, sizeof(result));
	err = convert_from_ctf(folder, out, &options, &result);
	if (err)
		printf("# %s\n", result.problem);
	is(count_open(), open_now, "nothing stays open");
	return err;
}

/* Are there so many events, one every millisecond? */
static bool in_order(unsigned int want)
{
	struct etw_event event;
	struct etw_etl_file *file;
	unsigned int n = 0, wrong = 0;
	int64_t last = 0;

	if (etw_etl_open(out, NULL, NULL, &file))
		return false;
	while (etw_etl_next(file, &event) == 1) {
		if (event.record.header->desc.channel != 11)
			continue;
		wrong += n && event.time - last != 10000;
		last = event.time;
		n++;
	}
	etw_etl_close(file);
	if (n != want || wrong)
		printf("# %u events, %u at a wrong time\n", n, wrong);
	return n == want && !wrong;
}

static void limit_files(rlim_t soft)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		abort();
	limit.rlim_cur = soft;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		abort();
}

static void test_many(void)
{
	struct rlimit before;

	getrlimit(RLIMIT_NOFILE, &before);
	make(600, 20);
	is(from_ctf(), 0, "600 streams");
	ok(in_order(12000), "all events, by time");
	ok(open_most > 1 && open_most <= CTFFILES_OPEN_MAX + 3, "%u files open at most", open_most);
	limit_files(16);
	is(from_ctf(), 0, "600 streams, when 16 files may be open");
	limit_files(before.rlim_cur);
	ok(in_order(12000), "all events, by time");
	ok(open_most <= 16 / 4 + 3, "%u files open at most", open_most);
	clear(600);
}

/* What is open need not be there any more: it is not opened again for each packet. */
static void test_kept(void)
{
	make(8, 2000);
	gone = 8;
	is(from_ctf(), 0, "files that go while they are read");
	gone = 0;
	ok(in_order(16000), "all events");
}

/* Others took what may be open: what is held is given up, not the conversion. */
static void test_taken(void)
{
	struct ctffile file[3] = { { .path = folder }, { .path = folder }, { .path = "/nothing" } };
	struct rlimit before;
	struct ctffiles files;
	char path[96], byte;

	make(2, 1);
	name_stream(path, 0);
	file[0].path = file[1].path = path;
	getrlimit(RLIMIT_NOFILE, &before);
	ctffiles_init(&files);
	is(ctffiles_read(&files, &file[0], 0, &byte, 1), 0, "a file is read");
	limit_files((rlim_t)file[0].fd + 1);
	is(ctffiles_read(&files, &file[1], 4, &byte, 1), 0, "another one in its place");
	ok(byte == 1 && files.count == 1 && !file[0].open, "which is closed");
	is(ctffiles_read(&files, &file[1], 9, &byte, 1), -EIO, "its end");
	is(ctffiles_read(&files, &file[2], 0, &byte, 1), -ENOENT, "no file");
	limit_files(before.rlim_cur);
	ctffiles_close(&files, &file[0]);
	ctffiles_close(&files, &file[1]);
	is(files.count, 0, "all are closed");
	clear(2);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(folder, sizeof(folder), "%s/trace", dir);
	snprintf(out, sizeof(out), "%s/out.etl", dir);
	if (mkdir(folder, 0777))
		return 1;
	test_many();
	test_kept();
	test_taken();
	unlink(out);
	snprintf(out, sizeof(out), "rm -r %s", dir);
	return system(out) ? 1 : done_testing();
}
