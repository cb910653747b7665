// SPDX-License-Identifier: GPL-2.0-only
/*
 * payload - payload filters, of events of processes and of the kernel
 *
 * TIMEOUT: 900
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"
#include "lib/controller/payload.h"

#include <pthread.h>
#include <stdatomic.h>

static const struct etw_guid kguid = ETW_TEST_GUID;

/* An event with a number, a string of any length, and a number behind it. */
static const struct etw_payload_field fields[] = {
	{ "Number", TDH_INTYPE_UINT32, 1, 0, -1, -1 },
	{ "Name", TDH_INTYPE_ANSISTRING, 1, 0, -1, -1 },
	{ "Behind", TDH_INTYPE_INT16, 1, 0, -1, -1 },
};
static const struct etw_payload_layout layout = { 7, 0, 3, fields };

/* The test module's: a number that counts up, then bytes of 0x5a. */
static const struct etw_payload_field kernel_fields[] = {
	{ "Number", TDH_INTYPE_UINT32, 1, 0, -1, -1 },
	{ "Text", TDH_INTYPE_ANSISTRING, 1, 20, -1, -1 },
};
static const struct etw_payload_layout kernel_layout = { 7, 0, 2, kernel_fields };

FIXTURE(payload) {
	int fd;
	int kfd;
	int slot;
	uint64_t session[2];
};

FIXTURE_SETUP(payload)
{
	int i;

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	for (i = 0; i < 2; i++) {
		self->session[i] = vm_start_named(self->fd, i ? "t-all" : "t-some");
		ASSERT_NE(0, self->session[i]);
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], vm_guid(1), 0, 0, 0));
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], kguid, 0, 0, 0));
	}
}

FIXTURE_TEARDOWN(payload)
{
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Set a session's filter; ids: another one beside it, unless NULL. */
static int filter_of(FIXTURE_DATA(payload) *self, uint64_t session, struct etw_guid guid,
		     const struct etw_payload_layout *l, bool any,
		     const struct etw_payload_predicate *p, unsigned int count, const int *ids)
{
	struct etw_filter_event_id data;
	struct etw_filter f[2];
	void *one = NULL, *whole = NULL;
	const void *list[1];
	ULONG size = 0;
	int ret = -EILSEQ;

	if (etw_payload_create(l, any, p, count, &one, NULL))
		return ret;
	list[0] = one;
	if (!etw_payload_aggregate(list, NULL, 1, &whole, &size)) {
		f[0] = (struct etw_filter){ VM_PTR(whole), size, ETW_FILTER_PAYLOAD };
		if (ids)
			f[1] = vm_id_filter(&data, ETW_FILTER_EVENT_ID, true, ids);
		ret = vm_enable_with(self->fd, session, guid, 0, f, ids ? 2 : 1);
	}
	free(one);
	free(whole);
	return ret;
}

/* Set the first session's filter. */
static int filter(FIXTURE_DATA(payload) *self, struct etw_guid guid,
		  const struct etw_payload_layout *l, bool any,
		  const struct etw_payload_predicate *p, unsigned int count, const int *ids)
{
	return filter_of(self, self->session[0], guid, l, any, p, count, ids);
}

static int write_event(FIXTURE_DATA(payload) *self, uint16_t id, uint32_t number,
		       const char *name, int16_t behind)
{
	uint8_t bytes[4096];
	size_t len = strlen(name) + 1;

	memcpy(bytes, &number, 4);
	memcpy(bytes + 4, name, len);
	memcpy(bytes + 4 + len, &behind, 2);
	return vm_write(self->fd, self->slot, id, 1, 1, bytes, len + 6);
}

/* Events that each of the sessions has taken. */
static uint64_t taken(FIXTURE_DATA(payload) *self, int session)
{
	struct etw_session_stat st;

	if (vm_stat(self->fd, self->session[session], &st) || vm_dropped(&st))
		return -1;
	return st.written;
}

/* Without a reader, buffers run out. */
static uint64_t lost_or_taken(FIXTURE_DATA(payload) *self, int session)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, self->session[session], &st) ? (uint64_t)-1 :
		st.written + vm_dropped(&st);
}

/* How many the filtered session has taken since the last call. */
#define NEWS	({ uint64_t was = seen; seen = taken(self, 0); seen - was; })

/* B75: a rejected event is not written, and counts as no loss. */
TEST_F(payload, of_a_process)
{
	const struct etw_payload_predicate p[] = { { "Number", ETW_PAYLOAD_GE, "4096" },
						   { "Name", ETW_PAYLOAD_CONTAINS, "log" } };
	uint64_t seen = 0;

	ASSERT_EQ(0, filter(self, vm_guid(1), &layout, false, p, 2, NULL));
	EXPECT_EQ(0, write_event(self, 7, 4096, "/var/LOG/messages", 0));
	EXPECT_EQ(1, NEWS);
	EXPECT_EQ(0, write_event(self, 7, 4095, "/var/log/messages", 0));
	EXPECT_EQ(0, write_event(self, 7, 4096, "/var/lib/messages", 0));
	EXPECT_EQ(0, vm_write(self->fd, self->slot, 7, 1, 1, "abc", 3));
	EXPECT_EQ(0, NEWS);
	/* B69: other events pass. */
	EXPECT_EQ(0, write_event(self, 8, 0, "", 0));
	EXPECT_EQ(1, NEWS);
	EXPECT_EQ(5, taken(self, 1));
}

/* B67: one of the predicates, or all of them. */
TEST_F(payload, any_and_all)
{
	const struct etw_payload_predicate p[] = { { "Behind", ETW_PAYLOAD_LT, "0" },
						   { "Name", ETW_PAYLOAD_IS, "x" } };
	uint64_t seen = 0;
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, filter(self, vm_guid(1), &layout, i, p, 2, NULL));
		EXPECT_EQ(0, write_event(self, 7, 0, "x", -1));
		EXPECT_EQ(0, write_event(self, 7, 0, "x", 1));
		EXPECT_EQ(0, write_event(self, 7, 0, "y", -1));
		EXPECT_EQ(0, write_event(self, 7, 0, "y", 1));
		EXPECT_EQ(i ? 3 : 1, NEWS);
	}
}

/* B75, B52: after level, keyword and event id; all of them must agree. */
TEST_F(payload, with_other_filters)
{
	const struct etw_payload_predicate p[] = { { "Number", ETW_PAYLOAD_EQ, "1" } };
	uint64_t seen = 0;

	ASSERT_EQ(0, filter(self, vm_guid(1), &layout, false, p, 1, VM_IDS(7, 8)));
	EXPECT_EQ(0, write_event(self, 7, 1, "", 0));
	EXPECT_EQ(0, write_event(self, 8, 2, "", 0));
	EXPECT_EQ(2, NEWS);
	EXPECT_EQ(0, write_event(self, 7, 2, "", 0));
	EXPECT_EQ(0, write_event(self, 9, 1, "", 0));
	EXPECT_EQ(0, NEWS);
	/* B17: replaced by a call without filters. */
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 0, 0, 0));
	EXPECT_EQ(0, write_event(self, 9, 2, "", 0));
	EXPECT_EQ(1, NEWS);
}

/* B75: in the kernel, in every context, with fields across pieces. */
TEST_F(payload, of_the_kernel)
{
	const struct etw_payload_predicate p[] = { { "Number", ETW_PAYLOAD_MODULO, "10" },
						   { "Text", ETW_PAYLOAD_CONTAINS, "zzz" } };
	struct etw_test_write w;
	uint64_t seen = 0;
	uint32_t context, pieces;

	ASSERT_EQ(0, filter(self, kguid, &kernel_layout, false, p, 2, NULL));
	for (context = ETW_TEST_PROCESS; context <= ETW_TEST_HARDIRQ; context++) {
		for (pieces = 2; pieces <= 128; pieces += 21) {
			w = (struct etw_test_write){
				.context = context, .count = 100, .size = 1 + 30 * (pieces > 2),
				.descriptors = pieces, .numbered = 1, .number = 5,
				.desc = { .id = 7, .level = 1 } };
			ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &w));
			EXPECT_EQ(100, w.ok);
			EXPECT_EQ(0, w.failed);
			/* With two pieces the text is a single letter. */
			EXPECT_EQ(pieces > 2 ? 10 : 0, NEWS);
		}
	}
	EXPECT_EQ(3 * 7 * 100, taken(self, 1));
}

/* Does the first session, alone, take a driver's event of constant size? */
static bool takes(FIXTURE_DATA(payload) *self, uint32_t transfer,
		  const struct etw_event_descriptor *desc, uint32_t number)
{
	struct etw_test_write w = {
		.count = 1, .size = 20, .descriptors = 1, .transfer = transfer,
		.numbered = 1, .number = number, .desc = *desc };
	uint64_t before = taken(self, 0);

	return !vm_ioctl(self->kfd, ETW_TEST_WRITE, &w) && !w.failed &&
	       taken(self, 0) == before + 1;
}

static void takes_by_number(struct __test_metadata *_metadata, FIXTURE_DATA(payload) *self,
			    uint32_t transfer)
{
	static const struct etw_payload_field across[] = {
		{ "Skipped", TDH_INTYPE_UINT16, 1, 0, -1, -1 },
		{ "Number", TDH_INTYPE_UINT32, 1, 0, -1, -1 },
	};
	static const struct etw_payload_layout across_layout = { 7, 0, 2, across };
	const struct etw_payload_predicate p = { "Number", ETW_PAYLOAD_EQ, "5" },
		/* Half of it is in the piece that follows the number. */
		q = { "Number", ETW_PAYLOAD_EQ, "1515847685" /* 0x5a5a0005 */ };
	struct etw_event_descriptor desc = { .id = 7, .level = 1 };

	ASSERT_EQ(0, filter(self, kguid, &kernel_layout, false, &p, 1, NULL));
	EXPECT_TRUE(takes(self, transfer, &desc, 5));
	EXPECT_FALSE(takes(self, transfer, &desc, 4));
	EXPECT_FALSE(takes(self, transfer, &desc, 6));
	desc.id = 8;
	EXPECT_TRUE(takes(self, transfer, &desc, 6));
	desc.id = 7;
	desc.version = 1;
	EXPECT_TRUE(takes(self, transfer, &desc, 6));
	desc.version = 0;
	desc.channel = ETW_CHANNEL_TRACELOGGING;
	EXPECT_TRUE(takes(self, transfer, &desc, 6));
	desc.channel = 0;
	ASSERT_EQ(0, filter(self, kguid, &kernel_layout, false, &p, 1, VM_IDS(8)));
	EXPECT_FALSE(takes(self, transfer, &desc, 5));
	desc.id = 8;
	EXPECT_TRUE(takes(self, transfer, &desc, 6));
	desc.id = 7;
	ASSERT_EQ(0, filter(self, kguid, &across_layout, false, &q, 1, NULL));
	EXPECT_TRUE(takes(self, transfer, &desc, 0x50000));
	EXPECT_FALSE(takes(self, transfer, &desc, 0x60000));
}

/* B75: by drivers that fill the slot themselves */
TEST_F(payload, of_known_size)
{
	ASSERT_EQ(0, vm_disable(self->fd, self->session[1], kguid));
	takes_by_number(_metadata, self, ETW_TEST_KNOWN);
	takes_by_number(_metadata, self, ETW_TEST_FIXED);
}

#define LONG	4000	/* characters that each of a session's tests may examine */
#define TESTS	8
#define EACH	((TESTS + 1) * (80 + 6 + LONG + 1))	/* what a filter counts as */

/*
 * The filters of all sessions examine ETW_FILTER_BUDGET bytes of an event.  Each of these
 * would reject the event, so the first ones do; the others let it pass and count it.
 */
TEST_F(payload, budget)
{
	struct etw_payload_predicate p[TESTS];
	uint64_t session[ETW_PROVIDER_SESSIONS];
	struct etw_session_stat st;
	unsigned int i, undecided = 0;
	char name[LONG + 1];

	for (i = 0; i < TESTS; i++)
		p[i] = (struct etw_payload_predicate){ "Name", ETW_PAYLOAD_CONTAINS, "aaab" };
	memset(name, 'a', LONG);
	name[LONG] = 0;
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		snprintf(name, sizeof(name), "t-%u", i);
		session[i] = i < 2 ? self->session[i] : vm_start_named(self->fd, name);
		ASSERT_NE(0, session[i]);
		ASSERT_EQ(0, filter_of(self, session[i], vm_guid(1), &layout, true, p, TESTS, NULL));
	}
	memset(name, 'a', LONG);
	ASSERT_EQ(0, write_event(self, 7, 1, name, 1));
	/* A short event is decided by all of them. */
	ASSERT_EQ(0, write_event(self, 7, 1, "a short one", 1));
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		ASSERT_EQ(0, vm_stat(self->fd, session[i], &st));
		EXPECT_EQ(0, vm_dropped(&st));
		EXPECT_EQ(st.written, st.undecided);
		EXPECT_GE(1, st.undecided);
		undecided += st.undecided;
	}
	EXPECT_EQ(ETW_PROVIDER_SESSIONS - ETW_FILTER_BUDGET / EACH, undecided);
	EXPECT_LT(0, undecided);
}

/* B13: the test before the write does not know of it. */
TEST_F(payload, enabled_all_the_same)
{
	const struct etw_payload_predicate p[] = { { "Number", ETW_PAYLOAD_EQ, "1" } };
	struct etw_test_enabled e = { .level = 1, .keyword = 1 };

	ASSERT_EQ(0, vm_disable(self->fd, self->session[1], kguid));
	ASSERT_EQ(0, filter(self, kguid, &kernel_layout, false, p, 1, NULL));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &e));
	EXPECT_TRUE(e.inline_test && e.event_enabled && e.provider_enabled);
}

#define ENOUGH	500	/* events, and LIMIT ms to have written them */
#define LIMIT	200000

static atomic_bool stop_writing;
static atomic_uint tried;

static void *write_on(void *arg)
{
	FIXTURE_DATA(payload) *self = arg;

	while (!atomic_load(&stop_writing)) {
		write_event(self, 7, 1, "yes", 0);
		atomic_fetch_add(&tried, 1);
	}
	return NULL;
}

/* B17: filters come and go while events are written; each event passes all of them. */
TEST_F(payload, replaced_meanwhile)
{
	const struct etw_payload_predicate p[] = { { "Name", ETW_PAYLOAD_IS, "yes" },
						   { "Behind", ETW_PAYLOAD_EQ, "0" } };
	long long end = vm_ms() + LIMIT;
	pthread_t threads[2];
	int i;

	atomic_store(&stop_writing, false);
	atomic_store(&tried, 0);
	ASSERT_EQ(0, filter(self, vm_guid(1), &layout, false, p, 2, NULL));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, write_on, self));
	for (i = 0; (i < 50 || atomic_load(&tried) < ENOUGH) && vm_ms() < end; i++)
		EXPECT_EQ(0, filter(self, vm_guid(1), &layout, false, p, 1 + i % 2, NULL));
	atomic_store(&stop_writing, true);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	EXPECT_LE(ENOUGH, atomic_load(&tried));
	EXPECT_EQ(atomic_load(&tried), lost_or_taken(self, 0));
	EXPECT_EQ(atomic_load(&tried), lost_or_taken(self, 1));
}

/* An event that is lost before it can be tested is lost to this session as well. */
TEST_F(payload, lost_before)
{
	const struct etw_payload_predicate p[] = { { "Number", ETW_PAYLOAD_EQ, "1" } };
	struct etw_data_descriptor d = { .ptr = 8, .size = 4 };
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot, .data_count = 1,
				     .data = VM_PTR(&d), .desc = { .id = 7, .level = 1 } };
	struct etw_session_stat st;

	ASSERT_EQ(0, filter(self, vm_guid(1), &layout, false, p, 1, NULL));
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	ASSERT_EQ(0, vm_stat(self->fd, self->session[0], &st));
	EXPECT_EQ(1, st.dropped[ETW_DROP_COPY_FAULT]);
}

/* B42, B44: refused as a whole, and the earlier filter stays. */
TEST_F(payload, refused)
{
	const struct etw_payload_predicate p[] = { { "Number", ETW_PAYLOAD_EQ, "1" } };
	struct etw_filter f[2] = { { .type = ETW_FILTER_PAYLOAD } };
	uint8_t program[4104] __attribute__((__aligned__(8))) = { 0 };
	struct etw_payload_header *head = (void *)program;
	uint64_t seen = 0;
	void *one = NULL;

	ASSERT_EQ(0, filter(self, vm_guid(1), &layout, false, p, 1, NULL));
	ASSERT_EQ(0, etw_payload_create(&layout, false, p, 1, &one, NULL));
	memcpy(program, one, ((struct etw_payload_header *)one)->size);
	free(one);
	f[0].ptr = VM_PTR(program);
	f[0].len = head->size;
#define TRY(n) vm_enable_with(self->fd, self->session[0], vm_guid(1), 0, f, n)
	EXPECT_EQ(0, TRY(1));
	f[1] = f[0];
	EXPECT_EQ(-EINVAL, TRY(2));		/* twice */
	f[0].len--;
	EXPECT_EQ(-EINVAL, TRY(1));
	f[0].len = 0;
	EXPECT_EQ(-EINVAL, TRY(1));
	head->size = f[0].len = 4097;
	EXPECT_EQ(-EINVAL, TRY(1));		/* too large */
	head->size = f[0].len = f[1].len;
	head->events = 0;
	EXPECT_EQ(-EINVAL, TRY(1));
	head->events = 1;
	program[head->size - 1] ^= 1;
	EXPECT_EQ(-EINVAL, TRY(1));		/* a second value for EQ */
	f[0].ptr = 8;
	EXPECT_EQ(-EFAULT, TRY(1));
#undef TRY
	EXPECT_EQ(0, write_event(self, 7, 1, "", 0));
	EXPECT_EQ(0, write_event(self, 7, 2, "", 0));
	EXPECT_EQ(1, NEWS);
}

/* A query returns which filters are set. */
TEST_F(payload, query)
{
	const struct etw_payload_predicate p[] = { { "Number", ETW_PAYLOAD_EQ, "1" } };
	struct etw_provider_enable enables[2];
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(1),
					.enables = VM_PTR(enables), .enable_cap = 2 };
	int i;

	ASSERT_EQ(0, filter(self, vm_guid(1), &layout, false, p, 1, NULL));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	ASSERT_EQ(2, q.enable_count);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(enables[i].session == self->session[0] ?
			  ETW_FILTER_PAYLOAD & 0xffff : 0, enables[i].filters);
}

TEST_HARNESS_MAIN
