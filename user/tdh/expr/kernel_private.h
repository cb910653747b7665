/* SPDX-License-Identifier: MIT */
/*
 * kernel_private.h - the inside of the compiler for the kernel
 *
 * For each event the compiler builds a tree of the tests that remain after folding
 * what is known (kernel_filter.c, kernel_test.c, kernel_names.c), and turns that into the groups of
 * predicates that a payload program consists of (kernel_groups.c).
 */
#ifndef ETW_TDH_EXPR_KERNEL_PRIVATE_H
#define ETW_TDH_EXPR_KERNEL_PRIVATE_H

#include "kernel_filter.h"
#include "private.h"
#include "base/bytes.h"
#include "tdh/decode/decoder.h"
#include "tdh/model/payload_layout.h"

#define ETW_KERNEL_LEAVES_MAX	64	/* predicates of one event; a bit each */
#define ETW_KERNEL_NODES_MAX	4096
#define ETW_KERNEL_IDS		65536u

/* Nodes that every tree has at these indexes */
enum {
	ETW_KERNEL_ERROR = -1,	/* instead of a node: the error is set */
	ETW_KERNEL_FALSE,
	ETW_KERNEL_TRUE,
	ETW_KERNEL_UNKNOWN,	/* depends on what nobody describes */
	ETW_KERNEL_FIRST_NODE,
};

struct etw_kernel_node {
	int kind;		/* ETW_EXPR_TEST: left is the predicate; _AND, _OR */
	int left, right;
};

struct etw_kernel_leaf {
	uint16_t op;		/* ETW_PAYLOAD_ */
	int field;		/* index in the layout */
	const char *value;	/* number, or a constant's text */
	char number[48];
	size_t source, column;	/* for messages */
};

struct etw_kernel_compiler {
	const struct etw_kernel_source *sources;
	size_t source_count;
	const struct etw_kernel_schema *schema;
	struct etw_kernel_filter *filter;
	struct etw_kernel_error *error;
	struct etw_decoder *decoder;

	size_t source;		/* the expression at hand */
	bool pass[ETW_KERNEL_IDS];	/* may an event of this id pass? */
	bool border[ETW_KERNEL_IDS + 1];	/* is its outcome another than that of id - 1? */

	/* The event at hand: a descriptor without payload, and its description */
	EVENT_RECORD record;
	const struct etw_decoded *decoded;
	const struct etw_mf_event *event;	/* NULL: nobody describes it */
	const struct etw_value_names *names;	/* of its values, or NULL */
	const struct etw_mf_provider *provider;	/* that describes it, or the first, or NULL */
	bool has_descriptor;			/* a manifest gave the whole descriptor */
	struct etw_payload_layout layout;
	struct etw_kernel_node nodes[ETW_KERNEL_NODES_MAX];
	int node_count;
	struct etw_kernel_leaf leaves[ETW_KERNEL_LEAVES_MAX];
	int leaf_count;

	/* Groups of predicates of all events so far */
	struct etw_bytes groups, all;		/* of void *, and of BOOLEAN for each */
};

/* kernel_node.c: set the error, with printf()'s format; column 0: none.  Returns ERROR. */
int etw_kernel_fail(struct etw_kernel_compiler *c, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "the kernel cannot test ...: why".  Returns ERROR. */
int etw_kernel_refuse(struct etw_kernel_compiler *c, const struct etw_expr_test *test,
		      const char *why);
/* A new node */
int etw_kernel_node(struct etw_kernel_compiler *c, int kind, int left, int right);
/* Logic that folds constants; ERROR comes through. kind: ETW_EXPR_AND or _OR */
int etw_kernel_join(struct etw_kernel_compiler *c, int kind, int left, int right);
int etw_kernel_not(struct etw_kernel_compiler *c, int node);

/* kernel_test.c: the node of a test of a field, for the event at hand */
int etw_kernel_field_test(struct etw_kernel_compiler *c, struct etw_expr_test *test);

/* A field that is compared as a number */
struct etw_kernel_number {
	const struct etw_mf_field *field;
	struct etw_field_map map;	/* names of its values; map NULL: none */
	enum etw_value_kind kind;
	unsigned int size;		/* bytes */
};

struct etw_kernel_values {
	uint64_t list[ETW_KERNEL_LEAVES_MAX];	/* as the decoder reads them */
	unsigned int count;
};

/*
 * kernel_names.c: all numbers that "etw dump" shows as this constant of the expression at hand;
 * there may be none that the field can have.  false: the error is set.
 */
bool etw_kernel_named(struct etw_kernel_compiler *c, const struct etw_kernel_number *number,
		      uint32_t constant, struct etw_kernel_values *values);

/* kernel_groups.c: add the groups of the event at hand; false: the error is set. */
bool etw_kernel_add_groups(struct etw_kernel_compiler *c, int root);
/* ... of one that never passes */
bool etw_kernel_add_never(struct etw_kernel_compiler *c);
/* All groups become filter->program. */
bool etw_kernel_finish(struct etw_kernel_compiler *c);

#endif /* ETW_TDH_EXPR_KERNEL_PRIVATE_H */
