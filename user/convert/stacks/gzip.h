/* SPDX-License-Identifier: MIT */
/*
 * gzip.h - compress what a format writes
 */
#ifndef ETW_CONVERT_STACKS_GZIP_H
#define ETW_CONVERT_STACKS_GZIP_H

#include "convert/convert.h"

struct gzip;

struct gzip *gzip_new(void);	/* NULL: no memory */
void gzip_free(struct gzip *gzip);	/* NULL is fine */

/*
 * As convert_flush(): compress the text to c->out and empty it, if it has at least this many bytes.
 * end: it is the last.
 */
int gzip_flush(struct gzip *gzip, struct convert *c, struct etw_text *text, size_t least, bool end);

#endif /* ETW_CONVERT_STACKS_GZIP_H */
