// SPDX-License-Identifier: MIT
/* Appending to log files, our own and Windows' */
#include "unit/etl/etl_write.h"

#include <sys/file.h>
#include <sys/syscall.h>

static bool uncut;	/* the next truncation fails */

int ftruncate(int fd, off_t size)
{
	if (uncut) {
		uncut = false;
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_ftruncate, fd, size);
}

/* Read a whole file; the caller frees it. */
static unsigned char *slurp(const char *name, size_t *len)
{
	unsigned char *all;
	struct stat st;
	FILE *f = fopen(name, "r");

	if (!f || fstat(fileno(f), &st))
		abort();
	all = malloc(st.st_size + 1);
	*len = fread(all, 1, st.st_size, f);
	fclose(f);
	return all;
}

static bool same_file(const char *name, const unsigned char *want, size_t len)
{
	size_t n;
	unsigned char *all = slurp(name, &n);
	bool same = n == len && !memcmp(all, want, len);

	free(all);
	return same;
}

/* Whoever may only read the file keeps nobody from appending; whoever may write it does. */
static void test_readers(void)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	const int reader = open(path, O_RDONLY | O_CLOEXEC), writer = open(path, O_RDWR | O_CLOEXEC);
	struct etw_etl_writer *w = NULL;

	ok(!flock(reader, LOCK_EX | LOCK_NB) && !append_path(path, &w), "a reader's flock(2)");
	etw_etl_discard(w);
	w = NULL;
	ok(!fcntl(reader, F_OFD_SETLK, &lock) && !append_path(path, &w), "a reader's fcntl(2)");
	etw_etl_discard(w);
	close(reader);
	lock.l_type = F_WRLCK;
	ok(!fcntl(writer, F_OFD_SETLK, &lock) && append_path(path, &w) == -EBUSY,
	   "a writer's lock");
	close(writer);
}

static void test_append(void)
{
	uint64_t sum = 0, got = 0, cpus[CPUS] = { 0 }, got_cpus[CPUS] = { 0 }, events = 0;
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER };
	struct etw_etl_count count;
	struct etw_etl_writer *w, *other;
	struct etw_etl_written n;
	struct etw_etl_info info;
	unsigned char *before;
	size_t len;

	etw_etl_create(path, &options, &w);
	write_many(w, 700, false, &sum, cpus);
	is(append_path(path, &other), -ENOENT, "a file that is not complete");
	etw_etl_lost(w, 2, 3);
	etw_etl_finish(w, 5, &n);
	test_readers();
	before = slurp(path, &len);

	is(append_path(path, &w), 0, "opened for appending");
	is(append_path(path, &other), -EBUSY, "by one at a time");
	write_some(w, 700, 900, false, &(uint64_t){ 0 }, (uint64_t[CPUS]){ 0 });
	etw_etl_discard(w);
	ok(same_file(path, before, len), "and unchanged");
	free(before);

	is(append_path(path, &w), 0, "again");
	ok(etw_etl_writer_info(w)->header.BufferSize == BUFFER &&
	   !strcmp(etw_etl_writer_info(w)->logger, "of the source"), "its properties are returned");
	write_some(w, 700, 1500, false, &sum, cpus);
	etw_etl_lost(w, 10, 10);
	is(etw_etl_finish(w, 6, &n), 0, "finish");
	ok(n.events == 800 && n.bytes == n.buffers * BUFFER, "are reported");
	read_many(&got, got_cpus, &events, &count, &info);
	ok(events == 1500 && got == sum && !memcmp(cpus, got_cpus, sizeof(cpus)), "all events");
	ok(!count.lost_buffers && !count.disorder && !count.corrupt, "without a gap");
	ok(info.header.BuffersWritten == n.buffers && info.header.EndTime.QuadPart == 6 &&
	   info.header.EventsLost == 12 && info.header.BuffersLost == 13, "header");
	unlink(path);
}

/*
 * Bytes that cannot be cut off stay, and so does the header's mark that the file is not
 * closed.
 */
static void test_append_uncut(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER };
	uint64_t sum = 0, cpus[CPUS] = { 0 };
	struct etw_etl_writer *w;
	struct etw_etl_file *f;
	struct stat st;
	off_t before;

	etw_etl_create(path, &options, &w);
	write_many(w, 700, false, &sum, cpus);
	etw_etl_finish(w, 5, NULL);
	before = stat(path, &st) ? 0 : st.st_size;
	is(append_path(path, &w), 0, "opened for appending");
	write_some(w, 700, 1500, false, &sum, cpus);
	uncut = true;
	etw_etl_discard(w);
	ok(!stat(path, &st) && st.st_size > before, "bytes that cannot be cut off stay");
	is(etw_etl_open(path, NULL, NULL, &f), 0, "the file");
	is(etw_etl_info(f)->header.EndTime.QuadPart, 0, "is not marked as closed");
	etw_etl_close(f);
	unlink(path);
}

/* The caller's open file is written, whatever its name refers to. */
static void test_into(void)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER, .into = true };
	uint64_t sum = 0, got = 0, cpus[CPUS] = { 0 }, got_cpus[CPUS] = { 0 }, events = 0;
	struct etw_etl_writer *w;
	struct etw_etl_count count;
	struct etw_etl_info info;
	char other[sizeof(path) + 8];
	int fd;

	snprintf(other, sizeof(other), "%s.other", path);
	options.fd = open(other, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	put_text(path, "theirs");
	is(etw_etl_create(path, &options, &w), 0, "into a file that is open");
	write_some(w, 0, 700, false, &sum, cpus);
	is(etw_etl_finish(w, 5, NULL), 0, "finish");
	fd = open(other, O_RDWR | O_CLOEXEC);
	is(etw_etl_append_fd(fd, &w), 0, "appended");
	write_some(w, 700, 1500, false, &sum, cpus);
	is(etw_etl_finish(w, 6, NULL), 0, "finish");
	ok(same_file(path, (const unsigned char *)"theirs", 6), "the file of that name stays");
	is(rename(other, path), 0, "it gets it");
	read_many(&got, got_cpus, &events, &count, &info);
	ok(events == 1500 && got == sum && !memcmp(cpus, got_cpus, sizeof(cpus)), "all events");
	unlink(path);
}

static void test_append_refused(void)
{
	struct make m = { 0 };
	struct etw_etl_writer *w;

	put_text(path, "no log");
	is(append_path(path, &w), -EINVAL, "no log file");
	ok(has_text(path, "no log"), "stays unchanged");
	unlink(path);
	is(append_path(path, &w), -ENOENT, "no file");
	make_begin(&m, 2);
	make_end(&m);
	is(append_path(m.path, &w), -EINVAL, "a circular one");
	unlink(m.path);
	make_begin(&m, 1);
	fputs("tail", m.file);
	make_end(&m);
	is(append_path(m.path, &w), -EINVAL, "one with bytes after its end");
	unlink(m.path);
}

/* Windows' own files, one of them from a 32-bit system. */
static void test_append_corpus(const char *name)
{
	const char *corpus = getenv("ETW_CORPUS");
	_Alignas(8) unsigned char record[256];
	struct etw_etl_count count, after;
	struct etw_etl_writer *w;
	struct etw_etl_file *file;
	char from[512];
	unsigned char *all;
	size_t len;
	FILE *f;

	snprintf(from, sizeof(from), "%s/etl/%s", corpus ? corpus : "../shared/corpus", name);
	if (access(from, R_OK)) {
		skip("append: no corpus: %s", from);
		return;
	}
	all = slurp(from, &len);
	f = fopen(path, "w");
	if (!f || fwrite(all, 1, len, f) != len)
		abort();
	fclose(f);
	is(append_path(path, &w), 0, name);
	is(etw_etl_write(w, 1, record, make_event(record, 1ull << 60, 1, 1)), 0, "an event more");
	etw_etl_discard(w);
	ok(same_file(path, all, len), "or not: every byte is unchanged");
	append_path(path, &w);
	etw_etl_write(w, 1, record, make_event(record, 1ull << 60, 1, 1));
	is(etw_etl_finish(w, 0, NULL), 0, "finish");
	etw_etl_open(from, NULL, NULL, &file);
	etw_etl_counts(file, &count);
	etw_etl_close(file);
	is(etw_etl_open(path, NULL, NULL, &file), 0, "it reads");
	etw_etl_counts(file, &after);
	ok(after.buffers == count.buffers + 1 && after.lost_buffers == count.lost_buffers &&
	   etw_etl_info(file)->header.BuffersWritten == after.buffers && !etw_etl_cut_off(file),
	   "one buffer more");
	etw_etl_close(file);
	free(all);
	unlink(path);
}

int main(void)
{
	set_up();
	test_append();
	test_append_uncut();
	test_into();
	test_append_refused();
	test_append_corpus("google__sawbuck__image_data_32_v1.etl");
	test_append_corpus("microsoft__Tx__HTTP_Server.etl");
	tear_down();
	return done_testing();
}
