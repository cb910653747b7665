/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - sessions: start, find, update, stop
 */
#ifndef ETW_SESSION_SESSION_H
#define ETW_SESSION_SESSION_H

#include "trace_session.h"

#define ETW_FLUSH_MS_MIN	1U
#define ETW_FLUSH_MS_DEFAULT	1000U	/* of sessions with readers */

/* The properties of a session to start; etw_session_start() checks them. */
struct etw_session_config {
	const char *name;
	u32 name_len;
	struct etw_guid guid;		/* zero: make one */
	u32 buffer_kb;
	u32 min_buffers;
	u32 max_buffers;
	u32 flush_ms;
	u32 user_budget_kb;
	u32 clock;			/* ETW_CLOCK_*, 0: QPC */
	u32 mode;			/* ETW_MODE_* */
	/* a log file or NULL; a started session owns it and frees it with log_free */
	struct etw_logfile *log;
	void (*log_free)(struct etw_logfile *log);
};

extern unsigned int etw_max_sessions;

struct etw_trace_session *etw_session_start(const struct etw_session_config *config);
struct etw_trace_session *etw_session_find(u64 handle, const char *name, u32 name_len);
struct etw_trace_session *etw_session_lookup(u64 handle, const char *name, u32 name_len,
					     u32 rights);
struct etw_trace_session *etw_session_get(u64 handle, const char *name, u32 name_len, u32 rights);
struct etw_trace_session *etw_session_hold(struct etw_trace_session *s);
void etw_session_put(struct etw_trace_session *s);
void etw_session_put_later(struct etw_trace_session *s);
void etw_session_stop(struct etw_trace_session *s);
int etw_session_update(struct etw_trace_session *s, u32 max_buffers, u32 flush_ms,
		       u32 user_budget_kb);
u64 etw_session_time(const struct etw_trace_session *s);
int etw_session_missed(struct etw_trace_session *s, const struct etw_guid *provider, u64 since,
		       u64 events);
void etw_session_fit_cpus(struct etw_trace_session *s);
void etw_session_set_flush_locked(struct etw_trace_session *s, u32 ms);
u32 etw_sessions_list(u64 *handles, u32 capacity);
u64 etw_sessions_visible(void);

#endif /* ETW_SESSION_SESSION_H */
