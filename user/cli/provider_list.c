/* SPDX-License-Identifier: MIT */
/*
 * provider_list.c - several providers that are given to one command, or told of
 */
#include <stdio.h>
#include "provider.h"
#include "text.h"
#include "base/guid.h"

/* How many operands there are up to the NULL, all of them good as providers. */
unsigned int provider_operands(char **operands, unsigned int max)
{
	unsigned int count = 0;

	for (; operands[count]; count++) {
		if (count == max)
			cli_usage("more than %u providers", max);
		provider_check(operands[count]);
	}
	return count;
}

/* Their GUIDs; false after printing what is wrong. */
bool provider_resolve_all(int fd, char **operands, struct etw_guid *guids)
{
	for (; *operands; operands++, guids++)
		if (!provider_resolve(fd, *operands, guids))
			return false;
	return true;
}

void provider_print_guids(const struct etw_guid *guids, unsigned int count)
{
	char text[GUID_TEXT_SIZE];

	while (count--)
		puts(guid_text(guids++, text));
}

struct json *provider_guids_json(const struct etw_guid *guids, unsigned int count)
{
	struct json *array = json_new_array();
	char text[GUID_TEXT_SIZE];

	while (count--)
		json_append_word(array, guid_text(guids++, text));
	return array;
}
