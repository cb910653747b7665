// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_list - the output of etw list, for callers with different rights
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_traits.h"

#define GUID_TEXT	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define CLASSIC_TEXT	"7e570002-5e1f-4e57-8001-020304050607"
#define GROUP_TEXT	"7e570046-5e1f-4e57-8001-020304050607"	/* vm_guid(70) */

FIXTURE(cli_list) {
	int fd;
	uint64_t session;
	struct vc_run r;
};

/* A provider that is a member of a group, a classic one, a session with the group. */
FIXTURE_SETUP(cli_list)
{
	struct vm_blob traits = vm_group_traits("Member", vm_guid(70));
	int slot;

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
	self->session = vm_start_named(self->fd, "cli");
	ASSERT_NE(0, self->session);
	slot = vm_register(self->fd, vm_guid(1));
	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_set_slot(self->fd, slot, ETW_SET_TRAITS, traits.bytes, traits.len, 0));
	ASSERT_LE(0, vm_register_flags(self->fd, vm_guid(2), ETW_REGISTER_CLASSIC, 0));
	ASSERT_EQ(0, vm_group_enable(self->fd, self->session, vm_guid(70), 4, 0x30));
}

FIXTURE_TEARDOWN(cli_list)
{
	vm_access_clear(self->fd);
	vm_stop_all(self->fd);
	close(self->fd);
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, NULL)
#define PRINTED(text)	EXPECT_TRUE(vc_printed(&self->r, text))
#define REFUSED(text)	EXPECT_TRUE(vc_refused(&self->r, 1, text))
#define HAS(text)	EXPECT_TRUE(vc_report(&self->r, strstr(self->r.out, text)))
#define LACKS(text)	EXPECT_TRUE(vc_report(&self->r, !strstr(self->r.out, text)))

/* One line for each, under a heading. */
TEST_F(cli_list, tables)
{
	RUN("enable", "cli", CLASSIC_TEXT);
	PRINTED("");
	RUN("list", "providers");
	PRINTED("PROVIDER ");
	HAS("Member ");
	/* It is enabled through its group. */
	HAS(" " GUID_TEXT "           1  cli\n");
	HAS("(no name) ");
	HAS(" " CLASSIC_TEXT "           1  cli\n");
	LACKS("registered");
	RUN("list", "groups");
	PRINTED("GROUP ");
	HAS("\n" GROUP_TEXT "        1  cli\n");
	LACKS("member ");
	RUN("list");
	PRINTED("SESSION ");
	HAS("\nPROVIDER ");
	HAS("\nGROUP ");
}

TEST_F(cli_list, providers_in_detail)
{
	char line[128];

	RUN("enable", "cli", CLASSIC_TEXT, "--level", "error", "--any", "7");
	PRINTED("");
	RUN("enable", "cli", GUID_TEXT, "--pid", "1", "--exe", "init", "--id", "1",
	    "--stack-level", "2", "--data", "1:00");
	PRINTED("");
	RUN("list", "providers", "-v");
	PRINTED("Member  " GUID_TEXT "\n");
	snprintf(line, sizeof(line), "    registered  pid %d (cli_list), in group " GROUP_TEXT
		 ", enabled by cli\n", getpid());
	HAS(line);
	HAS("    enabled     cli: level all, any 0x0, all 0x0, processes by pid, exe, "
	    "callbacks get data, events by event id, stacks by level, with stack\n");
	snprintf(line, sizeof(line), "(no name)  " CLASSIC_TEXT "\n"
		 "    registered  pid %d (cli_list), classic, enabled by cli\n", getpid());
	HAS(line);
	HAS("    enabled     cli: level error, any 0x7, all 0x0\n");
}

TEST_F(cli_list, groups_in_detail)
{
	char line[128];

	RUN("list", "groups", "--verbose");
	PRINTED("group  " GROUP_TEXT "\n");
	snprintf(line, sizeof(line), "    member      " GUID_TEXT
		 "  pid %d (cli_list), enabled by cli\n", getpid());
	HAS(line);
	HAS("    enabled     cli: level info, any 0x30, all 0x0\n");
}

/* It has everything, with -v and without. */
TEST_F(cli_list, json)
{
	RUN("list", "providers", "--json");
	PRINTED("{\"providers\":[{");
	EXPECT_EQ(1, vc_objects(self->r.out));
	HAS("\"comm\":\"cli_list\",\"classic\":true,\"sessions\":[]}");
	HAS("\"comm\":\"cli_list\",\"classic\":false,\"group\":\"" GROUP_TEXT
	    "\",\"sessions\":[\"cli\"]}");
	RUN("list", "-v", "--json");
	PRINTED("{\"sessions\":[{");
	HAS("],\"providers\":[{");
	HAS("],\"groups\":[{\"group\":\"" GROUP_TEXT "\"");
	HAS("],\"enabled_by\":[{\"session\":\"cli\",\"session_id\":");
	EXPECT_EQ(1, vc_objects(self->r.out));
}

/* A caller who may see one provider, but no session or group, gets that provider. */
TEST_F(cli_list, provider_of_a_user)
{
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(1), VM_ALLOW(USER, 65534, ETW_RIGHT_QUERY)));
	self->r.nobody = true;
	RUN("list", "providers", "-v");
	PRINTED("Member  " GUID_TEXT "\n");
	LACKS(CLASSIC_TEXT);
	LACKS("enabled by");
	RUN("list", "providers", "--json");
	PRINTED("{\"providers\":[{\"provider\":\"" GUID_TEXT "\"");
	LACKS(CLASSIC_TEXT);
	RUN("list");
	PRINTED("PROVIDER ");
	LACKS("SESSION ");
	LACKS("GROUP ");
	RUN("list", "sessions");
	REFUSED("cannot list the sessions: not permitted");
	RUN("list", "groups");
	REFUSED("cannot list the groups: not permitted");
}

TEST_F(cli_list, group_of_a_user)
{
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(70), VM_ALLOW(USER, 65534, ETW_RIGHT_QUERY)));
	self->r.nobody = true;
	RUN("list", "groups");
	/* Only the members that the caller may query. */
	PRINTED("\n" GROUP_TEXT "        0  -\n");
	RUN("list", "groups", "-v");
	PRINTED("group  " GROUP_TEXT "\n");
	LACKS("enabled");
	RUN("list", "providers");
	REFUSED("cannot list the providers: not permitted");
}

TEST_HARNESS_MAIN
