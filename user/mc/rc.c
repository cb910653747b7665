// SPDX-License-Identifier: MIT
/*
 * rc.c - write the resource script, which names the binaries for a resource compiler
 *
 * Source: Microsoft's "LANGUAGE statement", "User-defined resource" and [MS-LCID].
 */
#include <errno.h>
#include <stdio.h>

#include "base/bytes.h"
#include "tdh/model/model.h"
#include "tdh/model/langid.h"

/* Quotes and backslashes in a file name are doubled. */
static void put_name(struct etw_bytes *out, const char *name)
{
	etw_bytes_put8(out, '"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			etw_bytes_put8(out, *name);
		etw_bytes_put8(out, *name);
	}
	etw_bytes_text(out, "\"\n");
}

/*
 * The numbers of cultures that have none: what Windows' functions return for a name without
 * one, then those that it gives to such names while they are in use.  others: how many
 * there were before; 0: there are no more
 */
static uint16_t custom_langid(unsigned int others)
{
	const unsigned int langid = others ? 0x2000 + 0x400 * (others - 1) : 0x1000;

	return langid <= 0x4c00 ? (uint16_t)langid : 0;
}

static int put_culture(const char *culture, const char *file, unsigned int *others,
		       struct etw_bytes *out, struct etw_problems *problems)
{
	uint16_t langid = etw_langid(culture);
	char line[40];

	if (!langid)
		langid = custom_langid((*others)++);
	if (!langid) {
		etw_problem_add(problems, 0, false,
				"culture \"%s\": a script has room for %u cultures that Windows "
				"has no number for", culture, *others - 1);
		return -EINVAL;
	}
	snprintf(line, sizeof(line), "LANGUAGE 0x%x,0x%x\n1 11 ", langid & 0x3ff, langid >> 10);
	etw_bytes_text(out, line);
	put_name(out, file);
	return 0;
}

int etw_rc_write(const struct etw_manifest *manifest, const char *const *message_files,
		 const char *template_file, struct etw_bytes *out, struct etw_problems *problems)
{
	unsigned int others = 0, i;
	size_t begin = out->len;
	int ret = 0;

	for (i = 0; i < manifest->culture_count && !ret; i++) {
		if (message_files[i])
			ret = put_culture(manifest->cultures[i], message_files[i], &others, out,
					  problems);
	}
	etw_bytes_text(out, "1 WEVT_TEMPLATE ");
	put_name(out, template_file);
	ret = ret ? ret : out->error;
	if (ret)
		etw_bytes_cut(out, begin);
	return ret;
}
