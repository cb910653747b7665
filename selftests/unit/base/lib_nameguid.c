/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib_nameguid.c - the GUID of a TraceLogging provider's name
 */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "base/guid.h"
#include "base/name_guid.h"

/* Do equal names give this GUID, and other names other GUIDs? */
static void has_guid(const char *name, const char *want)
{
	struct etw_guid guid;
	char got[ETW_GUID_TEXT] = "";

	if (!etw_guid_from_name(name, strlen(name), &guid))
		etw_guid_format(&guid, got);
	ok(!strncmp(got + 1, want, 36), "%s: %s", name, got);
}

static void test_own(void)
{
	struct etw_guid guid;
	char longest[1025];

	has_guid("MyProvider", "b3864c38-4273-58c5-545b-8b3608343471");
	has_guid("MYPROVIDER", "b3864c38-4273-58c5-545b-8b3608343471");
	has_guid("myprovider", "b3864c38-4273-58c5-545b-8b3608343471");
	ok(etw_guid_from_name("", 0, &guid), "no name");
	ok(etw_guid_from_name("\xff", 1, &guid), "no UTF-8");
	memset(longest, 'x', sizeof(longest));
	ok(!etw_guid_from_name(longest, 1024, &guid), "the longest name");
	ok(etw_guid_from_name(longest, 1025, &guid), "one byte more");
}

/* Lengths near SHA-1's block boundaries: the name space takes 16 bytes. */
static void test_blocks(void)
{
	static const struct {
		unsigned int len;
		const char *guid;
	} cases[] = {
		{ 19, "a7021459-762a-5858-d40d-f5fe61f7cf82" },
		{ 20, "4a7e753b-a3a0-5739-762b-690db64a5965" },
		{ 23, "7b9ffcd8-a118-5bd0-c0f0-8f83031ab178" },
		{ 24, "b99c9125-cb3a-5dc1-1d9a-e645ce0d6cf7" },
		{ 25, "00194731-12cb-51aa-18c2-eba4a32326fd" },
		{ 56, "7031e764-307d-58e6-4a05-33f8d52be901" },
	};
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(name, 'A', cases[i].len);
		name[cases[i].len] = '\0';
		has_guid(name, cases[i].guid);
	}
	has_guid("Gr\xc3\xbc\xc3\x9f" "e", "d41cff08-60be-5591-0861-ca4097038edc");
	has_guid("GR\xc3\x9c\xc3\x9f" "E", "d41cff08-60be-5591-0861-ca4097038edc");
}

/* Published names and GUIDs. */
static void test_corpus(void)
{
	const char *corpus = getenv("ETW_CORPUS");
	char path[512], line[512], *guid;
	unsigned int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/vectors/provider_name_to_guid.tsv",
		 corpus ? corpus : "../shared/corpus");
	file = fopen(path, "r");
	if (!file) {
		skip("no %s", path);
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		guid = strchr(line, '\t');
		if (!guid || !count++)
			continue;
		*guid++ = '\0';
		guid[strcspn(guid, "\t\n")] = '\0';
		has_guid(line, guid);
	}
	fclose(file);
	ok(count > 1, "%u of them", count - 1);
}

int main(void)
{
	test_own();
	test_blocks();
	test_corpus();
	return done_testing();
}
