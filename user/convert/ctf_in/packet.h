/* SPDX-License-Identifier: MIT */
/*
 * packet.h - one event after the other out of the packets of a CTF stream
 *
 * Fields become those of TraceLogging: metadata that travel in the event, and the
 * payload.  A structure is one, an array or a sequence an array, bytes in hexadecimal
 * binary, characters a string; an enumeration is its number and, as NAME_label, its
 * label; a variant is what it holds.  Arrays of what has variants in it become a field
 * for each element, NAME_0 and so on.
 */
#ifndef ETW_CONVERT_CTFREAD_H
#define ETW_CONVERT_CTFREAD_H

#include "metadata.h"
#include "base/text.h"

#define CR_DEPTH	64		/* of structures and arrays while reading */
#define CR_WORK		(1u << 20)	/* fields of an event, see cr_spend() */
#define CR_TEXT		40		/* of texts that are kept, NUL included */

/* An integer that was read, for references and for what is asked of it */
struct cr_value {
	const char *name;	/* as in the metadata */
	uint32_t frame;
	uint64_t value;
	const struct cm_type *type;
};

/* A structure that was read */
struct cr_frame {
	const char *name;
	uint32_t parent;	/* its own number: none */
};

/* TraceLogging's two halves */
struct cr_half {
	struct etw_text meta, payload;
	uint32_t fields;
};

struct cr {
	const struct cm_meta *meta;
	const uint8_t *data;		/* the packet */
	uint64_t end, at;		/* bits */
	uint64_t now;			/* of the stream's clock */
	const struct cm_clock *clock;	/* of the last time stamp; NULL: there was none */

	struct cr_value *values;
	struct cr_frame *frames;
	size_t value_count, value_room, frame_count, frame_room;
	uint32_t root[CM_SCOPES];	/* frame of each scope, plus 1; 0: not there */
	enum cm_scope scope;		/* that is being read */
	uint32_t work;
	unsigned int depth;

	uint64_t role[CM_ROLES];	/* of the header or context read last */
	uint32_t has_role;		/* bits */

	struct cr_half context, fields;
	struct cr_half *half;		/* that is added to, or NULL */
	unsigned int mute;		/* metadata are there already */
	char provider[128];		/* of our own traces: label and texts of the context */
	char activity[CR_TEXT], related[CR_TEXT];
	const char *problem;		/* a constant */
};

/* Read a scope; type may be NULL.  0; -EBADMSG: problem; -ENOMEM. */
int cr_scope(struct cr *r, enum cm_scope scope, const struct cm_type *type);
/* Forget what scopes from this one on had. */
void cr_forget(struct cr *r, enum cm_scope scope);
/* The value of an integer of a scope's top level by its name without "_"; false: none. */
bool cr_value(const struct cr *r, enum cm_scope scope, const char *name, uint64_t *value);
void cr_free(struct cr *r);

/* ------------------------------------------------- between the files that read */

int cr_fail(struct cr *r, const char *problem);
/* Of what may be done for an event; a field is 1.  -EBADMSG: it is too much. */
int cr_spend(struct cr *r, uint32_t work);
/* An integer of up to 64 bits behind its alignment. */
int cr_bits(struct cr *r, const struct cm_type *type, uint64_t *value);
int cr_align(struct cr *r, uint32_t align);
int cr_keep(struct cr *r, const char *name, uint32_t frame, uint64_t value,
	    const struct cm_type *type);
/* What a path leads to, from a frame outwards; NULL: there is nothing, or the work too much. */
const struct cr_value *cr_find(struct cr *r, const struct cm_path *path, uint32_t frame);
/* A field and all that is in it; shown: its name in the event */
int cr_field(struct cr *r, const struct cm_type *type, const struct cm_member *member,
	     const char *shown, uint32_t frame);
int cr_members(struct cr *r, const struct cm_type *type, uint32_t frame);
uint32_t cr_frame(struct cr *r, const char *name, uint32_t parent);
const char *cr_label(const struct cm_type *type, uint64_t value);

/* Metadata of a field without its value: for elements.  -EBADMSG: it takes one. */
int cr_describe(struct cr *r, const struct cm_type *type, const char *name, bool array,
		unsigned int depth);
bool cr_is_binary(const struct cm_type *type);
bool cr_is_text(const struct cm_type *type);
bool cr_is_bool(const struct cm_type *type);
int cr_put_number(struct cr *r, const struct cm_type *type, uint64_t value);
int cr_put_sized(struct cr *r, const void *data, size_t size);

#endif /* ETW_CONVERT_CTFREAD_H */
