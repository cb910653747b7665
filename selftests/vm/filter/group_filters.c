// SPDX-License-Identifier: GPL-2.0-only
/*
 * group_filters - filters of payloads and for callbacks, and sessions with one
 * buffer, where providers have groups, traits and typed descriptors
 */
#include "lib/vm.h"
#include "lib/vm_groups.h"

#include <etw/abi_filter.h>

/* Events with id 1 whose first four bytes are at least a number. */
struct program {
	struct etw_payload_header head;
	struct etw_payload_event event;
	struct etw_payload_step step;
	struct etw_payload_test test;
};

static struct etw_filter at_least(struct program *p, uint32_t number)
{
	*p = (struct program){
		.head = { sizeof(*p), ETW_PAYLOAD_FORMAT, 1 },
		.event = { .id = 1, .steps = 1, .tests = 1, .all = 1,
			   .at = offsetof(struct program, step) },
		.step = { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 4 },
		.test = { .op = ETW_PAYLOAD_GE, .value = { number } },
	};
	return (struct etw_filter){ VM_PTR(p), sizeof(*p), ETW_FILTER_PAYLOAD };
}

/*
 * How many copies of one event session 0 gets: its payload is a number, after the given
 * prefix.
 */
static int gets_number(FIXTURE_DATA(groups) *self, int which, uint32_t number,
		       const struct vm_piece *before)
{
	struct etw_event_descriptor desc = { .id = 1, .level = 3, .keyword = 1 };
	struct vm_piece pieces[2] = { { 0, &number, 4 }, { 0, &number, 4 } };
	uint64_t was = written(self, 0);
	int ret;

	if (before)
		pieces[0] = *before;
	ret = vm_two_write(&self->two, which, desc, before ? pieces : pieces + 1,
			   before ? 2 : 1, false);
	return ret ?: (int)(written(self, 0) - was);
}

#define NUMBER(number, before)	gets_number(self, variant->which, number, before)

static int enable_own(FIXTURE_DATA(groups) *self, int which, int session,
		      const struct etw_filter *f)
{
	return vm_enable_with(self->fd, self->session[session], self->two.guid[which], 0, f,
			      f ? 1 : 0);
}

static int enable_group(FIXTURE_DATA(groups) *self, int session, const struct etw_filter *f)
{
	return vm_enable_with(self->fd, self->session[session], self->group,
			      ETW_ENABLE_PROVIDER_GROUP, f, f ? 1 : 0);
}

#define OWN(i, f)	enable_own(self, variant->which, i, f)

/* B87: nor filters of payloads, whose fields members do not share. */
TEST_F(groups, payload_refused)
{
	struct program p;
	struct etw_filter f = at_least(&p, 5);
	struct vm_state *was;

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, ENABLE(0, 3, 0));
	was = vm_state_get(self->fd);
	EXPECT_EQ(-EINVAL, enable_group(self, 0, &f));
	EXPECT_TRUE(vm_state_same(self->fd, was));
	free(was);
	EXPECT_EQ(1, NUMBER(1, NULL));
}

/* B85, B75: the payload filter of one rejects the event, that of the other accepts it. */
TEST_F(groups, either_payload)
{
	struct program p;
	struct etw_filter f = at_least(&p, 5);

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, OWN(0, &f));
	EXPECT_EQ(0, NUMBER(4, NULL));
	EXPECT_EQ(1, NUMBER(5, NULL));
	ASSERT_EQ(0, ENABLE(0, 3, 0));
	EXPECT_EQ(1, NUMBER(4, NULL));
	EXPECT_EQ(1, NUMBER(5, NULL));
	ASSERT_EQ(0, ENABLE(0, 2, 0));
	EXPECT_EQ(0, NUMBER(4, NULL));
	ASSERT_EQ(0, DISABLE(0));
	EXPECT_EQ(0, NUMBER(4, NULL));
}

/* B81, B75: filters look at the payload only. */
TEST_F(groups, payload_of_typed)
{
	struct vm_blob metadata = vm_traits("a provider");
	struct vm_piece other = VM_BLOB_PIECE(ETW_DATA_PROVIDER_METADATA, &metadata);
	struct program p;
	struct etw_filter f = at_least(&p, 5);

	ASSERT_EQ(0, OWN(0, &f));
	EXPECT_EQ(1, NUMBER(4, &other));	/* all is payload yet */
	ASSERT_EQ(0, vm_two_set(&self->two, variant->which, ETW_SET_TYPES, NULL, 1));
	EXPECT_EQ(0, NUMBER(4, &other));
	EXPECT_EQ(1, NUMBER(5, &other));
	EXPECT_EQ(0, NUMBER(4, NULL));
	EXPECT_EQ(1, NUMBER(5, NULL));
}

/* B69: events of TraceLogging, which have a schema, pass. */
TEST_F(groups, payload_of_schema)
{
	struct vm_blob schema = vm_schema("Event");
	struct vm_piece other = VM_BLOB_PIECE(ETW_DATA_EVENT_METADATA, &schema);
	struct program p;
	struct etw_filter f = at_least(&p, 5);

	ASSERT_EQ(0, vm_two_set(&self->two, variant->which, ETW_SET_TYPES, NULL, 1));
	ASSERT_EQ(0, OWN(0, &f));
	EXPECT_EQ(1, NUMBER(4, &other));
	EXPECT_EQ(0, NUMBER(4, NULL));
}

/* B89, B147: items of the provider in a session whose CPUs share one buffer. */
TEST_F(groups, shared_buffer)
{
	struct etw_session s = vm_session("t-group-shared");
	struct vm_events *events = calloc(1, sizeof(*events));
	struct vm_reader r;

	ASSERT_EQ(0, JOIN());
	s.mode |= ETW_MODE_NO_PER_PROCESSOR;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	ASSERT_EQ(0, vm_group_enable(self->fd, s.handle, self->group, 0, 0));
	ASSERT_EQ(0, ENABLE(0, 0, 0));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, s.handle, O_NONBLOCK));
	EXPECT_EQ(1, NUMBER(4, NULL));
	ASSERT_EQ(1, vm_collect(self->fd, s.handle, &r, events));
	EXPECT_TRUE(vm_blob_is(&events->list[0], ETW_EXT_PROV_TRAITS, &self->traits));
	vm_reader_close(&r);
	free(events);
}

/* ------------------------------------------------------------ for callbacks */

struct link {
	struct etw_filter_header head;
	uint64_t data;
};

static struct etw_filter link_of(struct link *l, uint16_t id)
{
	*l = (struct link){ .head = { .id = id, .size = sizeof(*l) }, .data = id };
	return (struct etw_filter){ VM_PTR(l), sizeof(*l), ETW_FILTER_SCHEMATIZED };
}

/* Ids of the filters that the latest notice has, in their order; 0 ends them. */
static bool chain_is(FIXTURE_DATA(groups) *self, int which, const uint16_t *ids)
{
	uint64_t room[ETW_FILTER_CHAIN_MAX / 8];
	struct etw_notify n = { .size = sizeof(n), .filter = VM_PTR(room),
				.filter_cap = sizeof(room) };
	static struct etw_test_log log;
	const struct link *l = (const void *)room;
	uint32_t len = 0, i;

	if (which) {
		log.index = 0;
		if (!vm_until(!vm_ioctl(self->two.kfd, ETW_TEST_LOG, &log) && log.count))
			return false;
		memcpy(room, log.calls[log.count - 1].filter,
		       sizeof(log.calls[log.count - 1].filter));
		len = log.calls[log.count - 1].filter_len;
	}
	while (!which && !vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n))
		len = n.filter_len;
	for (i = 0; ids[i]; i++)
		if (len < (i + 1) * sizeof(*l) || l[i].head.id != ids[i] || l[i].data != ids[i] ||
		    l[i].head.next != (ids[i + 1] ? sizeof(*l) : 0))
			return false;
	return len == i * sizeof(*l);
}

#define CHAIN(...)	chain_is(self, variant->which, (const uint16_t[]){ __VA_ARGS__, 0 })

/*
 * B33, B84: members receive the filters that sessions set for the group, one of each session.
 */
TEST_F(groups, filters_for_callbacks)
{
	struct link a, b, c;
	struct etw_filter fa = link_of(&a, 1), fb = link_of(&b, 2), fc = link_of(&c, 3);

	ASSERT_EQ(0, enable_group(self, 0, &fa));
	ASSERT_EQ(0, JOIN());
	EXPECT_TRUE(CHAIN(1));
	ASSERT_EQ(0, OWN(1, &fb));
	EXPECT_TRUE(CHAIN(2, 1));	/* the provider's own sessions come first */
	/* The session that has both: the filter for the provider itself. */
	ASSERT_EQ(0, OWN(0, &fc));
	EXPECT_TRUE(CHAIN(2, 3));
}

/* B85: a session that disallows the provider does not send it filter data. */
TEST_F(groups, filters_of_a_session_that_leaves_it_out)
{
	struct link a, b;
	struct etw_filter fa = link_of(&a, 1), fb = link_of(&b, 2);

	ASSERT_EQ(0, JOIN());
	ASSERT_EQ(0, enable_group(self, 0, &fa));
	EXPECT_TRUE(CHAIN(1));
	ASSERT_EQ(0, enable_group(self, 1, &fb));
	EXPECT_TRUE(CHAIN(1, 2));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], &GUID, 1));
	EXPECT_TRUE(CHAIN(2));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], NULL, 0));
	EXPECT_TRUE(CHAIN(1, 2));
	ASSERT_EQ(0, DISABLE(1));
	EXPECT_TRUE(CHAIN(1));
}

/* B85: that does not change what another member receives, whichever of them it is. */
TEST_F(groups, filters_of_a_session_that_leaves_one_out)
{
	const int out = variant->which, in = !out;
	struct link a, b;
	struct etw_filter fa = link_of(&a, 1), fb = link_of(&b, 2);
	const uint16_t none[] = { 0 }, first[] = { 1, 0 }, both[] = { 1, 2, 0 };

	ASSERT_EQ(0, vm_two_traits(&self->two, in, &self->traits));
	ASSERT_EQ(0, vm_two_traits(&self->two, out, &self->traits));
	ASSERT_EQ(0, vm_disallow(self->fd, self->session[0], &self->two.guid[out], 1));
	ASSERT_EQ(0, enable_group(self, 0, &fa));
	EXPECT_TRUE(chain_is(self, in, first));
	ASSERT_EQ(0, enable_group(self, 1, NULL));
	EXPECT_TRUE(chain_is(self, in, first));
	EXPECT_TRUE(chain_is(self, out, none));
	ASSERT_EQ(0, enable_group(self, 1, &fb));
	EXPECT_TRUE(chain_is(self, in, both));
	EXPECT_TRUE(chain_is(self, out, both + 1));
}

TEST_HARNESS_MAIN
