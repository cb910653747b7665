// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracelogging - TraceLoggingProvider.h in a program and in a kernel module: every field
 * type through a session, byte for byte
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include <TraceLoggingProvider.h>

#define TL_WRITES
#include "kmod/etw_tl/etw_tl.h"

TRACELOGGING_DEFINE_PROVIDER(tl_provider, TL_NAME, TL_PROGRAM_GUID, TL_TRAITS);

struct expected {
	const char *type;		/* of the field "f" */
	const char *payload;
};

#define EXPECT_ONE(n, field, type, payload)	{ type, payload },
static const struct expected expected[] = { TL_LIST(EXPECT_ONE) };
#define EXPECTED	(sizeof(expected) / sizeof(expected[0]))

struct event {
	struct etw_event_header head;
	uint32_t len;
	uint8_t data[256];
	uint32_t meta_len, traits_len;
	uint8_t meta[640];
	uint8_t traits[64];
	bool has_related;
};

struct events {
	unsigned int count;
	struct event list[256];
};

/* A vm_record_fn */
static void keep(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct events *to = ctx;
	struct event *e = &to->list[to->count++ % 256];
	const uint8_t *at = r->ext;

	(void)b;
	memset(e, 0, sizeof(*e));
	e->head = *r->head;
	e->len = r->len;
	memcpy(e->data, r->data, r->len < sizeof(e->data) ? r->len : sizeof(e->data));
	while (at && at < (const uint8_t *)r->data) {
		const struct etw_ext_item *item = (const void *)at;

		if (item->type == ETW_EXT_EVENT_SCHEMA && item->data_size <= sizeof(e->meta)) {
			e->meta_len = item->data_size;
			memcpy(e->meta, item + 1, item->data_size);
		} else if (item->type == ETW_EXT_PROV_TRAITS &&
			   item->data_size <= sizeof(e->traits)) {
			e->traits_len = item->data_size;
			memcpy(e->traits, item + 1, item->data_size);
		} else if (item->type == ETW_EXT_RELATED_ACTIVITY) {
			e->has_related = ((const uint8_t *)(item + 1))[0] == 9;
		}
		at += item->size;
	}
}

static uint32_t unhex(const char *hex, uint8_t *to)
{
	unsigned int byte;
	uint32_t n = 0;

	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		if (sscanf(hex, "%2x", &byte) != 1)
			abort();
		to[n++] = byte;
		hex += 2;
	}
	return n;
}

static bool same(const char *what, const uint8_t *got, uint32_t len, const char *hex)
{
	uint8_t want[1024];
	uint32_t n = unhex(hex, want), i;

	if (n == len && !memcmp(got, want, n))
		return true;
	fprintf(stderr, "# %s, wanted %s, got", what, hex);
	for (i = 0; i < len; i++)
		fprintf(stderr, " %02x", got[i]);
	fprintf(stderr, "\n");
	return false;
}

/* Metadata: the text lacks the size in front of it */
static bool has_meta(const struct event *e, const char *hex)
{
	return e->meta_len > 2 && (uint32_t)(e->meta[0] | e->meta[1] << 8) == e->meta_len &&
	       same("metadata", e->meta + 2, e->meta_len - 2, hex);
}

FIXTURE(tl) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct events *events;
};

FIXTURE_VARIANT(tl) {
	bool module;
	struct etw_guid guid;
};

FIXTURE_VARIANT_ADD(tl, program) { .guid = ETW_TL_GUID(TL_PROGRAM_GUID) };
FIXTURE_VARIANT_ADD(tl, module) { .module = true, .guid = ETW_TL_GUID(TL_MODULE_GUID) };

FIXTURE_SETUP(tl)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_rmmod_try("etw_tl");
	self->session = vm_start_named(self->fd, "t-tracelogging");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
	tl_evaluated = 0;
	if (variant->module) {
		ASSERT_EQ(0, vm_insmod("etw_tl"));
	} else {
		ASSERT_EQ(S_OK, TraceLoggingRegister(tl_provider));
	}
}

FIXTURE_TEARDOWN(tl)
{
	vm_reader_close(&self->r);
	free(self->events);
	if (variant->module) {
		EXPECT_EQ(0, vm_rmmod("etw_tl"));
	} else {
		TraceLoggingUnregister(tl_provider);
	}
	vm_stop_all(self->fd);
	close(self->fd);
}

#define PARAMETER	"/sys/module/etw_tl/parameters/"

static int write_all(bool module)
{
	int fd, ret = 0;

	if (!module) {
		tl_write_all();
		return 0;
	}
	fd = open(PARAMETER "write", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1)
		ret = -errno;
	close(fd);
	return ret;
}

static int module_number(const char *name, int which)
{
	char path[128];
	int n[2] = { -1, -1 };
	FILE *f;

	snprintf(path, sizeof(path), PARAMETER "%s", name);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d %d", &n[0], &n[1]) < 1)
		n[0] = -1;
	if (f)
		fclose(f);
	return n[which];
}

static int evaluated(bool module)
{
	return module ? module_number("evaluated", 0) : tl_evaluated;
}

/* Everything that was written since the last time; -errno if it cannot be read. */
static int take(FIXTURE_DATA(tl) *self)
{
	int ret;

	self->events->count = 0;
	ret = vm_flush(self->fd, self->session);
	if (!ret)
		ret = vm_drain(&self->r, keep, self->events);
	return ret == -EAGAIN ? (int)self->events->count : ret;
}

/* B81, B89: metadata and traits go as items with each event */
TEST_F(tl, every_field_type)
{
	char meta[512];
	unsigned int i;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, variant->guid, TL_LEVEL, TL_KEYWORD,
			       TL_KEYWORD));
	ASSERT_EQ(0, write_all(variant->module));
	ASSERT_EQ((int)EXPECTED + 2 + variant->module, take(self));
	for (i = 0; i < EXPECTED; i++) {
		const struct event *e = &self->events->list[i];

		snprintf(meta, sizeof(meta), "00 6500 6600 %s", expected[i].type);
		EXPECT_TRUE(has_meta(e, meta));
		EXPECT_TRUE(same("payload", e->data, e->len, expected[i].payload));
		EXPECT_TRUE(same("traits", e->traits, e->traits_len, TL_TRAITS_HEX));
		EXPECT_EQ(0, memcmp(&e->head.provider, &variant->guid, 16));
		EXPECT_EQ(TL_LEVEL, e->head.desc.level);
		EXPECT_EQ(TL_KEYWORD, e->head.desc.keyword);
		EXPECT_EQ(11, e->head.desc.channel);
		EXPECT_EQ(0, e->head.desc.id + e->head.desc.version + e->head.desc.opcode +
			     e->head.desc.task);
	}
}

TEST_F(tl, a_structure_of_an_activity)
{
	static const struct etw_guid activity = { 1, 2, 3, { 4 } };
	const struct event *e = &self->events->list[EXPECTED];

	ASSERT_EQ(0, vm_enable(self->fd, self->session, variant->guid, TL_LEVEL, TL_KEYWORD,
			       TL_KEYWORD));
	ASSERT_EQ(0, write_all(variant->module));
	ASSERT_LT((int)EXPECTED, take(self));
	EXPECT_TRUE(has_meta(e, "80 01 416374697669747900 7300 98 02 7400 98 01 6100 07 6200 07"
				"6300 07"));
	EXPECT_TRUE(same("payload", e->data, e->len, "01000000 02000000 03000000"));
	EXPECT_EQ(1, e->head.desc.opcode);
	EXPECT_EQ(TL_KEYWORD, e->head.desc.keyword);
	EXPECT_EQ(0, memcmp(&activity, &e->head.activity, 16));
	EXPECT_TRUE(e->has_related);
	/* Disabled events evaluate no arguments. */
	EXPECT_EQ(3 + variant->module, evaluated(variant->module));
}

TEST_F(tl, ninety_seven_fields_and_two_options)
{
	const struct event *e = &self->events->list[EXPECTED + 1];
	char meta[1000] = "00 6500", payload[200] = "";
	int i;

	for (i = 0; i < 97; i++) {
		strcat(meta, "610003");
		strcat(payload, "01");
	}
	ASSERT_EQ(0, vm_enable(self->fd, self->session, variant->guid, 0, 0, 0));
	ASSERT_EQ(0, write_all(variant->module));
	ASSERT_LT((int)EXPECTED + 1, take(self));
	EXPECT_TRUE(has_meta(e, meta));
	EXPECT_TRUE(same("payload", e->data, e->len, payload));
}

TEST_F(tl, nothing_is_evaluated_while_disabled)
{
	ASSERT_EQ(0, write_all(variant->module));
	EXPECT_EQ(0, evaluated(variant->module));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, variant->guid, 0, 0, 0));
	ASSERT_EQ(0, write_all(variant->module));
	EXPECT_EQ(5 + variant->module, evaluated(variant->module));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, variant->guid));
	ASSERT_EQ(0, write_all(variant->module));
	EXPECT_EQ(5 + variant->module, evaluated(variant->module));
	EXPECT_EQ((int)EXPECTED + 4 + variant->module, take(self));
}

TEST_F(tl, asking_whether_it_is_enabled)
{
#define ENABLED(level, keyword, which)						\
	(variant->module ? module_number("enabled", which) :			\
			   TraceLoggingProviderEnabled(tl_provider, level, keyword))
	EXPECT_EQ(0, ENABLED(0, 0, 0));
	EXPECT_EQ(0, ENABLED(5, 1, 1));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, variant->guid, 4, 1, 0));
	EXPECT_EQ(1, ENABLED(0, 0, 0));
	EXPECT_EQ(0, ENABLED(5, 1, 1));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, variant->guid, 5, 1, 0));
	EXPECT_EQ(1, ENABLED(5, 1, 1));
}

/* A child is enabled as its parent was, and writes on its own. */
TEST(a_forked_child_writes)
{
	static struct events events;
	struct etw_guid guid = ETW_TL_GUID(TL_PROGRAM_GUID);
	int fd = vm_open(), status = 1;
	struct vm_reader r;
	uint64_t session;
	pid_t child;

	vm_pin(0);
	ASSERT_LE(0, fd);
	vm_stop_all(fd);
	session = vm_start_named(fd, "t-tracelogging");
	ASSERT_NE(0, session);
	ASSERT_EQ(0, vm_reader_open(&r, fd, session, O_NONBLOCK));
	ASSERT_EQ(S_OK, TraceLoggingRegister(tl_provider));
	ASSERT_EQ(0, vm_enable(fd, session, guid, 0, 0, 0));
	child = fork();
	if (!child) {
		TraceLoggingWrite(tl_provider, "Child", TraceLoggingPid(getpid(), "Pid"));
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, vm_flush(fd, session));
	ASSERT_EQ(-EAGAIN, vm_drain(&r, keep, &events));
	ASSERT_EQ(1, events.count);
	EXPECT_TRUE(has_meta(&events.list[0], "00 4368696c6400 50696400 8805"));
	EXPECT_EQ(0, memcmp(events.list[0].data, &child, 4));
	EXPECT_TRUE(same("traits", events.list[0].traits, events.list[0].traits_len,
			 TL_TRAITS_HEX));
	TraceLoggingUnregister(tl_provider);
	vm_reader_close(&r);
	vm_stop_all(fd);
	close(fd);
}

TEST_HARNESS_MAIN
