/* SPDX-License-Identifier: MIT */
/*
 * probe_spec.h - the name of a probe, taken apart
 *
 *	kprobe:FUNCTION[+OFFSET|(FIELDS)]	kretprobe:FUNCTION[(FIELDS)]
 *	uprobe:PATH:SYMBOL[+OFFSET|(FIELDS)]	uretprobe:PATH:SYMBOL[(FIELDS)]
 *	usdt:PATH:PROVIDER:NAME
 *
 * FUNCTION, SYMBOL, PROVIDER and NAME may be patterns of the shell; the last ones that are
 * missing are "*".
 */
#ifndef ETW_BRIDGE_PROBE_SPEC_H
#define ETW_BRIDGE_PROBE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_TEXT	512	/* bytes of a message, or of a part of a name */

enum probe_kind { PROBE_KPROBE, PROBE_KRETPROBE, PROBE_UPROBE, PROBE_URETPROBE, PROBE_USDT };

struct probe_spec {
	enum probe_kind kind;
	char path[PROBE_TEXT];		/* as it was given; "" for the kernel's functions */
	char provider[PROBE_TEXT];	/* of usdt */
	char symbol[PROBE_TEXT];	/* the function, or the name of usdt */
	uint64_t offset;		/* from the symbol */
	bool has_fields;		/* it says what to fetch, */
	char fields[PROBE_TEXT];	/* ... as probe_fields() takes it */
};

/* Does the text begin as the name of a probe does? */
bool probe_named(const char *text);
/* Where the name ends in NAME[:LEVEL[:KEYWORDS]] */
const char *probe_name_end(const char *text);
/* false: it is none; why says what is wrong. */
bool probe_spec_parse(const char *text, struct probe_spec *spec, char why[PROBE_TEXT]);
/* The name that these parts have; false: it does not fit. */
bool probe_spec_name(const struct probe_spec *spec, char *name, size_t size);
/* Is one of the parts a pattern? */
bool probe_spec_is_pattern(const struct probe_spec *spec);
/* Is it a function's return? */
bool probe_spec_returns(const struct probe_spec *spec);

#endif /* ETW_BRIDGE_PROBE_SPEC_H */
