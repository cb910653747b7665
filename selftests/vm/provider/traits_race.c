// SPDX-License-Identifier: GPL-2.0-only
/*
 * traits_race - traits, types, groups, disallow lists and filters of names change while
 * events are written on the other CPU
 *
 * The test is that a kernel with checks reports nothing, and that no event is refused, torn
 * or written twice.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_traits.h"

#include <pthread.h>
#include <stdatomic.h>

#define ROUNDS		400
#define LEAST		20	/* rounds, however slow the machine is */
#define ENOUGH_MS	60000	/* for more than that */

static atomic_bool stop;

struct writer {
	struct vm_two *two;
	int which;
	pthread_t thread;
	uint64_t count;
	int bad;		/* the first wrong result */
};

/* Typed events, as long as the others change things. */
static void *writes(void *arg)
{
	struct etw_event_descriptor desc = { .id = 1, .level = 4, .keyword = 1 };
	struct vm_blob schema = vm_schema("Evt");
	struct vm_piece pieces[2] = { VM_BLOB_PIECE(1, &schema), { 0, "x", 1 } };
	struct writer *w = arg;
	int ret;

	vm_pin(1);
	while (!atomic_load(&stop)) {
		ret = vm_two_write(w->two, w->which, desc, pieces, 2, w->count & 1);
		/* A session that is full is no concern of this test. */
		if (ret && ret != -ENOBUFS && !w->bad)
			w->bad = ret;
		w->count++;
	}
	return NULL;
}

struct look {
	uint64_t typed, plain, torn;
};

/* Either all is payload, or there is a schema beside one byte of it. */
static void look(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	const struct etw_ext_item *item = (const void *)r->ext;
	struct look *l = ctx;

	(void)b;
	if (r->len == 8 && !memcmp(r->data, "\7\0\0Evt\0x", 8))
		l->plain++;
	else if (item && item->type == ETW_EXT_EVENT_SCHEMA && item->data_size == 7 && r->len == 1)
		l->typed++;
	else
		l->torn++;
}

/* Everything that can change about a provider, and back again. */
static int change(struct vm_two *two, int which, uint64_t session, int i)
{
	static struct etw_filter_event_name name = { .in = 1, .count = 1, .names = "Evt" };
	struct etw_filter f = { VM_PTR(&name), sizeof(name), ETW_FILTER_EVENT_NAME };
	struct vm_blob traits = vm_group_traits("Race", vm_guid(70));
	int slot, ret;

	ret = vm_two_set(two, which, ETW_SET_TYPES, NULL, i & 1);
	ret = ret ?: vm_group_enable(two->fd, session, vm_guid(70), i % 5, 0);
	slot = vm_register(two->fd, two->guid[which]);
	ret = ret ?: slot < 0 ? slot : vm_set_slot(two->fd, slot, ETW_SET_TRAITS, traits.bytes,
						   traits.len, 0);
	ret = ret ?: vm_enable_with(two->fd, session, two->guid[which],
				    i & 2 ? ETW_ENABLE_EVENT_KEY : 0, &f, i & 1);
	ret = ret ?: vm_disallow(two->fd, session, &two->guid[which], 1);
	ret = ret ?: vm_disable(two->fd, session, two->guid[which]);
	ret = ret ?: vm_disallow(two->fd, session, NULL, 0);
	ret = ret ?: vm_unregister(two->fd, slot);
	ret = ret ?: vm_enable(two->fd, session, two->guid[which], 0, 0, 0);
	return ret ?: vm_group_disable(two->fd, session, vm_guid(70));
}

TEST(changes)
{
	struct vm_blob traits = vm_group_traits("Race", vm_guid(70));
	int fd = vm_open(), i, which, ret = 0, cfd;
	struct etw_session s = vm_session("t-race");
	struct look l = { 0 };
	long long end = vm_ms() + ENOUGH_MS;
	struct writer w[2];
	struct vm_reader r;
	struct vm_two two;

	ASSERT_LE(0, fd);
	vm_stop_all(fd);
	ASSERT_EQ(0, vm_two_begin(&two, fd));
	s.max_buffers = 200;
	ASSERT_EQ(0, vm_start(fd, &s));
	cfd = vm_reader_open(&r, fd, s.handle, O_NONBLOCK);
	ASSERT_EQ(0, cfd);
	vm_pin(0);
	for (which = 0; which < 2; which++) {
		w[which] = (struct writer){ .two = &two, .which = which };
		ASSERT_EQ(0, pthread_create(&w[which].thread, NULL, writes, &w[which]));
	}
	for (i = 0; i < ROUNDS && !ret && (i < LEAST || vm_ms() < end); i++) {
		ret = change(&two, i & 1, s.handle, i >> 1);
		/* Some way on the writers' own registrations become members. */
		if (i == LEAST / 2)
			for (which = 0; which < 2; which++)
				ret = ret ?: vm_two_traits(&two, which, &traits);
		vm_drain(&r, i < LEAST / 2 ? look : NULL, &l);
	}
	atomic_store(&stop, true);
	for (which = 0; which < 2; which++) {
		pthread_join(w[which].thread, NULL);
		EXPECT_EQ(0, w[which].bad);
		EXPECT_NE(0, w[which].count);
	}
	EXPECT_EQ(0, ret)
		TH_LOG("round %d", i);
	EXPECT_EQ(0, l.torn);
	EXPECT_EQ(0, vm_stop(fd, s.handle));
	vm_drain(&r, NULL, NULL);
	EXPECT_EQ(NULL, r.error);
	fprintf(stderr, "# %llu and %llu writes, %llu typed and %llu plain events seen\n",
		(unsigned long long)w[0].count, (unsigned long long)w[1].count,
		(unsigned long long)l.typed, (unsigned long long)l.plain);
	vm_reader_close(&r);
	EXPECT_EQ(0, vm_two_end(&two));
	close(fd);
}

TEST_HARNESS_MAIN
