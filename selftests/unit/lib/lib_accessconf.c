/* SPDX-License-Identifier: MIT */
/* lib_accessconf - access lists as text: accepted and refused files, and error positions */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "lib/access/conf.h"

#define GUID "01234567-89ab-cdef-0123-456789abcdef"

static struct etw_access_conf conf;
static struct etw_access_error error;

static int parse(const char *text)
{
	etw_access_conf_free(&conf);
	return etw_access_parse(text, strlen(text), NULL, &conf, &error);
}

static unsigned int skips, skip_line, skip_column;

static void skipped(const struct etw_access_error *why)
{
	skips++;
	skip_line = why->line;
	skip_column = why->column;
}

static int load(const char *text)
{
	etw_access_conf_free(&conf);
	skips = 0;
	return etw_access_parse(text, strlen(text), skipped, &conf, &error);
}

static bool entry_is(unsigned int list, unsigned int n, uint8_t type, uint8_t who, uint32_t id,
		     uint32_t rights)
{
	const struct etw_access_entry *e = &conf.lists[list].entries[n];

	return list < conf.count && n < conf.lists[list].count && e->type == type &&
	       e->who == who && !e->reserved && e->id == id && e->rights == rights;
}

static void test_good(void)
{
	is(parse(""), 0, "nothing");
	is(conf.count, 0, "no list");
	is(parse("\n  \t\n# only\n   # comments"), 0, "blanks and comments");
	is(conf.count, 0, "no list");
	is(parse("list default\n"), 0, "an empty list");
	ok(conf.count == 1 && !conf.lists[0].count, "is one");
	is(parse("list {" GUID "}#\n\tallow everyone all#\n\tdeny user:0 query\n"
		 "  deny group:4294967294 control,control-file  # c\n"
		 "allow cap:perfmon enable,log,consume\nallow cap:sys_admin register,join\n"
		 "deny cap:0 0x1fff\nlist default\nallow user:root 0x2"), 0, "two lists");
	ok(conf.count == 2 && conf.lists[0].count == 6 && conf.lists[1].count == 1, "of 6 and 1");
	ok(conf.lists[0].guid.data1 == 0x01234567 && conf.lists[1].guid.data1 == 0x0811c1af,
	   "of these GUIDs");
	ok(entry_is(0, 0, ETW_ACCESS_ALLOW, ETW_ACCESS_EVERYONE, 0, 0x1fff) &&
	   entry_is(0, 1, ETW_ACCESS_DENY, ETW_ACCESS_USER, 0, 1) &&
	   entry_is(0, 2, ETW_ACCESS_DENY, ETW_ACCESS_GROUP, 4294967294u, 0x60) &&
	   entry_is(0, 3, ETW_ACCESS_ALLOW, ETW_ACCESS_CAPABILITY, 38, 0x680) &&
	   entry_is(0, 4, ETW_ACCESS_ALLOW, ETW_ACCESS_CAPABILITY, 21, 0x1800) &&
	   entry_is(0, 5, ETW_ACCESS_DENY, ETW_ACCESS_CAPABILITY, 0, 0x1fff) &&
	   entry_is(1, 0, ETW_ACCESS_ALLOW, ETW_ACCESS_USER, 0, 2), "every entry");
}

/* Whoever does not exist is given nothing when a file is loaded; all else is refused. */
static void test_unknown(void)
{
	is(load("list default\nallow user:0 query\nallow group:no-such-group-here all\n"
		"deny everyone log\n"), 0, "an unknown group");
	ok(skips == 1 && skip_line == 3 && skip_column == 7, "is reported");
	ok(!error.line && !error.what[0], "as no error");
	ok(conf.count == 1 && conf.lists[0].count == 2 &&
	   entry_is(0, 0, ETW_ACCESS_ALLOW, ETW_ACCESS_USER, 0, 1) &&
	   entry_is(0, 1, ETW_ACCESS_DENY, ETW_ACCESS_EVERYONE, 0, ETW_RIGHT_LOG_EVENT),
	   "and left out");
	is(load("list default\nallow user:no-such-user-here all"), 0, "an unknown user");
	ok(skips == 1 && conf.count == 1 && !conf.lists[0].count, "leaves an empty list");
	is(load("list default\ndeny user:no-such-user-here all"), -EINVAL, "denied");
	is(load("list default\nallow user:4294967295 all"), -EINVAL, "no number");
	is(load("list default\nallow user: all"), -EINVAL, "no name");
	is(load("list default\nallow users:no-such-user-here all"), -EINVAL, "no word");
	is(load("list default\nallow cap:net all"), -EINVAL, "no capability");
	is(load("list default\nallow user:no-such-user-here none"), -EINVAL, "no right");
	ok(error.line == 2 && error.column == 30, "where it is");
	is(skips, 1, "after the user");
}

static void bad(const char *text, unsigned int line, unsigned int column)
{
	int ret = parse(text);

	ok(ret == -EINVAL && error.line == line && error.column == column && error.what[0],
	   "line %u, column %u: %s", error.line, error.column, error.what);
	if (error.line != line || error.column != column)
		printf("# want line %u, column %u\n", line, column);
}

static void test_bad(void)
{
	char many[20000] = "list default\n";
	unsigned int i;

	bad("lists default", 1, 1);
	bad("\n\n   List default", 3, 4);
	bad("list", 1, 5);
	bad("list default x", 1, 14);
	bad("list 0123", 1, 6);
	bad("list 00000000-0000-0000-0000-000000000000", 1, 6);
	bad("list {" GUID, 1, 6);
	bad("list default\nlist " GUID "\nlist default\n", 3, 6);
	bad("list default\nlist 0811C1AF-7A07-4A06-82ED-869455CDF713\n", 2, 6);
	bad("allow everyone all", 1, 1);
	bad("list default\n\tallow\n", 2, 7);
	bad("list default\n\tallow everyone\n", 2, 16);
	bad("list default\n\tallow everyone all x\n", 2, 21);
	bad("list default\n\tallow everyone query, log\n", 2, 24);
	bad("list default\nallow everybody all", 2, 7);
	bad("list default\nallow user: all", 2, 7);
	bad("list default\nallow user:no-such-user-here all", 2, 7);
	bad("list default\nallow group:no-such-group-here all", 2, 7);
	bad("list default\nallow user:-1 all", 2, 7);
	bad("list default\nallow user:4294967295 all", 2, 7);
	bad("list default\nallow user:00000000001 all", 2, 7);
	bad("list default\nallow users:1 all", 2, 7);
	bad("list default\nallow cap:64 all", 2, 7);
	bad("list default\nallow cap:net all", 2, 7);
	bad("list default\nallow everyone ,", 2, 16);
	bad("list default\nallow everyone query,,log", 2, 16);
	bad("list default\nallow everyone none", 2, 16);
	bad("list default\nallow everyone Query", 2, 16);
	bad("list default\nallow everyone 0x", 2, 16);
	bad("list default\nallow everyone 0x0", 2, 16);
	bad("list default\nallow everyone 0x4000", 2, 16);
	bad("list default\nallow everyone 0x00001", 2, 16);
	bad("list default\r\n", 1, 13);
	bad("list default\nallow every\x01one all", 2, 12);
	for (i = 0; i <= ETW_ACCESS_ENTRIES_MAX; i++)
		strcat(many, "allow everyone all\n");
	bad(many, ETW_ACCESS_ENTRIES_MAX + 2, 1);
	memset(many, 'x', 300);
	strcpy(many + 300, " y");
	bad(many, 1, 1);
	/* A NUL does not end the text. */
	etw_access_conf_free(&conf);
	ok(etw_access_parse("list default\n\0", 14, NULL, &conf, &error) == -EINVAL && error.line == 2 &&
	   error.column == 1, "a NUL");
	etw_access_conf_free(&conf);
	ok(etw_access_parse("list default # a\0b\nlist " GUID "\n", 26 + strlen(GUID), NULL, &conf,
			    &error) == -EINVAL && error.line == 1 && error.column == 17,
	   "also in a comment");
	bad("#\x01", 1, 2);
	bad("list default\nallow everyone all # bell\x07", 2, 26);
	bad("# dos\r\n", 1, 6);
	bad("# del\x7f\n", 1, 6);
	is(parse("#\ttab \xc3\xa9\n"), 0, "tabs and UTF-8 are no control characters");
}

static void test_lists_max(void)
{
	size_t at = 0, size = 64 * (ETW_ACCESS_LISTS_MAX + 1);
	char *text = malloc(size);
	unsigned int i;

	for (i = 1; i <= ETW_ACCESS_LISTS_MAX; i++)
		at += snprintf(text + at, size - at, "list %08x-0000-0000-0000-000000000000\n", i);
	ok(!parse(text) && conf.count == ETW_ACCESS_LISTS_MAX, "1024 lists");
	snprintf(text + at, size - at, "list default\n");
	bad(text, ETW_ACCESS_LISTS_MAX + 1, 1);
	free(text);
}

/* Writing and reading give the same list, for any entries. */
static void test_round(void)
{
	char text[ETW_ACCESS_ENTRY_TEXT + 32], entry[ETW_ACCESS_ENTRY_TEXT];
	struct etw_access_entry e = { 0 };
	unsigned int wrong = 0, i;

	for (i = 1; i <= ETW_RIGHT_VALID; i++) {
		e.type = i & 1;
		e.who = i >> 1 & 3;
		e.id = e.who == ETW_ACCESS_EVERYONE ? 0 : e.who == ETW_ACCESS_CAPABILITY ?
		       i % 41 : 7 * i;
		e.rights = i;
		etw_access_format_entry(&e, entry);
		snprintf(text, sizeof(text), "list default\n%s\n", entry);
		wrong += parse(text) || conf.lists[0].count != 1 ||
			 memcmp(&conf.lists[0].entries[0], &e, sizeof(e));
	}
	is(wrong, 0, "16383 entries, written and read");
	e = (struct etw_access_entry){ .rights = ETW_RIGHT_ALL & ~(0x111e) };
	etw_access_format_entry(&e, entry);
	ok(!strcmp(entry, "allow everyone query,control,control-file,enable,log,consume,register"),
	   "%s", entry);
	e.rights = ETW_RIGHT_ALL | ETW_RIGHT_REGISTER_KERNEL;
	etw_access_format_entry(&e, entry);
	ok(!strcmp(entry, "allow everyone all,register-kernel"), "%s", entry);
}

static void test_edit(void)
{
	static const char text[] = "#a\nlist default\n#b\nallow everyone all\n#c\nlist " GUID "\n#d";
	struct etw_access_list list = { .count = 0 };
	size_t len = 0;
	char *out;

	parse(text);
	list.guid = conf.lists[1].guid;
	out = etw_access_edit(text, strlen(text), &conf, &conf.lists[0].guid, NULL, &len);
	ok(!strcmp(out, "#a\n#c\nlist " GUID "\n#d"), "the first list removed");
	free(out);
	out = etw_access_edit(text, strlen(text), &conf, &list.guid, &list, &len);
	ok(!strcmp(out, "#a\nlist default\n#b\nallow everyone all\n#c\nlist {" GUID "}\n#d"),
	   "the second one replaced");
	free(out);
	list.guid.data1 = 1;
	out = etw_access_edit(text, strlen(text), &conf, &list.guid, NULL, &len);
	ok(!strcmp(out, text), "one that is not there removed");
	free(out);
	out = etw_access_edit(text, strlen(text), &conf, &list.guid, &list, &len);
	ok(!strncmp(out, text, strlen(text)) &&
	   !strcmp(out + strlen(text), "\nlist {00000001-89ab-cdef-0123-456789abcdef}\n"),
	   "a third one after a last line without an end");
	ok(!parse(out) && conf.count == 3, "which can be read");
	is(len, strlen(out), "of the returned length");
	free(out);
}

int main(void)
{
	test_good();
	test_unknown();
	test_bad();
	test_lists_max();
	test_round();
	test_edit();
	etw_access_conf_free(&conf);
	return done_testing();
}
