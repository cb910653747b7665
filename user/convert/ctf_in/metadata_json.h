/* SPDX-License-Identifier: MIT */
/*
 * metadata_json.h - between the files that read the metadata of CTF 2
 */
#ifndef ETW_CONVERT_CTFMETA_JSON_H
#define ETW_CONVERT_CTFMETA_JSON_H

#include <json-c/json.h>
#include "metadata.h"

#define CJ_ALIASES	4096
#define CJ_STREAMS	1024
#define CJ_MEMORY_MAX	(64u << 20)	/* bytes of a fragment that is parsed */

struct cj_alias {
	const char *name;
	const struct cm_type *type;
};

struct cj {
	struct cm_meta *meta;
	unsigned int fragment;		/* from 1 */
	unsigned int nest, stream_count;
	const char *bad;		/* key of a number that cannot be, or NULL */
	size_t alias_count;
	struct cj_alias aliases[CJ_ALIASES];
};

/* Returns -EBADMSG. */
int cj_fail(struct cj *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A member of an object, which may be NULL; NULL: there is none of that type. */
struct json_object *cj_get(struct json_object *o, const char *key, enum json_type type);
const char *cj_text(struct json_object *o, const char *key);
/*
 * A number from 0 to most, of either sign; otherwise: if there is none.  One that is no
 * integer or out of range is 0 and lets the fragment fail: see bad.
 */
uint64_t cj_number(struct cj *r, struct json_object *o, const char *key, uint64_t otherwise,
		   uint64_t most);
int64_t cj_signed(struct cj *r, struct json_object *o, const char *key);
/* NULL stays NULL. */
const char *cj_keep(struct cj *r, const char *s);
/* A field class */
int cj_class(struct cj *r, struct json_object *o, const struct cm_type **out);

#endif /* ETW_CONVERT_CTFMETA_JSON_H */
