/* SPDX-License-Identifier: MIT */
/*
 * builtin.h - the events of the sample providers, known without a manifest
 */
#ifndef ETW_CLI_BUILTIN_H
#define ETW_CLI_BUILTIN_H

#include <stdint.h>
#include <etw/abi.h>

enum field_type {
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_I32,
	FIELD_X32,		/* shown in hex */
	FIELD_X64,
	FIELD_GUID,
	FIELD_STRING8,		/* NUL-terminated, UTF-8 expected */
	FIELD_STRING16,		/* NUL-terminated UTF-16 */
};

/* A value that is shown as a word; a NULL word ends the list. */
struct field_word {
	uint32_t value;
	const char *word;
};

/* The fields of an event in payload order, without gaps; NULL ends them. */
struct field {
	const char *name;
	enum field_type type;
	const struct field_word *words;	/* for numbers, or NULL */
};

struct builtin_event {
	uint16_t id;
	uint8_t version;
	const char *name;
	const struct field *fields;
};

struct builtin_provider {
	struct etw_guid guid;
	const char *name;
	const struct builtin_event *events;	/* a NULL name ends them */
};

const struct builtin_provider *builtin_by_guid(const struct etw_guid *guid);
const struct builtin_provider *builtin_by_name(const char *name);
const struct builtin_event *
builtin_event(const struct builtin_provider *provider,
	      const struct etw_event_descriptor *desc);

#endif /* ETW_CLI_BUILTIN_H */
