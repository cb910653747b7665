/* SPDX-License-Identifier: MIT */
/*
 * kernel_filter.h - compile expressions into the filters that the kernel runs
 *
 * The kernel compares ids, a level and keywords, and for single events numbers, texts
 * and GUIDs of their payload.  The compiler evaluates the rest beforehand, once for each
 * event that a manifest or the caller describes: names, ids, "exists" and fields that
 * the event does not have.  It refuses a test that neither way covers.
 *
 * The kernel then passes the same events as etw_expr_match(), except for these:
 * - Events without a description pass unless their id alone makes the expression false;
 *   so do TraceLogging's, whose ids mean nothing.
 * - If a payload ends before a field, every kernel test of that field fails, even one
 *   below a "not" or an "exists".
 * - The kernel compares 8-bit text byte by byte, in whatever code page it is, and
 *   searches ETW_PAYLOAD_SEARCH_MAX bytes of a text; see <etw/abi_filter.h>.
 */
#ifndef ETW_TDH_EXPR_KERNEL_FILTER_H
#define ETW_TDH_EXPR_KERNEL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/abi.h>
#include "expr.h"
#include "tdh/model/model.h"

struct etw_value_names;

/* An expression together with the text that it was parsed from */
struct etw_kernel_source {
	const char *text;
	struct etw_expr *expr;
};

/* The events of a provider */
struct etw_kernel_schema {
	const GUID *guid;
	/* None: no manifest describes the provider. The store has them, too. */
	struct etw_providers providers;
	/* Events that the caller describes; these come before the manifest's. */
	const struct etw_mf_event *events;
	size_t event_count;
	/* Of the values of each of these events, which then have no other names; or NULL */
	const struct etw_value_names *value_names;
	const char *elsewhere;	/* what takes all expressions, for messages; NULL: etw dump --filter */
	bool only_event;	/* of its provider: ids need no filter, and it may lack fields */
};

enum etw_kernel_ids { ETW_KERNEL_ALL_IDS, ETW_KERNEL_ONLY_IDS, ETW_KERNEL_NOT_IDS };

/*
 * level, any, all and keyword0 are input too: what the session asks for already, as in
 * struct etw_enable.
 */
struct etw_kernel_filter {
	uint8_t level;		/* 0: all */
	uint64_t any, all;	/* 0: all */
	bool ignore_keyword0;	/* drop events without a keyword */
	enum etw_kernel_ids ids_are;
	uint16_t ids[ETW_FILTER_EVENT_IDS];
	unsigned int id_count;
	void *program;		/* for ETW_FILTER_PAYLOAD, from malloc(); NULL: none */
	ULONG size;
};

struct etw_kernel_error {
	size_t source;		/* index of the expression */
	size_t column;		/* where in its text, from 1; 0: it is the expression as a whole */
	char text[256];
};

/*
 * Can the kernel run the expressions for these events, one by one, and has at least one of them
 * each field that is tested?  For providers of one event each, which then get filters of their
 * own with only_event.
 */
bool etw_kernel_filter_check(const struct etw_kernel_source *sources, size_t count,
			     const struct etw_kernel_schema *schema, struct etw_kernel_error *error);

/* All expressions must hold.  false: *error says why the kernel cannot run them. */
bool etw_kernel_filter_make(const struct etw_kernel_source *sources, size_t count,
			    const struct etw_kernel_schema *schema,
			    struct etw_kernel_filter *filter, struct etw_kernel_error *error);

#endif /* ETW_TDH_EXPR_KERNEL_FILTER_H */
