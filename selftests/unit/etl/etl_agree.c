// SPDX-License-Identifier: GPL-2.0-only
/*
 * etl_agree - the library reads log files like the independent reader, and writes files
 * that obey every rule of the format
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include "lib/etl_agree.h"
#include "etl_check_make.h"
#include "etl/write.h"
#include "lib/tap.h"

static char dir[] = "/tmp/etw-agree-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[2][64];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

/* True if the file is valid and the number of its records is known. */
static void agrees(const char *path, unsigned int options, uint64_t *records, const char *name)
{
	struct etl_agree a;
	bool good = etl_agree(path, options, &a);

	ok(good, "%s: %llu records", name, (unsigned long long)a.records);
	if (!good)
		printf("# %s\n", a.why);
	if (records)
		*records = a.records;
}

static void put_image(const char *path, const struct image *m)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(m->p, 1, m->n, f) != m->n || fclose(f))
		abort();
}

/* -------------------------------------------------------- files of other writers */

static void test_image(const char *name, uint32_t mode, bool coded, bool round)
{
	struct image m = img_make(mode);
	unsigned char swap[2 * IMG_BUF];
	const char *path = in_dir("image.etl");

	if (coded)
		img_compress(&m);
	if (round) {
		memcpy(swap, img_buf(&m, 1), sizeof(swap));
		memcpy(img_buf(&m, 1), img_buf(&m, 3), sizeof(swap));
		memcpy(img_buf(&m, 3), swap, sizeof(swap));
	}
	put_image(path, &m);
	agrees(path, 0, NULL, name);
	free(m.p);
	unlink(path);
}

static glob_t corpus;

static void find_corpus(void)
{
	const char *top = getenv("ETW_CORPUS");
	char pattern[4096];

	snprintf(pattern, sizeof(pattern), "%s/etl/*.etl", top ? top : "../shared/corpus");
	if (glob(pattern, 0, NULL, &corpus))
		skip("no real log files at %s", pattern);
}

/* ------------------------------------------------------- files of the library's writer */

struct copy {
	uint64_t records;
	int err;
};

/* Pass every record of a file except its header to the writer, unchanged. */
static struct copy copy_records(const char *path, struct etw_etl_writer *w)
{
	struct etw_etl_file *file;
	struct copy c = { .err = etw_etl_open(path, NULL, NULL, &file) };
	struct etw_event e;

	if (c.err)
		return c;
	while (!c.err && etw_etl_next(file, &e) == 1) {
		const unsigned char *raw = e.raw;

		if (etl_is_system(raw[2]) && !le16(raw + 6))
			continue;
		c.err = etw_etl_write(w, e.cpu, e.raw, e.raw_size);
		c.records++;
	}
	etw_etl_close(file);
	return c;
}

static int source_info(const char *path, struct etw_etl_info *info)
{
	struct etw_etl_file *file;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (!err) {
		*info = *etw_etl_info(file);
		etw_etl_close(file);
	}
	return err;
}

/* Rewrite a file with the clock of the original. */
static void test_rewrite(const char *source, uint32_t buffer_size, bool compress)
{
	struct etw_etl_info info;
	struct etw_etl_options options = { .like = &info, .buffer_size = buffer_size,
					   .compress = compress };
	const char *path = in_dir("out.etl"), *base = strrchr(source, '/') + 1;
	struct etw_etl_writer *w;
	uint64_t records = 0;
	struct copy c;
	char name[256];
	int err;

	snprintf(name, sizeof(name), "%.100s written again, %u bytes a buffer%s", base, buffer_size,
		 compress ? ", compressed" : "");
	err = source_info(source, &info);
	if (!err)
		err = etw_etl_create(path, &options, &w);
	is(err, 0, name);
	if (err)
		return;
	c = copy_records(source, w);
	is(c.err ? c.err : etw_etl_finish(w, info.header.EndTime.QuadPart, NULL), 0, name);
	agrees(path, 0, &records, name);
	ok(records > c.records, "every record is in it: %llu of %llu", (unsigned long long)records,
	   (unsigned long long)c.records);
	unlink(path);
}

static void event(struct etw_etl_writer *w, unsigned int cpu, int64_t time, unsigned int payload)
{
	unsigned char b[IMG_BUF];
	unsigned char *r;

	img_start(b, 0, 0);
	r = img_event(b, time, payload);
	if (etw_etl_write(w, (uint16_t)cpu, r, 80 + payload))
		ok(0, "an event of %u bytes", payload);
}

/* Many buffers, several CPUs, appended to twice. */
static void test_append(bool compress)
{
	struct etw_etl_options options = { .buffer_size = 1024, .compress = compress };
	const char *path = in_dir("append.etl"), *kind = compress ? "compressed" : "plain";
	struct etw_etl_writer *w;
	uint64_t records;
	int64_t time;
	char name[64];

	for (int round = 0; round < 3; round++) {
		int err = round ? etw_etl_append_fd(open(path, O_RDWR), &w) :
			  etw_etl_create(path, &options, &w);

		snprintf(name, sizeof(name), "%s, begun %d times", kind, round + 1);
		is(err, 0, name);
		if (err)
			return;
		time = etw_etl_writer_info(w)->start_clock + 1000000 * (round + 1);
		for (unsigned int i = 0; i < 400; i++)
			event(w, i * 7 % 3, time + i, i * 31 % 800);
		is(etw_etl_finish(w, 0, NULL), 0, "finish");
		agrees(path, 0, &records, name);
		ok(records >= 400u * (round + 1), "all events are in it");
	}
	unlink(path);
}

int main(void)
{
	struct image m = img_make(1);
	char *image;

	if (!mkdtemp(dir))
		abort();
	test_image("a record of each kind", 1, false, false);
	test_image("a compressed buffer", 1 | MODE_COMPRESSED, true, false);
	test_image("circular, not yet round", MODE_CIRCULAR, false, false);
	test_image("circular, wrapped", MODE_CIRCULAR, false, true);
	find_corpus();
	for (size_t i = 0; i < corpus.gl_pathc; i++)
		agrees(corpus.gl_pathv[i], 0, NULL, strrchr(corpus.gl_pathv[i], '/') + 1);

	image = strdup(in_dir("source.etl"));
	put_image(image, &m);
	test_rewrite(image, 1024, false);
	test_rewrite(image, 4096, true);
	unlink(image);
	free(image);
	free(m.p);
	for (size_t i = 0; i < corpus.gl_pathc; i++) {
		test_rewrite(corpus.gl_pathv[i], 65536, false);
		test_rewrite(corpus.gl_pathv[i], 16384, true);
	}
	test_append(false);
	test_append(true);
	globfree(&corpus);
	is(rmdir(dir), 0, "nothing is left");
	return done_testing();
}
