/* SPDX-License-Identifier: MIT */
/*
 * images.h - which file a process could execute at an address, from a trace's own events
 *
 * The events are those of Etw-Image, and the starts of processes in Etw-Process (etw/format.h).
 * They may come in any order and more than once. An answer holds for one time: the latest mapping
 * before it, of the process or of the one that it was forked from, or else one that a rundown
 * found later.
 */
#ifndef ETW_SYMBOLS_IMAGES_H
#define ETW_SYMBOLS_IMAGES_H

#include <stdbool.h>
#include <stdint.h>
#include "core/build_id.h"
#include "etl/event.h"

#define IMAGES_MAX		262144		/* mappings and starts that are kept ... */
#define IMAGES_EACH_MAX		16384		/* ... of one process id ... */
#define IMAGES_FILES_MAX	65536		/* ... and builds of files ... */
#define IMAGES_BYTES		(16u << 20)	/* ... with so many bytes of paths */

/* A build of a file; it stays as long as the images do. */
struct image_file {
	const char *path;		/* as the process saw it; not escaped */
	uint8_t build_id[ETW_BUILD_ID_MAX];
	uint8_t build_id_len;		/* 0: not known */
};

/* A mapping */
struct image {
	const struct image_file *file;
	uint64_t begin, end;
	uint64_t offset;		/* in the file, of begin */
};

struct images;

struct images *images_new(void);	/* NULL: no memory */
void images_free(struct images *images);	/* NULL is fine */

/* Did Etw-Image write it, in the kernel? */
bool images_is(const struct etw_event *event);

/* As images_take(), of an event of this time that is none of the above */
void images_pass(struct images *images, int64_t time);
/* Learn from an event; others than the above are fine. 0 or -ENOMEM */
int images_take(struct images *images, const struct etw_event *event);

/* The one that stays of a file like that; NULL: there is no room for it. */
const struct image_file *images_file(struct images *images, const struct image_file *like);

/* false: it is not known. */
bool images_find(struct images *images, uint32_t pid, int64_t time, uint64_t address,
		 struct image *image);

/*
 * All answers for a process and a time hold from since until before until, as long as the version that
 * is returned does; it is not 0.
 */
uint32_t images_period(const struct images *images, uint32_t pid, int64_t time, int64_t *since,
		       int64_t *until);
uint32_t images_version(const struct images *images);

/* Is any mapping known? */
bool images_any(const struct images *images);
/* How many events said something for which there was no room */
uint64_t images_left_out(const struct images *images);

#endif /* ETW_SYMBOLS_IMAGES_H */
