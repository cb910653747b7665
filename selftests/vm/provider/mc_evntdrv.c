// SPDX-License-Identifier: GPL-2.0-only
/*
 * mc_evntdrv - a Windows driver's manifest drives a module here
 *
 * The module etw_evntdrv is built on the header that "etw mc -km" makes of the Windows
 * sample "evntdrv", if that is available.  A session sees its three events, and the manifest
 * decodes them.
 */
#include "lib/vm.h"
#include "lib/vm_decode.h"
#include "lib/driver/vm_kmod.h"

#define REQUEST		"/sys/module/etw_evntdrv/parameters/request"
#define EVENTS		3

/* "Sample Driver" */
static const struct etw_guid guid = ETW_GUID(0xb5a0bda9, 0x50fe, 0x4d0e, 0xa8, 0x3d,
					     0xba, 0xe3, 0xf5, 0x8c, 0x94, 0xd6);

static const struct {
	uint8_t opcode;
	const char *opcode_name;
	const char *message;
	const char *fields;
} wanted[EVENTS] = {
	{ 1, "Start", "Driver Loaded",
	  "DeviceNameLength=34 name=\"\\\\Device\\\\Eventdrv0\" Status=0" },
	{ 0, "Info", "IRP A Occurred", "" },
	{ 2, "Stop", "Driver Unloaded", "DeviceObjPtr=0x1122334455667788" },
};

struct seen {
	unsigned int count;
	struct etw_event_header head[EVENTS];
	uint32_t len[EVENTS];
	uint8_t data[EVENTS][256];
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;
	unsigned int i = s->count++;

	(void)b;
	if (i >= EVENTS || r->len > sizeof(s->data[i]))
		return;
	s->head[i] = *r->head;
	s->len[i] = r->len;
	memcpy(s->data[i], r->data, r->len);
}

static int request(void)
{
	int fd = open(REQUEST, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 || write(fd, "1", 1) != 1 ? -errno : 0;

	close(fd);
	return ret;
}

/* Enabled before the driver is loaded, see B15; its first events are not lost. */
static int drive(struct seen *seen)
{
	struct etw_session s = vm_session("t-evntdrv");
	struct vm_reader r = { .fd = -1 };
	int fd = vm_open(), ret;

	if (fd < 0)
		return fd;
	vm_pin(0);	/* events of one CPU come in their order */
	vm_stop_all(fd);
	vm_rmmod_try("etw_evntdrv");
	ret = vm_start(fd, &s);
	ret = ret ? ret : vm_reader_open(&r, fd, s.handle, O_NONBLOCK);
	ret = ret ? ret : vm_enable(fd, s.handle, guid, 4, 0, 0);
	ret = ret ? ret : vm_insmod("etw_evntdrv");
	ret = ret ? ret : request();
	ret = ret ? ret : vm_rmmod("etw_evntdrv");
	ret = ret ? ret : vm_flush(fd, s.handle);
	ret = ret ? ret : vm_drain(&r, see, seen);
	vm_reader_close(&r);
	vm_stop_all(fd);
	close(fd);
	return ret == -EAGAIN ? 0 : ret;
}

/* B100: the descriptor is the manifest's; the fields are what the driver wrote */
TEST(events)
{
	static struct seen seen;
	const struct etw_decoded *event;
	struct etw_decoder *decoder;
	struct etw_text text = { 0 };
	char dir[600], module[VM_MODULE_PATH];
	int i;

	snprintf(dir, sizeof(dir), "%s/gen/selftests/kmod/etw_evntdrv", vm_build());
	if (access(vm_module_path("etw_evntdrv", module), F_OK))
		SKIP(return, "the manifest of the Windows sample is not at hand");
	ASSERT_EQ(0, vm_load_manifest(dir, "evntdrv.xml"));
	ASSERT_EQ(0, drive(&seen));
	ASSERT_EQ(EVENTS, seen.count);
	decoder = etw_decoder_new();
	ASSERT_NE(NULL, decoder);
	for (i = 0; i < EVENTS; i++) {
		EVENT_RECORD record = vm_event_record(&seen.head[i], seen.data[i], seen.len[i]);

		EXPECT_EQ(0, memcmp(&seen.head[i].provider, &guid, sizeof(guid)));
		EXPECT_EQ(i + 1, seen.head[i].desc.id);
		EXPECT_EQ(8, seen.head[i].desc.channel);
		EXPECT_EQ(4, seen.head[i].desc.level);
		EXPECT_EQ(wanted[i].opcode, seen.head[i].desc.opcode);
		EXPECT_EQ(1ull << 63, seen.head[i].desc.keyword);
		ASSERT_EQ(0, vm_decode(decoder, &record, &event, &text));
		EXPECT_STREQ("Sample Driver", event->provider);
		EXPECT_STREQ(wanted[i].opcode_name, event->opcode);
		EXPECT_STREQ(wanted[i].message, event->message);
		EXPECT_STREQ(wanted[i].fields, text.data ? text.data : "");
	}
	etw_text_free(&text);
	etw_decoder_free(decoder);
}

TEST_HARNESS_MAIN
