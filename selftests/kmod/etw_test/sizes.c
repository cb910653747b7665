// SPDX-License-Identifier: GPL-2.0-only
/* sizes.c - events of every small size, each of which is a constant to the compiler */
#include <linux/kernel.h>
#include <linux/vmalloc.h>

#include "ops.h"

#define FOR_EACH_SIZE(X)							\
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)	\
	X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)	\
	X(25) X(26) X(27) X(28) X(29) X(30) X(31)

static const u8 tail[ETW_TEST_SIZES_TAIL] = "tail";

#define WRITERS(size)								\
static noinline int known_##size(struct etw_provider *provider,		\
				 const struct etw_event_descriptor *desc,	\
				 const u8 *bytes)				\
{										\
	const struct etw_data_descriptor data[] = {				\
		etw_data(bytes, size), etw_data(tail, sizeof(tail)) };		\
										\
	return etw_write(provider, desc, ARRAY_SIZE(data), data);		\
}										\
										\
static noinline int fixed_##size(struct etw_provider *provider,		\
				 const struct etw_event_descriptor *desc,	\
				 const u8 *bytes)				\
{										\
	return etw_write_fixed(provider, desc, bytes, size);			\
}

FOR_EACH_SIZE(WRITERS)

typedef int writer(struct etw_provider *provider, const struct etw_event_descriptor *desc,
		   const u8 *bytes);

#define KNOWN(size)	known_##size,
#define FIXED(size)	fixed_##size,

static writer *const known[] = { FOR_EACH_SIZE(KNOWN) };
static writer *const fixed[] = { FOR_EACH_SIZE(FIXED) };

/* The bytes are the last ones before memory that cannot be read. */
int etw_test_sizes_op(void *arg)
{
	struct etw_test_sizes *s = arg;
	struct etw_provider *provider = etw_test_provider(s->index);
	u8 *page, *bytes;
	u32 i;

	if (!provider || s->size >= ARRAY_SIZE(known))
		return -EINVAL;
	page = vmalloc(PAGE_SIZE);
	if (!page)
		return -ENOMEM;
	bytes = page + PAGE_SIZE - s->size;
	for (i = 0; i < s->size; i++)
		bytes[i] = etw_test_byte(s->size, i);
	s->result = (s->fixed ? fixed : known)[s->size](provider, &s->desc, bytes);
	vfree(page);
	return 0;
}
