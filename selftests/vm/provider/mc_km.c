// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_km - a kernel module on the header that "etw mc -km" made of its manifest, and
 * on the names that a Windows driver knows
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_decode.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_km.h"
#include "lib/driver/vm_kmod.h"

#define RUN		"/sys/module/etw_km/parameters/run"
#define EVENTS_MAX	64

static const struct etw_guid km_guids[] = {
	ETW_KM_GUID, ETW_KM_DECODE_GUID, ETW_KM_CONTROL_GUID,
	ETW_KM_GROUP_GUID, ETW_KM_NT_GUID, ETW_KM_CONTEXT_GUID, ETW_KM_TL_GUID,
	ETW_KM_FIRST_GUID
};

#define KM		km_guids[0]
#define DECODE		km_guids[1]
#define CONTROL		km_guids[2]
#define GROUP		km_guids[3]
#define NT		km_guids[4]
#define CONTEXT		km_guids[5]
#define TL		km_guids[6]
#define FIRST		km_guids[7]

/* The provider of SeEtwWriteKMCveEvent() */
static const struct etw_guid cve = ETW_GUID(0x85a62a0d, 0x7e17, 0x485f, 0x9d, 0x4f,
					    0x74, 0x9a, 0x28, 0x71, 0x93, 0xa6);

struct event {
	struct etw_event_header head;
	uint32_t len;
	uint8_t data[4096];
	struct vm_event items;	/* its extended items */
};

struct seen {
	unsigned int count;
	struct event events[EVENTS_MAX];
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;
	struct event *e = &s->events[s->count];
	static struct vm_events kept;

	if (s->count++ >= EVENTS_MAX)
		return;
	kept.count = 0;
	vm_keep(&kept, b, r);
	e->items = kept.list[0];
	e->head = *r->head;
	e->len = r->len;
	memcpy(e->data, r->data, r->len < sizeof(e->data) ? r->len : sizeof(e->data));
}

FIXTURE(km) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct seen *seen;
};

FIXTURE_SETUP(km)
{
	struct etw_session s = vm_session("t-km");

	/* Events of one CPU come in their order. */
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_rmmod_try("etw_km");
	ASSERT_EQ(0, vm_insmod("etw_km"));
	s.buffer_kb = 128;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, s.handle, O_NONBLOCK));
	self->seen = calloc(1, sizeof(*self->seen));
	ASSERT_NE(NULL, self->seen);
}

FIXTURE_TEARDOWN(km)
{
	vm_reader_close(&self->r);
	EXPECT_EQ(0, vm_rmmod("etw_km"));
	vm_stop_all(self->fd);
	close(self->fd);
	free(self->seen);
}

/* Let the module run a command; 0: it found no error. */
static int run(int what)
{
	char text[256] = "";
	int fd = open(RUN, O_RDWR | O_CLOEXEC), ret = 0;

	if (fd < 0 || dprintf(fd, "%d", what) < 0)
		ret = -errno;
	close(fd);
	fd = open(RUN, O_RDONLY | O_CLOEXEC);
	if (ret || fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		ret = ret ? ret : -EIO;
	close(fd);
	if (!ret && strcmp(text, "ok\n")) {
		fprintf(stderr, "# etw_km: %s", text);
		ret = -EBADMSG;
	}
	return ret;
}

/* Read what came of it. */
static int collect(FIXTURE_DATA(km) *self)
{
	int ret = vm_flush(self->fd, self->session);

	ret = ret ? ret : vm_drain(&self->r, see, self->seen);
	return ret == -EAGAIN ? 0 : ret;
}

static bool is(const struct event *e, const struct etw_guid *guid, uint16_t id)
{
	return !memcmp(&e->head.provider, guid, sizeof(*guid)) && e->head.desc.id == id;
}

/* As km_payload() has it? */
static bool good(const struct event *e, uint16_t id)
{
	static struct km_want w;
	uint32_t i;

	km_payload(&w, id);
	for (i = 0; i < w.len && i < e->len && e->data[i] == w.data[i]; i++)
		;
	if (e->len == w.len && i == w.len)
		return true;
	fprintf(stderr, "# event %u: %u bytes, %u are due; different from byte %u on\n", id, e->len,
	       w.len, i);
	return false;
}

/* B91: each event once, in order, with the bytes that its template says */
TEST_F(km, types)
{
	static const uint16_t ids[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13 };
	static const struct etw_guid none;
	unsigned int i;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, KM, 4, 0x10, 0));
	ASSERT_EQ(0, run(ETW_KM_EVENTS));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(sizeof(ids) / sizeof(ids[0]), self->seen->count);
	for (i = 0; i < self->seen->count; i++) {
		const struct event *e = &self->seen->events[i];

		EXPECT_TRUE(is(e, &KM, ids[i]));
		EXPECT_EQ(4, e->head.desc.level);
		EXPECT_EQ(0x10, e->head.desc.keyword);
		EXPECT_TRUE(good(e, ids[i]));
		EXPECT_EQ(0, memcmp(&e->head.activity, ids[i] == 12 ? &GROUP : &none,
				    sizeof(GROUP)));
	}
}

/* The expected text of each event; NULL: too long to list, its fields are those of others */
static const char *const km_texts[] = {
	"i8=-120 u8=136 i16=-30840 u16=34696 i32=-2054781048 u32=2240186248 "
	"i64=-9114578090645354616 u64=9332165983064197000 f32=1.5 f64=-2.25 yes=true "
	"guid=5d1b6a0f-3f3c-4c39-9a51-7be0c1d2e301 pointer=0x8182838485868788 "
	"filetime=031173-06-17T00:51:46.4197000Z systemtime=2026-01-15T12:34:56.789 "
	"x32=0x86878889 x64=0x8283848586878889",
	"wide=\"w\u00efde\" narrow=\"narrow\" no_wide=\"NULL\" no_narrow=\"NULL\" "
	"sid=S-1-5-32-544 after=4660",
	"wide4=\"four\" narrow3=\"abc\" bytes5=0b0c0d0e0f ipv6=2001:db8::1",
	"units=2 wide=\"tw\" size=4 narrow=\"abcd\" binary=0b0c0d0e",
	"wide=\"abc\" narrow=\"xy\" binary=0b0c0d0e after=305419896",
	NULL,
	NULL,
	"wide=[\"a\", \"b\"] narrow=[\"ab\", \"c\"] sids=[S-1-1-0, S-1-5-32-544] "
	"counted=[\"a\", \"bc\"] n=2 more=[\"x\", \"y\"]",
	"one={a=16909060 b=1286} two=[{a=7 text=\"x\"}, {a=8 text=\"yz\"}] n=3 "
	"many=[{a=11}, {a=12}, {a=13}] after=9",
	"Arg Name 1=green Activity=low|high if=3",
	NULL,
	"",
	"number=13",
	"number=13",
};

/* The manifest decodes what its header wrote. */
TEST_F(km, decoded)
{
	const struct etw_decoded *event;
	struct etw_decoder *decoder;
	struct etw_text text = { 0 };
	char dir[600];
	unsigned int i;

	snprintf(dir, sizeof(dir), "%s/gen/selftests/kmod/etw_km", vm_build());
	ASSERT_EQ(0, vm_load_manifest(dir, "etw_km.man"));
	decoder = etw_decoder_new();
	ASSERT_NE(NULL, decoder);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, KM, 4, 0x10, 0));
	ASSERT_EQ(0, run(ETW_KM_EVENTS));
	ASSERT_EQ(0, collect(self));
	for (i = 0; i < 14; i++) {
		const struct event *e = &self->seen->events[i];
		EVENT_RECORD record = vm_event_record(&e->head, e->data, e->len);

		EXPECT_EQ(0, vm_decode(decoder, &record, &event, &text));
		EXPECT_STREQ("Etw-Km-Test", event->provider);
		EXPECT_EQ(ETW_DECODE_MANIFEST, event->source);
		if (km_texts[i])
			EXPECT_STREQ(km_texts[i], text.data ? text.data : "");
	}
	etw_text_free(&text);
	etw_decoder_free(decoder);
}

/* B88, B89: registered by its control GUID, decoded by its own, with its traits */
TEST_F(km, traits)
{
	static const char name[] = "Etw-Km-Traits.5d1b6a0f-3f3c-4c39-9a51-7be0c1d2e302";
	const struct etw_ext_item *item = NULL;
	const struct event *e;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, KM, 4, 0x10, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, CONTROL, 2, 0, 0));
	ASSERT_EQ(0, run(ETW_KM_EVENTS));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(15, self->seen->count);
	e = &self->seen->events[14];
	EXPECT_TRUE(is(e, &DECODE, 1));
	EXPECT_EQ(2, e->head.desc.level);
	EXPECT_EQ(12, e->head.desc.channel);
	EXPECT_EQ(4, e->len);
	EXPECT_EQ(ETW_EVENT_DECODE_GUID, e->head.flags & ETW_EVENT_DECODE_GUID);
	ASSERT_EQ(1, vm_items(&e->items, ETW_EXT_PROV_TRAITS, &item));
	EXPECT_EQ(0, memcmp((const char *)(item + 1) + 2, name, sizeof(name)));
	ASSERT_EQ(1, vm_items(&e->items, ETW_EXT_CONTROL_GUID, &item));
	EXPECT_EQ(0, memcmp(item + 1, &CONTROL, sizeof(CONTROL)));
}

/* B84: the provider is a member of the group in the manifest */
TEST_F(km, group)
{
	struct etw_enable en = vm_enable_arg(self->session, GROUP);

	en.level = 2;
	en.property = ETW_ENABLE_PROVIDER_GROUP;
	ASSERT_EQ(0, vm_enable(self->fd, self->session, KM, 4, 0x10, 0));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &en));
	ASSERT_EQ(0, run(ETW_KM_EVENTS));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(15, self->seen->count);
	EXPECT_TRUE(is(&self->seen->events[14], &DECODE, 1));
}

/* The callback gets the provider's context; registering again changes nothing. */
TEST_F(km, state)
{
	ASSERT_EQ(0, vm_enable(self->fd, self->session, KM, 4, 0x10, 0));
	EXPECT_EQ(0, run(ETW_KM_CALLS));
	EXPECT_EQ(0, run(ETW_KM_REGISTER));
	EXPECT_EQ(0, run(ETW_KM_CALLS));
	EXPECT_EQ(0, run(ETW_KM_EVENTS));
	ASSERT_EQ(0, collect(self));
	EXPECT_EQ(14, self->seen->count);
}

/* The macros for a context of the module's own use the handle in that context. */
TEST_F(km, context)
{
	ASSERT_EQ(0, vm_enable(self->fd, self->session, CONTEXT, 4, 0x10, 0));
	ASSERT_EQ(0, run(ETW_KM_CONTEXT));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(2, self->seen->count);
	EXPECT_TRUE(is(&self->seen->events[0], &CONTEXT, 12));
	EXPECT_TRUE(is(&self->seen->events[1], &CONTEXT, 13));
	EXPECT_TRUE(good(&self->seen->events[1], 13));
}

/* B12-B14, B90, B92, B98, B99, B105, B108: Etw...() as a Windows driver calls it */
TEST_F(km, driver)
{
	const struct event *e = self->seen->events;
	const struct etw_ext_item *item = NULL;
	unsigned int i;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, NT, 4, 0x10, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, cve, 3, 0, 0));
	ASSERT_EQ(0, run(ETW_KM_API));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(7, self->seen->count);
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(is(&e[i], &NT, i + 1));
	EXPECT_EQ(7, e[0].head.desc.task);
	EXPECT_EQ(1, e[0].head.desc.opcode);
	EXPECT_FALSE(vm_guid_zero(&e[0].head.activity));
	EXPECT_EQ(4, e[0].len);
	ASSERT_EQ(1, vm_items(&e[1].items, ETW_EXT_RELATED_ACTIVITY, &item));
	EXPECT_EQ(0, memcmp(item + 1, &NT, sizeof(NT)));
	EXPECT_EQ(128, e[3].len);
	EXPECT_TRUE(is(&e[4], &NT, 0));
	EXPECT_EQ(ETW_EVENT_STRING_ONLY, e[4].head.flags & ETW_EVENT_STRING_ONLY);
	EXPECT_EQ(14, e[4].len);
	EXPECT_TRUE(is(&e[5], &cve, 2));
	EXPECT_EQ(28 + 10, e[5].len);
	EXPECT_TRUE(is(&e[6], &cve, 2));
	EXPECT_EQ(28 + 2, e[6].len);
	EXPECT_EQ(8, e[6].head.desc.channel);
}

/* Has it TraceLogging metadata of this name, and what traits the provider has? */
static bool is_tl(const struct event *e, const char *name)
{
	static const char provider[] = "Etw.Km.TraceLogging";
	const struct etw_ext_item *item = NULL;

	return is(e, &TL, 0) && e->head.desc.channel == 11 &&
	       vm_items(&e->items, ETW_EXT_EVENT_SCHEMA, &item) == 1 &&
	       !strcmp((const char *)(item + 1) + 3, name) &&
	       vm_items(&e->items, ETW_EXT_PROV_TRAITS, &item) == 1 &&
	       !memcmp((const char *)(item + 1) + 2, provider, sizeof(provider));
}

/* TraceLogging with Windows' types, results and callback */
TEST_F(km, tracelogging)
{
	static const struct etw_guid activity = ETW_KM_TL_ACTIVITY;
	static const uint8_t payload[] = { 1, 0, 0, 0, 2, 0, 0, 0,
					   1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0 };
	const struct event *e = self->seen->events;
	const struct etw_ext_item *item = NULL;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, TL, 4, 0x10, 0));
	ASSERT_EQ(0, run(ETW_KM_TL));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(3, self->seen->count);
	EXPECT_TRUE(is_tl(&e[0], "Plain"));
	EXPECT_TRUE(is_tl(&e[1], "Activity"));
	EXPECT_TRUE(is_tl(&e[2], "Ex"));
	EXPECT_EQ(4, e[0].len);
	EXPECT_EQ(0, memcmp(&e[1].head.activity, &activity, sizeof(activity)));
	ASSERT_EQ(1, vm_items(&e[1].items, ETW_EXT_RELATED_ACTIVITY, &item));
	EXPECT_EQ(0, memcmp(item + 1, &TL, sizeof(TL)));
	ASSERT_EQ(16 + sizeof(payload), e[1].len);
	EXPECT_EQ(0, memcmp(e[1].data, &activity, sizeof(activity)));
	EXPECT_EQ(0, memcmp(e[1].data + 16, payload, sizeof(payload)));
	EXPECT_EQ(0, memcmp(&e[2].head.activity, &activity, sizeof(activity)));
}

/* A registration with traits never writes without them. */
TEST_F(km, first_event)
{
	static const char name[] = "Etw.Km.First";
	const struct etw_ext_item *item = NULL;
	unsigned int i;

	ASSERT_EQ(0, vm_enable(self->fd, self->session, FIRST, 0, 0, 0));
	ASSERT_EQ(0, run(ETW_KM_FIRST));
	ASSERT_EQ(0, collect(self));
	/* One event of each registration, and the previous ones that came late enough. */
	ASSERT_LE(ETW_KM_FIRSTS, self->seen->count);
	for (i = 0; i < self->seen->count; i++) {
		const struct event *e = &self->seen->events[i];

		EXPECT_TRUE(is(e, &FIRST, 1));
		ASSERT_EQ(1, vm_items(&e->items, ETW_EXT_PROV_TRAITS, &item))
			TH_LOG("event %u", i);
		EXPECT_EQ(0, memcmp((const char *)(item + 1) + 2, name, sizeof(name)));
	}
}

TEST_HARNESS_MAIN
