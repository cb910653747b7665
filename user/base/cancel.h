/* SPDX-License-Identifier: MIT */
/*
 * cancel.h - postpone a thread's cancellation (pthread_cancel(), deferred)
 *
 * A cancelled thread would keep the locks, descriptors and memory that the library holds
 * during a system call. So the library is cancelled only in calls that may wait for long
 * and during which it holds nothing: etw_kdev_poll().
 */
#ifndef ETW_BASE_CANCEL_H
#define ETW_BASE_CANCEL_H

#include <pthread.h>

/* Returns the state to pass to etw_cancel_allow(); calls nest. */
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
