// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_limits.c - limits per user: everybody may register providers, but not endlessly
 *
 * A user is charged for what their processes take until its memory is freed, a grace period
 * after its end.  Meanwhile the charge counts as leaving: a caller who would fit without it
 * waits for it instead of being refused, and only for what their own user leaves.  If the file
 * stays open through an exec or in a child, the charge counts as leaving once the work that ends
 * its registrations has run.  The creator of a user namespace is charged too, as the user outside
 * of it, and so on up to the initial namespace: the user ids inside do not multiply what they may
 * take.  A namespace that root made, as for a container, is charged by itself, so that
 * containers do not exhaust each other's limits.
 *
 * Everything is under users_lock, which RCU callbacks take.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>

#include "alloc.h"
#include "user_limits.h"

struct etw_user {
	struct hlist_node node;
	struct etw_user *parent;	/* a reference; NULL: in the initial namespace */
	kuid_t uid;
	unsigned int inum;		/* of a namespace charged by itself; 0: the user is */
	u32 ref;			/* charges, and users whose parent it is */
	u64 registrations;
	u64 trait_bytes;
	u64 registrations_leaving;	/* of these, about to be uncharged */
	u64 trait_bytes_leaving;
};

unsigned int etw_max_user_registrations = 16384;
unsigned int etw_max_user_traits = 4 << 20;

static DEFINE_HASHTABLE(users, 8);
static DEFINE_SPINLOCK(users_lock);
static DECLARE_WAIT_QUEUE_HEAD(users_left);	/* a charge that was leaving has ended */

static u32 user_hash(const struct etw_user *parent, kuid_t uid, unsigned int inum)
{
	return hash_ptr(parent, 32) ^ hash_32(__kuid_val(uid), 32) ^ inum;
}

static struct etw_user *user_find(const struct etw_user *parent, kuid_t uid, unsigned int inum)
{
	struct etw_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, user_hash(parent, uid, inum))
		if (user->parent == parent && uid_eq(user->uid, uid) && user->inum == inum)
			return user;
	return NULL;
}

static void user_put_locked(struct etw_user *user)
{
	struct etw_user *parent;

	lockdep_assert_held(&users_lock);
	for (; user && !--user->ref; user = parent) {
		parent = user->parent;
		hash_del(&user->node);
		kfree(user);
	}
}

static void user_put(struct etw_user *user)
{
	spin_lock_bh(&users_lock);
	user_put_locked(user);
	spin_unlock_bh(&users_lock);
}

/* A reference to the user in exchange for that to the parent; NULL: no memory. */
static struct etw_user *user_get(struct etw_user *parent, kuid_t uid, unsigned int inum)
{
	struct etw_user *new = kzalloc(sizeof(*new), ETW_GFP), *user = NULL;

	spin_lock_bh(&users_lock);
	if (new)
		user = user_find(parent, uid, inum);
	if (new && !user) {
		user = new;
		new = NULL;
		user->parent = parent;
		user->uid = uid;
		user->inum = inum;
		hash_add(users, &user->node, user_hash(parent, uid, inum));
	} else {
		user_put_locked(parent);
	}
	if (user)
		user->ref++;
	spin_unlock_bh(&users_lock);
	kfree(new);
	return user;
}

/* The user to charge for these credentials at a level of user namespaces; 0 is the initial one. */
static kuid_t user_charged(const struct cred *cred, int level, unsigned int *inum)
{
	const struct user_namespace *ns = cred->user_ns;

	*inum = 0;
	if (level == ns->level)
		return cred->uid;
	while (ns->level > level + 1)
		ns = ns->parent;
	if (uid_eq(ns->owner, GLOBAL_ROOT_UID))
		*inum = ns->ns.inum;
	return ns->owner;
}

static struct etw_user *user_get_caller(void)
{
	struct etw_user *user = NULL;
	unsigned int inum;
	kuid_t uid;
	int level;

	for (level = 0; level <= current_user_ns()->level; level++) {
		uid = user_charged(current_cred(), level, &inum);
		user = user_get(user, uid, inum);
		if (!user)
			return NULL;
	}
	return user;
}

/*
 * A number above 0 and of at most 34 bits for whoever is charged in the initial namespace: the
 * same for all their processes, also after all others have ended.
 */
static u64 user_number(kuid_t uid, unsigned int inum)
{
	return 1 + (inum ? BIT_ULL(32) | inum : __kuid_val(uid));
}

u64 etw_user_number(const struct etw_user *user)
{
	while (user->parent)
		user = user->parent;
	return user_number(user->uid, user->inum);
}

/* The same of the running task, which need not be charged for anything.  Any context. */
u64 etw_user_number_current(void)
{
	unsigned int inum;
	kuid_t uid = user_charged(current_cred(), 0, &inum);

	return user_number(uid, inum);
}

/* The same of another task, which the caller keeps from being freed.  Any context. */
u64 etw_user_number_of(const struct task_struct *task)
{
	unsigned int inum;
	kuid_t uid;

	rcu_read_lock();
	uid = user_charged(__task_cred(task), 0, &inum);
	rcu_read_unlock();
	return user_number(uid, inum);
}

static bool user_exceeds(u64 charged, u32 more, unsigned int most)
{
	return more && charged + more > most;
}

/* 0: it fits; -EAGAIN: it will, once all that is leaving is uncharged; -ENOSPC: not even then. */
static int user_room(const struct etw_user *u, u32 registrations, u32 trait_bytes)
{
	const unsigned int most = READ_ONCE(etw_max_user_registrations);
	const unsigned int most_bytes = READ_ONCE(etw_max_user_traits);

	if (user_exceeds(u->registrations - u->registrations_leaving, registrations, most) ||
	    user_exceeds(u->trait_bytes - u->trait_bytes_leaving, trait_bytes, most_bytes))
		return -ENOSPC;
	return user_exceeds(u->registrations, registrations, most) ||
	       user_exceeds(u->trait_bytes, trait_bytes, most_bytes) ? -EAGAIN : 0;
}

/* Charge the user and all parents, or none if it is too much for one of them. */
static int user_charge(struct etw_user *user, u32 registrations, u32 trait_bytes, bool limited)
{
	struct etw_user *u;
	int err = 0;

	spin_lock_bh(&users_lock);
	for (u = user; u && limited && err != -ENOSPC; u = u->parent)
		err = user_room(u, registrations, trait_bytes) ?: err;
	for (u = user; u && !err; u = u->parent) {
		u->registrations += registrations;
		u->trait_bytes += trait_bytes;
	}
	spin_unlock_bh(&users_lock);
	return err;
}

/* Charge the user when what is leaving has left; -EINTR: the caller was killed. */
static int user_charge_later(struct etw_user *user, u32 registrations, u32 trait_bytes)
{
	int err = -EAGAIN;

	while (err == -EAGAIN) {
		DEFINE_WAIT(wait);

		prepare_to_wait(&users_left, &wait, TASK_KILLABLE);
		err = user_charge(user, registrations, trait_bytes, true);
		if (err == -EAGAIN && fatal_signal_pending(current))
			err = -EINTR;
		if (err == -EAGAIN)
			schedule();
		finish_wait(&users_left, &wait);
	}
	return err;
}

/*
 * Charge the caller for registrations, or for bytes of traits.  Returns the user to
 * uncharge, or an error: -ENOSPC, or -EINTR for a caller who was killed.  Without
 * etw_control, because it may wait for a grace period.
 */
struct etw_user *etw_user_charge(u32 registrations, u32 trait_bytes)
{
	struct etw_user *user = user_get_caller();
	int err;

	if (!user)
		return ERR_PTR(-ENOMEM);
	err = user_charge(user, registrations, trait_bytes, true);
	if (err && capable(CAP_SYS_RESOURCE))
		err = user_charge(user, registrations, trait_bytes, false);
	if (err == -EAGAIN)
		err = user_charge_later(user, registrations, trait_bytes);
	if (!err)
		return user;
	user_put(user);
	return ERR_PTR(err);
}

/* The charge ends as soon as RCU allows: etw_user_left() will follow.  Takes NULL. */
void etw_user_leaves(struct etw_user *user, u32 registrations, u32 trait_bytes)
{
	struct etw_user *u;

	spin_lock_bh(&users_lock);
	for (u = user; u; u = u->parent) {
		u->registrations_leaving += registrations;
		u->trait_bytes_leaving += trait_bytes;
	}
	spin_unlock_bh(&users_lock);
}

static void user_uncharge(struct etw_user *user, u32 registrations, u32 trait_bytes, bool leaving)
{
	struct etw_user *u;

	spin_lock_bh(&users_lock);
	for (u = user; u; u = u->parent) {
		u->registrations -= registrations;
		u->trait_bytes -= trait_bytes;
		if (!leaving)
			continue;
		u->registrations_leaving -= registrations;
		u->trait_bytes_leaving -= trait_bytes;
	}
	user_put_locked(user);
	spin_unlock_bh(&users_lock);
	if (user && wq_has_sleeper(&users_left))
		wake_up_all(&users_left);
}

/* Uncharge what was never in use.  Takes NULL. */
void etw_user_uncharge(struct etw_user *user, u32 registrations, u32 trait_bytes)
{
	user_uncharge(user, registrations, trait_bytes, false);
}

/* Uncharge what etw_user_leaves() announced.  Takes NULL.  RCU callbacks call it too. */
void etw_user_left(struct etw_user *user, u32 registrations, u32 trait_bytes)
{
	user_uncharge(user, registrations, trait_bytes, true);
}
