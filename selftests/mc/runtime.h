/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runtime.h - runtime of the generated round-trip programs, see values.c
 *
 * The program declares the expected output (one mc_expect() per decoder step), writes the
 * event through the macro that the message compiler generated, and decodes what the macro
 * wrote.
 */
#ifndef MC_RUNTIME_H
#define MC_RUNTIME_H

#include <evntprov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program's one argument is the manifest. */
int mc_begin(int argc, char **argv);

/* The provider of the events that follow */
void mc_provider(const char *symbol, const GUID *guid, const char *traits);

/* A step: enum etw_field_kind; a VALUE has an in-type and bytes, an ARRAY_BEGIN a count. */
void mc_expect(int kind, const char *name, unsigned int in_type, const void *data,
	       unsigned int size);

/* Called before the provider is enabled, and after */
void mc_disabled(const char *event, int enabled);
void mc_written(const char *event, PCEVENT_DESCRIPTOR want, int enabled, ULONG result);

/* Replaces EventWriteTransfer() */
ULONG mc_capture(REGHANDLE handle, PCEVENT_DESCRIPTOR descriptor, LPCGUID activity,
		 LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data);

/* Prints the number of events. Exit status: 0 if each event was decoded as it was written. */
int mc_end(void);

#ifdef __cplusplus
}
#endif

#endif /* MC_RUNTIME_H */
