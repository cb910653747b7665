// SPDX-License-Identifier: GPL-2.0-only
/*
 * etl_check - the checker of log files finds every violation
 *
 * For every rule a file breaks only this rule, and the checker reports only this rule.
 */
#include "etl_check_make.h"

#include <stdio.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "etl/rules.h"

/* A file's LogFileMode before the mutation; COMPRESSED has a compressed last buffer. */
#define SEQ 1u
#define CIRC MODE_CIRCULAR
#define CODED (1u | MODE_COMPRESSED)

static unsigned char *log_header(struct image *m)
{
	return m->p + IMG_LOG;
}

static unsigned char *last_buf(struct image *m)
{
	return img_buf(m, IMG_BUFS - 1);
}

static unsigned char *items(struct image *m)
{
	return img_buf(m, 1) + IMG_ITEMS;
}

static void one_less(struct image *m)
{
	put32(log_header(m) + 36, IMG_BUFS - 1);
}

/* ------------------------------------------------------------------- mutations */

static void has_buffer(struct image *m) { m->n = 40; }
static void buffer_size(struct image *m) { put32(last_buf(m), 64); one_less(m); }
static void buffer_inside(struct image *m) { put32(last_buf(m), IMG_BUF + 8); one_less(m); }
static void no_rest(struct image *m) { img_cut(m, m->n, -5); }
static void written(struct image *m) { put32(log_header(m) + 36, IMG_BUFS + 1); }

static void maximum(struct image *m)
{
	put32(log_header(m) + 28, IMG_BUFS * IMG_BUF / 1024 - 1);
	put32(log_header(m) + 32, 0x2001);
}

static void first_type(struct image *m) { put16(m->p + 0x36, 0); }

static void first_plain(struct image *m)
{
	unsigned char coded[2 * IMG_BUF];
	size_t n = img_code(m->p + IMG_HEAD, get32(m->p + 0x30) - IMG_HEAD, coded);

	memcpy(m->p + IMG_HEAD, coded, n);
	put16(m->p + 0x34, 0x60);
}

static void first_record(struct image *m) { put16(m->p + IMG_HEAD, 3); }

static void first_size(struct image *m)
{
	img_cut(m, 2048, IMG_BUF - 2048);
	put32(m->p, 2048);
}

static void header_size(struct image *m)
{
	put16(m->p + IMG_HEAD + 4, 32 + 272);
	img_fill(m->p, IMG_HEAD + 32 + 272);
	memset(m->p + IMG_HEAD + 32 + 272, 0xff, 64);
}

static void names(struct image *m) { put16(m->p + IMG_NAMES + 18, 'x'); }

static void names_end(struct image *m)
{
	put16(m->p + IMG_HEAD + 4, 32 + 280 + 22);
}

static void pointer_size(struct image *m) { put32(log_header(m) + 44, 4); }
static void cpus(struct image *m) { put32(log_header(m) + 12, 0); }
static void layout(struct image *m) { log_header(m)[7] = 5; }

static void no_clocks(struct image *m)
{
	for (unsigned int i = 0; i < IMG_BUFS; i++)
		put64(img_buf(m, i) + 0x20, 0);
}

static void clock_type(struct image *m) { no_clocks(m); put32(log_header(m) + 272, 4); }
static void frequency(struct image *m) { no_clocks(m); put64(log_header(m) + 256, 0); }
static void logical_size(struct image *m) { put32(log_header(m), 64); }
static void end_time(struct image *m) { put64(log_header(m) + 16, IMG_START - 1); }
static void boot_time(struct image *m) { put64(log_header(m) + 248, IMG_START + 1); }

static void one_header(struct image *m) { put16(img_buf(m, 2) + 0x36, 4); }
static void buffer_flag(struct image *m) { put16(img_buf(m, 2) + 0x34, 0xa0); }
static void buffer_type(struct image *m) { put16(img_buf(m, 2) + 0x36, 8); }
static void state(struct image *m) { put32(img_buf(m, 2) + 0x2c, 2); }
static void buffer_clock(struct image *m) { img_buf(m, 2)[0x20] ^= 8; }
static void cpu(struct image *m) { put16(img_buf(m, 4) + 0x28, 2); }

static void plain_size(struct image *m)
{
	put32(last_buf(m), IMG_BUF - 8);
	m->n -= 8;
}

static void fill_small(struct image *m) { img_fill(img_buf(m, 2), 64); }
static void fill_large(struct image *m) { img_fill(img_buf(m, 2), IMG_BUF + 8); }

static void fill_large_coded(struct image *m)
{
	unsigned char *b = last_buf(m);

	/* The decoded data is valid, but larger than a buffer of this session can be. */
	while (get32(b + 0x30) <= IMG_BUF)
		img_event(b, 2500, 16);
}

static void fill_aligned(struct image *m)
{
	unsigned char *b = last_buf(m);

	img_fill(b, get32(b + 0x30) + 1);
}

static void saved(struct image *m)
{
	unsigned char *b = last_buf(m);

	put32(b + 4, get32(b + 4) - 8);
}

static void saved_none(struct image *m) { put32(last_buf(m) + 4, 0); }
static void tail(struct image *m) { m->p[m->n - 1] = 0; }
static void sequence(struct image *m) { put64(img_buf(m, 4) + 0x18, 3); }
static void sequence_negative(struct image *m) { put64(img_buf(m, 1) + 0x18, UINT64_MAX); }

static void sequence_order(struct image *m)
{
	put64(img_buf(m, 1) + 0x18, 3);
	put64(img_buf(m, 3) + 0x18, 1);
}

static void sequence_twice(struct image *m)
{
	/* A circular file starts over once, so CPU 1 may not do so a second time. */
	for (unsigned int i = 1; i < IMG_BUFS; i++) {
		put16(img_buf(m, i) + 0x28, 1);
		put64(img_buf(m, i) + 0x18, 9 - i);
		put32(img_buf(m, i) + 0x30, IMG_HEAD);
		put32(img_buf(m, i) + 4, IMG_HEAD);
		memset(img_buf(m, i) + IMG_HEAD, 0xff, IMG_BUF - IMG_HEAD);
	}
}

static void coded(struct image *m)
{
	/* A match with nothing before it. */
	put32(last_buf(m) + IMG_HEAD, 0x80000000);
}

static void coded_all(struct image *m)
{
	put32(last_buf(m), get32(last_buf(m)) + 1);
	img_cut(m, m->n, -1);
}

static void coded_mode(struct image *m) { put32(log_header(m) + 32, 1); }

static void mark(struct image *m) { img_buf(m, 2)[IMG_HEAD + 3] = 0x80; }
static void type(struct image *m) { img_buf(m, 2)[IMG_HEAD + 2] = 9; }
static void record_size(struct image *m) { put16(img_buf(m, 2) + IMG_HEAD, 79); }

static void record_inside(struct image *m)
{
	unsigned char *b = last_buf(m);

	put16(b + get32(b + 0x30) - 80, 88);
}

static void order(struct image *m) { put64(img_buf(m, 3) + IMG_HEAD + 16, 2000); }

static void wrap_order(struct image *m)
{
	/* CPU 0's second buffer has a lower number than the first, and a later time. */
	put64(img_buf(m, 1) + 0x18, 3);
	put64(img_buf(m, 3) + 0x18, 1);
}

static void item_inside(struct image *m)
{
	unsigned char *b = last_buf(m), *r = b + get32(b + 0x30) - 80;

	put16(r + 4, 1);
}

static void item_size(struct image *m)
{
	unsigned char *p = items(m) + 24 + 24 + 32 + 24;

	put16(p, 40);
}

static void item_small(struct image *m) { put16(items(m) + 24 + 24 + 32 + 24, 24); }

static void item_aligned(struct image *m)
{
	put16(items(m) + 24 + 24 + 32 + 24, 36);
}

static void item_past_end(struct image *m)
{
	put16(items(m) + 24 + 24 + 32 + 24, 48);
}

static void item_link(struct image *m) { put16(items(m) + 4, 3); }
static void item_type(struct image *m) { put16(items(m) + 2, 19); }
static void item_data(struct image *m) { put16(items(m) + 6, 12); }
static void item_sid(struct image *m) { items(m)[24 + 24 + 32 + 9] = 2; }

static void item_order(struct image *m)
{
	unsigned char *p = img_item(items(m) + 24, 11, 24, 1);

	img_item(p, 12, 15, 1);
}

static const struct mutation {
	enum rule rule;
	uint32_t mode;
	void (*change)(struct image *m);
} mutations[] = {
	{ RULE_HAS_BUFFER, SEQ, has_buffer },
	{ RULE_BUFFER_SIZE, SEQ, buffer_size },
	{ RULE_BUFFER_INSIDE, SEQ, buffer_inside },
	{ RULE_NO_REST, SEQ, no_rest },
	{ RULE_WRITTEN, SEQ, written },
	{ RULE_MAXIMUM, SEQ, maximum },
	{ RULE_FIRST_TYPE, SEQ, first_type },
	{ RULE_FIRST_PLAIN, CODED, first_plain },
	{ RULE_FIRST_RECORD, SEQ, first_record },
	{ RULE_FIRST_SIZE, SEQ, first_size },
	{ RULE_HEADER_SIZE, SEQ, header_size },
	{ RULE_NAMES, SEQ, names },
	{ RULE_NAMES_END, SEQ, names_end },
	{ RULE_POINTER_SIZE, SEQ, pointer_size },
	{ RULE_CPUS, SEQ, cpus },
	{ RULE_LAYOUT, SEQ, layout },
	{ RULE_CLOCK, SEQ, clock_type },
	{ RULE_FREQUENCY, SEQ, frequency },
	{ RULE_LOGICAL_SIZE, SEQ, logical_size },
	{ RULE_END_TIME, SEQ, end_time },
	{ RULE_BOOT_TIME, SEQ, boot_time },
	{ RULE_ONE_HEADER, SEQ, one_header },
	{ RULE_BUFFER_FLAG, SEQ, buffer_flag },
	{ RULE_BUFFER_TYPE, SEQ, buffer_type },
	{ RULE_STATE, SEQ, state },
	{ RULE_BUFFER_CLOCK, SEQ, buffer_clock },
	{ RULE_CPU, SEQ, cpu },
	{ RULE_PLAIN_SIZE, SEQ, plain_size },
	{ RULE_FILL_SMALL, SEQ, fill_small },
	{ RULE_FILL_LARGE, SEQ, fill_large },
	{ RULE_FILL_ALIGNED, SEQ, fill_aligned },
	{ RULE_SAVED, SEQ, saved },
	{ RULE_SAVED, SEQ, saved_none },
	{ RULE_TAIL, SEQ, tail },
	{ RULE_SEQUENCE, SEQ, sequence },
	{ RULE_SEQUENCE, SEQ, sequence_negative },
	{ RULE_SEQUENCE_ORDER, SEQ, sequence_order },
	{ RULE_SEQUENCE_ORDER, CIRC, sequence_twice },
	{ RULE_CODED, CODED, coded },
	{ RULE_CODED_ALL, CODED, coded_all },
	{ RULE_CODED_MODE, CODED, coded_mode },
	{ RULE_MARK, SEQ, mark },
	{ RULE_TYPE, SEQ, type },
	{ RULE_RECORD_SIZE, SEQ, record_size },
	{ RULE_RECORD_INSIDE, SEQ, record_inside },
	{ RULE_ORDER, SEQ, order },
	{ RULE_WRAP_ORDER, CIRC, wrap_order },
	{ RULE_ITEM_INSIDE, SEQ, item_inside },
	{ RULE_ITEM_INSIDE, SEQ, item_past_end },
	{ RULE_ITEM_SIZE, SEQ, item_size },
	{ RULE_ITEM_SIZE, SEQ, item_small },
	{ RULE_ITEM_ALIGNED, SEQ, item_aligned },
	{ RULE_ITEM_LINK, SEQ, item_link },
	{ RULE_ITEM_TYPE, SEQ, item_type },
	{ RULE_ITEM_DATA, SEQ, item_data },
	{ RULE_ITEM_DATA, SEQ, item_sid },
	{ RULE_ITEM_ORDER, SEQ, item_order },
};

/* ----------------------------------------------------------------------- tests */

struct seen {
	unsigned int times[RULE_END];
	char text[256];
};

static void note(void *context, enum rule rule, uint64_t offset, const char *text)
{
	struct seen *s = context;

	s->times[rule]++;
	snprintf(s->text, sizeof(s->text), "rule %d at %llu: %s", (int)rule,
		 (unsigned long long)offset, text);
}

/* Check an image in a temporary file, and keep the violations. */
static int64_t check(const struct image *m, unsigned int options, struct seen *s)
{
	char path[] = "/tmp/etw-check-XXXXXX";
	int fd = mkstemp(path);
	int64_t n = -1;

	memset(s, 0, sizeof(*s));
	if (fd >= 0 && write(fd, m->p, m->n) == (ssize_t)m->n)
		n = check_file(path, options, note, s, NULL);
	close(fd);
	unlink(path);
	return n;
}

static struct image make(uint32_t mode)
{
	struct image m = img_make(mode);

	if (mode & MODE_COMPRESSED)
		img_compress(&m);
	return m;
}

TEST(good_files_pass)
{
	static const uint32_t modes[] = { 0, SEQ, CIRC, SEQ | MODE_APPEND, CODED };
	struct seen s;

	for (unsigned int i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct image m = make(modes[i]);

		EXPECT_EQ(0, check(&m, 0, &s)) TH_LOG("mode %u: %s", modes[i], s.text);
		free(m.p);
	}
}

static unsigned int fill_coded_large(struct seen *s)
{
	struct image m = img_make(CODED);
	unsigned int n;

	/* Room for one buffer more than the file has. */
	img_cut(&m, m.n, -(long)(4 * IMG_BUF));
	fill_large_coded(&m);
	img_compress(&m);
	n = (unsigned int)check(&m, 0, s);
	free(m.p);
	return n;
}

TEST(each_rule_is_held_by_itself)
{
	unsigned char tried[RULE_END] = { 0 };
	struct seen s;

	for (unsigned int i = 0; i < sizeof(mutations) / sizeof(*mutations); i++) {
		struct image m = make(mutations[i].mode);
		int64_t n;

		mutations[i].change(&m);
		n = check(&m, 0, &s);
		EXPECT_LT(0, n) TH_LOG("mutation %u: rule %d is not held", i, mutations[i].rule);
		EXPECT_EQ(n, s.times[mutations[i].rule])
			TH_LOG("mutation %u of rule %d: %s", i, mutations[i].rule, s.text);
		tried[mutations[i].rule] = 1;
		free(m.p);
	}
	EXPECT_EQ(fill_coded_large(&s), s.times[RULE_FILL_LARGE]) TH_LOG("%s", s.text);
	EXPECT_EQ(1, s.times[RULE_FILL_LARGE]);
	for (unsigned int i = 0; i < RULE_END; i++) {
		EXPECT_EQ(rule_text(i) != NULL, tried[i])
			TH_LOG("rule %u has no mutation", i);
	}
}

/* The file of a running session, or of a session that ran during a crash, has no end. */
TEST(a_file_that_is_open)
{
	struct image m = make(SEQ);
	struct seen s;

	put64(log_header(&m) + 16, 0);
	put32(log_header(&m) + 36, 1);
	EXPECT_EQ(2, check(&m, 0, &s));
	EXPECT_EQ(0, check(&m, CHECK_OPEN, &s)) TH_LOG("%s", s.text);
	m.n -= 100;
	EXPECT_EQ(0, check(&m, CHECK_OPEN, &s)) TH_LOG("%s", s.text);
	m.n = 3 * IMG_BUF;
	img_cut(&m, m.n, -(long)IMG_BUF);	/* preallocated, and not yet written */
	EXPECT_EQ(0, check(&m, CHECK_OPEN, &s)) TH_LOG("%s", s.text);
	put16(img_buf(&m, 1) + IMG_HEAD + 2, 0);
	EXPECT_LT(0, check(&m, CHECK_OPEN, &s));
	free(m.p);
}

/* A circular file that has wrapped: the older buffers come after the newer ones. */
TEST(a_file_that_went_round)
{
	struct image m = make(CIRC);
	unsigned char *swap = malloc(2 * IMG_BUF);
	struct seen s;

	ASSERT_NE(NULL, swap);
	memcpy(swap, img_buf(&m, 1), 2 * IMG_BUF);
	memcpy(img_buf(&m, 1), img_buf(&m, 3), 2 * IMG_BUF);
	memcpy(img_buf(&m, 3), swap, 2 * IMG_BUF);
	EXPECT_EQ(0, check(&m, 0, &s)) TH_LOG("%s", s.text);
	put32(log_header(&m) + 32, 1);
	EXPECT_LT(0, check(&m, 0, &s));
	free(swap);
	free(m.p);
}

/* With any byte changed, the checker ends and reads nothing out of bounds. */
/* Only tests of a fixture can have a limit above 30 seconds, which a busy machine needs. */
FIXTURE(damaged) {
	struct image m;
};

FIXTURE_SETUP(damaged)
{
	self->m = make(CODED);
}

FIXTURE_TEARDOWN(damaged)
{
	free(self->m.p);
}

TEST_F_TIMEOUT(damaged, any_byte_may_be_wrong, 600)
{
	static const unsigned char to[] = { 0, 0x7f, 0xff };
	struct image *m = &self->m;
	struct seen s;

	for (size_t i = 0; i < m->n; i++) {
		unsigned char was = m->p[i];

		/* Skip the tails and most bytes of the names */
		if (i % IMG_BUF > 1200 || (i > IMG_LOG && i < IMG_BUF && i % 7))
			continue;
		m->p[i] = to[i % sizeof(to)];
		EXPECT_LE(0, check(m, i & CHECK_OPEN, &s));
		m->p[i] = was;
	}
}

TEST_HARNESS_MAIN
