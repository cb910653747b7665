/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runtime.h - what generated round-trip programs stand on, see values.c
 *
 * The program tells what is to come out of an event (mc_expect() for each step of the
 * decoder), writes it through the macro that the message compiler made, and has the
 * decoder take apart what the macro wrote.
 */
#ifndef MC_RUNTIME_H
#define MC_RUNTIME_H

#include <evntprov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program's one argument is the manifest. */
int mc_begin(int argc, char **argv);

/* The events that follow are of this provider. */
void mc_provider(const char *symbol, const GUID *guid, const char *traits);

/* A step: enum etw_field_kind; a VALUE has an in-type and bytes, an ARRAY_BEGIN a count. */
void mc_expect(int kind, const char *name, unsigned int in_type, const void *data,
	       unsigned int size);

/* Before the provider is enabled, and after it was. */
void mc_disabled(const char *event, int enabled);
void mc_written(const char *event, PCEVENT_DESCRIPTOR want, int enabled, ULONG result);

/* In place of EventWriteTransfer() */
ULONG mc_capture(REGHANDLE handle, PCEVENT_DESCRIPTOR descriptor, LPCGUID activity,
		 LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data);

/* Exit status: 0 if each event came back as it was written; prints how many there were. */
int mc_end(void);

#ifdef __cplusplus
}
#endif

#endif /* MC_RUNTIME_H */
