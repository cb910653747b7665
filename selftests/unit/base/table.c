// SPDX-License-Identifier: MIT
/* table - hash tables and interned keys */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "lib/tap.h"

#define MANY	10000u

static bool same_string(const void *entry, const void *key)
{
	return !strcmp(entry, key);
}

static unsigned int freed;

static void count_free(void *entry)
{
	free(entry);
	freed++;
}

static void test_table(void)
{
	struct etw_table table = { .count = 0 };
	unsigned int i, found = 0;
	char name[32], *copy;

	ok(!etw_table_find(&table, 1, same_string, "a"), "an empty table has nothing");
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		copy = strdup(name);
		if (!copy || etw_table_add(&table, etw_hash(0, name, strlen(name)), copy))
			abort();
	}
	for (i = 0; i < 2 * MANY; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		copy = etw_table_find(&table, etw_hash(0, name, strlen(name)), same_string, name);
		found += copy && !strcmp(copy, name) && i < MANY;
		found += !copy && i >= MANY;
	}
	is(found, 2 * MANY, "every entry is found, and no other");
	is(table.count, MANY, "counted");
	etw_table_clear(&table, count_free);
	ok(freed == MANY && !table.count && !table.slots, "cleared");
}

/* Entries with the same hash are still distinguished. */
static void test_equal_hashes(void)
{
	static char names[100][8];
	struct etw_table table = { .count = 0 };
	unsigned int i, found = 0;

	for (i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "%u", i);
		if (etw_table_add(&table, 7, names[i]))
			abort();
	}
	for (i = 0; i < 100; i++)
		found += etw_table_find(&table, 7, same_string, names[i]) == names[i];
	is(found, 100, "by their keys");
	ok(!etw_table_find(&table, 7, same_string, "x"), "a key that is not there");
	etw_table_clear(&table, NULL);
}

static void test_hash(void)
{
	const char text[] = "0123456789";

	ok(etw_hash(0, text, 9) == etw_hash(0, "012345678", 9), "equal bytes, equal hash");
	ok(etw_hash(0, text, 9) != etw_hash(0, text, 10), "the length counts");
	ok(etw_hash(0, "\0", 1) != etw_hash(0, "\0\0", 2), "for zeros, too");
	ok(etw_hash(1, text, 9) != etw_hash(0, text, 9), "the earlier bytes count, too");
}

static void test_intern(void)
{
	struct etw_interner names = { .max = 3, .max_bytes = 10 };
	bool is_new;

	is(etw_intern(&names, "a", 1, &is_new), 1, "the first number");
	ok(is_new, "new");
	is(etw_intern(&names, "", 0, &is_new), 2, "an empty key has one");
	is(etw_intern(&names, "a", 1, &is_new), 1, "the same again");
	ok(!is_new, "not new");
	is(etw_intern(&names, "0123456789", 10, &is_new), 0, "too many bytes");
	is(etw_intern(&names, "012345678", 9, &is_new), 3, "just as many as fit");
	is(etw_intern(&names, "b", 1, &is_new), 0, "too many keys");
	is(etw_intern(&names, NULL, 0, &is_new), 2, "known keys keep their numbers");
	etw_interner_clear(&names);
	is(etw_intern(&names, "b", 1, &is_new), 1, "cleared, it begins again");
	etw_interner_clear(&names);
}

int main(void)
{
	test_table();
	test_equal_hashes();
	test_hash();
	test_intern();
	return done_testing();
}
