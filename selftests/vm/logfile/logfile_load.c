// SPDX-License-Identifier: GPL-2.0-only
/*
 * logfile_load - a session in real time and in a file at once, with more events than either
 * can take
 *
 * Two writers number their events and keep a tally.  The disk is full now and then, the
 * reader is slow, the buffers are few.  For the file as for the reader, the events received,
 * lost and refused add up to the writers' tally, to the event; and no event comes twice.
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_log.h"

#define FILE_A		LOG_DIR "/a.etl"
#define SPACE_KB	(12 * 1024)	/* for all of them */
#define WRITERS		2
#define EVENTS		12000		/* of one writer */
#define FILL		200		/* bytes behind the number */

struct event {
	uint32_t writer, number;
	uint8_t fill[FILL];
};

struct books {
	uint8_t seen[WRITERS + 1][EVENTS];	/* the last one's are the two marks */
	uint64_t events, twice, strange;
};

struct writer {
	unsigned int id;
	_Atomic uint64_t attempted;
	uint64_t refused;
};

static void note(struct books *b, const void *data, size_t len)
{
	struct event e;

	if (len != sizeof(e)) {
		b->strange++;
		return;
	}
	memcpy(&e, data, sizeof(e));
	if (e.writer > WRITERS || e.number >= EVENTS || e.fill[0] != (uint8_t)e.number) {
		b->strange++;
		return;
	}
	b->twice += b->seen[e.writer][e.number]++ != 0;
	b->events++;
}

static void note_record(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	(void)b;
	note(ctx, r->data, r->len);
}

static void *write_events(void *arg)
{
	struct event e = { .writer = ((struct writer *)arg)->id };
	int fd = vm_open(), slot = vm_register(fd, vm_guid(2));
	struct writer *w = arg;

	for (; w->attempted < EVENTS; w->attempted++) {
		e.number = w->attempted;
		memset(e.fill, e.number, sizeof(e.fill));
		w->refused += vm_write(fd, slot, 7, 1, 1, &e, sizeof(e)) != 0;
		if (w->attempted % 512 == 0)
			usleep(2000);
	}
	close(fd);
	return NULL;
}

/*
 * Write and deliver event 0 or 1, before and after everything that may be lost: the
 * numbers of the buffers between theirs show how many are missing in the file.
 */
static int write_mark(int fd, uint64_t session, uint32_t number)
{
	struct event e = { .writer = WRITERS, .number = number };
	int slot = vm_register(fd, vm_guid(2)), ret;

	memset(e.fill, number, sizeof(e.fill));
	ret = vm_write(fd, slot, 7, 1, 1, &e, sizeof(e));
	return ret ? ret : vm_flush(fd, session);
}

static bool writers_done(struct writer *w)
{
	unsigned int i, done = 0;

	for (i = 0; i < WRITERS; i++)
		done += w[i].attempted == EVENTS;
	return done == WRITERS;
}

/* There is room until a buffer is written, then none until one is lost, then again. */
static bool fill_for_a_while(int vm, TRACEHANDLE session, struct writer *w)
{
	struct etw_session_log before = vl_log_status(vm, session);
	bool ok;

	ok = vm_until(vl_log_status(vm, session).buffers > before.buffers || writers_done(w));
	ok &= vl_log_dir_fill();
	ok &= vm_until(vl_log_status(vm, session).buffers_lost > before.buffers_lost ||
		       writers_done(w));
	vl_log_dir_free();
	return ok;
}

static void read_file(struct __test_metadata *_metadata, struct books *books,
		      struct etw_etl_info *info, struct etw_etl_count *count)
{
	struct etw_etl_file *file;
	struct etw_event event;
	int ret;

	ASSERT_EQ(0, etw_etl_open(FILE_A, NULL, NULL, &file));
	while ((ret = etw_etl_next(file, &event)) == 1) {
		if (event.record.header->desc.id)
			note(books, event.record.data, event.record.data_len);
	}
	EXPECT_EQ(0, ret);
	EXPECT_FALSE(etw_etl_cut_off(file));
	*info = *etw_etl_info(file);
	etw_etl_counts(file, count);
	etw_etl_close(file);
}

static int start(int fd, struct etw_session *s)
{
	static const char path[] = FILE_A;
	struct etw_session_file file = { .size = sizeof(file), .dir = -1, .file_mode = 0600,
					 .name = VM_PTR(path), .name_len = strlen(path) };
	int ret;

	file.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	*s = vm_session("log");
	s->buffer_kb = LOG_KB;
	s->min_buffers = 8;
	s->max_buffers = 12;
	s->flush_ms = 1000;
	s->file = VM_PTR(&file);
	ret = vm_start(fd, s);
	close(file.fd);
	return ret ? ret : vm_enable(fd, s->handle, vm_guid(2), 0, 0, 0);
}

/* The first one tells that the disk was full. */
static bool flush_after_full(int fd, uint64_t session)
{
	return vm_flush(fd, session) == -EDQUOT && !vm_flush(fd, session);
}

TEST(file_and_reader_under_load)
{
	struct books *in_file = calloc(1, sizeof(*in_file)), *read = calloc(1, sizeof(*read));
	struct etw_session_log log = { .size = sizeof(log) };
	struct writer w[WRITERS] = { { .id = 0 }, { .id = 1 } };
	struct etw_consumer_info info;
	struct vm_reader r = { .fd = -1 };
	struct etw_etl_count count;
	struct etw_etl_info header;
	struct etw_session_stat st;
	uint64_t attempted = 0, refused = 0;
	pthread_t thread[WRITERS];
	unsigned int i, round;
	struct etw_session s;
	struct vl_logger l;

	ASSERT_EQ(NULL, vl_logger_begin(&l, SPACE_KB));
	ASSERT_EQ(0, start(l.fd, &s));
	ASSERT_EQ(0, vm_reader_open(&r, l.fd, s.handle, O_NONBLOCK));
	ASSERT_EQ(0, write_mark(l.fd, s.handle, 0));
	ASSERT_TRUE(vm_until(vl_log_status(l.fd, s.handle).buffers == 2));
	for (i = 0; i < WRITERS; i++)
		ASSERT_EQ(0, vl_thread_on(&thread[i], i, write_events, &w[i]));
	for (round = 0; round < 6; round++) {
		EXPECT_TRUE(fill_for_a_while(l.fd, s.handle, w));
		EXPECT_EQ(-EAGAIN, vm_drain(&r, note_record, read));
	}
	for (i = 0; i < WRITERS; i++) {
		pthread_join(thread[i], NULL);
		attempted += w[i].attempted;
		refused += w[i].refused;
	}
	ASSERT_TRUE(flush_after_full(l.fd, s.handle));
	ASSERT_EQ(0, write_mark(l.fd, s.handle, 1));
	EXPECT_EQ(-EAGAIN, vm_drain(&r, note_record, read));
	ASSERT_EQ(0, vm_consumer_info(r.fd, &info));
	ASSERT_EQ(0, vm_stat(l.fd, s.handle, &st));
	s = (struct etw_session){ .size = sizeof(s), .handle = s.handle, .log = VM_PTR(&log) };
	ASSERT_EQ(0, vm_ioctl(l.fd, ETW_IOC_SESSION_STOP, &s));
	EXPECT_EQ(0, vm_drain(&r, note_record, read));
	read_file(_metadata, in_file, &header, &count);

	EXPECT_EQ(WRITERS * EVENTS, attempted);
	attempted += 2;
	EXPECT_EQ(refused, vm_dropped(&st));
	EXPECT_EQ(0, in_file->twice + in_file->strange + read->twice + read->strange);
	EXPECT_EQ(attempted, in_file->events + log.events_lost + refused);
	EXPECT_EQ(attempted, read->events + info.events_lost + refused);
	/* The test is about losses, so there must have been some. */
	EXPECT_LT(0, log.buffers_lost);
	EXPECT_LT(0, in_file->events);
	/* The file itself reports them, in its header and by the numbers of its buffers. */
	EXPECT_EQ(refused, header.header.EventsLost);
	EXPECT_EQ(log.buffers_lost, header.header.BuffersLost);
	EXPECT_EQ(log.buffers_lost, count.lost_buffers);
	EXPECT_EQ(0, count.corrupt);
	vm_reader_close(&r);
	vl_logger_end(&l);
	free(in_file);
	free(read);
}

TEST_HARNESS_MAIN
