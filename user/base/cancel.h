/* SPDX-License-Identifier: MIT */
/*
 * cancel.h - let a thread's cancellation wait (pthread_cancel(), the deferred kind)
 *
 * What the library holds while it calls the system, a lock, a descriptor, memory,
 * must not go with the thread.  So it is cancelled in what may wait long only, where
 * nothing is held that nobody else gives back: etw_kdev_poll().
 */
#ifndef ETW_BASE_CANCEL_H
#define ETW_BASE_CANCEL_H

#include <pthread.h>

/* What to hand to etw_cancel_allow(), so that they nest. */
static inline int etw_cancel_hold(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static inline void etw_cancel_allow(int state)
{
	pthread_setcancelstate(state, NULL);
}

#endif /* ETW_BASE_CANCEL_H */
