// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_access - etw access and EventAccessControl(), the file and the kernel
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/command/vm_cli.h"
#include "lib/driver/vm_kmod.h"

#include <evntcons.h>
#include <evntprov.h>
#include <evntrace.h>
#include <sys/stat.h>

#define CONF		"/etc/etw/access.conf"
#define GUID_TEXT	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define IMAGE_GUID_TEXT	"8856b9a4-b242-5735-0cfa-86d7c56d3266"	/* Etw-Image */

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };

FIXTURE(cli) {
	int fd;
	struct vc_run r;
};

FIXTURE_SETUP(cli)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
	unlink(CONF);
}

FIXTURE_TEARDOWN(cli)
{
	unlink(CONF);
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->fd);
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define PRINTED(text)	EXPECT_TRUE(vc_printed(&self->r, text))
#define REFUSED(status, text)	EXPECT_TRUE(vc_refused(&self->r, status, text))

static const char *conf(void)
{
	static char text[4096];
	int fd = open(CONF, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = '\0';
	if (fd >= 0)
		close(fd);
	return fd < 0 ? "(none)" : text;
}

/* The list that the kernel has for vm_guid(1): how many entries, the first one. */
static int kernel_has(int fd, struct etw_access_entry *first, uint32_t *own)
{
	struct etw_guid guid = vm_guid(1);

	return vm_access_query(fd, &guid, 0, first, 1, own);
}

TEST_F(cli, set_add_show_remove)
{
	struct etw_access_entry first;
	uint32_t own;

	RUN("access", "show");
	PRINTED("list default\t# built in\n\tallow everyone log,register,join\n"
		"\tallow cap:perfmon all\n");
	RUN("access", "set", GUID_TEXT, "--allow", "user:1000=enable,query", "--deny",
	    "everyone=all");
	PRINTED("");
	ASSERT_EQ(2, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(1, own);
	EXPECT_EQ(1000, first.id);
	EXPECT_EQ(ETW_RIGHT_QUERY | ETW_RIGHT_GUID_ENABLE, first.rights);
	EXPECT_STREQ("list {" GUID_TEXT "}\n\tallow user:1000 query,enable\n"
		     "\tdeny everyone all\n", conf());
	RUN("access", "add", GUID_TEXT, "--deny", "group:0=0x2");
	PRINTED("");
	EXPECT_EQ(3, kernel_has(self->fd, &first, &own));
	RUN("access", "show", GUID_TEXT);
	PRINTED("list {" GUID_TEXT "}\n\tallow user:1000 query,enable\n\tdeny everyone all\n"
		"\tdeny group:0 0x2\n");
	RUN("access", "show", "--json");
	PRINTED("\"entries\":[{\"type\":\"allow\",\"who\":\"user:1000\",\"rights\":\"query,enable\"}");
	EXPECT_EQ(2, vc_objects(self->r.out));
	RUN("access", "remove", GUID_TEXT);
	PRINTED("");
	EXPECT_EQ(2, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(0, own);
	EXPECT_STREQ("", conf());
}

TEST_F(cli, load)
{
	struct etw_access_entry first;
	uint32_t own;

	mkdir("/etc/etw", 0755);
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(7), VM_ALLOW(EVERYONE, 0, 1)));
	ASSERT_LE(0, open(CONF, O_CREAT | O_WRONLY, 0644));
	ASSERT_EQ(0, vm_write_file(CONF, "# ours\nlist " GUID_TEXT "\n\tallow user:root log\n"));
	RUN("access", "load");
	PRINTED("");
	ASSERT_EQ(1, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(0, first.id);
	EXPECT_EQ(ETW_RIGHT_LOG_EVENT, first.rights);
	/* Lists that are not in the file are removed. */
	RUN("access", "show");
	EXPECT_EQ(NULL, strstr(self->r.out, "7e570007"));
	/* With an error anywhere, no part of the file is loaded. */
	ASSERT_EQ(0, vm_write_file(CONF, "list default\n\tallow everyone all\n  allow x:1 all\n"));
	RUN("access", "load");
	REFUSED(1, "\"/etc/etw/access.conf\":3:9: neither everyone, user:U, group:G nor cap:C");
	EXPECT_EQ(1, kernel_has(self->fd, &first, &own));
	RUN("access", "show");
	PRINTED("list default\t# built in\n");
	RUN("access", "add", GUID_TEXT, "--allow", "everyone=all");
	REFUSED(1, "\"/etc/etw/access.conf\":3:9: ");
	EXPECT_EQ(1, kernel_has(self->fd, &first, &own));
	RUN("access", "load", "/nonexistent");
	REFUSED(1, "\"/nonexistent\": No such file or directory");
	RUN("access", "load", "/x\x1b[31m");
	REFUSED(1, "\"/x\\u001b[31m\": No such file or directory");
	RUN("access", "load", "/tmp");
	REFUSED(1, "\"/tmp\": Is a directory");
	RUN("access", "load", "/dev/null");
	REFUSED(1, "\"/dev/null\": no regular file");
	/* Without the file there are no lists. */
	unlink(CONF);
	RUN("access", "load");
	PRINTED("");
	EXPECT_EQ(2, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(0, own);
}

/* A boot at which loading failed: adding must not write over what the file denies. */
TEST_F(cli, adds_to_what_is_loaded)
{
	static const char theirs[] = "list " GUID_TEXT "\n\tdeny user:1000 all\n";
	struct etw_access_entry first;
	uint32_t own;

	mkdir("/etc/etw", 0755);
	ASSERT_LE(0, open(CONF, O_CREAT | O_WRONLY, 0644));
	ASSERT_EQ(0, vm_write_file(CONF, theirs));
	RUN("access", "add", GUID_TEXT, "--allow", "everyone=log");
	REFUSED(1, "run \"etw access load\"");
	EXPECT_STREQ(theirs, conf());
	EXPECT_EQ(2, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(0, own);
	RUN("access", "load");
	PRINTED("");
	RUN("access", "add", GUID_TEXT, "--allow", "everyone=log");
	PRINTED("");
	EXPECT_EQ(2, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(1, own);
	EXPECT_EQ(ETW_ACCESS_DENY, first.type);
}

TEST_F(cli, refused)
{
	RUN("access", "frob");
	REFUSED(2, "is none of show, set, add, remove, load");
	RUN("access", "set", GUID_TEXT);
	REFUSED(2, "give --allow or --deny");
	RUN("access", "set");
	REFUSED(2, "missing GUID");
	RUN("access", "set", GUID_TEXT, "--allow", "everyone");
	REFUSED(2, "is not WHO=RIGHTS");
	RUN("access", "set", GUID_TEXT, "--allow", "user:no-such-user-here=all");
	REFUSED(2, "no such user");
	RUN("access", "set", GUID_TEXT, "--allow", "everyone=some");
	REFUSED(2, "unknown right");
	RUN("access", "load", "--allow", "everyone=all");
	REFUSED(2, "takes no --allow");
	self->r.nobody = true;
	RUN("access", "show");
	REFUSED(1, "");
	RUN("access", "load");
	REFUSED(1, "");
	RUN("access", "add", GUID_TEXT, "--allow", "everyone=all");
	REFUSED(1, "\"/etc/etw/access.conf\": ");
	EXPECT_NE(NULL, strstr(self->r.err, "; lists are changed with CAP_SYS_ADMIN"));
	self->r.nobody = false;
	EXPECT_STREQ("(none)", conf());
}

/* The message names the missing right, and the object. */
TEST_F(cli, what_it_takes)
{
	char conf[] = "/tmp/etw-XXXXXX", path[64];

	ASSERT_NE(NULL, mkdtemp(conf));
	snprintf(path, sizeof(path), "%s/access.conf", conf);
	ASSERT_LE(0, open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644));
	ASSERT_EQ(0, vm_write_file(path, "list " GUID_TEXT "\n\tallow user:root log\n"));
	ASSERT_EQ(0, chown(conf, 65534, 65534) | chown(path, 65534, 65534));
	self->r.nobody = true;
	RUN("access", "show");
	REFUSED(1, "show: not permitted: it takes the right \"query\" on the GUID");
	RUN("access", "show", GUID_TEXT);
	REFUSED(1, "show: \"" GUID_TEXT "\": not permitted: it takes the right \"query\" on the GUID");
	/* The kernel refuses, not the file. */
	setenv("ETW_ACCESS_CONF", path, 1);
	RUN("access", "load");
	REFUSED(1, "load: not permitted: lists are changed with CAP_SYS_ADMIN");
	RUN("access", "set", GUID_TEXT, "--allow", "everyone=all");
	REFUSED(1, "set: \"" GUID_TEXT "\": not permitted: lists are changed with CAP_SYS_ADMIN");
	unsetenv("ETW_ACCESS_CONF");
	unlink(path);
	rmdir(conf);
}

/* Lists end with the module, and come back from the file. */
TEST_F(cli, survives_the_module)
{
	struct etw_access_entry first;
	uint32_t own;

	RUN("access", "set", GUID_TEXT, "--allow", "user:1000=all");
	PRINTED("");
	close(self->fd);
	ASSERT_EQ(0, vm_rmmod("etw"));
	ASSERT_EQ(0, vm_insmod("etw"));
	ASSERT_TRUE(vm_until((self->fd = vm_open()) >= 0));
	EXPECT_EQ(2, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(0, own);
	RUN("access", "load");
	PRINTED("");
	ASSERT_EQ(1, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(VM_ALICE, first.id);
	EXPECT_EQ(ETW_RIGHT_ALL, first.rights);
}

/* A caller who may see some of the lists gets those, and that is no failure. */
TEST_F(cli, shows_what_one_may_see)
{
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=query");
	PRINTED("");
	self->r.nobody = true;
	RUN("access", "show");
	PRINTED("list {" GUID_TEXT "}\n\tallow user:65534 query\n");
	EXPECT_EQ(NULL, strstr(self->r.out, "default"));
	RUN("access", "show", "default");
	REFUSED(1, "");
}

/* What was allowed above is not denied: the message names the entry that decides. */
TEST_F(cli, denial_without_effect)
{
	RUN("access", "add", GUID_TEXT, "--deny", "user:1000=register,query");
	EXPECT_EQ(0, self->r.status);
	EXPECT_STREQ("etw: \"deny user:1000 query,register\" does not deny register: "
		     "\"allow everyone log,register,join\" above it decides; "
		     "'etw access set' with --deny first does\n", self->r.err);
	RUN("access", "set", GUID_TEXT, "--deny", "user:1000=register,query", "--allow",
	    "everyone=register");
	PRINTED("");
	RUN("access", "add", GUID_TEXT, "--deny", "user:1001=log");
	PRINTED("");
}

/* Several entries are appended together, or none of them. */
TEST_F(cli, adds_all_or_none)
{
	struct etw_access_entry entries[ETW_ACCESS_ENTRIES_MAX - 1], first;
	uint32_t own;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(entries); i++)
		entries[i] = (struct etw_access_entry)VM_ALLOW(USER, i, ETW_RIGHT_QUERY);
	ASSERT_EQ(0, vm_access_set(self->fd, vm_guid(1), entries, ARRAY_SIZE(entries)));
	RUN("access", "add", GUID_TEXT, "--allow", "user:1=log", "--allow", "user:2=log");
	REFUSED(1, "more than 64 entries");
	EXPECT_EQ(ETW_ACCESS_ENTRIES_MAX - 1, kernel_has(self->fd, &first, &own));
	EXPECT_STREQ("(none)", conf());
	RUN("access", "add", GUID_TEXT, "--allow", "user:1=log");
	PRINTED("");
	EXPECT_EQ(ETW_ACCESS_ENTRIES_MAX, kernel_has(self->fd, &first, &own));
}

/* A user who was given the right uses it. */
TEST_F(cli, session_of_a_user)
{
	RUN("start", "theirs", "--guid", GUID_TEXT, "--secure");
	PRINTED("real-time, secure");
	self->r.nobody = true;
	RUN("query", "theirs");
	REFUSED(1, "theirs");
	self->r.nobody = false;
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=query,control");
	PRINTED("");
	self->r.nobody = true;
	RUN("query", "theirs");
	PRINTED("session      theirs\n");
	RUN("list", "sessions");
	PRINTED("theirs");
	RUN("stop", "theirs");
	PRINTED("session \"theirs\" stopped");
}

/* Without the right to query it, a session's earlier file is kept, too. */
TEST_F(cli, flush_without_query)
{
	struct stat old;
	FILE *file;

	RUN("start", "theirs", "--guid", GUID_TEXT, "--buffering");
	RUN("enable", "theirs", "-p", "Etw-Process");
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=control,control-file");
	PRINTED("");
	ASSERT_TRUE(!mkdir("/run/theirs", 0777) && !chmod("/run/theirs", 0777));
	file = fopen("/run/theirs/a.etl", "w");
	ASSERT_TRUE(file && fputs("before", file) >= 0 && !fclose(file) &&
		    !chmod("/run/theirs/a.etl", 0666));
	self->r.nobody = true;
	RUN("query", "theirs");
	REFUSED(1, "\"query\" on the session");
	RUN("flush", "theirs", "--file", "/run/theirs/a.etl");
	EXPECT_EQ(0, self->r.status);
	EXPECT_TRUE(!stat("/run/theirs/a.etl.old", &old) && old.st_size == (off_t)strlen("before"));
	unlink("/run/theirs/a.etl");
	unlink("/run/theirs/a.etl.old");
	EXPECT_EQ(0, rmdir("/run/theirs"));
}

/*
 * Another session's log, which this user may not query, keeps its name: a second flush would delete
 * what the kernel goes on writing to.
 */
TEST_F(cli, flush_to_a_running_log)
{
	struct stat log, now;
	int i;

	ASSERT_TRUE(!mkdir("/run/theirs", 0777) && !chmod("/run/theirs", 0777));
	RUN("start", "ours", "--file", "/run/theirs/a.etl");
	PRINTED("");
	ASSERT_TRUE(!stat("/run/theirs/a.etl", &log) && !chmod("/run/theirs/a.etl", 0666));
	RUN("start", "theirs", "--guid", GUID_TEXT, "--buffering");
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=control,control-file");
	for (i = 0; i < 3; i++) {
		self->r.nobody = false;
		RUN("enable", "theirs", "-p", "Etw-Process", "--capture");
		ASSERT_TRUE(i != 2 || !chmod("/run/theirs/a.etl", 0600));
		self->r.nobody = true;
		RUN("flush", "theirs", "--file", "/run/theirs/a.etl");
		REFUSED(1, "a session that you may not query may be writing to it");
	}
	EXPECT_TRUE(!stat("/run/theirs/a.etl", &now) && now.st_ino == log.st_ino);
	EXPECT_NE(0, access("/run/theirs/a.etl.old", F_OK));
	/* Closed, it is a file like others. */
	self->r.nobody = false;
	ASSERT_EQ(0, chmod("/run/theirs/a.etl", 0666));
	RUN("stop", "ours");
	self->r.nobody = true;
	RUN("flush", "theirs", "--file", "/run/theirs/a.etl");
	EXPECT_TRUE(vc_report(&self->r, !self->r.status));
	EXPECT_TRUE(!stat("/run/theirs/a.etl.old", &now) && now.st_ino == log.st_ino);
	unlink("/run/theirs/a.etl");
	unlink("/run/theirs/a.etl.old");
	EXPECT_EQ(0, rmdir("/run/theirs"));
}

/* The right that is missing is named, not one that they have. */
TEST_F(cli, names_the_right)
{
	RUN("start", "theirs", "--guid", GUID_TEXT);
	PRINTED("real-time");
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=query,consume");
	PRINTED("");
	self->r.nobody = true;
	RUN("stop", "theirs");
	REFUSED(1, "not permitted: it takes the right \"control\" on the session");
	RUN("update", "theirs", "--flush", "2");
	REFUSED(1, "not permitted: it takes the right \"control\" on the session");
	self->r.nobody = false;
	RUN("stop", "theirs");
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=control,enable");
	ASSERT_TRUE(!mkdir("/run/theirs", 0777) && !chmod("/run/theirs", 0777));
	self->r.nobody = true;
	RUN("start", "theirs", "--guid", GUID_TEXT, "--file", "/run/theirs/a.etl");
	REFUSED(1, "not permitted: it takes the right \"control-file\" on the session");
	self->r.nobody = false;
	EXPECT_EQ(0, rmdir("/run/theirs"));	/* no file was left */
	RUN("start", "theirs", "--guid", GUID_TEXT);
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=control,enable");
	PRINTED("");
	self->r.nobody = true;
	RUN("enable", "theirs", GUID_TEXT);
	REFUSED(1, "not permitted: it takes the right \"query\" on the session");
	RUN("stat", "theirs");
	REFUSED(1, "not permitted: it takes the right \"query\" on the session");
	RUN("dump", "theirs");
	REFUSED(1, "not permitted: it takes the right \"consume\" on the session");
	RUN("list", "providers");
	REFUSED(1, "not permitted: it takes the right \"query\" on one of them");
}

/* Names that need no list also work for callers who may list nothing. */
TEST_F(cli, provider_by_its_name)
{
	RUN("start", "theirs", "--guid", GUID_TEXT);
	PRINTED("real-time");
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=consume,control");
	PRINTED("");
	RUN("access", "set", "*MyProvider", "--allow", "user:65534=enable");
	PRINTED("");
	self->r.nobody = true;
	RUN("enable", "theirs", "*myprovider");
	PRINTED("");
	RUN("enable", "theirs", "*Other-Name");
	REFUSED(1, "\"enable\" on the provider");
	RUN("enable", "theirs", "Other-Name");
	REFUSED(1, "cannot list the providers: not permitted: it takes the right \"query\" on it");
}

/* A message distinguishes what no list can grant from what a list could grant. */
TEST_F(cli, stacks_of_a_user)
{
	RUN("start", "theirs", "--guid", GUID_TEXT);
	PRINTED("real-time");
	RUN("access", "set", GUID_TEXT, "--allow", "user:65534=query,control,enable");
	PRINTED("");
	self->r.nobody = true;
	RUN("enable", "theirs", GUID_TEXT, "--level", "3");
	PRINTED("");
	RUN("enable", "theirs", GUID_TEXT, "--stack");
	REFUSED(1, "; stacks take CAP_PERFMON in any case");
	RUN("enable", "theirs", "7e570002-5e1f-4e57-8001-020304050607");
	REFUSED(1, "not permitted: it takes the rights \"control\" on the session and \"enable\" on the provider");
	EXPECT_EQ(NULL, strstr(self->r.err, "stacks"));
	EXPECT_EQ(NULL, strstr(self->r.err, "CAP_PERFMON"));
	self->r.nobody = false;
	RUN("access", "set", IMAGE_GUID_TEXT, "--allow", "user:65534=enable");
	PRINTED("");
	self->r.nobody = true;
	RUN("enable", "theirs", IMAGE_GUID_TEXT);
	REFUSED(1, "; it takes CAP_PERFMON in any case");
}

/*
 * A caller who may start sessions but see none learns that the name is taken, but not by which
 * session.
 */
TEST_F(cli, taken_by_somebody)
{
	RUN("start", "theirs", "--guid", GUID_TEXT);
	PRINTED("real-time");
	RUN("access", "set", "default", "--allow", "user:65534=control");
	PRINTED("");
	self->r.nobody = true;
	RUN("start", "mine", "--guid", GUID_TEXT);
	REFUSED(1, "session \"mine\": another one has this name or GUID " GUID_TEXT " already");
	RUN("start", "theirs");
	REFUSED(1, "session \"theirs\" already exists");
	self->r.nobody = false;
	RUN("access", "set", "default", "--allow", "user:65534=control,query");
	PRINTED("");
	self->r.nobody = true;
	RUN("start", "mine", "--guid", GUID_TEXT);
	REFUSED(1, "session \"mine\": session \"theirs\" has GUID " GUID_TEXT " already");
}

/* ------------------------------------------------------------ the library */

static ULONG control(ULONG operation, ULONG uid, ULONG rights, BOOLEAN allow)
{
	struct etw_guid guid = vm_guid(1);
	struct {
		BYTE revision, count, authority[6];
		DWORD part[2];
	} sid = { SID_REVISION, 2, ETW_UNIX_SID_AUTHORITY, { ETW_UNIX_USER_RID, uid } };

	return EventAccessControl((GUID *)&guid, operation, &sid, rights, allow);
}

static int user_controls(void *arg)
{
	return control(EventSecurityAddDACL, VM_ALICE, WMIGUID_QUERY, TRUE) ==
	       ERROR_ACCESS_DENIED ? 0 : -EPROTO;
}

/* 0 if it may not, -EBUSY if the provider is then enabled. */
static int user_registers(void *arg)
{
	struct etw_guid guid = vm_guid(1);
	REGHANDLE handle = 1;
	ULONG ret = EventRegister((GUID *)&guid, NULL, NULL, &handle);

	if (ret)
		return ret == ERROR_ACCESS_DENIED && !handle ? 0 : -EPROTO;
	return EventProviderEnabled(handle, 0, 0) ? -EBUSY : 0;
}

/* B159, B163: lists changed by the library hold in the kernel, and only root may. */
TEST_F(cli, library)
{
	struct etw_guid guid = vm_guid(1);
	struct etw_access_entry first;
	uint32_t own;
	uint64_t session;

	session = vm_start_named(self->fd, "t-library");
	ASSERT_NE(0, session);
	ASSERT_EQ(0, vm_enable(self->fd, session, vm_guid(1), 0, 0, 0));
	EXPECT_EQ(-EBUSY, vm_as(&alice, user_registers, NULL));
	EXPECT_EQ(ERROR_SUCCESS, control(EventSecuritySetDACL, VM_ALICE,
					 TRACELOG_REGISTER_GUIDS, FALSE));
	ASSERT_EQ(1, kernel_has(self->fd, &first, &own));
	EXPECT_EQ(ETW_ACCESS_DENY, first.type);
	EXPECT_EQ(0, vm_as(&alice, user_registers, NULL));
	EXPECT_EQ(0, vm_as(&alice, user_controls, NULL));
	EXPECT_EQ(1, kernel_has(self->fd, &first, &own));
	EXPECT_STREQ("list {" GUID_TEXT "}\n\tdeny user:1000 register\n", conf());
	EXPECT_EQ(ERROR_SUCCESS, EventAccessRemove((GUID *)&guid));
	EXPECT_EQ(-EBUSY, vm_as(&alice, user_registers, NULL));
	EXPECT_STREQ("", conf());
}

/* What a user may do with the session "theirs", as bits: 1 update, 2 update of
 * nothing to real time, 4 a file's code gets as far as it may, 8 query
 */
static int user_updates(void *arg)
{
	EVENT_TRACE_PROPERTIES props = {
		.Wnode = { .BufferSize = sizeof(props), .Flags = WNODE_FLAG_TRACED_GUID },
		.FlushTimer = 9,
	}, p = props;
	int can;

	can = UpdateTraceA(0, "theirs", &p) ? 0 : 1;
	p = props;
	p.LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
	can |= UpdateTraceA(0, "theirs", &p) ? 0 : 2;
	p = props;
	if (ControlTraceA(0, "theirs", &p, EVENT_TRACE_CONTROL_INCREMENT_FILE) ==
	    ERROR_INVALID_PARAMETER)
		can |= 4;
	p = props;
	can |= QueryTraceA(0, "theirs", &p) ? 0 : 8;
	return -can;	/* as an errno, for vm_as() */
}

/* B160: an update takes the right to control, and not the one to query, too. */
TEST_F(cli, update_without_query)
{
	RUN("start", "theirs", "--guid", GUID_TEXT);
	PRINTED("real-time");
	RUN("access", "set", GUID_TEXT, "--allow", "user:1000=control");
	PRINTED("");
	EXPECT_EQ(-(1 | 2 | 4), vm_as(&alice, user_updates, NULL));
	RUN("access", "set", GUID_TEXT, "--allow", "user:1000=query");
	PRINTED("");
	EXPECT_EQ(-8, vm_as(&alice, user_updates, NULL));
}

TEST_HARNESS_MAIN
