// SPDX-License-Identifier: GPL-2.0-only
/*
 * traits - provider traits, and data descriptors that are no payload, for a
 * process's provider and a kernel module's
 */
#include "lib/vm.h"
#include "lib/vm_traits.h"

#define NAME	"Traits-Test"

FIXTURE(traits) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct vm_events *events;
	struct vm_two two;
	struct vm_blob blob;		/* traits with a name only */
	struct vm_blob schema;		/* of an event named Evt */
};

FIXTURE_VARIANT(traits) {
	int which;
};

FIXTURE_VARIANT_ADD(traits, user) { .which = 0 };
FIXTURE_VARIANT_ADD(traits, kernel) { .which = 1 };

FIXTURE_SETUP(traits)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_EQ(0, vm_two_begin(&self->two, self->fd));
	self->session = vm_start_named(self->fd, "t-traits");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->two.guid[variant->which], 0, 0, 0));
	self->blob = vm_traits(NAME);
	self->schema = vm_schema("Evt");
}

FIXTURE_TEARDOWN(traits)
{
	vm_reader_close(&self->r);
	free(self->events);
	EXPECT_EQ(0, vm_two_end(&self->two));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Level, keyword and id of all events here */
static const struct etw_event_descriptor desc = { .id = 7, .level = 4, .keyword = 1 };

#define PIECES(...)	((const struct vm_piece[]){ __VA_ARGS__ })
#define COUNT(...)	(sizeof(PIECES(__VA_ARGS__)) / sizeof(struct vm_piece))
#define WRITE(...)	vm_two_write(&self->two, variant->which, desc, PIECES(__VA_ARGS__), \
				     COUNT(__VA_ARGS__), false)
#define TRAITS(blob)	vm_two_traits(&self->two, variant->which, blob)
#define TYPES(on)	vm_two_set(&self->two, variant->which, ETW_SET_TYPES, NULL, on)

/* The only event since the last time; NULL: there is none, or several. */
static const struct vm_event *the_event(FIXTURE_DATA(traits) *self)
{
	if (vm_collect(self->fd, self->session, &self->r, self->events) != 1)
		return NULL;
	return &self->events->list[0];
}

static bool has_payload(const struct vm_event *e, const char *text)
{
	return e->len == strlen(text) && !memcmp(e->data, text, e->len);
}

/* B80: by default the type is ignored, whatever it is. */
TEST_F(traits, types_are_ignored_at_first)
{
	const struct vm_event *e;

	ASSERT_EQ(0, WRITE({ 1, "abc", 3 }, { 2, "def", 3 }, { 3, "g", 1 }, { 77, "h", 1 },
			   { 0xffffff00, "i", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(has_payload(e, "abcdefghi"));
	EXPECT_EQ(0, e->ext_len);
}

/* B81: metadata become items, at any position, and are not part of the payload. */
TEST_F(traits, typed_descriptors_become_items)
{
	struct vm_blob provider = vm_traits("Provider");
	const struct vm_event *e;

	ASSERT_EQ(0, TYPES(1));
	ASSERT_EQ(0, WRITE(VM_BLOB_PIECE(2, &provider), VM_BLOB_PIECE(1, &self->schema),
			   { 0, "ab", 2 }, { 0, "cd", 2 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(has_payload(e, "abcd"));
	EXPECT_EQ(2, vm_item_count(e));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_EVENT_SCHEMA, &self->schema));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &provider));
	EXPECT_EQ(0, memcmp(&e->head.provider, &self->two.guid[variant->which], 16));
	EXPECT_EQ(0, e->head.flags & ETW_EVENT_DECODE_GUID);

	ASSERT_EQ(0, WRITE({ 0, "ab", 2 }, VM_BLOB_PIECE(0xabcd0001, &self->schema),
			   { 0xff00, "cd", 2 }, VM_BLOB_PIECE(2, &provider), { 0, "e", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(has_payload(e, "abcde"));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_EVENT_SCHEMA, &self->schema));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &provider));

	ASSERT_EQ(0, WRITE({ 0, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(0, e->ext_len);
	EXPECT_EQ(0, e->head.flags & ETW_EVENT_EXTENDED_INFO);

	ASSERT_EQ(0, TYPES(0));
	ASSERT_EQ(0, WRITE({ 1, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(has_payload(e, "x"));
}

/* Works in an interrupt as anywhere, beside the items of the session. */
TEST_F(traits, with_other_items_from_an_interrupt)
{
	const struct vm_event *e;

	ASSERT_EQ(0, TYPES(1));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, self->two.guid[variant->which],
				    ETW_ENABLE_SID | ETW_ENABLE_EVENT_KEY, NULL, 0));
	ASSERT_EQ(0, vm_two_write(&self->two, variant->which, desc,
				  PIECES(VM_BLOB_PIECE(1, &self->schema), { 0, "a", 1 }), 2, true));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(has_payload(e, "a"));
	EXPECT_EQ(3, vm_item_count(e));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_EVENT_SCHEMA, &self->schema));
	EXPECT_NE(NULL, vm_item(e, ETW_EXT_SID, NULL));
	EXPECT_NE(NULL, vm_item(e, ETW_EXT_EVENT_KEY, NULL));
}

/*
 * B83: the header has the given time unchanged.  One in the future would keep readers from all
 * later events of its CPU.
 */
TEST_F(traits, time_stamp)
{
	uint64_t time = 4711, future[2] = { 0x0123456789abcdef, -1 };
	unsigned int i;
	const struct vm_event *e;

	ASSERT_EQ(0, TYPES(1));
	ASSERT_EQ(0, WRITE({ 0, "ab", 2 }, { 3, &time, 8 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(time, e->head.timestamp);
	EXPECT_TRUE(has_payload(e, "ab"));
	EXPECT_EQ(0, e->ext_len);
	ASSERT_EQ(0, WRITE({ 0, "ab", 2 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_LT(time, e->head.timestamp);
	for (i = 0; i < 2; i++) {
		time = e->head.timestamp;
		ASSERT_EQ(0, WRITE({ 0, "ab", 2 }, { 3, &future[i], 8 }));
		e = the_event(self);
		ASSERT_NE(NULL, e);
		EXPECT_LE(time, e->head.timestamp);
		EXPECT_GT(future[i], e->head.timestamp);
	}
}

static uint64_t complete_through(FIXTURE_DATA(traits) *self)
{
	struct etw_buffer_take t = { .size = sizeof(t), .flags = ETW_TAKE_PEEK };

	vm_ioctl(self->r.fd, ETW_IOC_BUFFER_TAKE, &t);
	return t.complete_through;
}

/* B83: a time that is complete already becomes a later one; an item keeps it. */
TEST_F(traits, time_stamp_too_early)
{
	uint64_t time = 4711, through;
	const struct vm_event *e;
	int i;

	ASSERT_EQ(0, TYPES(1));
	for (i = 0; i < 3; i++) {
		/* The third time, the session asks for items too. */
		if (i == 2)
			ASSERT_EQ(0, vm_enable_with(self->fd, self->session,
						    self->two.guid[variant->which],
						    ETW_ENABLE_EVENT_KEY, NULL, 0));
		ASSERT_EQ(0, vm_flush(self->fd, self->session));
		through = complete_through(self);
		ASSERT_NE(0, through);
		if (i == 1)
			time = through;
		ASSERT_EQ(0, WRITE({ 0, "ab", 2 }, { 3, &time, 8 }));
		e = the_event(self);
		ASSERT_NE(NULL, e);
		EXPECT_LT(through, e->head.timestamp);
		EXPECT_TRUE(has_payload(e, "ab"));
		EXPECT_EQ(time, vm_item_number(e, ETW_EXT_GIVEN_TIME));
	}
	/* A time that is not complete stays, without an item. */
	ASSERT_EQ(0, WRITE({ 0, "a", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	for (i = 0; i < 10; i++) {
		through = complete_through(self);
		time = through + 1;
		ASSERT_EQ(0, WRITE({ 0, "ab", 2 }, { 3, &time, 8 }));
		e = the_event(self);
		ASSERT_NE(NULL, e);
		/* The flush timer may have come in between. */
		if (e->head.timestamp == time && !vm_item(e, ETW_EXT_GIVEN_TIME, NULL))
			return;
	}
	EXPECT_LT(i, 10);
}

/* Invalid descriptors are refused, and the event does not count as lost. */
TEST_F(traits, bad_descriptors)
{
	struct etw_session_stat st;
	uint64_t time = 1;

	ASSERT_EQ(0, TYPES(1));
	EXPECT_EQ(-EINVAL, WRITE({ 4, "ab", 2 }));
	EXPECT_EQ(-EINVAL, WRITE({ 255, "", 0 }));
	EXPECT_EQ(-EINVAL, WRITE({ 3, &time, 7 }));
	EXPECT_EQ(-EINVAL, WRITE({ 3, &time, 8 }, { 3, &time, 8 }));
	EXPECT_EQ(-EINVAL, WRITE(VM_BLOB_PIECE(1, &self->schema), VM_BLOB_PIECE(1, &self->schema)));
	EXPECT_EQ(-EINVAL, WRITE({ 1, self->schema.bytes, self->schema.len - 1 }));
	EXPECT_EQ(-EINVAL, WRITE({ 1, self->schema.bytes, 1 }));
	EXPECT_EQ(-EINVAL, WRITE({ 2, "", 0 }));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(0, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
}

/* B78: a refused blob leaves the registration without traits. */
TEST_F(traits, malformed)
{
	struct vm_blob bad = self->blob, member = vm_group_traits(NAME, vm_guid(50));
	const struct vm_event *e;

	bad.len--;
	EXPECT_EQ(-EINVAL, TRAITS(&bad));
	bad = self->blob;
	bad.bytes[0]++;
	EXPECT_EQ(-EINVAL, TRAITS(&bad));
	bad.len++;
	bad.bytes[bad.len - 1] = 9;
	EXPECT_EQ(-EINVAL, TRAITS(&bad));
	bad.len = 1;
	EXPECT_EQ(-EINVAL, TRAITS(&bad));
	bad.len = 0;
	EXPECT_EQ(-EINVAL, TRAITS(&bad));
	member.bytes[2 + sizeof(NAME)]--;	/* the chunk's size */
	EXPECT_EQ(-EINVAL, TRAITS(&member));
	ASSERT_EQ(0, WRITE({ 1, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(has_payload(e, "x"));
	EXPECT_EQ(0, TRAITS(&self->blob));
}

/* B79: once is all. */
TEST_F(traits, set_once)
{
	struct vm_blob other = vm_group_traits("Other", vm_guid(50));
	const struct vm_event *e;

	ASSERT_EQ(0, TRAITS(&self->blob));
	EXPECT_EQ(-EEXIST, TRAITS(&self->blob));
	EXPECT_EQ(-EEXIST, TRAITS(&other));
	ASSERT_EQ(0, WRITE({ 0, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &self->blob));
}

/* B80, B82, B89: traits go with each event, turn types on, and stand for metadata. */
TEST_F(traits, go_with_each_event)
{
	struct vm_blob provider = vm_traits("Provider");
	const struct vm_event *e;

	ASSERT_EQ(0, TRAITS(&self->blob));
	ASSERT_EQ(0, WRITE({ 0, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(1, vm_item_count(e));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &self->blob));
	ASSERT_EQ(0, WRITE(VM_BLOB_PIECE(2, &provider), VM_BLOB_PIECE(1, &self->schema),
			   { 0, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(2, vm_item_count(e));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &self->blob));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_EVENT_SCHEMA, &self->schema));
	EXPECT_TRUE(has_payload(e, "x"));
	/* Only the types are turned off. */
	ASSERT_EQ(0, TYPES(0));
	ASSERT_EQ(0, WRITE({ 1, "xy", 2 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &self->blob));
	EXPECT_TRUE(has_payload(e, "xy"));
}

/* B88: the event says the decode GUID, and an item the registered one. */
TEST_F(traits, decode_guid)
{
	struct etw_guid decode = vm_guid(60);
	const struct vm_event *e;

	vm_trait(&self->blob, 2, &decode, sizeof(decode));
	vm_trait(&self->blob, 200, "own", 3);
	ASSERT_EQ(0, TRAITS(&self->blob));
	ASSERT_EQ(0, WRITE(VM_BLOB_PIECE(1, &self->schema), { 0, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(0, memcmp(&e->head.provider, &decode, sizeof(decode)));
	EXPECT_NE(0, e->head.flags & ETW_EVENT_DECODE_GUID);
	EXPECT_TRUE(vm_item_is(e, ETW_EXT_CONTROL_GUID, &self->two.guid[variant->which], 16));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &self->blob));
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_EVENT_SCHEMA, &self->schema));
	EXPECT_EQ(3, vm_item_count(e));
}

/* Set before or after enabling, by more than one registration of a GUID. */
TEST_F(traits, belong_to_the_registration)
{
	const struct vm_event *e;
	int other;

	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->two.guid[variant->which]));
	ASSERT_EQ(0, TRAITS(&self->blob));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, self->two.guid[variant->which], 0, 0, 0));
	ASSERT_EQ(0, WRITE({ 0, "x", 1 }));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_TRUE(vm_blob_is(e, ETW_EXT_PROV_TRAITS, &self->blob));
	other = vm_register(self->fd, self->two.guid[variant->which]);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, vm_write(self->fd, other, 1, 1, 1, "y", 1));
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(0, e->ext_len);
	EXPECT_EQ(0, vm_set_slot(self->fd, other, ETW_SET_TRAITS, self->blob.bytes,
				 self->blob.len, 0));
	EXPECT_EQ(0, vm_unregister(self->fd, other));
}

/* The traits name a registration that has no name. */
TEST_F(traits, name)
{
	char name[64] = "";
	struct etw_provider_reg reg = { 0 };
	struct etw_provider_query q = {
		.size = sizeof(q), .provider = self->two.guid[variant->which],
		.name_out = VM_PTR(name), .name_cap = sizeof(name), .regs = VM_PTR(&reg),
		.reg_cap = 1 };

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(0, reg.flags & ETW_REG_TRAITS);
	ASSERT_EQ(0, TRAITS(&self->blob));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_STREQ(variant->which ? ETW_TEST_NAME : NAME, name);
	EXPECT_NE(0, reg.flags & ETW_REG_TRAITS);
	EXPECT_TRUE(vm_guid_zero(&reg.group));
}

/*
 * B92: over 64 KB with them is an event that is lost, and counted, also where a
 * filter by ids would not let it pass if it had no schema.
 */
TEST_F(traits, too_large)
{
	struct etw_session_stat st;
	const struct vm_event *e;
	uint8_t *big = calloc(1, 65536);
	uint32_t most = 65535 - 80 - 8 - (self->schema.len + 7) / 8 * 8;
	struct etw_data_descriptor d[2] = {
		{ VM_PTR(self->schema.bytes), self->schema.len, ETW_DATA_EVENT_METADATA },
		{ VM_PTR(big), most, 0 } };
	struct etw_event_write w = { .size = sizeof(w), .slot = self->two.slot, .data_count = 2,
				     .data = VM_PTR(d), .desc = desc };
	struct etw_filter_event_id ids = { .in = 1, .count = 1, .ids = { desc.id + 1 } };
	struct etw_filter f = { VM_PTR(&ids), sizeof(ids), ETW_FILTER_EVENT_ID };
	struct etw_session s = vm_session("t-large");
	int i;

	if (variant->which)
		SKIP(return, "the module writes no events of that size with types");
	s.buffer_kb = 128;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->two.guid[0]));
	ASSERT_EQ(0, vm_enable_with(self->fd, s.handle, self->two.guid[0], 0, &f, 1));
	vm_reader_close(&self->r);
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, s.handle, O_NONBLOCK));
	ASSERT_EQ(0, TYPES(1));
	d[1].size = 100000;	/* is not even looked at */
	EXPECT_EQ(-EOVERFLOW, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	for (i = 0; i < 2; i++) {
		d[1].size = most + 1 - i;
		EXPECT_EQ(i ? 0 : -EOVERFLOW, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	}
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_EQ(1, st.written);
	EXPECT_EQ(2, st.dropped[ETW_DROP_EVENT_SIZE]);
	e = the_event(self);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(65535, e->head.size);
	/* Traits that leave no room for anything else */
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, self->two.guid[0], 0, 0, 0));
	big[0] = 65500 & 0xff;
	big[1] = 65500 >> 8;
	memset(big + 2, 'n', 65497);
	big[65499] = 0;
	ASSERT_EQ(0, vm_set_slot(self->fd, self->two.slot, ETW_SET_TRAITS, big, 65500, 0));
	EXPECT_EQ(-EOVERFLOW, WRITE({ 0, "", 0 }));
	free(big);
}

/* Refused calls, and what cannot be read. */
TEST_F(traits, refused)
{
	struct etw_provider_set set = { .size = sizeof(set), .slot = self->two.slot,
					.flags = ETW_SET_TRAITS, .traits = VM_PTR(self->blob.bytes),
					.traits_len = self->blob.len };
	struct etw_provider_set good = set;
	int status;
	pid_t pid;

#define TRY() vm_ioctl(self->fd, ETW_IOC_PROVIDER_SET, &set)
	set.flags = 0;
	EXPECT_EQ(-EINVAL, TRY());
	set.flags = 4;
	EXPECT_EQ(-EINVAL, TRY());
	set = good;
	set.reserved = 1;
	EXPECT_EQ(-EINVAL, TRY());
	set = good;
	set.types = 1;
	EXPECT_EQ(-EINVAL, TRY());
	set = good;
	set.flags = ETW_SET_TYPES;
	set.types = 2;
	EXPECT_EQ(-EINVAL, TRY());
	set = good;
	set.traits_len = 65536;
	EXPECT_EQ(-EINVAL, TRY());
	set = good;
	set.traits = 8;
	EXPECT_EQ(-EFAULT, TRY());
	set = good;
	set.slot = 1023;
	EXPECT_EQ(-EBADF, TRY());
	set.slot = 0xffffffff;
	EXPECT_EQ(-EBADF, TRY());
	set = good;
	pid = fork();
	if (!pid)
		_exit(TRY() == -ESTALE ? 0 : 1);
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	EXPECT_EQ(0, TRY());
#undef TRY
}

TEST_HARNESS_MAIN
