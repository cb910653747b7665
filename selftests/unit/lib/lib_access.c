/* SPDX-License-Identifier: MIT */
/*
 * lib_access - EventAccessControl, EventAccessQuery, EventAccessRemove
 */
#include "lib_access.h"

#include "lib/access/conf.h"
#include "lib/access/sid.h"

/* B163: SetDACL replaces the list by this entry; AddDACL appends. */
static void test_operations(void)
{
	fresh();
	is(control(&provider, EventSecuritySetDACL, USER(1000), TRACELOG_GUID_ENABLE, TRUE),
	   ERROR_SUCCESS, "SetDACL");
	is(query(&provider), ERROR_SUCCESS, "and look");
	ok(aces() == 1 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(1000), 0x80), "one entry");
	is(control(&provider, EventSecurityAddDACL, EVERYONE, TRACELOG_LOG_EVENT | WMIGUID_QUERY,
		   FALSE), ERROR_SUCCESS, "AddDACL");
	is(query(&provider), ERROR_SUCCESS, "and look");
	ok(aces() == 2 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(1000), 0x80) &&
	   ace_is(1, ACCESS_DENIED_ACE_TYPE, EVERYONE, 0x201), "a second entry after it");
	is(control(&provider, EventSecuritySetDACL, USER(7), TRACELOG_LOG_EVENT, FALSE),
	   ERROR_SUCCESS, "SetDACL again");
	query(&provider);
	ok(aces() == 1 && ace_is(0, ACCESS_DENIED_ACE_TYPE, USER(7), 0x200), "only that is left");
	is(control(&other, EventSecurityAddDACL, USER(7), WMIGUID_QUERY, TRUE), ERROR_SUCCESS,
	   "AddDACL where there is no list");
	query(&other);
	ok(aces() == 3 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, EVERYONE, 0x1a00) &&
	   ace_is(1, ACCESS_ALLOWED_ACE_TYPE, SID_OF(5, 2, 32, 558), 0x1fff) &&
	   ace_is(2, ACCESS_ALLOWED_ACE_TYPE, USER(7), 1), "copies nothing from the default");
	is(control(&other, EventSecuritySetDACL, USER(7), 0x1f0000 | WMIGUID_QUERY, TRUE),
	   ERROR_SUCCESS, "standard rights");
	query(&other);
	ok(ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(7), 1), "are ignored");
}

/* B161: a GUID without a list returns the default list; removing restores that. */
static void test_default(void)
{
	fresh();
	query(&provider);
	ok(aces() == 2 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, EVERYONE, 0x1a00), "built in");
	is(control(&standard, EventSecuritySetDACL, USER(5), 0x1fff, TRUE), ERROR_SUCCESS,
	   "a list for DefaultTraceSecurityGuid");
	query(&provider);
	ok(aces() == 1 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(5), 0x1fff),
	   "applies to all GUIDs");
	control(&provider, EventSecuritySetDACL, USER(6), 1, TRUE);
	query(&provider);
	ok(ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(6), 1), "except GUIDs with their own list");
	is(EventAccessRemove(&provider), ERROR_SUCCESS, "remove that");
	query(&provider);
	ok(ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(5), 0x1fff), "the default's again");
	is(EventAccessRemove(&provider), ERROR_SUCCESS, "removing a list that does not exist");
	is(EventAccessRemove(&standard), ERROR_SUCCESS, "remove the default's");
	query(&provider);
	ok(aces() == 2, "built in again");
}

/* B162: a buffer that is too small is not written, and the required size is returned. */
static void test_size(void)
{
	unsigned char buffer[512];
	ULONG size = 0, need;

	fresh();
	control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE);
	is(EventAccessQuery(&provider, NULL, &size), ERROR_MORE_DATA, "no room at all");
	/* Descriptor, list, entry, two SIDs of Administrators */
	is(size, 20 + 8 + 8 + 16 + 2 * 16, "the size that is needed");
	need = size--;
	memset(buffer, 0xaa, sizeof(buffer));
	is(EventAccessQuery(&provider, buffer, &size), ERROR_MORE_DATA, "one byte too few");
	ok(size == need && buffer[0] == 0xaa && buffer[need - 1] == 0xaa, "nothing written");
	is(EventAccessQuery(&provider, buffer, &size), ERROR_SUCCESS, "as much as needed");
	ok(size == need && buffer[need] == 0xaa, "no more written");
	size = sizeof(buffer);
	is(EventAccessQuery(&provider, buffer, &size), ERROR_SUCCESS, "more than needed");
	is(size, need, "the size used");
	query(&provider);
	ok(sd.head.Revision == 1 && !sd.head.Sbz1 && !sd.head.Sacl &&
	   sd.head.Control == (SE_DACL_PRESENT | SE_SELF_RELATIVE), "a self-relative descriptor");
	ok(((ACL *)(sd.bytes + sd.head.Dacl))->AclSize == 8 + 8 + 16, "size of its list");
	ok(!memcmp(sd.bytes + sd.head.Owner, &SID_OF(5, 2, 32, 544), 16) &&
	   !memcmp(sd.bytes + sd.head.Group, &SID_OF(5, 2, 32, 544), 16), "of Administrators");
	is(EventAccessQuery(NULL, buffer, &size), ERROR_INVALID_PARAMETER, "no GUID");
	is(EventAccessQuery(&provider, buffer, NULL), ERROR_INVALID_PARAMETER, "no size");
	is(EventAccessQuery(&provider, NULL, &size), ERROR_INVALID_PARAMETER, "no buffer");
	fake->error[0x51] = -EPERM;
	is(EventAccessQuery(&provider, buffer, &size), ERROR_ACCESS_DENIED, "no right");
}

static void test_sids(void)
{
	static const struct {
		struct sid sid, back;
		uint32_t who, id;
	} known[] = {
		{ { 1, 1, { 0, 0, 0, 0, 0, 1 }, { 0 } }, { 1, 1, { 0, 0, 0, 0, 0, 1 }, { 0 } },
		  ETW_ACCESS_EVERYONE, 0 },
		{ { 1, 1, { 0, 0, 0, 0, 0, 5 }, { 11 } }, { 1, 1, { 0, 0, 0, 0, 0, 1 }, { 0 } },
		  ETW_ACCESS_EVERYONE, 0 },
		{ { 1, 1, { 0, 0, 0, 0, 0, 5 }, { 18 } }, { 1, 2, { 0, 0, 0, 0, 0, 22 }, { 1, 0 } },
		  ETW_ACCESS_USER, 0 },
		{ { 1, 2, { 0, 0, 0, 0, 0, 22 }, { 1, 1234567 } },
		  { 1, 2, { 0, 0, 0, 0, 0, 22 }, { 1, 1234567 } }, ETW_ACCESS_USER, 1234567 },
		{ { 1, 2, { 0, 0, 0, 0, 0, 22 }, { 2, 100 } },
		  { 1, 2, { 0, 0, 0, 0, 0, 22 }, { 2, 100 } }, ETW_ACCESS_GROUP, 100 },
		{ { 1, 2, { 0, 0, 0, 0, 0, 22 }, { 3, 12 } },
		  { 1, 2, { 0, 0, 0, 0, 0, 22 }, { 3, 12 } }, ETW_ACCESS_CAPABILITY, 12 },
		{ { 1, 2, { 0, 0, 0, 0, 0, 5 }, { 32, 544 } },
		  { 1, 2, { 0, 0, 0, 0, 0, 5 }, { 32, 544 } }, ETW_ACCESS_CAPABILITY, 21 },
		{ { 1, 2, { 0, 0, 0, 0, 0, 5 }, { 32, 558 } },
		  { 1, 2, { 0, 0, 0, 0, 0, 5 }, { 32, 558 } }, ETW_ACCESS_CAPABILITY, 38 },
	};
	unsigned char back[SECURITY_MAX_SID_SIZE];
	struct etw_access_entry e;
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		is(etw_sid_to_entry(&known[i].sid, &e), ERROR_SUCCESS, "a SID");
		ok(e.who == known[i].who && e.id == known[i].id, "means the right one");
		is(etw_sid_of_entry(&e, back), 8 + 4 * known[i].back.count, "and back");
		ok(!memcmp(back, &known[i].back, 8 + 4 * known[i].back.count), "with its bytes");
	}
	is(etw_sid_to_entry(&SID_OF(5, 2, 32, 545), &e), ERROR_NONE_MAPPED, "Users");
	is(etw_sid_to_entry(&SID_OF(5, 1, 19), &e), ERROR_NONE_MAPPED, "LocalService");
	is(etw_sid_to_entry(&SID_OF(5, 3, 32, 544, 0), &e), ERROR_NONE_MAPPED, "one part more");
	is(etw_sid_to_entry(&SID_OF(22, 1, 1), &e), ERROR_NONE_MAPPED, "no uid");
	is(etw_sid_to_entry(&SID_OF(22, 2, 4, 1), &e), ERROR_NONE_MAPPED, "not of Unix");
	is(etw_sid_to_entry(&SID_OF(3, 1, 0), &e), ERROR_NONE_MAPPED, "Creator Owner");
	fresh();
	errno = EDOM;
	/* Whether this machine has the group or not */
	control(&provider, EventSecuritySetDACL, SID_OF(5, 2, 32, 559), 1, TRUE);
	is(errno, EDOM, "looking for the group of Performance Log Users preserves errno");
	is(etw_sid_to_entry(&((struct sid){ 2, 1, { 0, 0, 0, 0, 0, 1 }, { 0 } }), &e),
	   ERROR_INVALID_PARAMETER, "another revision");
	is(etw_sid_to_entry(&((struct sid){ 1, 16, { 0, 0, 0, 0, 0, 1 }, { 0 } }), &e),
	   ERROR_INVALID_PARAMETER, "too many parts");
}

/* Refused calls change nothing. */
static void test_bad(void)
{
	struct sid user = USER(5);
	GUID zero = { 0 };
	char before[256];

	fresh();
	control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE);
	strcpy(before, file_text());
	is(EventAccessControl(NULL, EventSecuritySetDACL, &user, 1, TRUE),
	   ERROR_INVALID_PARAMETER, "no GUID");
	is(EventAccessControl(&provider, EventSecuritySetDACL, NULL, 1, TRUE),
	   ERROR_INVALID_PARAMETER, "no SID");
	is(EventAccessControl(&provider, EventSecurityMax, &user, 1, TRUE),
	   ERROR_INVALID_PARAMETER, "no such operation");
	is(EventAccessControl(&provider, EventSecuritySetSACL, &user, 1, TRUE),
	   ERROR_NOT_SUPPORTED, "SetSACL");
	is(EventAccessControl(&provider, EventSecurityAddSACL, &user, 1, TRUE),
	   ERROR_NOT_SUPPORTED, "AddSACL");
	is(EventAccessControl(&provider, EventSecuritySetDACL, &user, 0, TRUE),
	   ERROR_INVALID_PARAMETER, "no rights");
	is(EventAccessControl(&provider, EventSecuritySetDACL, &user, 0x1f0000, TRUE),
	   ERROR_INVALID_PARAMETER, "standard rights only");
	is(EventAccessControl(&provider, EventSecuritySetDACL, &user, 0x4001, TRUE),
	   ERROR_INVALID_PARAMETER, "unknown rights");
	is(control(&provider, EventSecuritySetDACL, SID_OF(5, 1, 20), 1, TRUE),
	   ERROR_NONE_MAPPED, "NetworkService");
	fake->error[0x51] = -EINVAL;
	is(EventAccessRemove(&zero), ERROR_INVALID_PARAMETER, "zero GUID");
	is(EventAccessRemove(NULL), ERROR_INVALID_PARAMETER, "no GUID");
	fake->error[0x50] = -EPERM;
	is(control(&provider, EventSecurityAddDACL, USER(6), 1, TRUE), ERROR_ACCESS_DENIED,
	   "no right to");
	fake->error[0x50] = -ENOSPC;
	is(control(&provider, EventSecurityAddDACL, USER(6), 1, TRUE), ERROR_NO_SYSTEM_RESOURCES,
	   "too many lists");
	fake->error[0x52] = -EPERM;
	is(EventAccessRemove(&provider), ERROR_ACCESS_DENIED, "no right to remove");
	ok(holds(before), "the file is unchanged");
	query(&provider);
	ok(aces() == 1 && ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(5), 1), "the list as well");
	fake->open_error = -ENOENT;
	is(control(&provider, EventSecuritySetDACL, USER(6), 1, TRUE),
	   ERROR_WMI_SERVER_UNAVAILABLE, "no module");
	is(EventAccessRemove(&provider), ERROR_WMI_SERVER_UNAVAILABLE, "no module to remove");
	is(query(&provider), ERROR_WMI_SERVER_UNAVAILABLE, "no module to ask");
	fake->open_error = 0;
}

static void test_entries_max(void)
{
	unsigned int i;

	fresh();
	control(&provider, EventSecuritySetDACL, USER(0), 1, TRUE);
	for (i = 1; i < ETW_ACCESS_ENTRIES_MAX; i++)
		if (control(&provider, EventSecurityAddDACL, USER(i), 1, TRUE))
			break;
	is(i, ETW_ACCESS_ENTRIES_MAX, "64 entries");
	is(control(&provider, EventSecurityAddDACL, USER(i), 1, TRUE), ERROR_NO_SYSTEM_RESOURCES,
	   "and no more");
	query(&provider);
	is(aces(), ETW_ACCESS_ENTRIES_MAX, "64 there are");
}

static void test_file(void)
{
	fresh();
	control(&provider, EventSecuritySetDACL, USER(5), 0x281, TRUE);
	ok(holds("list " GUID_TEXT "\n\tallow user:5 query,enable,log\n"), "a new file");
	control(&standard, EventSecuritySetDACL, EVERYONE, 0x1fff, FALSE);
	ok(holds("list " GUID_TEXT "\n\tallow user:5 query,enable,log\n"
		 "list default\n\tdeny everyone all\n"), "a second list");
	EventAccessRemove(&provider);
	ok(holds("list default\n\tdeny everyone all\n"), "removed");
	file_put("# mine\nlist " OTHER_TEXT " # keep\n allow user:1 log\n\n# not his\n"
		 "list " GUID_TEXT "\n\n # gone\n allow cap:12 0x2 # too\n # theirs\n");
	is(control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE), ERROR_SUCCESS, "edited");
	ok(holds("# mine\nlist " OTHER_TEXT " # keep\n allow user:1 log\n\n# not his\n"
		 "list " GUID_TEXT "\n\tallow user:5 query\n # theirs\n"), "the rest stays");
	file_put("list default");
	control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE);
	ok(holds("list default\nlist " GUID_TEXT "\n\tallow user:5 query\n"),
	   "after a last line without an end");

	file_put("list default\n\tallow nobody all\n");
	is(control(&provider, EventSecuritySetDACL, USER(9), 1, TRUE), ERROR_FILE_CORRUPT,
	   "a file with an error");
	is(EventAccessRemove(&provider), ERROR_FILE_CORRUPT, "likewise");
	ok(holds("list default\n\tallow nobody all\n"), "is left alone");
	query(&provider);
	ok(ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(5), 1), "and so is the list");
}

static void test_places(void)
{
	char deep[160];

	fresh();
	snprintf(deep, sizeof(deep), "%s/new/access.conf", dir);
	setenv("ETW_ACCESS_CONF", deep, 1);
	is(control(&provider, EventSecuritySetDACL, USER(5), 1, TRUE), ERROR_SUCCESS,
	   "the directory is made");
	ok(!access(deep, R_OK), "and the file in it");
	unlink(deep);
	snprintf(deep, sizeof(deep), "%s/new/.access.conf.new", dir);
	ok(access(deep, F_OK), "nothing else is left");
	snprintf(deep, sizeof(deep), "%s/new/.access.conf.lock", dir);
	unlink(deep);
	snprintf(deep, sizeof(deep), "%s/new", dir);
	rmdir(deep);
	snprintf(deep, sizeof(deep), "%s/not/there/access.conf", dir);
	setenv("ETW_ACCESS_CONF", deep, 1);
	is(control(&provider, EventSecuritySetDACL, USER(6), 1, TRUE), ERROR_BAD_PATHNAME,
	   "but not the folders above it");
	setenv("ETW_ACCESS_CONF", dir, 1);
	is(control(&provider, EventSecuritySetDACL, USER(6), 1, TRUE), ERROR_BAD_PATHNAME,
	   "a directory is no file");
	query(&provider);
	ok(ace_is(0, ACCESS_ALLOWED_ACE_TYPE, USER(5), 1), "the list is unchanged");
	setenv("ETW_ACCESS_CONF", path, 1);
}

/* Several concurrent calls; all entries are there in the end. */
static void *append(void *arg)
{
	control(&provider, EventSecurityAddDACL, USER(100 + (uintptr_t)arg), 1, TRUE);
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[16];
	struct etw_access_error error;
	struct etw_access_conf conf;
	uintptr_t i;

	fresh();
	control(&provider, EventSecuritySetDACL, USER(0), 1, TRUE);
	for (i = 0; i < 16; i++)
		if (pthread_create(&threads[i], NULL, append, (void *)i))
			abort();
	for (i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
	query(&provider);
	is(aces(), 17, "no entry was lost");
	is(etw_access_parse(file_text(), strlen(file_text()), NULL, &conf, &error), 0, "nor in the file");
	ok(conf.count == 1 && conf.lists[0].count == 17, "which has them all");
	etw_access_conf_free(&conf);
}

int main(void)
{
	access_begin();
	test_operations();
	test_default();
	test_size();
	test_sids();
	test_bad();
	test_entries_max();
	test_file();
	test_places();
	test_threads();
	return access_end();
}
