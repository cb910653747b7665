// SPDX-License-Identifier: GPL-2.0-only
/*
 * wevt - WEVT_TEMPLATE and a message table
 *
 *	input := u16 n  n bytes of message table (0: none)  WEVT_TEMPLATE
 *
 * Resources that can be read are written and read again.
 */
#include "event.h"
#include "lib/wevt/read.h"
#include "mc/wevt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void again(const struct etw_manifest *m)
{
	struct etw_bytes wevt = { .len = 0 }, messages = { .len = 0 };
	struct etw_manifest *back = NULL;
	int texts;

	if (etw_wevt_write(m, ETW_WEVT_VERSION_5, &wevt, NULL)) {
		etw_bytes_free(&wevt);
		return;
	}
	texts = etw_msgtable_write(m, 0, &messages, NULL);
	/* Our own output must be readable. */
	if (read_resource(wevt.data, wevt.len, texts ? NULL : messages.data,
			  messages.len, "en-US", "again", &back, NULL) == -22)
		abort();
	etw_manifest_put(back);
	etw_bytes_free(&wevt);
	etw_bytes_free(&messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	size_t table_size, wevt_size;
	void *table = take_block(&in, take16(&in), &table_size);
	void *wevt = take_block(&in, in.left, &wevt_size);
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *m = NULL;

	if (!read_resource(wevt, wevt_size, table_size ? table : NULL, table_size,
			   "en-US", "fuzz", &m, &problems))
		again(m);
	etw_manifest_put(m);
	etw_problems_free(&problems);
	free(table);
	free(wevt);
	return 0;
}
