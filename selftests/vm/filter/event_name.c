// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_name - filters by the names of TraceLogging's events, for a process's
 * provider and a kernel module's
 */
#include "lib/vm.h"
#include "lib/vm_traits.h"

FIXTURE(names) {
	int fd;
	uint64_t session[2];		/* the second takes everything */
	struct vm_reader r;
	struct vm_events *events;
	struct vm_two two;
	uint8_t filter[8192];
};

FIXTURE_VARIANT(names) {
	int which;
};

FIXTURE_VARIANT_ADD(names, user) { .which = 0 };
FIXTURE_VARIANT_ADD(names, kernel) { .which = 1 };

FIXTURE_SETUP(names)
{
	int i;

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_EQ(0, vm_two_begin(&self->two, self->fd));
	ASSERT_EQ(0, vm_two_set(&self->two, variant->which, ETW_SET_TYPES, NULL, 1));
	for (i = 0; i < 2; i++) {
		self->session[i] = vm_start_named(self->fd, i ? "t-all" : "t-named");
		ASSERT_NE(0, self->session[i]);
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], self->two.guid[variant->which],
				       0, 0, 0));
	}
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session[0], O_NONBLOCK));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
}

FIXTURE_TEARDOWN(names)
{
	vm_reader_close(&self->r);
	free(self->events);
	EXPECT_EQ(0, vm_two_end(&self->two));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* A filter of names, which lie one after the other in a string literal. */
#define NAMES(type, in, text)	name_filter(self, type, in, 0, 0, text, sizeof(text))

static struct etw_filter name_filter(FIXTURE_DATA(names) *self, uint32_t type, bool in,
				     uint8_t level, uint64_t any, const char *text, uint32_t len)
{
	struct etw_filter_event_name head = { .any = any, .level = level, .in = in };
	const uint32_t at = offsetof(struct etw_filter_event_name, names);
	uint32_t i;

	for (i = 0; i < len; i++)
		head.count += !text[i];
	memcpy(self->filter, &head, at);
	memcpy(self->filter + at, text, len);
	return (struct etw_filter){ .ptr = VM_PTR(self->filter), .len = at + len, .type = type };
}

#define ENABLE(property, f)	vm_enable_with(self->fd, self->session[0], \
					       self->two.guid[variant->which], property, f, 1)

static int write_named(FIXTURE_DATA(names) *self, int which, const char *name, uint8_t level,
		       uint64_t keyword)
{
	struct etw_event_descriptor desc = { .id = 0, .level = level, .keyword = keyword };
	struct vm_blob schema = vm_schema(name ? name : "");
	struct vm_piece pieces[2] = { VM_BLOB_PIECE(1, &schema), { 0, "x", 1 } };

	return vm_two_write(&self->two, which, desc, name ? pieces : pieces + 1, name ? 2 : 1,
			    false);
}

/* Does the session take an event of that name; NULL: one without a name? */
static int takes(FIXTURE_DATA(names) *self, int which, const char *name, uint8_t level,
		 uint64_t keyword)
{
	struct etw_session_stat st;
	uint64_t before;

	if (vm_stat(self->fd, self->session[0], &st))
		return -1;
	before = st.written;
	if (write_named(self, which, name, level, keyword) ||
	    vm_stat(self->fd, self->session[0], &st) || vm_dropped(&st))
		return -1;
	return st.written - before;
}

#define TAKES(name, level, keyword)	takes(self, variant->which, name, level, keyword)

/* B56: whole names, in or out. */
TEST_F(names, in_and_out)
{
	struct etw_filter f = NAMES(ETW_FILTER_EVENT_NAME, true, "Start\0Stop");
	struct etw_session_stat st;

	ASSERT_EQ(0, ENABLE(0, &f));
	EXPECT_EQ(1, TAKES("Start", 5, 1));
	EXPECT_EQ(1, TAKES("Stop", 5, 1));
	EXPECT_EQ(0, TAKES("Sto", 5, 1));
	EXPECT_EQ(0, TAKES("Stops", 5, 1));
	EXPECT_EQ(0, TAKES("stop", 5, 1));
	EXPECT_EQ(0, TAKES("", 5, 1));
	f = NAMES(ETW_FILTER_EVENT_NAME, false, "Start\0Stop");
	ASSERT_EQ(0, ENABLE(0, &f));
	EXPECT_EQ(0, TAKES("Start", 5, 1));
	EXPECT_EQ(1, TAKES("Sto", 5, 1));
	ASSERT_EQ(0, vm_stat(self->fd, self->session[1], &st));
	EXPECT_EQ(8, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
}

/* B55: only events of the filter's level and keywords are tested; others pass. */
TEST_F(names, judges_its_own)
{
	struct etw_filter f = name_filter(self, ETW_FILTER_EVENT_NAME, true, 3, 0xf0, "a", 2);

	ASSERT_EQ(0, ENABLE(0, &f));
	EXPECT_EQ(1, TAKES("a", 3, 0x10));
	EXPECT_EQ(0, TAKES("b", 3, 0x10));
	EXPECT_EQ(1, TAKES("b", 4, 0x10));
	EXPECT_EQ(1, TAKES("b", 3, 0x01));
	/* ... among the events that the session enables at all. */
	f = name_filter(self, ETW_FILTER_EVENT_NAME, true, 3, 0, "a", 2);
	{
		struct etw_enable e = vm_enable_arg(self->session[0],
						    self->two.guid[variant->which]);

		e.level = 2;
		e.filters = VM_PTR(&f);
		e.filter_count = 1;
		ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	}
	EXPECT_EQ(0, TAKES("a", 3, 1));
	EXPECT_EQ(1, TAKES("a", 2, 1));
}

/* B54: names do not select events without a name; ids do not select events with one. */
TEST_F(names, not_the_others)
{
	struct etw_filter f = NAMES(ETW_FILTER_EVENT_NAME, true, "a");
	struct etw_filter_event_id ids;

	ASSERT_EQ(0, ENABLE(0, &f));
	EXPECT_EQ(1, TAKES(NULL, 5, 1));
	/* Without descriptor types, metadata is payload. */
	ASSERT_EQ(0, vm_two_set(&self->two, variant->which, ETW_SET_TYPES, NULL, 0));
	EXPECT_EQ(1, TAKES("b", 5, 1));
	ASSERT_EQ(0, vm_two_set(&self->two, variant->which, ETW_SET_TYPES, NULL, 1));
	EXPECT_EQ(0, TAKES("b", 5, 1));
	f = vm_id_filter(&ids, ETW_FILTER_EVENT_ID, true, VM_IDS(7));
	ASSERT_EQ(0, ENABLE(0, &f));
	EXPECT_EQ(1, TAKES("b", 5, 1));
	EXPECT_EQ(0, TAKES(NULL, 5, 1));
}

/* B54, B57, B58: STACKWALK_NAME and STACKWALK choose stacks, not events. */
TEST_F(names, stacks)
{
	static const char *const names[] = { "a", "b", NULL };
	struct etw_filter_event_id ids;
	struct etw_filter f[2] = { NAMES(ETW_FILTER_STACKWALK_NAME, true, "a") };
	int i, stacks = 0, has;

	ASSERT_EQ(0, ENABLE(ETW_ENABLE_STACK_TRACE, f));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1, TAKES(names[i], 5, 1));
	f[1] = vm_id_filter(&ids, ETW_FILTER_STACKWALK, true, VM_IDS(9));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[0], self->two.guid[variant->which],
				    ETW_ENABLE_STACK_TRACE, f, 2));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1, TAKES(names[i], 5, 1));
	ASSERT_EQ(0, ENABLE(0, f));
	EXPECT_EQ(1, TAKES("a", 5, 1));
	ASSERT_EQ(7, vm_collect(self->fd, self->session[0], &self->r, self->events));
	for (i = 0; i < 7; i++) {
		has = vm_items(&self->events->list[i], ETW_EXT_STACK_TRACE64, NULL);
		stacks |= has << i;
	}
	/* The id decides about the second nameless event. */
	EXPECT_EQ(1 << 0 | 1 << 2 | 1 << 3, stacks);
}

/* B18, and one of each type with the other. */
TEST_F(names, replaced)
{
	struct etw_filter f = NAMES(ETW_FILTER_EVENT_NAME, true, "a");
	struct etw_provider_enable enables[2];
	struct etw_provider_query q = { .size = sizeof(q),
					.provider = self->two.guid[variant->which],
					.enables = VM_PTR(enables), .enable_cap = 2 };

	ASSERT_EQ(0, ENABLE(0, &f));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(ETW_FILTER_EVENT_NAME & 0xffff, enables[0].filters | enables[1].filters);
	f = NAMES(ETW_FILTER_EVENT_NAME, true, "b");
	ASSERT_EQ(0, ENABLE(0, &f));
	EXPECT_EQ(0, TAKES("a", 5, 1));
	EXPECT_EQ(1, TAKES("b", 5, 1));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], self->two.guid[variant->which], 0, 0, 0));
	EXPECT_EQ(1, TAKES("a", 5, 1));
}

/* B44: a malformed or too large filter is refused, and the earlier one stays. */
TEST_F(names, refused)
{
	struct etw_filter good = NAMES(ETW_FILTER_EVENT_NAME, true, "a\0b"), f = good;
	struct etw_filter twice[2];

	ASSERT_EQ(0, ENABLE(0, &f));
	f.len = 19;
	EXPECT_EQ(-EINVAL, ENABLE(0, &f));
	f.len = good.len - 1;
	EXPECT_EQ(-EINVAL, ENABLE(0, &f));
	f.len = 0;
	EXPECT_EQ(-EINVAL, ENABLE(0, &f));
	f.len = 4097;
	EXPECT_EQ(-EINVAL, ENABLE(0, &f));
	f.len = 0xffffffff;
	EXPECT_EQ(-EINVAL, ENABLE(0, &f));
	f.len = 4096;
	EXPECT_EQ(0, ENABLE(0, &f));
	f = good;
	f.ptr = 8;
	EXPECT_EQ(-EFAULT, ENABLE(0, &f));
	self->filter[17] = 2;
	EXPECT_EQ(-EINVAL, ENABLE(0, &good));
	self->filter[17] = 1;
	twice[0] = twice[1] = good;
	EXPECT_EQ(-EINVAL, vm_enable_with(self->fd, self->session[0],
					  self->two.guid[variant->which], 0, twice, 2));
	EXPECT_EQ(1, TAKES("a", 5, 1));
	EXPECT_EQ(0, TAKES("c", 5, 1));
}

TEST_HARNESS_MAIN
