/* SPDX-License-Identifier: MIT */
/*
 * private.h - private sessions: sessions that live in this process
 *
 * EVENT_TRACE_PRIVATE_LOGGER_MODE. The buffers are memory of the process, and a thread of
 * the library writes them to a log file; neither the module nor the device is needed.
 * Nothing of this exists before the first session: no thread, no buffer, no page.
 *
 * The controller uses the structures of the device's commands, so that the same code serves
 * both kinds of sessions. The provider side lies above this folder: it sets the functions of
 * struct etw_private_host at its first registration.
 *
 * A session belongs to one process. The table of sessions lies in memory that the kernel
 * zeroes in every child, so a child has no session and never touches its parent's files.
 */
#ifndef ETW_LIB_PRIVATE_PRIVATE_H
#define ETW_LIB_PRIVATE_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <etw/abi.h>
#include <etw/abi_filter.h>
#include <etw/filter.h>
#include "core/record.h"

#define ETW_PRIVATE_SESSIONS	8	/* of one process */
#define ETW_PRIVATE_IN_PROC	3	/* of these, with ETW_MODE_PRIVATE_IN_PROC */

/* What a provider can be enabled with */
#define ETW_PRIVATE_PROPERTIES	(ETW_ENABLE_IGNORE_KEYWORD_0 | ETW_ENABLE_EXCLUDE_INPRIVATE)

/* LogFileMode bits that the device does not know; the values are Windows' */
#define ETW_MODE_PRIVATE		0x00000800
#define ETW_MODE_PRIVATE_IN_PROC	0x00020000

/* Handles of private sessions: bit 63, a count, the logger id */
#define ETW_PRIVATE_HANDLE	(1ULL << 63)
#define ETW_PRIVATE_LOGGER	0x8000u
#define ETW_PRIVATE_LOGGER_ID(slot)	(ETW_PRIVATE_LOGGER | ((slot) + 1))

static inline bool etw_private_is_handle(uint64_t handle)
{
	return handle & ETW_PRIVATE_HANDLE;
}

static inline bool etw_private_is_logger(uint32_t logger_id)
{
	return logger_id & ETW_PRIVATE_LOGGER;
}

/* ---------------------------------------------------------------- control */

/*
 * As the commands of the device: 0 or a negative errno. config->file is not used; path is
 * the log file, NULL for a session that only buffers.
 */
struct etw_private_config {
	const char *path;
	uint32_t max_size;	/* MB, or KB by the mode; 0: no limit */
	bool fresh;		/* never replace a file: take another name beside it */
};

/*
 * -ESRCH: session->guid is not registered here, unless it is zero; -ENOSPC: too many, or too much
 * memory; -EDQUOT: the disk is full.
 */
int etw_private_start(struct etw_session *session, const struct etw_private_config *config);
int etw_private_stop(struct etw_session *session);
int etw_private_query(struct etw_session *session);
/* Only flush_ms and, unless path is NULL, the file change. */
int etw_private_update(struct etw_session *session, const struct etw_private_config *config);
/* path: the file for the snapshot of a session that only buffers. */
int etw_private_flush(struct etw_session *session, const char *path);
int etw_private_next_file(struct etw_session *session);
/* Does this process have a session of that name, or that handle if name is NULL? */
bool etw_private_has(uint64_t handle, const char *name, uint32_t len);

int etw_private_enable(const struct etw_enable *enable);

/* Has this process had a session?  Not if only its parent has. */
bool etw_private_here(void);

/* ------------------------------------------------------------ environment */

/*
 * The variable that asks for a session in each program that registers one of its providers;
 * see environment.c. Ignored in set-uid programs.
 */
#define ETW_PRIVATE_ENV			"ETW_PRIVATE_SESSION"
#define ETW_PRIVATE_ENV_SIZE		8192	/* of the value, with its NUL */
#define ETW_PRIVATE_ENV_PROVIDERS	64	/* in it */

/*
 * The provider of this GUID registers, or a child of fork() writes its first event: start the
 * session if the environment asks for it, once in a process. The session is there when this
 * returns, whichever thread has started it.
 */
void etw_private_registering(const struct etw_guid *guid);

/*
 * Is this a child of fork() in which the environment may still start a session? Until then its
 * parent's sessions appear to enable what they do, so that programs write the first event.
 */
bool etw_private_awaited(void);

/*
 * A child writes its first event, starts a session or registers a provider: forget, once, what
 * its parent's sessions enabled, and let the environment start a session for the registrations
 * that there are. Without the host's lock.
 */
void etw_private_inherit(void);

/* ---------------------------------------------------------------- enabled */

struct etw_private_filter;

/* What one session wants of a provider. */
struct etw_private_entry {
	struct etw_enable_entry filter;
	_Atomic(struct etw_private_filter *) events;	/* NULL: level and keyword decide */
};

/* Writers that look at filters or traits: see provider/guard.h. */
struct etw_private_guard {
	_Atomic uint32_t side;			/* index of the count for new ones */
	_Atomic int32_t inside[2];
	_Atomic bool stuck;			/* one did not leave in time */
};

/*
 * A provider that a private session enables. Writers find it through their registration at
 * any time, so it is never freed; there are as many as GUIDs that were enabled.
 */
struct etw_private_provider {
	struct etw_guid guid;
	struct etw_enable_entry composite;	/* of all entries in use */
	_Atomic uint32_t sessions;		/* bit i: entry[i] is in use */
	struct etw_private_entry entry[ETW_PRIVATE_SESSIONS];
	char apart[64];				/* the above is read by all writers */
	struct etw_private_guard guard;

	/* under the host's lock */
	struct etw_private_provider *next;
	struct etw_filter_header *data[ETW_PRIVATE_SESSIONS];	/* for callbacks; or NULL */
	uint32_t owner;				/* classic: session that enabled it last + 1 */
};

/* A request to change one provider of one session. */
struct etw_private_change {
	struct etw_guid guid, source;
	uint64_t session;			/* handle; 0: it has ended */
	uint32_t slot;
	uint32_t control;			/* ETW_CONTROL_* */
	uint32_t timeout_ms;
	bool quiet;				/* run no callbacks */
	uint64_t any;				/* as given, for classic providers ... */
	uint8_t level;
	struct etw_enable_entry filter;
	struct etw_private_filter *events;	/* replaced by the old ones that nobody uses */
	struct etw_filter_header *data;		/* likewise */
};

/*
 * The provider side. All are called without its lock. change() applies a change by
 * etw_private_apply(), runs callbacks, and returns once no writer uses change->events, or
 * with NULL there if a writer stays.
 */
struct etw_private_host {
	int (*change)(struct etw_private_change *change);
	int (*capture)(const struct etw_private_change *change);
	/* etw_private_enabled(), with the lock */
	bool (*enabled)(uint32_t slot, struct etw_guid *guid);
	/* If this process is a child: forget, once, what its parent's sessions enabled. */
	void (*inherit)(void);
};

extern _Atomic(const struct etw_private_host *) etw_private_host;

/* With the host's lock held: */

/* The provider, or NULL: none has been enabled. */
struct etw_private_provider *etw_private_find(const void *guid);
/* Change the provider, which is made if need be. 0, -ENOMEM; -ENOENT: the session has ended. */
int etw_private_apply(struct etw_private_change *change, struct etw_private_provider **out);
/* In a child: no session has anything enabled. */
void etw_private_forget(void);
/* A provider that the session of this slot enables; false: there is none. */
bool etw_private_enabled(uint32_t slot, struct etw_guid *guid);
/* A writer may use the filter for ever: keep it where tools that look for leaks find it. */
void etw_private_filter_keep(struct etw_private_filter *filter);
/* The callbacks' filter data, chained, at most ETW_FILTER_CHAIN_MAX bytes at to. */
uint32_t etw_private_chain(const struct etw_private_provider *p, void *to);

/* ----------------------------------------------------------------- writing */

struct etw_private_event {
	/* All but ids, type and size; flags: what to add */
	struct etw_record_source source;
	bool inprivate;				/* EVENT_WRITE_FLAG_INPRIVATE */
	bool typed;				/* data may be no payload, see core/traits.h */
	bool has_traits;			/* the registration has traits ... */
	bool decodes;				/* ... with a GUID for decoding */
	bool guarded;				/* the host waits for this writer ... */
	const unsigned char *traits;		/* ... so these stay; else NULL */
	const uint64_t *times;			/* typed: by enum private_clock; NULL: now */
};

/*
 * Write to all private sessions that want the event. 0, or the negative errno of the last one
 * that lost it; -EAGAIN: nothing was done, and the caller has to guard the write. event->source
 * is used up otherwise.
 */
int etw_private_write(struct etw_private_provider *p, struct etw_private_event *event);

/* Write a classic record to the session record->logger_id; -ENOENT: it has p not enabled. */
int etw_private_write_classic(struct etw_private_provider *p,
			      const struct etw_classic_write *record);

#endif /* ETW_LIB_PRIVATE_PRIVATE_H */
