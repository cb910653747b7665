// SPDX-License-Identifier: GPL-2.0-only
/*
 * fair.c - which writer loses events when a session's buffers run low
 *
 * All providers of a session share its buffers, so a process that writes without end would
 * take all of them, and others' events would be lost.  Besides the buffers that everybody may
 * use, a session has a reserve, in three parts:
 *
 *	free buffers	who may take the next one
 *	above all parts	everybody
 *	above two	a registration within its part of its user's share
 *	above one	a user within their share
 *	above none	the kernel
 *
 * A buffer is paid for by the payer who installed it, from the moment it is full until it is
 * free again: over many buffers each payer installs them in proportion to the bytes that they
 * write, and one who wastes a buffer's rest pays for the waste.  A user's share is the
 * buffers divided by the payers who hold any; a part's is that divided by the user's parts that
 * hold any.  A lone writer is above the share after taking all that everybody may use, but
 * never gets into the reserve, and needs none, so what fits is never refused.
 *
 * While so few buffers are free, only writers who could take a buffer from the reserve may write
 * into one that was taken from it.
 *
 * The reserve is in proportion to the buffers that everybody may use, and grows with them; at
 * the start it may be larger.
 *
 * Kernel-mode writers pass none of this: they may take every buffer and write into each.
 * Writes of processes test it before they reserve; only what follows from scarcity costs more
 * than a comparison.  Charges and shares are read without a lock and may be off by the
 * buffers that change at that moment.
 *
 * Users are told apart by who is charged for the registration (access/user_limits.c), so
 * neither user namespaces nor set-user-id programs multiply a share.  A user has a place in
 * the table as long as they pay for a buffer; those who find none share the last place.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "fair.h"
#include "hot.h"

#define WORD(user, buffers)	((u64)(user) << 16 | (u16)(buffers))
#define WORD_USER(word)		((u64)(word) >> 16)
#define WORD_BUFFERS(word)	((u32)(u16)(word))

/* ------------------------------------------------------------------- reserve */

/* The reserve that belongs to so many buffers. */
static u32 fair_reserve_for(const struct etw_fair *fair, u32 buffers)
{
	u32 kernel = max(fair->cpus, min(buffers / 8, 128U));

	return kernel + 2 * clamp(buffers / 16, 2U, 64U);
}

static void fair_set_reserve(struct etw_fair *fair, u32 reserve)
{
	u32 kernel = min(reserve, max(fair->cpus, reserve / 2));

	/* Writers may be reading: a lower level never keeps less than a higher one. */
	WRITE_ONCE(fair->keep[ETW_FAIR_OVER], reserve);
	WRITE_ONCE(fair->keep[ETW_FAIR_PART], kernel + (reserve - kernel) / 2);
	WRITE_ONCE(fair->keep[ETW_FAIR_USER], kernel);
}

/* cpus: those that have an open buffer each. */
void etw_fair_init(struct etw_fair *fair, u32 cpus)
{
	raw_spin_lock_init(&fair->budget_lock);
	fair->cpus = cpus;
}

/* The session may have max_buffers; the reserve then has at most room buffers. */
void etw_fair_limit(struct etw_fair *fair, u32 max_buffers, u64 room)
{
	u32 most = min_t(u64, fair_reserve_for(fair, max_buffers), room);

	fair->most = max(most, etw_fair_reserve(fair));
}

/*
 * The reserve of a session that starts with so many buffers: as many again, so that others can
 * write until a flood has made it grow; no more than it may have later, and none if
 * etw_fair_limit() was not called.
 */
void etw_fair_start(struct etw_fair *fair, u32 buffers)
{
	fair_set_reserve(fair, min(max(fair_reserve_for(fair, buffers), buffers), fair->most));
}

/* There is memory for no more than reserve buffers of the reserve.  Nobody writes yet. */
void etw_fair_shrink(struct etw_fair *fair, u32 reserve)
{
	fair_set_reserve(fair, reserve);
}

/*
 * The session has grown by a buffer, and now so many are free.  The reserve grows in
 * proportion, unless a writer above their share was faster and has that buffer.
 */
void etw_fair_grow(struct etw_fair *fair, u32 free)
{
	u32 reserve = etw_fair_reserve(fair);

	if (free > reserve && reserve < etw_fair_target(fair))
		fair_set_reserve(fair, reserve + 1);
}

/* What the reserve grows to while the session has as many buffers as now. */
u32 etw_fair_target(const struct etw_fair *fair)
{
	return max(etw_fair_reserve(fair),
		   min(fair_reserve_for(fair, fair->buffers), fair->most));
}

/* There are more CPUs, and etw_fair_limit() was called: share out the present reserve anew. */
void etw_fair_fit(struct etw_fair *fair)
{
	fair_set_reserve(fair, etw_fair_reserve(fair));
}

/* Has the reserve less for the kernel than a buffer for each CPU, and may it have more? */
bool etw_fair_lacks_reserve(const struct etw_fair *fair)
{
	return unlikely(fair->keep[ETW_FAIR_USER] < fair->cpus) &&
	       etw_fair_reserve(fair) < etw_fair_target(fair);
}

/* ------------------------------------------------------------------ shares */

/*
 * The payers who hold buffers; this user counts in any case.  *mine: how many they hold,
 * *place: where.
 */
static u32 fair_payers(struct etw_fair *fair, u64 user, u32 *mine,
		       struct etw_fair_user **place)
{
	u32 i, taken = 0, others = atomic_read(&fair->kernel) > 0;
	u64 word;

	*mine = 0;
	*place = &fair->users[ETW_FAIR_USERS];
	for (i = 0; i < ETW_FAIR_USERS; i++) {
		word = atomic64_read(&fair->users[i].word);
		if (!WORD_BUFFERS(word))
			continue;
		taken++;
		if (WORD_USER(word) != user) {
			others++;
			continue;
		}
		*mine += WORD_BUFFERS(word);
		*place = &fair->users[i];
	}
	word = atomic64_read(&fair->users[ETW_FAIR_USERS].word);
	if (!*mine && taken == ETW_FAIR_USERS)
		*mine = WORD_BUFFERS(word);
	else if (WORD_BUFFERS(word))
		others++;
	return others + 1;
}

static u32 fair_share(const struct etw_fair *fair, u32 payers)
{
	u32 buffers = READ_ONCE(fair->buffers), cpus = READ_ONCE(fair->cpus);

	return max(1U, (buffers > cpus ? buffers - cpus : 0) / payers);
}

static u32 fair_parts(struct etw_fair_user *place, u32 part)
{
	u32 i, n = 0;

	for (i = 0; i < ETW_FAIR_PARTS; i++)
		n += i == part || atomic_read(&place->parts[i]) > 0;
	return n;
}

static enum etw_fair_level fair_level(struct etw_fair *fair, u64 payer, u32 *payers)
{
	u32 mine, share, part = ETW_PAYER_PART(payer);
	struct etw_fair_user *place;

	*payers = fair_payers(fair, ETW_PAYER_USER(payer), &mine, &place);
	share = fair_share(fair, *payers);
	if (mine < share)
		return ETW_FAIR_USER;
	if (atomic_read(&place->parts[part]) < (int)max(1U, share / fair_parts(place, part)))
		return ETW_FAIR_PART;
	return ETW_FAIR_OVER;
}

/* Does the payer hold more than their share?  The kernel never does. */
bool etw_fair_is_over(struct etw_fair *fair, u64 payer)
{
	u32 payers;

	return payer && fair_level(fair, payer, &payers) < ETW_FAIR_USER;
}

/* Set the asker's level, and how many buffers it leaves for others. */
static void fair_judge(struct etw_fair *fair, struct etw_ring_asker *asker)
{
	u32 payers;

	asker->level = fair_level(fair, asker->payer, &payers);
	asker->keep = READ_ONCE(fair->keep[asker->level]);
}

/*
 * May a process write into a buffer that was taken from the reserve?  If not, wake the session's
 * worker, as a switch does that finds no buffer: the process may hold all the others.
 */
bool etw_fair_entitled(struct etw_session_hot *s, u64 payer, const struct etw_buf *buf)
{
	struct etw_ring_asker asker = { .payer = payer };
	u32 free = etw_pool_free(&s->ring.pool);

	if (free > etw_fair_reserve(&s->fair))
		return true;
	fair_judge(&s->fair, &asker);
	if (READ_ONCE(buf->left) >= asker.keep || free > asker.keep)
		return true;
	/* Evicts nothing: only BUFFERING sessions do, and they have no reserve. */
	s->ring.ops->evict(&s->ring, &asker);
	return false;
}

/*
 * etw_ring_switch() for a process.  Preemption is off.  What it may take depends on its level,
 * which is found out only if less than that is free; others may take buffers at any time, so
 * that is certain only after a refusal.
 */
int etw_fair_switch(enum etw_use use, struct etw_session_hot *s, struct etw_ring_cpu *rc,
		    u64 cur, u64 payer)
{
	struct etw_ring_asker asker = { .level = ETW_FAIR_OVER, .payer = payer };
	int err;

	asker.keep = etw_fair_reserve(&s->fair);
	if (etw_pool_free(&s->ring.pool) > asker.keep) {
		err = etw_ring_switch(use, &s->ring, rc, cur, &asker);
		if (err != -ENOBUFS)
			return err;
	}
	fair_judge(&s->fair, &asker);
	return etw_ring_switch(use, &s->ring, rc, cur, &asker);
}

/* Why a process's event found no room.  A lone writer has filled the session by himself. */
u32 etw_fair_cause(struct etw_session_hot *s, u64 payer)
{
	u32 payers;

	if (payer && etw_fair_reserve(&s->fair) &&
	    fair_level(&s->fair, payer, &payers) < ETW_FAIR_USER && payers > 1)
		return ETW_DROP_FAIR_SHARE;
	return ETW_DROP_NO_BUFFER;
}

/* ----------------------------------------------------------------- charging */

/*
 * A payer's buffer is full.  Returns the place to uncharge.  Any context: an interrupted
 * charge is not waited for.
 */
u8 etw_fair_charge(struct etw_fair *fair, u64 payer)
{
	u64 user = ETW_PAYER_USER(payer), word;
	u32 i, empty;

	if (!payer) {
		atomic_inc(&fair->kernel);
		return ETW_FAIR_USERS;
	}
again:
	empty = ETW_FAIR_USERS;
	for (i = 0; i < ETW_FAIR_USERS; i++) {
		word = atomic64_read(&fair->users[i].word);
		if (WORD_BUFFERS(word) && WORD_USER(word) == user)
			break;
		if (!WORD_BUFFERS(word) && empty == ETW_FAIR_USERS)
			empty = i;
	}
	if (i == ETW_FAIR_USERS)
		i = empty;
	if (i == ETW_FAIR_USERS) {
		atomic64_inc(&fair->users[i].word);
	} else {
		word = atomic64_read(&fair->users[i].word);
		if (WORD_BUFFERS(word) && WORD_USER(word) != user)
			goto again;
		if (atomic64_cmpxchg(&fair->users[i].word, word,
				     WORD(user, WORD_BUFFERS(word) + 1)) != word)
			goto again;
	}
	atomic_inc(&fair->users[i].parts[ETW_PAYER_PART(payer)]);
	return i;
}

/* The buffer is free again. */
void etw_fair_uncharge(struct etw_fair *fair, u64 payer, u8 place)
{
	if (!payer) {
		atomic_dec(&fair->kernel);
		return;
	}
	/* First the part: a place without buffers is another user's soon. */
	atomic_dec(&fair->users[place].parts[ETW_PAYER_PART(payer)]);
	atomic64_dec(&fair->users[place].word);
}

/* ------------------------------------------------------------------- budget */

/* The user's count for this second.  Users beyond the table share the last count. */
static struct etw_budget_user *fair_budget(struct etw_fair *fair, u64 user, u64 second)
{
	struct etw_budget_user *b = &fair->budgets[ETW_FAIR_USERS];
	u32 i;

	for (i = 0; i < ETW_FAIR_USERS; i++) {
		if (fair->budgets[i].user == user) {
			b = &fair->budgets[i];
			break;
		}
		if (fair->budgets[i].second != second)
			b = &fair->budgets[i];
	}
	if (b->second != second) {
		b->user = user;
		b->second = second;
		b->bytes = 0;
	}
	return b;
}

/* This CPU holds, or waits for, the lock of some session's budget. */
static DEFINE_PER_CPU(bool, budget_busy);

/*
 * May a process write len more bytes in this second, of a budget of kb?  If so they count, even
 * if the event is lost for another reason.  The lock is one per session: a budget makes each
 * write of a process dearer.  An event of a trace event, probe or BPF program that occurs while
 * the lock is taken may not take it again: it does not count.
 */
bool etw_fair_within_budget(struct etw_fair *fair, u64 payer, u32 kb, u32 len)
{
	u64 most = (u64)kb * 1024;
	u64 second = ktime_get_seconds() + 1;
	struct etw_budget_user *b;
	unsigned long flags;
	bool fits;

	local_irq_save(flags);
	if (unlikely(__this_cpu_read(budget_busy))) {
		local_irq_restore(flags);
		return true;
	}
	__this_cpu_write(budget_busy, true);
	raw_spin_lock(&fair->budget_lock);
	b = fair_budget(fair, ETW_PAYER_USER(payer), second);
	fits = b->bytes + len <= most;
	if (fits)
		b->bytes += len;
	raw_spin_unlock(&fair->budget_lock);
	__this_cpu_write(budget_busy, false);
	local_irq_restore(flags);
	return fits;
}
