// SPDX-License-Identifier: GPL-2.0-only
/*
 * leak - no kernel data shows where nothing was written
 *
 * Every struct that a command returns, the enable area, and the buffers, both fresh and
 * used, are searched for memory that was never set: the patterns of a kernel built to find
 * that, and kernel addresses.  The unused part of a buffer given to a command is unchanged.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"

#define FILL	0x5c		/* what the caller's memory holds before */
#define BUFFERS	64
#define SIZE	8192

FIXTURE(leak) {
	int fd;
	int slot;
	uint64_t session;
	int cfd;
	uint8_t *all;		/* every buffer, mapped before it was used */
	size_t buffers;
};

FIXTURE_SETUP(leak)
{
	struct etw_session s = vm_session("t-leak");

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	s.buffer_kb = SIZE / 1024;
	s.min_buffers = s.max_buffers = BUFFERS;
	s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	self->buffers = s.buffers + s.reserve_buffers;
	self->cfd = vm_consume(self->fd, self->session, O_NONBLOCK, NULL);
	ASSERT_LE(0, self->cfd);
	self->all = mmap(NULL, self->buffers * SIZE, PROT_READ, MAP_SHARED, self->cfd, SIZE);
	ASSERT_NE(MAP_FAILED, self->all);
}

FIXTURE_TEARDOWN(leak)
{
	munmap(self->all, self->buffers * SIZE);
	close(self->cfd);
	vm_stop_all(self->fd);
	close(self->fd);
}

/*
 * Does a word look like one that was never set: a pattern of freed pages (aa), of freed
 * objects (6b), of new ones (5a, cc), of stack that was never set (aa, fe), or a kernel
 * address?  All ones is a mask.
 */
static bool is_foreign(uint64_t word)
{
	static const uint8_t patterns[] = { 0xaa, 0x6b, 0x5a, 0xcc, 0xfe, 0xbb };
	unsigned int i;

	if (word == UINT64_MAX)
		return false;
	if (word >> 47 == 0x1FFFF)
		return true;
	for (i = 0; i < sizeof(patterns); i++)
		if (word == patterns[i] * 0x0101010101010101ULL)
			return true;
	return false;
}

static unsigned int foreign(const char *what, const void *p, size_t len)
{
	unsigned int n = 0;
	uint64_t word;
	size_t at;

	for (at = 0; at + 8 <= len; at += 4) {	/* u32 members may hide a pattern */
		memcpy(&word, (const uint8_t *)p + at, 8);
		if (!is_foreign(word) || (at % 8 && word >> 47 == 0x1FFFF))
			continue;
		if (!n++)
			fprintf(stderr, "# %s: %016llx at %zu\n", what,
				(unsigned long long)word, at);
	}
	return n;
}

static bool untouched(const void *p, size_t len)
{
	const uint8_t *b = p;

	while (len--)
		if (*b++ != FILL)
			return false;
	return true;
}

/* ---------------------------------------------------------------- memory */

/* The kernel's next pages are those that others have just used and freed. */
static void dirty_memory(void)
{
	const size_t len = 64 << 20;
	pid_t pid = fork();

	if (!pid) {
		void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p != MAP_FAILED)
			memset(p, 0xbb, len);
		_exit(p == MAP_FAILED);
	}
	vm_reap(pid);
}

static bool all_zero(const uint8_t *p, size_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

TEST_F(leak, fresh_buffers_are_zero)
{
	struct etw_session s = vm_session("t-fresh");
	uint8_t *p;
	int cfd, i;

	EXPECT_TRUE(all_zero(self->all, self->buffers * SIZE));
	for (i = 0; i < 5; i++) {
		dirty_memory();
		s.buffer_kb = SIZE / 1024;
		s.min_buffers = s.max_buffers = 100;
		ASSERT_EQ(0, vm_start(self->fd, &s));
		cfd = vm_consume(self->fd, s.handle, O_NONBLOCK, NULL);
		ASSERT_LE(0, cfd);
		p = mmap(NULL, 100 * SIZE, PROT_READ, MAP_SHARED, cfd, SIZE);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_TRUE(all_zero(p, 100 * SIZE));
		munmap(p, 100 * SIZE);
		close(cfd);
		ASSERT_EQ(0, vm_stop(self->fd, s.handle));
	}
}

TEST_F(leak, fresh_area_is_zero)
{
	uint8_t *p;
	int fd, i;

	for (i = 0; i < 5; i++) {
		dirty_memory();
		fd = vm_open();
		p = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
		ASSERT_NE(MAP_FAILED, p);
		EXPECT_TRUE(all_zero(p, ETW_ENABLE_AREA_SIZE));
		munmap(p, ETW_ENABLE_AREA_SIZE);
		close(fd);
	}
}

/* ---------------------------------------------------------------- buffers */

static void no_pattern(void *ctx, const struct etw_buffer_header *b,
		       const struct vm_record *r)
{
	unsigned int *n = ctx;

	(void)b;
	*n += foreign("record", r->head, r->head->size);
}

/*
 * Records of all sizes, so that there is padding of all sizes within and after
 * them; related ids make extended items.  The buffers are used again and
 * again, longer and shorter than before.
 */
TEST_F(leak, used_buffers)
{
	static const uint8_t data[4000];
	struct etw_data_descriptor d = { .ptr = VM_PTR(data) };
	struct etw_event_write w = {
		.size = sizeof(w), .slot = self->slot, .data_count = 1, .data = VM_PTR(&d),
		.related = vm_guid(9), .activity = vm_guid(8),
		.desc = { .id = 1, .level = 1, .keyword = 1 } };
	unsigned int i, n = 0, taken = 0;
	struct etw_buffer_take t;
	uint64_t events = 0;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	for (i = 0; i < 1500; i++) {
		d.size = i * 37 % (i % 50 ? 130 : sizeof(data));
		w.flags = i % 4 * ETW_WRITE_ACTIVITY;	/* and RELATED */
		w.flags &= ETW_WRITE_ACTIVITY | ETW_WRITE_RELATED;
		ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
		if (i % 7)
			continue;
		ASSERT_EQ(0, vm_flush(self->fd, self->session));
		while (!vm_take(self->cfd, &t)) {
			const uint8_t *b = self->all + (t.index - 1) * SIZE;

			ASSERT_LE(t.index, self->buffers);
			EXPECT_EQ(NULL, vm_walk(b, SIZE, no_pattern, &n, &events));
			n += foreign("buffer header", b, sizeof(struct etw_buffer_header));
			ASSERT_EQ(0, vm_give(self->cfd, t.index));
			taken++;
		}
	}
	EXPECT_LT(2 * self->buffers, taken);
	EXPECT_EQ(0, n);
}

/* ---------------------------------------------------------------- structs */

/* A struct of a caller that sets only the inputs. */
#define OUT(type, ...)	({						\
	struct type *_p = memset(room, FILL, sizeof(room));		\
	*_p = (struct type){ .size = sizeof(*_p), ##__VA_ARGS__ };	\
	_p; })

static uint8_t room[4096];
static uint8_t list[65536];
static char name[ETW_NAME_MAX];

static void clear_lists(void)
{
	memset(list, FILL, sizeof(list));
	memset(name, FILL, sizeof(name));
}

TEST_F(leak, session_structs)
{
	struct etw_session_stat *st;
	struct etw_session_enum *se;
	struct etw_session *s;

	clear_lists();
	s = OUT(etw_session, .handle = self->session, .name_out = VM_PTR(name),
		.name_cap = sizeof(name));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, s));
	s->name_out = 0;
	EXPECT_EQ(0, foreign("etw_session", s, sizeof(*s)));
	EXPECT_TRUE(untouched(s + 1, sizeof(room) - sizeof(*s)));
	EXPECT_TRUE(untouched(name + 6, sizeof(name) - 6));

	st = OUT(etw_session_stat, .handle = self->session, .consumers = VM_PTR(list),
		 .consumer_cap = 16);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_STAT, st));
	ASSERT_EQ(1, st->consumer_count);
	EXPECT_EQ(0, foreign("etw_session_stat", st, sizeof(*st)));
	EXPECT_TRUE(untouched(st + 1, sizeof(room) - sizeof(*st)));
	EXPECT_EQ(0, foreign("consumers", list, sizeof(struct etw_consumer_info)));
	EXPECT_TRUE(untouched(list + sizeof(struct etw_consumer_info), 16384));

	clear_lists();
	se = OUT(etw_session_enum, .handles = VM_PTR(list), .capacity = 64);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_ENUM, se));
	ASSERT_EQ(1, se->count);
	EXPECT_TRUE(untouched(list + 8, 64 * 8));
	EXPECT_TRUE(untouched(se + 1, sizeof(room) - sizeof(*se)));
}

TEST_F(leak, provider_structs)
{
	struct etw_provider_query *q;
	struct etw_provider_enum *e;
	struct etw_provider_reg *reg = (void *)list;
	size_t len;

	clear_lists();
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	q = OUT(etw_provider_query, .provider = vm_guid(1), .name_out = VM_PTR(name),
		.name_cap = sizeof(name), .regs = VM_PTR(list), .reg_cap = 10,
		.enables = VM_PTR(list + 32768), .enable_cap = 8);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, q));
	ASSERT_EQ(1, q->reg_count);
	ASSERT_EQ(1, q->enable_count);
	EXPECT_EQ(0, foreign("etw_provider_query", q, sizeof(*q)));
	EXPECT_TRUE(untouched(q + 1, sizeof(room) - sizeof(*q)));
	EXPECT_TRUE(untouched(name, sizeof(name)));	/* it has none */
	EXPECT_EQ(0, foreign("registration", reg, sizeof(*reg)));
	len = strnlen(reg->module, sizeof(reg->module));
	EXPECT_TRUE(all_zero((uint8_t *)reg->module + len, sizeof(reg->module) - len));
	EXPECT_TRUE(untouched(list + sizeof(*reg), 9 * sizeof(*reg)));
	EXPECT_EQ(0, foreign("enablement", list + 32768, sizeof(struct etw_provider_enable)));
	EXPECT_TRUE(untouched(list + 32768 + sizeof(struct etw_provider_enable), 4096));

	clear_lists();
	e = OUT(etw_provider_enum, .guids = VM_PTR(list), .capacity = 100);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_ENUM, e));
	ASSERT_EQ(1 + VM_OWN_PROVIDERS, e->count);
	EXPECT_TRUE(untouched(list + 16 * e->count, (100 - e->count) * 16));
	EXPECT_TRUE(untouched(e + 1, sizeof(room) - sizeof(*e)));
}

TEST_F(leak, process_and_consumer_structs)
{
	struct etw_consumer_stat *cs;
	struct etw_consumer_open *o;
	struct etw_buffer_take *t;
	struct etw_register *r;
	struct etw_notify *n;

	r = OUT(etw_register, .provider = vm_guid(5), .flags = ETW_REGISTER_NOTIFY);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_REGISTER, r));
	EXPECT_EQ(0, foreign("etw_register", r, sizeof(*r)));
	EXPECT_TRUE(untouched(r + 1, sizeof(room) - sizeof(*r)));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(5), 0, 0, 0));
	n = OUT(etw_notify);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_NOTIFY, n));
	EXPECT_EQ(0, foreign("etw_notify", n, sizeof(*n)));
	EXPECT_EQ(0, n->logger_id);
	EXPECT_TRUE(untouched(n + 1, sizeof(room) - sizeof(*n)));

	o = OUT(etw_consumer_open, .session = self->session);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_CONSUMER_OPEN, o));
	close(o->fd);
	EXPECT_EQ(0, foreign("etw_consumer_open", o, sizeof(*o)));
	EXPECT_TRUE(untouched(o + 1, sizeof(room) - sizeof(*o)));
	t = OUT(etw_buffer_take);
	ASSERT_EQ(-EAGAIN, vm_ioctl(self->cfd, ETW_IOC_BUFFER_TAKE, t));
	EXPECT_EQ(0, foreign("etw_buffer_take", t, sizeof(*t)));
	EXPECT_TRUE(untouched(t + 1, sizeof(room) - sizeof(*t)));
	cs = OUT(etw_consumer_stat);
	ASSERT_EQ(0, vm_ioctl(self->cfd, ETW_IOC_CONSUMER_STAT, cs));
	EXPECT_EQ(0, foreign("etw_consumer_stat", cs, sizeof(*cs)));
	EXPECT_TRUE(untouched(cs + 1, sizeof(room) - sizeof(*cs)));
}

/* The search itself finds what it has to find. */
TEST_F(leak, search_works)
{
	uint64_t word = 0xffff888012345678;

	EXPECT_EQ(1, foreign("(on purpose)", &word, 8));
	word = 0xaaaaaaaaaaaaaaaa;
	EXPECT_EQ(1, foreign("(on purpose)", &word, 8));
	word = UINT64_MAX;
	EXPECT_EQ(0, foreign("a mask", &word, 8));
	word = 0x12345678;
	EXPECT_EQ(0, foreign("a number", &word, 8));
}

TEST_HARNESS_MAIN
