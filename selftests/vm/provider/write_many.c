// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_many - many events of a process in one command: what each of them has, where the command
 * ends, and what is lost
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_traits.h"

#include <sys/mman.h>

#define BYTES	(256 * 1024 + 64)

FIXTURE(write_many) {
	int fd;
	int slot;
	uint64_t session;
	struct vm_reader r;
	struct vm_events *events;
	struct vm_blob schema;
	uint8_t *bytes;			/* of the command */
	uint32_t schema_at;		/* where the last events have theirs; 0: none */
	struct etw_write_many many;
};

FIXTURE_SETUP(write_many)
{
	self->events = calloc(1, sizeof(*self->events));
	self->bytes = calloc(1, BYTES);
	ASSERT_NE(NULL, self->events);
	ASSERT_NE(NULL, self->bytes);
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->session = vm_start_named(self->fd, "t-many");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	ASSERT_EQ(0, vm_set_slot(self->fd, self->slot, ETW_SET_TYPES, NULL, 0, 1));
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 5, 0, 0));
	self->schema = vm_schema("Forwarded");
	self->many = (struct etw_write_many){
		.size = sizeof(self->many), .slot = self->slot, .events = VM_PTR(self->bytes),
	};
}

FIXTURE_TEARDOWN(write_many)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
	free(self->bytes);
	free(self->events);
}

static struct etw_many_event *event_at(FIXTURE_DATA(write_many) *self, uint32_t at)
{
	return (struct etw_many_event *)(self->bytes + at);
}

/* Add an event whose payload is size times the byte; its metadata are those of the one before. */
static struct etw_many_event *add(FIXTURE_DATA(write_many) *self, uint8_t byte, uint32_t size)
{
	struct etw_many_event *e = event_at(self, self->many.bytes);
	uint32_t end = self->many.bytes + sizeof(*e) + size;

	*e = (struct etw_many_event){
		.payload_len = size, .desc = { .id = byte, .level = 5, .keyword = 1 } };
	memset(e + 1, byte, size);
	if (!self->schema_at) {
		self->schema_at = end;
		memcpy(self->bytes + end, self->schema.bytes, self->schema.len);
		end += self->schema.len;
	}
	e->schema = self->schema_at;
	e->size = (end + 7) / 8 * 8 - self->many.bytes;
	self->many.bytes += e->size;
	return e;
}

static int command(FIXTURE_DATA(write_many) *self)
{
	return vm_ioctl(self->fd, ETW_IOC_WRITE_MANY, &self->many);
}

/* The events since the last time, or a negative errno */
static int come(FIXTURE_DATA(write_many) *self)
{
	return vm_collect(self->fd, self->session, &self->r, self->events);
}

static uint64_t now(FIXTURE_DATA(write_many) *self)
{
	struct etw_session q;

	return vm_flush(self->fd, self->session) || vm_query(self->fd, self->session, &q) ? 0 :
	       q.sync_clock;
}

/* Has the event what add() gave it? */
static bool is_added(FIXTURE_DATA(write_many) *self, const struct vm_event *e, uint8_t byte,
		     uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size && i < sizeof(e->data); i++)
		if (e->data[i] != byte)
			return false;
	return e->len == size && e->head.desc.id == byte && e->head.desc.keyword == 1 &&
	       e->head.process_id == (uint32_t)getpid() &&
	       e->head.flags & ETW_EVENT_USER_MODE && vm_guid_zero(&e->head.activity) &&
	       vm_blob_is(e, ETW_EXT_EVENT_SCHEMA, &self->schema);
}

/* Each has its payload, the metadata that one of them brings, and its time, in their order. */
TEST_F(write_many, events_as_written_alone)
{
	static const uint32_t sizes[] = { 0, 1, 7, 8, 9, 255, 256, 257, 5000 };
	const uint64_t begin = now(self);
	unsigned int i;

	ASSERT_NE(0, begin);
	for (i = 0; i < 9; i++) {
		struct etw_many_event *e = add(self, i + 1, sizes[i]);

		e->flags = i % 2 ? ETW_MANY_TIME : 0;
		e->time = begin + 1 + i;
	}
	ASSERT_EQ(0, command(self));
	EXPECT_EQ(self->many.bytes, self->many.done);
	EXPECT_EQ(0, self->many.lost);
	ASSERT_EQ(9, come(self));
	for (i = 0; i < 9; i++) {
		const struct vm_event *e = &self->events->list[i];

		EXPECT_TRUE(is_added(self, e, i + 1, sizes[i])) TH_LOG("event %u", i);
		if (i % 2) {
			EXPECT_EQ(begin + 1 + i, e->head.timestamp);
		} else {
			EXPECT_LT(begin + 100, e->head.timestamp);
		}
		EXPECT_EQ(NULL, vm_item(e, ETW_EXT_GIVEN_TIME, NULL));
	}
}

/* A time that is complete already becomes a later one, and the event keeps it as an item. */
TEST_F(write_many, too_early)
{
	add(self, 1, 8)->flags = ETW_MANY_TIME;
	event_at(self, 0)->time = 4711;
	ASSERT_NE(0, now(self));
	ASSERT_EQ(0, command(self));
	ASSERT_EQ(1, come(self));
	EXPECT_TRUE(is_added(self, &self->events->list[0], 1, 8));
	EXPECT_LT(4711, self->events->list[0].head.timestamp);
	EXPECT_EQ(4711, vm_item_number(&self->events->list[0], ETW_EXT_GIVEN_TIME));
}

/* Metadata that differ, are large, or are not there */
TEST_F(write_many, metadata)
{
	struct vm_blob other = vm_schema("Another"), large = { .len = 400 };
	unsigned int i;

	memset(large.bytes, 'x', large.len);
	memcpy(large.bytes, (uint16_t[]){ 400 }, 2);
	for (i = 0; i < 2; i++) {
		add(self, 1, 4);
		self->schema_at = 0;
		self->schema = other;
		add(self, 2, 4);
		self->schema_at = 0;
		self->schema = large;
		add(self, 3, 4);
		add(self, 4, 4)->schema = 0;
		self->schema_at = 0;
		self->schema = vm_schema("Forwarded");
	}
	ASSERT_EQ(0, command(self));
	ASSERT_EQ(8, come(self));
	for (i = 0; i < 8; i += 4) {
		const struct vm_event *e = &self->events->list[i];

		EXPECT_TRUE(vm_blob_is(&e[0], ETW_EXT_EVENT_SCHEMA, &self->schema));
		EXPECT_TRUE(vm_blob_is(&e[1], ETW_EXT_EVENT_SCHEMA, &other));
		EXPECT_TRUE(vm_blob_is(&e[2], ETW_EXT_EVENT_SCHEMA, &large));
		EXPECT_EQ(NULL, vm_item(&e[3], ETW_EXT_EVENT_SCHEMA, NULL));
		EXPECT_EQ(4, e[3].head.desc.id);
	}
}

/* As for each event alone: level, filters, excluded sessions, a second session, items */
TEST_F(write_many, sessions)
{
	struct etw_session_stat st;
	uint64_t second;
	struct etw_session q;

	add(self, 1, 8);
	add(self, 2, 8)->desc.level = 6;
	add(self, 3, 8);
	ASSERT_EQ(0, command(self));
	ASSERT_EQ(2, come(self));
	EXPECT_EQ(3, self->events->list[1].head.desc.id);

	ASSERT_EQ(0, vm_query(self->fd, self->session, &q));
	self->many.filter = 1ULL << (q.logger_id - 1);
	ASSERT_EQ(0, command(self));
	ASSERT_EQ(0, come(self));

	second = vm_start_named(self->fd, "t-many-2");
	ASSERT_NE(0, second);
	ASSERT_EQ(0, vm_enable(self->fd, second, vm_guid(1), 6, 0, 0));
	ASSERT_EQ(0, command(self));
	ASSERT_EQ(0, come(self));
	self->many.filter = 0;
	ASSERT_EQ(0, command(self));
	ASSERT_EQ(2, come(self));
	EXPECT_TRUE(is_added(self, &self->events->list[1], 3, 8));
	ASSERT_EQ(0, vm_stat(self->fd, second, &st));
	EXPECT_EQ(6, st.written);
	ASSERT_EQ(0, vm_stop(self->fd, second));

	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1), ETW_ENABLE_EVENT_KEY,
				    NULL, 0));
	ASSERT_EQ(0, command(self));
	ASSERT_LE(2, come(self));
	EXPECT_NE(NULL, vm_item(&self->events->list[0], ETW_EXT_EVENT_KEY, NULL));
	EXPECT_TRUE(is_added(self, &self->events->list[0], 1, 8));
}

/* A malformed event ends the command, which tells how far it has come. */
TEST_F(write_many, malformed)
{
	struct etw_many_event *e;
	unsigned int i;
	uint32_t first;

	add(self, 1, 8);
	first = self->many.bytes;
	for (i = 0; i < 10; i++) {
		self->many.bytes = first;
		e = add(self, 2, 8);
		switch (i) {
		case 0: e->size += 8; break;
		case 1: e->size -= 1; break;
		case 2: e->size = sizeof(*e) - 8; break;
		case 3: e->size = 0; break;
		case 4: e->payload_len = e->size - sizeof(*e) + 1; break;
		case 5: e->payload_len = UINT32_MAX; break;
		case 6: e->flags = 2; break;
		case 7: e->schema = self->many.bytes - 1; break;
		case 8: e->schema = UINT32_MAX; break;
		default: self->many.bytes -= 8; break;
		}
		ASSERT_EQ(0, command(self));
		EXPECT_EQ(first, self->many.done) TH_LOG("error %u", i);
		EXPECT_EQ(0, self->many.lost);
		EXPECT_EQ(1, come(self));
	}
	/* Sizes of metadata that cannot be: less than the size, and more than there is */
	for (i = 0; i < 2; i++) {
		self->many.bytes = first;
		memcpy(self->bytes + self->schema_at, (uint16_t[]){ i ? 65535 : 1 }, 2);
		EXPECT_EQ(-EINVAL, command(self));
	}
	memcpy(self->bytes + self->schema_at, self->schema.bytes, 2);
	event_at(self, 0)->flags = 2;
	EXPECT_EQ(-EINVAL, command(self));
	EXPECT_EQ(0, come(self));
}

/* Memory that is not there ends the command as well. */
TEST_F(write_many, unreadable)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			      -1, 0);
	uint32_t first;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(pages + page, page, PROT_NONE));
	add(self, 1, 8);
	first = self->many.bytes;
	add(self, 2, 8);
	/* The second event's payload, its head, and the first one's metadata */
	memcpy(pages + page - self->many.bytes + 4, self->bytes, self->many.bytes - 4);
	self->many.events = VM_PTR(pages + page - self->many.bytes + 4);
	ASSERT_EQ(0, command(self));
	EXPECT_EQ(first, self->many.done);
	memcpy(pages + page - first - 8, self->bytes, first + 8);
	self->many.events = VM_PTR(pages + page - first - 8);
	ASSERT_EQ(0, command(self));
	EXPECT_EQ(first, self->many.done);
	EXPECT_EQ(2, come(self));
	memcpy(pages + page - self->schema_at - 1, self->bytes, self->schema_at + 1);
	self->many.events = VM_PTR(pages + page - self->schema_at - 1);
	EXPECT_EQ(-EFAULT, command(self));
	self->many.events = VM_PTR(pages + page);
	EXPECT_EQ(-EFAULT, command(self));
	EXPECT_EQ(0, come(self));
	munmap(pages, 2 * page);
}

/* What sessions lose they count, each with its cause, and the command counts it too. */
TEST_F(write_many, lost)
{
	struct etw_session_stat st;
	unsigned int i, commands = 0;

	add(self, 1, 70000);
	add(self, 2, 8);
	ASSERT_EQ(0, command(self));
	EXPECT_EQ(self->many.bytes, self->many.done);
	EXPECT_EQ(1, self->many.lost);
	ASSERT_EQ(1, come(self));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(1, st.dropped[ETW_DROP_EVENT_SIZE]);
	/* Until all buffers are full */
	self->many.bytes = 0;
	self->schema_at = 0;
	for (i = 0; i < 60; i++)
		add(self, 3, 4000);
	do {
		ASSERT_EQ(0, command(self));
	} while (!self->many.lost && ++commands < 10000);
	EXPECT_LT(commands, 10000);
	EXPECT_GE(60, self->many.lost);
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(1 + self->many.lost, vm_dropped(&st));
	EXPECT_EQ(1 + 60 * (commands + 1) - self->many.lost, st.written);
}

/* The command as a whole is refused. */
TEST_F(write_many, refused)
{
	int status, slot;
	pid_t pid;

	add(self, 1, 8);
	self->many.slot = 77;
	EXPECT_EQ(-EBADF, command(self));
	slot = vm_register_flags(self->fd, vm_guid(2), ETW_REGISTER_CLASSIC, 0);
	ASSERT_LE(0, slot);
	self->many.slot = slot;
	EXPECT_EQ(-EINVAL, command(self));
	self->many.slot = self->slot;
	self->many.bytes = ETW_MANY_BYTES_MAX + 8;
	EXPECT_EQ(-EINVAL, command(self));
	self->many.bytes = 0;
	EXPECT_EQ(0, command(self));
	EXPECT_EQ(0, self->many.done);
	self->many.bytes = event_at(self, 0)->size;
	pid = fork();
	if (!pid)
		_exit(command(self) != -ESTALE);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, come(self));
}

TEST_HARNESS_MAIN
