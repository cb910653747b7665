// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_limits.c - limits per user: everybody may open the device and register providers, but not endlessly
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
	u64 charged[ETW_USER_KINDS];
	u64 leaving[ETW_USER_KINDS];	/* of these, about to be uncharged */
};

unsigned int etw_user_max[ETW_USER_KINDS] = {
	[ETW_USER_REGISTRATIONS] = 16384,
	[ETW_USER_TRAIT_BYTES] = 4 << 20,
	[ETW_USER_FILES] = 4096,
};

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

/* 0: it fits; -EAGAIN: it will, once all that is leaving is uncharged; -ENOSPC: not even then. */
static int user_room(const struct etw_user *u, enum etw_user_kind kind, u32 more)
{
	const unsigned int most = READ_ONCE(etw_user_max[kind]);

	if (!more)
		return 0;
	if (u->charged[kind] - u->leaving[kind] + more > most)
		return -ENOSPC;
	return u->charged[kind] + more > most ? -EAGAIN : 0;
}

/* Charge the user and all parents, or none if it is too much for one of them. */
static int user_charge(struct etw_user *user, enum etw_user_kind kind, u32 more, bool limited)
{
	struct etw_user *u;
	int err = 0;

	spin_lock_bh(&users_lock);
	for (u = user; u && limited && err != -ENOSPC; u = u->parent)
		err = user_room(u, kind, more) ?: err;
	for (u = user; u && !err; u = u->parent)
		u->charged[kind] += more;
	spin_unlock_bh(&users_lock);
	return err;
}

/* Charge the user when what is leaving has left; -EINTR: the caller was killed. */
static int user_charge_later(struct etw_user *user, enum etw_user_kind kind, u32 more)
{
	int err = -EAGAIN;

	while (err == -EAGAIN) {
		DEFINE_WAIT(wait);

		prepare_to_wait(&users_left, &wait, TASK_KILLABLE);
		err = user_charge(user, kind, more, true);
		if (err == -EAGAIN && fatal_signal_pending(current))
			err = -EINTR;
		if (err == -EAGAIN)
			schedule();
		finish_wait(&users_left, &wait);
	}
	return err;
}

/*
 * Charge the caller for so many of a kind.  Returns the user to uncharge, or an error: -ENOSPC, or
 * -EINTR for a caller who was killed.  Without etw_control: if may_wait, it waits for what is
 * leaving, which takes a grace period or that lock.
 */
struct etw_user *etw_user_charge(enum etw_user_kind kind, u32 more, bool may_wait)
{
	struct etw_user *user = user_get_caller();
	int err;

	if (!user)
		return ERR_PTR(-ENOMEM);
	err = user_charge(user, kind, more, true);
	if (err && capable(CAP_SYS_RESOURCE))
		err = user_charge(user, kind, more, false);
	if (err == -EAGAIN)
		err = may_wait ? user_charge_later(user, kind, more) : -ENOSPC;
	if (!err)
		return user;
	user_put(user);
	return ERR_PTR(err);
}

/* The charge ends as soon as RCU allows: etw_user_left() will follow.  Takes NULL. */
void etw_user_leaves(struct etw_user *user, enum etw_user_kind kind, u32 less)
{
	struct etw_user *u;

	spin_lock_bh(&users_lock);
	for (u = user; u; u = u->parent)
		u->leaving[kind] += less;
	spin_unlock_bh(&users_lock);
}

static void user_uncharge(struct etw_user *user, enum etw_user_kind kind, u32 less, bool leaving)
{
	struct etw_user *u;

	spin_lock_bh(&users_lock);
	for (u = user; u; u = u->parent) {
		u->charged[kind] -= less;
		if (leaving)
			u->leaving[kind] -= less;
	}
	user_put_locked(user);
	spin_unlock_bh(&users_lock);
	if (user && wq_has_sleeper(&users_left))
		wake_up_all(&users_left);
}

/* Uncharge what was never in use, or needs no announcement.  Takes NULL. */
void etw_user_uncharge(struct etw_user *user, enum etw_user_kind kind, u32 less)
{
	user_uncharge(user, kind, less, false);
}

/* Uncharge what etw_user_leaves() announced.  Takes NULL.  RCU callbacks call it too. */
void etw_user_left(struct etw_user *user, enum etw_user_kind kind, u32 less)
{
	user_uncharge(user, kind, less, true);
}
