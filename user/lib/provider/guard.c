// SPDX-License-Identifier: MIT
/*
 * guard.c - writers to private sessions that look at a provider's filters or traits
 */
#include <sched.h>

#include "device/kdev.h"
#include "guard.h"

#define YIELDS		100
#define WAIT_MS		1000

/* Guards that this thread is inside, when a signal handler runs or after siglongjmp() */
static __thread int own __attribute__((__tls_model__("initial-exec")));

unsigned int etw_guard_enter(struct etw_private_guard *guard)
{
	unsigned int side = atomic_load_explicit(&guard->side, memory_order_relaxed);

	own++;
	atomic_fetch_add(&guard->inside[side], 1);
	return side;
}

void etw_guard_leave(struct etw_private_guard *guard, unsigned int side)
{
	atomic_fetch_sub(&guard->inside[side], 1);
	own--;
}

/* Once a writer was stuck, give the others only the time to pass. */
static bool is_left(struct etw_private_guard *guard, unsigned int side)
{
	int tries = atomic_load(&guard->stuck) ? YIELDS : YIELDS + WAIT_MS;

	for (; atomic_load(&guard->inside[side]) > 0; tries--) {
		if (!tries)
			return false;
		if (tries > WAIT_MS || atomic_load(&guard->stuck))
			sched_yield();
		else
			etw_kdev_poll(NULL, 0, 1);
	}
	return true;
}

/* Each side is seen empty once; which one new writers use does not matter for that. */
bool etw_guard_drain(struct etw_private_guard *guard)
{
	bool left = true;
	int i;

	if (own)
		return false;
	for (i = 0; left && i < 2; i++)
		left = is_left(guard, atomic_fetch_xor(&guard->side, 1));
	atomic_store(&guard->stuck, !left);
	return left;
}
