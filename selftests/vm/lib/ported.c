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
#include <win32/winioctl.h>

#include "kmod/etw_ported/parcelioctl.h"

#define DEVICE		"/dev/PARCELDRV"
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
	int kmsg;
	char log[16384];
};

FIXTURE_SETUP(ported)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_rmmod_try("etw_ported");
	unlink(LOG);
	self->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->kmsg);
	lseek(self->kmsg, 0, SEEK_END);
}

FIXTURE_TEARDOWN(ported)
{
	vm_rmmod_try("etw_ported");
	close(self->kmsg);
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

/* ------------------------------------------------------ requests that the driver holds */

/* The kernel's messages since the test began that contain the text, one in each line */
static const char *logged(FIXTURE_DATA(ported) *self, const char *text)
{
	static char all[262144];
	static size_t end;
	char record[8192], *message, *line, *next;
	size_t len = 0;
	ssize_t n;

	while ((n = read(self->kmsg, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		record[n < 0 ? 0 : n] = 0;
		message = strchr(record, ';');
		if (message && end < sizeof(all) - sizeof(record))
			end += sprintf(all + end, "%.*s\n", (int)strcspn(message + 1, "\n"),
				       message + 1);
	}
	self->log[0] = 0;
	for (line = all; (next = strchr(line, '\n')); line = next + 1) {
		char *found = strstr(line, text);

		if (found && found < next && len + (next - line) + 2 < sizeof(self->log))
			len += sprintf(self->log + len, "%.*s\n", (int)(next - line), line);
	}
	return self->log;
}

/* A process that is drvctl with that request */
static pid_t start(const char *request, const char *number)
{
	char path[600];
	pid_t child = fork();

	if (child)
		return child;
	snprintf(path, sizeof(path), "%s/ported/drvctl", vm_build());
	execl(path, "drvctl", request, number, NULL);
	_exit(127);
}

static bool holds(int count)
{
	char text[32];

	snprintf(text, sizeof(text), "held: %d\n", count);
	return !run("%1$s/ported/drvctl held") && strstr(out, text);
}

/* The status of a process that ends by itself or was killed; -1: it does not end */
static int end_of(pid_t child)
{
	int status;

	return vm_until(waitpid(child, &status, WNOHANG) == child) ? status : -1;
}

/* Send a request with a number: a negative errno or status, or the number that it returns */
static int control(int fd, uint32_t code, uint32_t number)
{
	struct etw_device_control request = {
		.input = VM_PTR(&number), .output = VM_PTR(&number), .code = code,
		.input_size = sizeof(number), .output_size = sizeof(number),
	};

	if (ioctl(fd, ETW_DEVICE_CONTROL, &request))
		return -errno;
	return request.status ? request.status : (int)number;
}

/* A killed program leaves its request, and the module stays until the driver completes it. */
TEST_F(ported, killed_program)
{
	pid_t child;

	ASSERT_EQ(0, vm_insmod("etw_ported"));
	child = start("hold", "0");
	ASSERT_TRUE(vm_until(*logged(self, "file 1:")));
	ASSERT_TRUE(vm_until(holds(1)));
	kill(child, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(child));
	EXPECT_TRUE(holds(1));
	EXPECT_STREQ("parceldrv: file 1: create\nparceldrv: file 1: cleanup\n",
		     logged(self, "file 1:"));
	EXPECT_EQ(-EAGAIN, vm_rmmod_try("etw_ported"));
	EXPECT_EQ(0, run("%1$s/ported/drvctl release"));
	EXPECT_TRUE(printed("release: 1\n"));
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
	EXPECT_STREQ("parceldrv: file 1: create\nparceldrv: file 1: cleanup\n"
		     "parceldrv: file 1: released\nparceldrv: file 1: close\n",
		     logged(self, "file 1:"));
}

/* A request that is held and completed returns its data; one with a cancel routine ends. */
TEST_F(ported, held_requests)
{
	pid_t first, second;

	ASSERT_EQ(0, vm_insmod("etw_ported"));
	first = start("hold", "0");
	ASSERT_TRUE(vm_until(holds(1)));
	second = start("hold", "1");
	ASSERT_TRUE(vm_until(holds(2)));
	kill(second, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(second));
	EXPECT_TRUE(holds(1));
	EXPECT_NE(NULL, strstr(logged(self, ": cancelled"), "parceldrv: file "));
	EXPECT_EQ(0, run("%1$s/ported/drvctl release"));
	EXPECT_TRUE(printed("release: 1\n"));
	EXPECT_EQ(0, end_of(first));
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
}

/* A program that is killed while it opens: the driver completes that, and the file is closed. */
TEST_F(ported, killed_open)
{
	pid_t child, opener;
	int fd;

	ASSERT_EQ(0, vm_insmod("etw_ported"));
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	child = start("hold", "2");
	ASSERT_TRUE(vm_until(control(fd, IOCTL_PARCEL_HELD, 0) == 1));
	opener = start("held", "0");
	ASSERT_TRUE(vm_until(control(fd, IOCTL_PARCEL_HELD, 0) == 2));
	kill(opener, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(opener));
	EXPECT_STREQ("parceldrv: file 3: create\n", logged(self, "file 3:"));
	EXPECT_EQ(2, control(fd, IOCTL_PARCEL_RELEASE, 0));
	EXPECT_EQ(0, end_of(child));
	close(fd);
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
	EXPECT_STREQ("parceldrv: file 3: create\nparceldrv: file 3: released\n"
		     "parceldrv: file 3: cleanup\nparceldrv: file 3: close\n",
		     logged(self, "file 3:"));
}

/* Programs are killed while the driver completes their requests: nothing stays, nothing breaks. */
TEST_F(ported, kill_races_completion)
{
	pid_t child, releaser;
	int fd, i;

	ASSERT_EQ(0, vm_insmod("etw_ported"));
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	releaser = fork();
	if (!releaser)
		for (;;)
			control(fd, IOCTL_PARCEL_RELEASE, 0);
	for (i = 0; i < 1000; i++) {
		child = fork();
		if (!child) {
			int own = open(DEVICE, O_RDWR | O_CLOEXEC);

			for (;;)
				control(own, IOCTL_PARCEL_HOLD, i % 2 ? PARCEL_HOLD_CANCEL : 0);
		}
		usleep(rand() % 1000);
		kill(child, SIGKILL);
		ASSERT_EQ(SIGKILL, end_of(child));
	}
	kill(releaser, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(releaser));
	control(fd, IOCTL_PARCEL_RELEASE, 0);
	EXPECT_EQ(0, control(fd, IOCTL_PARCEL_HELD, 0));
	close(fd);
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
}

/* ---------------------------------------------------------------------- devices */

static int locker(int fd, uint32_t step)
{
	int ret = control(fd, IOCTL_PARCEL_LOCKER, step);

	return ret == (int)step ? 0 : ret;
}

static int open_locker(void)
{
	int fd = open("/dev/PARCELLOCKER", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* A device can be opened when it is initialized, an exclusive one once, a deleted one never. */
TEST_F(ported, device_comes_and_goes)
{
	int fd, i, first;

	ASSERT_EQ(0, vm_insmod("etw_ported"));
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ((int)0xC0000035, locker(fd, PARCEL_LOCKER_TAKEN));
	EXPECT_EQ((int)0xC0000035, locker(fd, PARCEL_LOCKER_SAME));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ENOENT, open_locker());
		ASSERT_EQ(0, locker(fd, PARCEL_LOCKER_CREATE));
		EXPECT_EQ((int)0xC0000035, locker(fd, PARCEL_LOCKER_CREATE));
		EXPECT_EQ(0, access("/sys/class/etw_etw_ported/PARCELLOCKER", F_OK));
		EXPECT_EQ(-ENOENT, open_locker());
		ASSERT_EQ(0, locker(fd, PARCEL_LOCKER_READY));
		first = open_locker();
		EXPECT_LE(0, first);
		EXPECT_EQ(-EACCES, open_locker());
		ASSERT_EQ(0, locker(fd, PARCEL_LOCKER_DELETE));
		EXPECT_EQ(-ENOENT, open_locker());
		EXPECT_EQ(0, control(first, IOCTL_PARCEL_HELD, 1));
		close(first);
	}
	close(fd);
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
}

/* Opens race with deletions. */
TEST_F(ported, open_races_delete)
{
	int fd, i, own;
	pid_t child;

	ASSERT_EQ(0, vm_insmod("etw_ported"));
	fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	child = fork();
	while (!child) {
		own = open_locker();
		if (own >= 0 && control(own, IOCTL_PARCEL_HELD, 1))
			_exit(1);
		close(own);
	}
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, locker(fd, PARCEL_LOCKER_CREATE));
		ASSERT_EQ(0, locker(fd, PARCEL_LOCKER_READY));
		usleep(rand() % 500);
		ASSERT_EQ(0, locker(fd, PARCEL_LOCKER_DELETE));
	}
	kill(child, SIGKILL);
	EXPECT_EQ(SIGKILL, end_of(child));
	close(fd);
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
}

/* ------------------------------------------------------------- what is not devices */

/* /dev/kmsg has bytes outside of ASCII as \xNN. */
static const char *const messages[] = {
	"P1 wide gr\\xc3\\xbc\\xc3\\x9f|narrow|(null)|wide|      wide|wide  |",
	"P2 a|b|c|d|e|fg|       i|j       |",
	"P3 -1 -2 4294967293 4 abc 00000DEF 0x10 +7|    8|9    |",
	"P4 -5000000000 123456789abc 18446744073709551615 77 ffffffff -1 1 ff",
	"P5 xyz\\xe2\\x82\\xac|  w|   5|6   |ab|%|-8",
	"P6 (null)|(null)|(null)|(bad)|(null)",
	"P7 1%n%s",
	"P9 \\xf0\\x9f\\x9a\\x9a \\xef\\xbf\\xbd.|",
	"P10 %",
	"P12 0 2",
};

TEST_F(ported, messages)
{
	char euros[4 * 3 * 200];
	const char *text;
	unsigned int i;

	ASSERT_EQ(0, vm_insmod("etw_ported"));
	EXPECT_EQ(0, run("%1$s/ported/drvctl print"));
	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		char line[256];

		snprintf(line, sizeof(line), "%.*s ", (int)strcspn(messages[i], " "), messages[i]);
		text = logged(self, line);
		snprintf(line, sizeof(line), "%s\n", messages[i]);
		EXPECT_STREQ(line, text);
	}
	/* 511 bytes at most, and no half character */
	EXPECT_EQ(512, strlen(logged(self, "P8 ")));
	strcpy(euros, "P11 x");
	for (i = 0; i < (511 - 5) / 3; i++)
		strcat(euros, "\\xe2\\x82\\xac");
	strcat(euros, "\n");
	EXPECT_STREQ(euros, logged(self, "P11 "));
	/* A hash of the address */
	EXPECT_EQ(strlen("P13 ") + 16 + 1, strlen(logged(self, "P13 ")));
	EXPECT_EQ(NULL, strstr(self->log, "P13 ffff"));
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
}

TEST_F(ported, lists_and_interlocked)
{
	ASSERT_EQ(0, vm_insmod("etw_ported"));
	EXPECT_EQ(0, run("%1$s/ported/drvctl lists"));
	EXPECT_TRUE(printed("lists: 0\n"));
	EXPECT_STREQ("", logged(self, "parceldrv: line"));
	EXPECT_EQ(0, vm_rmmod("etw_ported"));
}

TEST_HARNESS_MAIN
