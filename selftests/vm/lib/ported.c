// SPDX-License-Identifier: GPL-2.0-only
/*
 * ported - sources as on Windows, built by include paths alone, run together
 *
 * The programs are those of selftests/ported, the driver is selftests/kmod/etw_ported: a
 * controller starts a session into a file, the provider and the driver write, a consumer
 * prints what is in the file.
 */
#include "lib/vm.h"
#include "lib/vm_dev.h"
#include "lib/driver/vm_kmod.h"

#include <sys/wait.h>

#define LOG		"/tmp/ported.etl"
#define OUTPUT		"/tmp/ported.out"
#define MANIFESTS	"'-m:%1$s/../selftests/ported/courier.man' " \
			"'-m:%1$s/../selftests/kmod/etw_ported/parceldrv.man'"

static char out[65536];

/* Run a command of a shell, in which %1$s is vm_build(); its exit status, and text in out */
static int run(const char *format)
{
	char command[2048];
	int n, status, fd;

	n = snprintf(command, sizeof(command), format, vm_build());
	snprintf(command + n, sizeof(command) - n, " >%s 2>&1", OUTPUT);
	status = system(command);
	fd = open(OUTPUT, O_RDONLY | O_CLOEXEC);
	n = read(fd, out, sizeof(out) - 1);
	out[n > 0 ? n : 0] = 0;
	close(fd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Is that what it printed? */
static bool printed(const char *text)
{
	bool same = strstr(out, text);

	if (!same)
		fprintf(stderr, "# \"%s\" is not in \"%s\"\n", text, out);
	return same;
}

FIXTURE(ported) {
	int fd;
};

FIXTURE_SETUP(ported)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_rmmod_try("etw_ported");
	unlink(LOG);
}

FIXTURE_TEARDOWN(ported)
{
	vm_stop_all(self->fd);
	close(self->fd);
	unlink(LOG);
	unlink(OUTPUT);
}

TEST_F(ported, controller)
{
	EXPECT_EQ(1, run("%1$s/ported/control query"));
	EXPECT_TRUE(printed("ControlTrace failed with 4201: The session was not found.\r\n"));
	ASSERT_EQ(0, run("%1$s/ported/control start " LOG));
	EXPECT_TRUE(printed("Started \"Courier Session\"\n"));
	EXPECT_EQ(1, run("%1$s/ported/control start " LOG));
	EXPECT_TRUE(printed("StartTrace failed with 183: An object of this name exists already."));
	EXPECT_EQ(0, run("%1$s/ported/control QUERY"));
	EXPECT_TRUE(printed("running    Courier Session, 0 lost\n"));
	EXPECT_EQ(0, run("%1$s/ported/control stop"));
	EXPECT_TRUE(printed("stopped    Courier Session, 0 lost\n"));
	EXPECT_EQ(2, run("%1$s/ported/control"));
	EXPECT_TRUE(printed("usage: control start FILE | query | stop\n"));
}

TEST_F(ported, provider_and_consumer)
{
	EXPECT_EQ(0, run("%1$s/ported/provider"));
	EXPECT_TRUE(printed("Events written: no\n"));
	ASSERT_EQ(0, run("%1$s/ported/control start " LOG));
	EXPECT_EQ(0, run("%1$s/ported/provider 'gr\303\274n \360\237\232\232'"));
	EXPECT_TRUE(printed("Events written: yes\n"));
	EXPECT_EQ(0, run("%1$s/ported/control stop"));
	ASSERT_EQ(0, run("%1$s/ported/consumer " MANIFESTS " " LOG));
	EXPECT_TRUE(printed("Contoso-Courier 1, 7 properties\n"
			    "  \"Parcel %1 goes to %2 (%3)\"\n"
			    "  Number = 4711\n"
			    "  Address = 12 Rue du Pont, \342\202\254 4\n"
			    "  Size = Large\n"
			    "  Traits = Fragile|Express\n"
			    "  Image = 0x7ffe1234\n"
			    "  Stops = 3\n"
			    "  Stop[0]\n    Town = K\303\266ln\n    Minutes = 20\n"
			    "  Stop[1]\n    Town = Li\303\250ge\n    Minutes = 95\n"
			    "  Stop[2]\n    Town = \n    Minutes = 0\n"));
	EXPECT_TRUE(printed("Contoso-Courier 2, 9 properties\n"
			    "  Id = {01234567-89ab-cdef-0001-020304050607}\n"
			    "  Hop4 = 192.0.2.17\n"
			    "  Hop6 = 2001:db8::1\n"
			    "  SocketSize = 28\n"
			    "  Socket = [2001:db8::1]:443\n"
			    "  Sender = S-1-5-32-544\n"
			    "  Due = 2024-02-29T12:30:15.2500000Z\n"
			    "  Weight = 2.5\n"
			    "  Note = left at the door\n"));
	EXPECT_TRUE(printed("string: gr\303\274n \360\237\232\232\n"));
	EXPECT_EQ(1, run("%1$s/ported/consumer /tmp/none.etl"));
	EXPECT_TRUE(printed("ERROR: OpenTraceW error 2 for file: /tmp/none.etl\n"));
}

/* Each request of the driver is an event, from its entry to its unload. */
TEST_F(ported, driver)
{
	ASSERT_EQ(0, run("%1$s/ported/control start " LOG));
	ASSERT_EQ(0, vm_insmod("etw_ported"));
	EXPECT_EQ(0, run("%1$s/ported/drvctl"));
	EXPECT_TRUE(printed("7 weighs 70 g, 8 bytes returned\n10 bytes written\n"));
	ASSERT_EQ(0, vm_rmmod("etw_ported"));
	EXPECT_EQ(1, run("%1$s/ported/drvctl"));
	EXPECT_TRUE(printed("CreateFile failed with 2\n"));
	EXPECT_EQ(0, run("%1$s/ported/control stop"));
	ASSERT_EQ(0, run("%1$s/ported/consumer " MANIFESTS " " LOG));
	EXPECT_TRUE(printed("Contoso-ParcelDrv 1, 3 properties\n"
			    "  NameLength = 34\n  Name = \\Device\\ParcelDrv\n"
			    "  Status = "));
	EXPECT_TRUE(printed("Contoso-ParcelDrv 2, 2 properties\n"
			    "  MajorFunction = 0\n  Opens = 1\n"));
	EXPECT_TRUE(printed("Contoso-ParcelDrv 3, 2 properties\n"
			    "  Number = 7\n  Grams = 70\n"));
	EXPECT_TRUE(printed("Contoso-ParcelDrv 4, 1 properties\n"
			    "  Text = gr\303\274\303\237e\n"));
	EXPECT_TRUE(printed("Contoso-ParcelDrv 2, 2 properties\n"
			    "  MajorFunction = 2\n  Opens = 1\n"));
	EXPECT_TRUE(printed("Contoso-ParcelDrv 5, 1 properties\n  Device = 0x"));
}

/* No program can open a device of a driver whose entry may still fail. */
TEST_F(ported, failing_entry)
{
	EXPECT_EQ(-ENOSPC, vm_insmod_with("etw_ported", "fault=1"));
	EXPECT_EQ(1, run("%1$s/ported/drvctl"));
	EXPECT_TRUE(printed("CreateFile failed with 2\n"));
	ASSERT_EQ(0, vm_insmod("etw_ported"));
	EXPECT_EQ(0, run("%1$s/ported/drvctl"));
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
}

TEST_HARNESS_MAIN
