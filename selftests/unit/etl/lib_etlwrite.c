// SPDX-License-Identifier: MIT
/* Writing log files: round trip, failures, replacing, discarding */
#include "unit/etl/etl_write.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

static void test_round(bool disorder)
{
	uint64_t sum = 0, got = 0, cpus[CPUS] = { 0 }, got_cpus[CPUS] = { 0 }, events = 0;
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER, .name = "/n.etl" };
	struct etw_etl_written written;
	struct etw_etl_count count;
	struct etw_etl_writer *w, *other;
	struct etw_etl_info info;
	struct stat st;

	is(etw_etl_create(path, &options, &w), 0, "create");
	is(etw_etl_create(path, &options, &other), 0, "twice");
	write_many(w, 3000, disorder, &sum, cpus);
	etw_etl_lost(w, 7, 1);
	etw_etl_lost(w, 5, 2);
	ok(stat(path, &st) && errno == ENOENT, "no half file has that name");
	is(etw_etl_finish(w, MAKE_START + 99, &written), 0, "finish");
	is(etw_etl_create(path, &options, &w), -EEXIST, "it is there");
	is(etw_etl_finish(other, 0, NULL), -EEXIST, "the other one does not replace it");
	read_many(&got, got_cpus, &events, &count, &info);
	is(events, 3000, "all events");
	ok(got == sum, "with their bytes, times and CPUs");
	ok(!memcmp(cpus, got_cpus, sizeof(cpus)), "of each CPU in the order they were written");
	ok(disorder == (count.disorder > 0), "times %s", disorder ? "go back as they did" : "rise");
	ok(!count.corrupt && !count.lost_buffers && !count.tail, "nothing is wrong with it");
	stat(path, &st);
	ok(written.events == 3000 && written.buffers == count.buffers &&
	   written.bytes == (uint64_t)st.st_size && written.bytes == count.buffers * BUFFER,
	   "are reported");
	ok(info.header.BuffersWritten == count.buffers && info.header.EventsLost == 12 &&
	   info.header.BuffersLost == 3 && info.header.EndTime.QuadPart == MAKE_START + 99 &&
	   info.header.NumberOfProcessors == CPUS && info.header.BufferSize == BUFFER &&
	   info.header.LogFileMode == 1 && info.header.PointerSize == 8, "header");
	ok(!strcmp(info.logger, "of the source") && !strcmp(info.file, "/n.etl") &&
	   info.start_clock == 1000 && info.header.StartTime.QuadPart == MAKE_START,
	   "names, start");
	unlink(path);
}

/* Compressed: the same events in less room, with incompressible data among them */
static void test_packed(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER, .compress = true };
	uint64_t sum = 0, got = 0, cpus[CPUS] = { 0 }, got_cpus[CPUS] = { 0 }, events = 0;
	_Alignas(8) unsigned char record[3000];
	struct etw_etl_written n;
	struct etw_etl_count count;
	struct etw_etl_writer *w;
	struct etw_etl_info info;
	uint32_t size, i;

	is(etw_etl_create(path, &options, &w), 0, "create, compressed");
	write_many(w, 2000, false, &sum, cpus);
	size = make_event(record, 300000, 2500, 2800);
	for (i = 104; i < size; i++)
		record[i] = mix(i) >> 5;
	for (i = 0; i < 20; i++) {
		is(etw_etl_write(w, 1, record, size), 0, "noise");
		sum += fingerprint(1, MAKE_START + 2990, record, size);
		cpus[1] = cpus[1] * 31 + 2500;
	}
	is(etw_etl_finish(w, 5, &n), 0, "finish");
	/* Each turn appends. */
	is(append_path(path, &w), 0, "append");
	write_some(w, 4000, 4500, false, &sum, cpus);
	is(etw_etl_finish(w, 5, &n), 0, "finish");
	read_many(&got, got_cpus, &events, &count, &info);
	ok(events == 2520 && got == sum && !memcmp(cpus, got_cpus, sizeof(cpus)), "all events");
	ok(!count.corrupt && !count.lost_buffers && !count.tail && n.bytes == count.size &&
	   n.buffers == count.buffers && count.buffers == info.header.BuffersWritten, "no damage");
	ok(count.size < count.buffers * BUFFER / 2, "%llu bytes in %llu",
	   (unsigned long long)count.buffers * BUFFER, (unsigned long long)count.size);
	ok(info.header.LogFileMode == (EVENT_TRACE_FILE_MODE_SEQUENTIAL |
				       EVENT_TRACE_COMPRESSED_MODE) &&
	   info.header.BufferSize == BUFFER && info.header.VersionDetail.SubVersion == 2, "header");
	unlink(path);
}

/* Every buffer's header, byte by byte, without the library's reader. */
static void test_buffers(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER };
	uint64_t sum = 0, cpus[CPUS] = { 0 };
	_Alignas(8) unsigned char data[BUFFER];
	struct etw_buffer_header h;
	struct etw_etl_writer *w;
	int64_t n = 0, bad = 0, markers = 0;
	FILE *f;

	etw_etl_create(path, &options, &w);
	write_many(w, 500, false, &sum, cpus);
	is(etw_etl_finish(w, 0, NULL), 0, "another one");
	f = fopen(path, "r");
	for (; f && fread(data, 1, sizeof(data), f) == sizeof(data); n++) {
		uint32_t i;

		memcpy(&h, data, sizeof(h));
		bad += h.buffer_size != BUFFER || h.saved_offset != h.offset || h.offset % 8 ||
		       h.state != 3 || h.sequence != n || !(h.flags & 0x20) || h.type != (n ? 0 : 4);
		for (i = h.offset; i < BUFFER; i++)
			bad += data[i] != 0xFF;
		markers += h.flags & 1;
		if (!n)
			continue;
		/* The first record's time, and its FILETIME */
		memcpy(&i, data + 72 + 16, 4);
		bad += h.ref_clock != i || h.ref_time != MAKE_START + (h.ref_clock - 1000) / 100;
		bad += h.clock != (1 | 1000000000ull << 3) || h.timestamp < h.ref_clock;
	}
	if (f)
		fclose(f);
	ok(n > 20 && !bad, "all buffers follow the format");
	is(markers, 2, "the first and the last one are marked");
	unlink(path);
}

/* ------------------------------------------------------------ kinds of records */

static void test_kinds(void)
{
	static const struct { uint16_t version; uint8_t type, mark; uint16_t size, hook; uint32_t
		tid, pid; int64_t time; uint64_t cpu; char data[8]; } sys = { 2, 1, 0xC0, 34, 0x0524,
		7, 8, 2000, 9, "zz" }, head = { 2, 2, 0xC0, 40, 0, 7, 8, 1500, 9, "zz" };
	static const struct { uint16_t version; uint8_t type, mark; uint16_t size, hook; int64_t
		time; char data[8]; } perf = { 1, 17, 0xC0, 17, 0xEE01, 3000, "p" };
	static const struct { uint16_t size; uint8_t type, mark; char data[12]; } error = { 16, 13,
		0xC0, "error" };
	struct etw_classic c = { .type = ETW_TYPE_INSTANCE32, .event_type = 3, .guid = feed_guid,
				 .data = "abc", .len = 3, .instance = 4 };
	_Alignas(8) unsigned char classic[128], message[64];
	struct etw_etl_options options = { .like = &like, .logger = "l\xc3\xa4" };
	struct etw_etl_writer *w;
	struct etw_etl_file *file;
	struct etw_event e;
	struct { const void *at; uint32_t size; int64_t time; } all[] = {
		{ message, 8 + 5, MAKE_START },	/* has no time: gets the start time */
		{ &sys, 34, MAKE_START + 10 },
		{ &perf, 17, MAKE_START + 20 },
		{ &error, 16, MAKE_START + 20 },
		{ classic, 75, MAKE_START + 30 },
		{ message, 8 + 5, MAKE_START + 30 },
	};
	size_t i, n = sizeof(all) / sizeof(all[0]);

	etw_classic_write(classic, &c, 4000, 0);
	c = (struct etw_classic){ .type = ETW_TYPE_MESSAGE, .number = 5, .data = "hallo", .len = 5 };
	etw_classic_write(message, &c, 0, 0);
	is(etw_etl_create(path, &options, &w), 0, "records of all kinds");
	for (i = 0; i < n; i++)
		is(etw_etl_write(w, 300, all[i].at, all[i].size), 0, "write");
	is(etw_etl_write(w, 0, &head, 40), 0, "a source's header");
	is(etw_etl_finish(w, 0, NULL), 0, "finish");
	is(etw_etl_open(path, NULL, NULL, &file), 0, "read");
	ok(!strcmp(etw_etl_info(file)->logger, options.logger) &&
	   !strcmp(etw_etl_info(file)->file, path) &&
	   etw_etl_info(file)->header.BufferSize == 65536 &&
	   etw_etl_info(file)->header.NumberOfProcessors == 301, "header");
	etw_etl_next(file, &e);
	for (i = 0; i < n; i++)
		ok(etw_etl_next(file, &e) == 1 && e.raw_size == all[i].size && e.cpu == 300 &&
		   !memcmp(e.raw, all[i].at, e.raw_size) && e.time == all[i].time,
		   "record %zu is unchanged", i);
	is(etw_etl_next(file, &e), 0, "and no more: a file has one header");
	etw_etl_close(file);
	unlink(path);
}

static void test_narrow(void)
{
	struct etw_etl_info of_32 = like, info;
	struct etw_etl_options options = { .like = &of_32, .buffer_size = BUFFER };
	uint64_t sum = 0, got = 0, cpus[CPUS] = { 0 }, got_cpus[CPUS] = { 0 }, events = 0;
	struct etw_etl_count count;
	struct etw_etl_writer *w;

	of_32.header.PointerSize = 4;
	of_32.header.BootTime.QuadPart = 123;
	of_32.header.TimeZone.Bias = -60;
	of_32.header.TimeZone.DaylightBias = -61;
	is(etw_etl_create(path, &options, &w), 0, "like a machine of 32 bits");
	write_many(w, 200, false, &sum, cpus);
	etw_etl_lost(w, 3, 4);
	is(etw_etl_finish(w, 77, NULL), 0, "finish");
	read_many(&got, got_cpus, &events, &count, &info);
	ok(got == sum && events == 200 && !count.corrupt, "events");
	ok(info.header.PointerSize == 4 && info.header.BuffersLost == 4 &&
	   info.header.EventsLost == 3 && info.header.EndTime.QuadPart == 77 &&
	   info.header.BootTime.QuadPart == 123 && info.header.TimeZone.Bias == -60 &&
	   info.header.TimeZone.DaylightBias == -61 &&
	   info.header.StartTime.QuadPart == MAKE_START &&
	   info.header.PerfFreq.QuadPart == 1000000000, "header of 32 bits");
	ok(!strcmp(info.logger, "of the source") && !strcmp(info.file, path), "names");
	unlink(path);
}

/* --------------------------------------------------------------------- errors */

static int files_left(void)
{
	struct dirent *d;
	DIR *dp = opendir(dir);
	int n = -2;

	while (dp && (d = readdir(dp)))
		n++;
	if (dp)
		closedir(dp);
	return n;
}

static void test_refused(void)
{
	static const uint32_t sizes[] = { 1000, 1023, 1028, (16 << 20) + 8, 8 };
	_Alignas(8) static unsigned char record[70000];
	struct etw_etl_options options = { .like = &like };
	struct etw_etl_writer *w;
	uint32_t size, i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		options.buffer_size = sizes[i];
		is(etw_etl_create(path, &options, &w), -EINVAL, "a buffer size that cannot be");
	}
	options.buffer_size = 1024;
	is(etw_etl_create("/nonexistent/x", &options, &w), -ENOENT, "no directory");
	is(etw_etl_create(dir, &options, &w), -EEXIST, "a directory");
	options.replace = true;
	is(etw_etl_create(dir, &options, &w), -EISDIR, "that cannot be replaced");
	is(files_left(), 0, "nothing was made");
	is(etw_etl_create(path, &options, &w), 0, "create");
	size = make_event(record, 2000, 1, 1024 - 72 - 80);
	is(etw_etl_write(w, 0, record, size), 0, "a record that fills a buffer");
	size = make_event(record, 2000, 1, 1024 - 72 - 79);
	is(etw_etl_write(w, 0, record, size), -EMSGSIZE, "one byte more");
	size = make_event(record, 2000, 1, 50);
	is(etw_etl_write(w, 0, record, size - 1), -EINVAL, "less than the record's size");
	is(etw_etl_write(w, 0, record, size + 1), -EINVAL, "more than the record's size");
	is(etw_etl_write(w, 0, record, 0), -EINVAL, "nothing");
	is(etw_etl_write(w, 0, record, 4), -EINVAL, "less than a header");
	is(etw_etl_write(w, 8192, record, size), -EINVAL, "no such CPU");
	is(etw_etl_write(w, 0, record, 66000), -EINVAL, "no record is that large");
	record[2] = 99;
	is(etw_etl_write(w, 0, record, size), -EINVAL, "no such type");
	size = make_event(record, 3000, 2, 1);
	is(etw_etl_write(w, 8191, record, size), 0, "the last CPU");
	etw_etl_discard(w);
	etw_etl_discard(NULL);
	is(files_left(), 0, "discard leaves nothing");
}

/* Write until a write fails; returns its error, and checks finish after it. */
static int write_to_the_end(struct etw_etl_writer *w)
{
	_Alignas(8) unsigned char record[1024];
	int i, err = 0;

	for (i = 0; i < 5000 && !err; i++)
		err = etw_etl_write(w, 0, record, make_event(record, 2000 + i, i, 500));
	if (err)
		is(etw_etl_write(w, 1, record, 80 + 500), err, "and the next write fails, too");
	return err;
}

static void test_failing(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = 65536, .replace = true };
	struct rlimit limit = { 300000, RLIM_INFINITY }, old;
	struct etw_etl_writer *w;
	struct stat st;
	int p[2];

	is(etw_etl_create("/dev/full", &options, &w), -ENOSPC,
	   "/dev/full has no room for a header");
	options.buffer_size = BUFFER;
	is(etw_etl_create("/dev/full", &options, &w), 0, "a small one is kept back");
	is(write_to_the_end(w), -ENOSPC, "until the buffer is written");
	is(etw_etl_finish(w, 0, NULL), -ENOSPC, "finish returns the same error");
	ok(!stat("/dev/full", &st) && S_ISCHR(st.st_mode), "the device still exists");
	is(etw_etl_create("/dev/null", &options, &w), 0, "/dev/null");
	is(write_to_the_end(w), 0, "accepts all");
	is(etw_etl_finish(w, 0, NULL), 0, "finish");
	if (!pipe(p)) {
		char name[64];

		snprintf(name, sizeof(name), "/proc/self/fd/%d", p[1]);
		is(etw_etl_create(name, &options, &w), -ESPIPE, "a pipe");
	}
	if (!mkfifo(path, 0600)) {
		is(etw_etl_create(path, &options, &w), -ESPIPE, "a pipe without a reader");
		unlink(path);
	}

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	is(etw_etl_create(path, &options, &w), 0, "a file that may not grow");
	is(write_to_the_end(w), -EFBIG, "does not");
	is(etw_etl_finish(w, 0, NULL), -EFBIG, "finish");
	is(files_left(), 0, "leaves nothing");
	limit.rlim_cur = 5000;
	setrlimit(RLIMIT_FSIZE, &limit);
	is(etw_etl_create(path, &options, &w), 0, "a file");
	setrlimit(RLIMIT_FSIZE, &old);
	etw_etl_discard(w);
	is(files_left(), 0, "that is discarded");
}

static void test_replace(void)
{
	struct etw_etl_options options = { .like = &like, .replace = true };
	_Alignas(8) unsigned char record[256];
	struct etw_etl_file *file;
	struct etw_etl_writer *w;
	char link[80];
	struct stat st;

	snprintf(link, sizeof(link), "%s/link", dir);
	put_text(path, "old");
	chmod(path, 0640);
	if (symlink(path, link))
		ok(0, "symlink");
	is(etw_etl_create(link, &options, &w), 0, "a file that is there, by a link");
	is(etw_etl_write(w, 0, record, make_event(record, 2000, 1, 1)), 0, "write");
	ok(has_text(path, "old"), "it stays unchanged");
	etw_etl_discard(w);
	ok(has_text(path, "old") && files_left() == 2, "and after discard");
	is(etw_etl_create(link, &options, &w), 0, "again");
	is(etw_etl_write(w, 0, record, make_event(record, 2000, 1, 1)), 0, "write");
	is(etw_etl_finish(w, 0, NULL), 0, "finish");
	ok(!lstat(link, &st) && S_ISLNK(st.st_mode) && !stat(path, &st) &&
	   (st.st_mode & 0777) == 0640, "it is replaced; link and permissions stay");
	if (!chown(path, 4321, 4322)) {
		is(etw_etl_create(path, &options, &w), 0, "a file of another user");
		is(etw_etl_finish(w, 0, NULL), 0, "finish");
		ok(!stat(path, &st) && st.st_uid == 4321 && st.st_gid == 4322 &&
		   (st.st_mode & 0777) == 0640, "stays that user's");
	} else {
		skip("only root may give a file away");
	}
	is(etw_etl_open(link, NULL, NULL, &file), 0, "and reads");
	etw_etl_close(file);
	unlink(link);
	unlink(path);
}

/* A CPU with one event among thousands of buffers of another CPU: the event does not wait. */
static void test_aging(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = 1024 };
	_Alignas(8) unsigned char record[1024];
	struct etw_buffer_header h = { 0 };
	struct etw_etl_writer *w;
	int i, err = 0, at = -1;
	FILE *f;

	etw_etl_create(path, &options, &w);
	err = etw_etl_write(w, 3, record, make_event(record, 2000, 1, 1));
	for (i = 0; i < 4000 && !err; i++)
		err = etw_etl_write(w, 0, record, make_event(record, 3000 + i, 1, 800));
	is(err, 0, "a CPU that is slow");
	is(etw_etl_finish(w, 0, NULL), 0, "finish");
	f = fopen(path, "r");
	for (i = 0; f && fread(record, 1, 1024, f) == 1024; i++) {
		memcpy(&h, record, sizeof(h));
		if (h.processor == 3)
			at = i;
	}
	if (f)
		fclose(f);
	ok(i == 4002 && at > 1000 && at < 1400, "its buffer is number %d of %d", at, i);
	unlink(path);
}

/* One record of each CPU at a time, as in a file with 16 MB buffers */
static void test_many_cpus(void)
{
	struct etw_etl_info large = like;
	struct etw_etl_options options = { .like = &large };
	_Alignas(8) unsigned char record[256];
	struct etw_etl_written n;
	struct etw_etl_writer *w;
	unsigned int i, bad = 0;

	large.header.BufferSize = 16 << 20;
	is(etw_etl_create(path, &options, &w), 0, "like a file of large buffers");
	for (i = 0; i < 2 * 8192; i++)
		bad += etw_etl_write(w, i % 8192, record, make_event(record, 2000 + i, 1, 4)) != 0;
	is(etw_etl_bytes_with(w, 0, 0, 0), (1 + 8192ull) << 17,
	   "no buffer is written before it is full");
	etw_etl_discard(w);
	options.compress = true;
	etw_etl_create(path, &options, &w);
	for (i = 0; i < 300; i++)
		bad += etw_etl_write(w, i % 100, record, make_event(record, 2000 + i, 1, 4)) != 0;
	is(etw_etl_finish(w, 5, &n), 0, "finish");
	ok(!bad && n.buffers == 101, "100 CPUs have a buffer each");
	unlink(path);
}

/* Impossible clocks: the sanitizer checks. */
static void test_far(void)
{
	struct etw_etl_info far = like;
	struct etw_etl_options options = { .like = &far };
	struct etw_etl_writer *w;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		far.header.ReservedFlags = i ? ETW_CLOCK_CYCLES : ETW_CLOCK_QPC;
		far.header.CpuSpeedInMHz = UINT32_MAX;
		far.header.PerfFreq.QuadPart = INT64_MAX;
		far.start_clock = INT64_MAX;
		is(etw_etl_create(path, &options, &w), 0, "a clock that cannot be");
		ok(etw_etl_raw_time(w, INT64_MAX) == INT64_MAX &&
		   etw_etl_raw_time(w, INT64_MIN) < 0, "ends where numbers do");
		etw_etl_discard(w);
	}
}

int main(void)
{
	set_up();
	test_round(false);
	test_round(true);
	test_packed();
	test_buffers();
	test_kinds();
	test_narrow();
	test_refused();
	test_failing();
	test_replace();
	test_aging();
	test_many_cpus();
	test_far();
	tear_down();
	return done_testing();
}
