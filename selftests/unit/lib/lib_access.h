/* SPDX-License-Identifier: MIT */
/* lib_access.h - shared by the tests of EventAccessControl() */
#ifndef ETW_UNIT_LIB_ACCESS_H
#define ETW_UNIT_LIB_ACCESS_H

#include "lib_fake.h"
#include "lib/tap.h"

#include <evntcons.h>
#include "lib/access/access.h"

static GUID provider = { 0x11111111, 1, 1, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static GUID other = { 0x22222222, 1, 1, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static GUID standard = { 0x0811c1af, 0x7a07, 0x4a06,
			 { 0x82, 0xed, 0x86, 0x94, 0x55, 0xcd, 0xf7, 0x13 } };
static char dir[64], path[128];

#define GUID_TEXT	"{11111111-0001-0001-0102-030405060708}"
#define OTHER_TEXT	"{22222222-0001-0001-0102-030405060708}"

struct sid {
	BYTE revision, count, authority[6];
	DWORD part[SID_MAX_SUB_AUTHORITIES];
};

#define SID_OF(authority, count, ...) ((struct sid){			\
	1, (count), { 0, 0, 0, 0, 0, (authority) }, { __VA_ARGS__ } })
#define USER(n)		SID_OF(22, 2, 1, (n))
#define EVERYONE	SID_OF(1, 1, 0)

/* ----------------------------------------------------------------- the file */

static const char *file_text(void)
{
	static char text[8192];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? "(no file)" : text;
}

static void file_put(const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

static void fresh(void)
{
	memset(fake->access, 0, sizeof(fake->access));
	unlink(path);
}

static bool holds(const char *text)
{
	bool same = !strcmp(file_text(), text);

	if (!same)
		printf("# the file:\n# %s\n", file_text());
	return same;
}

static ULONG control(const GUID *guid, ULONG operation, struct sid sid, ULONG rights,
		     BOOLEAN allow)
{
	GUID copy = *guid;

	return EventAccessControl(&copy, operation, &sid, rights, allow);
}

/* ------------------------------------------------------------ the descriptor */

static union {
	SECURITY_DESCRIPTOR_RELATIVE head;
	unsigned char bytes[4096];
} sd;

static ULONG query(const GUID *guid)
{
	ULONG size = sizeof(sd);

	memset(&sd, 0xee, sizeof(sd));
	return EventAccessQuery((GUID *)(uintptr_t)guid, &sd, &size);
}

static unsigned int aces(void)
{
	return ((const ACL *)(sd.bytes + sd.head.Dacl))->AceCount;
}

/* Is the ACE of that number this one? */
static bool ace_is(unsigned int n, BYTE type, struct sid sid, ULONG mask)
{
	const unsigned char *at = sd.bytes + sd.head.Dacl + sizeof(ACL);
	const ACCESS_ALLOWED_ACE *ace = (const void *)at;
	USHORT len = 8 + 4 * sid.count;

	while (n--)
		at += ((const ACE_HEADER *)at)->AceSize;
	ace = (const void *)at;
	return ace->Header.AceType == type && !ace->Header.AceFlags &&
	       ace->Header.AceSize == 8 + len && ace->Mask == mask &&
	       !memcmp(&ace->SidStart, &sid, len);
}

static void access_begin(void)
{
	fake_init();
	strcpy(dir, "/tmp/etw-access-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/access.conf", dir);
	setenv("ETW_ACCESS_CONF", path, 1);
}

static int access_end(void)
{
	char lock[160];

	unlink(path);
	snprintf(lock, sizeof(lock), "%s/.access.conf.lock", dir);
	unlink(lock);
	ok(!rmdir(dir), "no files are left");
	return done_testing();
}

#endif /* ETW_UNIT_LIB_ACCESS_H */
