// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_payload - payload filters and filters for callbacks, by the etw command
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"

#define GUID_TEXT	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */

static const char manifest[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events><provider name='Cli-Payload' symbol='CLI' resourceFileName='c'"
	" messageFileName='c' guid='{" GUID_TEXT "}'>"
	"<levels><level name='Loud' symbol='LOUD' value='17'/></levels>"
	"<keywords><keyword name='Read' mask='0x1'/><keyword name='Write' mask='0x2'/></keywords>"
	"<templates><template tid='T'><data name='Size' inType='win:UInt32'/>"
	"<data name='File' inType='win:UnicodeString'/></template></templates>"
	"<events><event value='7' symbol='Opened' name='Open' template='T'/>"
	"<event value='8' symbol='Closed' template='T'/><event value='9' symbol='Idle'/>"
	"</events></provider></events></instrumentation></instrumentationManifest>";

FIXTURE(cli) {
	int fd;
	int slot;
	uint64_t session;
	char guid[64];
	struct vc_run *run;
};

FIXTURE_SETUP(cli)
{
	const struct etw_guid g = vm_guid(1);

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->slot = vm_register_flags(self->fd, g, ETW_REGISTER_NOTIFY, 5);
	ASSERT_LE(0, self->slot);
	self->session = vm_start_named(self->fd, "t-cli");
	ASSERT_NE(0, self->session);
	sprintf(self->guid, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", g.data1, g.data2,
		g.data3, g.data4[0], g.data4[1], g.data4[2], g.data4[3], g.data4[4], g.data4[5],
		g.data4[6], g.data4[7]);
	self->run = calloc(1, sizeof(*self->run));
	ASSERT_NE(NULL, self->run);
}

FIXTURE_TEARDOWN(cli)
{
	free(self->run);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Events that the session has taken so far. */
static uint64_t taken(FIXTURE_DATA(cli) *self)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, self->session, &st) ? (uint64_t)-1 : st.written;
}

static int write_event(FIXTURE_DATA(cli) *self, uint16_t id, uint32_t size, const char *file)
{
	uint8_t bytes[256];
	size_t i, len = strlen(file) + 1;

	memcpy(bytes, &size, 4);
	for (i = 0; i < len; i++) {
		bytes[4 + 2 * i] = file[i];
		bytes[5 + 2 * i] = 0;
	}
	return vm_write(self->fd, self->slot, id, 1, 1, bytes, 4 + 2 * len);
}

/* The next notification, and the bytes behind its header. */
static int take_notification(FIXTURE_DATA(cli) *self, struct etw_notify *n, uint64_t *data)
{
	memset(data, 0, ETW_FILTER_CHAIN_MAX);
	*n = (struct etw_notify){ .size = sizeof(*n), .filter = VM_PTR(data),
				  .filter_cap = ETW_FILTER_CHAIN_MAX };
	return vm_ioctl(self->fd, ETW_IOC_NOTIFY, n);
}

/* B69, B70, B75: the typed expression reaches the kernel with its meaning. */
TEST_F(cli, payload)
{
	struct vc_run *r = self->run;

	ASSERT_TRUE(vc_report(r, !vc_run(r, "enable", "t-cli", self->guid,
					 "--fields", "id=7: u32 Size, str16 File",
					 "--fields", "id=8: u32 Size, str16 File", "--filter",
					 "id == 7 && Size >= 4096 && File contains log || "
					 "id == 8 && (Size in 1..2 || File is x) || id not in (7, 8)",
					 NULL)));
	EXPECT_EQ(0, write_event(self, 7, 4096, "/var/LOG"));
	EXPECT_EQ(1, taken(self));
	EXPECT_EQ(0, write_event(self, 7, 4095, "/var/LOG"));
	EXPECT_EQ(0, write_event(self, 7, 4096, "/var/lib"));
	EXPECT_EQ(0, write_event(self, 8, 3, "y"));
	EXPECT_EQ(1, taken(self));
	EXPECT_EQ(0, write_event(self, 8, 2, "y"));
	EXPECT_EQ(0, write_event(self, 8, 3, "X"));
	EXPECT_EQ(0, write_event(self, 9, 0, ""));
	EXPECT_EQ(4, taken(self));
	ASSERT_TRUE(vc_report(r, !vc_run(r, "list", "-v", NULL)));
	EXPECT_TRUE(vc_report(r, strstr(r->out, ", events by payload")));
}

static bool write_manifest(char *path)
{
	int fd = mkstemp(path);
	bool good = fd >= 0 && write(fd, manifest, sizeof(manifest) - 1) == sizeof(manifest) - 1;

	close(fd);
	return good;
}

/* The same with names from a manifest. */
TEST_F(cli, names)
{
	char path[] = "/tmp/cli_payload.XXXXXX";
	struct vc_run *r = self->run;

	ASSERT_TRUE(write_manifest(path));
	EXPECT_EQ(0, vc_run(r, "enable", "t-cli", self->guid, "--manifest", path, "--level", "Loud",
			    "--keyword", "Read,write", "--id", "Open,Closed,9", "--filter",
			    "event != Open || Size >= 4096 && File contains log", "--filter",
			    "event != Closed || Size < 10", NULL));
	ASSERT_TRUE(vc_report(r, !r->status));
	EXPECT_EQ(0, write_event(self, 7, 4096, "/var/LOG"));
	EXPECT_EQ(0, write_event(self, 8, 9, ""));
	EXPECT_EQ(0, write_event(self, 9, 0, ""));
	EXPECT_EQ(3, taken(self));
	EXPECT_EQ(0, write_event(self, 7, 4095, "/var/LOG"));
	EXPECT_EQ(0, write_event(self, 8, 10, ""));
	EXPECT_EQ(0, write_event(self, 10, 0, ""));
	EXPECT_EQ(3, taken(self));
	EXPECT_EQ(0, vc_run(r, "list", "providers", "--json", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->out, "\"level\":17,\"any\":\"0x3\"")));
	/*
	 * With an installed manifest the option is not needed, and the provider's name works.
	 */
	EXPECT_EQ(1, vc_run(r, "enable", "t-cli", "cli-payload", NULL));
	EXPECT_EQ(0, vc_run(r, "manifest", "install", path, NULL));
	EXPECT_EQ(0, vc_run(r, "enable", "t-cli", "cli-payload", "--filter", "Size == 1", NULL));
	vc_report(r, !r->status);
	EXPECT_EQ(0, write_event(self, 7, 1, ""));
	EXPECT_EQ(4, taken(self));
	EXPECT_EQ(0, write_event(self, 7, 2, ""));
	EXPECT_EQ(0, write_event(self, 8, 2, ""));
	EXPECT_EQ(4, taken(self));
	/*
	 * Events without the field do not pass; the filter's ids are those of events that have
	 * it.
	 */
	EXPECT_EQ(0, write_event(self, 9, 0, ""));
	EXPECT_EQ(0, write_event(self, 10, 1, ""));
	EXPECT_EQ(4, taken(self));
	EXPECT_EQ(0, write_event(self, 8, 1, ""));
	EXPECT_EQ(5, taken(self));
	EXPECT_EQ(0, vc_run(r, "list", "providers", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->out, "Cli-Payload ")));
	EXPECT_EQ(0, vc_run(r, "manifest", "remove", "Cli-Payload", NULL));
	vc_report(r, !r->status);
	unlink(path);
}

/* B62, B61: data for the provider, with enable and with capture. */
TEST_F(cli, callback_data)
{
	static uint64_t data[ETW_FILTER_CHAIN_MAX / 8];
	struct etw_filter_header *h = (void *)data;
	struct vc_run *r = self->run;
	uint64_t other = vm_start_named(self->fd, "t-other");
	struct etw_notify n;

	ASSERT_TRUE(vc_report(r, !vc_run(r, "enable", "t-cli", self->guid, "--data",
					 "7.2:00fFA5", NULL)));
	ASSERT_EQ(0, take_notification(self, &n, data));
	EXPECT_EQ(27, n.filter_len);
	EXPECT_EQ(7, h->id);
	EXPECT_EQ(2, h->version);
	EXPECT_EQ(0, memcmp(h + 1, "\x00\xff\xa5", 3));
	ASSERT_TRUE(vc_report(r, !vc_run(r, "list", "-v", NULL)));
	EXPECT_TRUE(vc_report(r, strstr(r->out, ", callbacks get data")));
	ASSERT_TRUE(vc_report(r, !vc_run(r, "capture", "t-cli", self->guid, "--data", "3:",
					 NULL)));
	ASSERT_EQ(0, take_notification(self, &n, data));
	EXPECT_EQ(ETW_CONTROL_CAPTURE, n.control);
	EXPECT_EQ(24, n.filter_len);
	EXPECT_EQ(3, h->id);
	ASSERT_TRUE(vc_report(r, !vc_run(r, "capture", "t-cli", self->guid, "--about",
					 "t-other", NULL)));
	ASSERT_EQ(0, take_notification(self, &n, data));
	EXPECT_EQ(ETW_FILTER_TRACEHANDLE, n.filter_type);
	EXPECT_EQ(other, data[0]);
}

/* The message for wrong usage names the place, and nothing is enabled. */
TEST_F(cli, wrong)
{
	struct vc_run *r = self->run;
	uint64_t data[ETW_FILTER_CHAIN_MAX / 8];
	struct etw_notify n;

	EXPECT_EQ(2, vc_run(r, "enable", "t-cli", self->guid, "--fields", "id=7: u32 Size",
			    "--filter", "Size > 1 && Siz < 3", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->err, "--filter: column 13: no event has a field Siz")));
	EXPECT_EQ(2, vc_run(r, "enable", "t-cli", self->guid, "--filter", "A == 1", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->err, "the fields of events are not known")));
	EXPECT_EQ(2, vc_run(r, "enable", "t-cli", self->guid, "--filter", "pid == 1", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->err, "the kernel cannot test pid == 1")));
	EXPECT_EQ(2, vc_run(r, "enable", "t-cli", self->guid, "--fields", "id=7: u32 A", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->err, "--fields describes events for --filter")));
	EXPECT_EQ(2, vc_run(r, "enable", "t-cli", self->guid, "--data", "7:0", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->err, "--data: column 3")));
	EXPECT_EQ(2, vc_run(r, "enable", "t-cli", self->guid, "--data", "70000:00", NULL));
	EXPECT_EQ(2, vc_run(r, "capture", "t-cli", self->guid, "--data", "1:", "--about", "x",
			    NULL));
	EXPECT_EQ(1, vc_run(r, "capture", "t-cli", self->guid, "--about", "nobody", NULL));
	EXPECT_TRUE(vc_report(r, strstr(r->err, "nobody")));
	EXPECT_EQ(-EAGAIN, take_notification(self, &n, data));
}

TEST_HARNESS_MAIN
