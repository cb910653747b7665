// SPDX-License-Identifier: GPL-2.0-only
/*
 * consumer.c - a consumer: an open file with its own cursor in a session
 *
 * The session's queue holds the delivered buffers, oldest first.  A consumer's
 * cursor is the next buffer it will take; buffer->pending counts the cursors
 * at or before the buffer, buffer->held those who have taken it and not given
 * it back.  A buffer leaves the queue when pending falls to 0, which happens
 * at the head of the queue only, and goes back to the pool when held is 0 too.
 * With no consumer the queue is a backlog that the next one finds.
 *
 * All under session->lock, which is never held across a copy to user space.
 * consumer->read_lock serialises readers of one file; it comes before it.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "gfp.h"
#include "ioctl.h"
#include "session.h"

#define HELD_MAX	2

struct etw_consumer {
	struct etw_trace_session *session;
	struct list_head node;		/* session->consumers */
	struct etw_buffer *cursor;	/* NULL: at the end of the queue */
	struct etw_buffer *held[HELD_MAX];
	struct etw_buffer *again;	/* one of held, for the next read */
	struct etw_consumer_info info;
	u64 told_through;		/* complete_through that TAKE told last */
	struct mutex read_lock;
};

static struct etw_buffer *next_in_queue(struct etw_trace_session *s, struct etw_buffer *b)
{
	return list_is_last(&b->node, &s->queue) ? NULL : list_next_entry(b, node);
}

static void unpend(struct etw_trace_session *s, struct etw_buffer *b)
{
	if (--b->pending)
		return;
	list_del_init(&b->node);
	if (!b->held)
		etw_deliver_recycle(s, b);
}

static void unhold(struct etw_trace_session *s, struct etw_buffer *b)
{
	if (!--b->held && !b->pending)
		etw_deliver_recycle(s, b);
}

/* A buffer was added at the end of the queue. */
void etw_consumers_append(struct etw_trace_session *s, struct etw_buffer *b)
{
	struct etw_consumer *c;

	lockdep_assert_held(&s->lock);
	b->pending = s->consumer_count;
	list_for_each_entry(c, &s->consumers, node)
		if (!c->cursor)
			WRITE_ONCE(c->cursor, b);
}

/* Drop the head of the queue; it is lost to whoever has not taken it. */
void etw_consumers_drop(struct etw_trace_session *s, struct etw_buffer *b)
{
	struct etw_buffer *next = next_in_queue(s, b);
	struct etw_consumer *c;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(c, &s->consumers, node) {
		if (c->cursor != b)
			continue;
		WRITE_ONCE(c->cursor, next);
		c->info.buffers_lost++;
		c->info.events_lost += b->events;
	}
	if (s->consumer_count) {
		s->rt_buffers_lost++;
	} else {
		s->discarded_buffers++;
		s->discarded_events += b->events;
	}
	b->pending = 1;
	unpend(s, b);
}

/*
 * Take the next buffer.  -EAGAIN: none waits; -ENODATA: none will come;
 * -EBUSY: too many held.
 */
static int take(struct etw_consumer *c, struct etw_buffer **taken)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b = c->cursor;
	int i;

	lockdep_assert_held(&s->lock);
	if (!b)
		return s->state == ETW_STOPPED ? -ENODATA : -EAGAIN;
	for (i = 0; i < HELD_MAX && c->held[i]; i++)
		;
	if (i == HELD_MAX)
		return -EBUSY;
	WRITE_ONCE(c->cursor, next_in_queue(s, b));
	c->held[i] = b;
	b->held++;
	unpend(s, b);
	c->info.held++;
	c->info.buffers++;
	c->info.events += b->events;
	*taken = b;
	return 0;
}

static int give(struct etw_consumer *c, u32 index)
{
	int i;

	lockdep_assert_held(&c->session->lock);
	for (i = 0; i < HELD_MAX; i++) {
		struct etw_buffer *b = c->held[i];

		if (!b || b->buf.index != index || b == c->again)
			continue;
		c->held[i] = NULL;
		c->info.held--;
		unhold(c->session, b);
		return 0;
	}
	return -EINVAL;
}

static u64 backlog(struct etw_consumer *c)
{
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b = c->cursor;

	/* Sequence numbers of a queue have no gaps. */
	return b ? s->next_sequence - b->sequence : 0;
}

/* ---------------------------------------------------------------- file ops */

/* Without the lock: a hint, next_to_read() looks again under it. */
static bool readable(struct etw_consumer *c)
{
	return READ_ONCE(c->cursor) || READ_ONCE(c->again) ||
	       READ_ONCE(c->session->state) == ETW_STOPPED;
}

/* The buffer the next read returns; waits for it if it may. */
static int next_to_read(struct etw_consumer *c, bool wait, struct etw_buffer **b)
{
	struct etw_trace_session *s = c->session;
	int err;

	for (;;) {
		mutex_lock(&s->lock);
		*b = c->again;
		err = *b ? 0 : take(c, b);
		if (!err)
			WRITE_ONCE(c->again, *b);
		mutex_unlock(&s->lock);
		if (err != -EAGAIN || !wait)
			return err;
		if (wait_event_interruptible(s->wait, readable(c)))
			return -ERESTARTSYS;
	}
}

static ssize_t consumer_read(struct file *file, char __user *to, size_t len,
			     loff_t *pos)
{
	struct etw_consumer *c = file->private_data;
	struct etw_trace_session *s = c->session;
	size_t size = s->ring.size, done = 0;
	struct etw_buffer *b;
	int err = 0;

	if (len < size)
		return -EINVAL;
	if (mutex_lock_interruptible(&c->read_lock))
		return -ERESTARTSYS;
	while (len - done >= size) {
		err = next_to_read(c, !done && !(file->f_flags & O_NONBLOCK), &b);
		if (err)
			break;
		if (copy_to_user(to + done, b->buf.data, size)) {
			err = -EFAULT;	/* the buffer stays for the next read */
			break;
		}
		mutex_lock(&s->lock);
		WRITE_ONCE(c->again, NULL);
		give(c, b->buf.index);
		mutex_unlock(&s->lock);
		done += size;
		if (signal_pending(current))
			break;
	}
	mutex_unlock(&c->read_lock);
	if (done)
		return done;
	return err == -ENODATA ? 0 : err;
}

static __poll_t consumer_poll(struct file *file, poll_table *pt)
{
	struct etw_consumer *c = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &c->session->wait, pt);
	mutex_lock(&c->session->lock);
	if (c->cursor || c->again)
		events = EPOLLIN | EPOLLRDNORM;
	else if (c->session->state == ETW_STOPPED)
		events = EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	if (c->session->complete_through != c->told_through)
		events |= EPOLLPRI;
	mutex_unlock(&c->session->lock);
	return events;
}

/* A buffer of the table; it stays as long as the session. */
static struct etw_buf *existing(struct etw_trace_session *s, u64 index)
{
	struct etw_buf *buf = NULL;

	mutex_lock(&s->lock);
	if (index && index <= s->total)
		buf = etw_pool_buf(&s->ring.pool, index);
	mutex_unlock(&s->lock);
	return buf;
}

/*
 * Pages get references of their own, so a mapping outlives file and session.
 * Buffers that come later need a mapping of their own.
 */
static int consumer_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct etw_consumer *c = file->private_data;
	u64 at = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 len = vma->vm_end - vma->vm_start;
	u32 size = c->session->ring.size, offset;
	unsigned long to = vma->vm_start;
	struct etw_buf *buf;
	int err;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	if (vma->vm_pgoff > (U64_MAX >> PAGE_SHIFT) || at + len < at ||
	    at % size || len % size)
		return -EINVAL;
	etw_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);

	for (; to < vma->vm_end; at += size) {
		buf = existing(c->session, at / size);
		if (!buf)
			return -ENXIO;
		for (offset = 0; offset < size; offset += PAGE_SIZE, to += PAGE_SIZE) {
			err = vm_insert_page(vma, to,
					     vmalloc_to_page(buf->data + offset));
			if (err)
				return err;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static int consumer_release(struct inode *inode, struct file *file)
{
	struct etw_consumer *c = file->private_data;
	struct etw_trace_session *s = c->session;
	struct etw_buffer *b, *next;
	bool last;
	int i;

	mutex_lock(&s->lock);
	list_del(&c->node);
	last = --s->consumer_count == 0;
	for (b = c->cursor; b; b = next) {
		next = next_in_queue(s, b);
		if (last && s->state != ETW_STOPPED)
			b->pending = 0;	/* a backlog for the next consumer */
		else
			unpend(s, b);
	}
	for (i = 0; i < HELD_MAX; i++)
		if (c->held[i])
			unhold(s, c->held[i]);
	mutex_unlock(&s->lock);
	etw_session_put(s);
	mutex_destroy(&c->read_lock);
	kfree(c);
	return 0;
}

/* ------------------------------------------------------------------ ioctls */

static long consumer_take(struct file *file, void *arg)
{
	struct etw_consumer *c = file->private_data;
	struct etw_trace_session *s = c->session;
	struct etw_buffer_take *t = arg;
	struct etw_buffer *b;
	long err = 0;

	/* First: consumer_untake() goes by them, also when nothing was taken. */
	t->index = 0;
	t->used = 0;
	t->sequence = 0;
	t->events = 0;
	if (t->flags & ~ETW_TAKE_PEEK)
		return -EINVAL;
	mutex_lock(&s->lock);
	t->complete_through = s->complete_through;
	t->complete_sequence = s->complete_sequence;
	c->told_through = s->complete_through;
	if (!(t->flags & ETW_TAKE_PEEK))
		err = take(c, &b);
	if (!err && !(t->flags & ETW_TAKE_PEEK)) {
		t->index = b->buf.index;
		t->used = b->buf.used;
		t->sequence = b->sequence;
		t->events = b->events;
	}
	mutex_unlock(&s->lock);
	return err;
}

/* The caller could not be told which buffer it got, nor what is complete. */
static void consumer_untake(struct file *file, void *arg)
{
	struct etw_consumer *c = file->private_data;
	struct etw_buffer_take *t = arg;

	mutex_lock(&c->session->lock);
	c->told_through = ~c->session->complete_through;	/* anything else */
	if (t->index && !give(c, t->index)) {
		c->info.buffers--;
		c->info.events -= t->events;
		c->info.buffers_lost++;
		c->info.events_lost += t->events;
		c->session->rt_buffers_lost++;
	}
	mutex_unlock(&c->session->lock);
}

static long consumer_give(struct file *file, void *arg)
{
	struct etw_consumer *c = file->private_data;
	struct etw_buffer_give *g = arg;
	long err;

	mutex_lock(&c->session->lock);
	err = give(c, g->index);
	mutex_unlock(&c->session->lock);
	return err;
}

static void fill_info(struct etw_consumer *c, struct etw_consumer_info *info)
{
	*info = c->info;
	info->backlog = backlog(c);
}

static long consumer_stat(struct file *file, void *arg)
{
	struct etw_consumer *c = file->private_data;
	struct etw_consumer_stat *stat = arg;

	if (stat->flags)
		return -EINVAL;
	mutex_lock(&c->session->lock);
	fill_info(c, &stat->info);
	mutex_unlock(&c->session->lock);
	return 0;
}

static const struct etw_ioctl consumer_ioctls[] = {
	ETW_IOCTL(ETW_IOC_BUFFER_TAKE, struct etw_buffer_take, consumer_take,
		  .undo = consumer_untake, .always = true),
	ETW_IOCTL(ETW_IOC_BUFFER_GIVE, struct etw_buffer_give, consumer_give,
		  .in_only = true),
	ETW_IOCTL(ETW_IOC_CONSUMER_STAT, struct etw_consumer_stat, consumer_stat),
};

static long consumer_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return etw_ioctl_run(consumer_ioctls, ARRAY_SIZE(consumer_ioctls), file,
			     cmd, (void __user *)arg);
}

static const struct file_operations consumer_fops = {
	.owner = THIS_MODULE,
	.read = consumer_read,
	.poll = consumer_poll,
	.mmap = consumer_mmap,
	.release = consumer_release,
	.unlocked_ioctl = consumer_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* The file takes over a reference on the session if it is made. */
struct file *etw_consumer_open(struct etw_trace_session *s, u32 flags)
{
	struct etw_consumer *c;
	struct etw_buffer *b;
	struct file *file;

	c = kzalloc(sizeof(*c), ETW_GFP);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->session = s;
	c->info.pid = task_tgid_nr(current);
	mutex_init(&c->read_lock);

	mutex_lock(&s->lock);
	if (s->state != ETW_RUNNING || s->consumer_count >= ETW_CONSUMERS_MAX) {
		file = ERR_PTR(s->state != ETW_RUNNING ? -ESHUTDOWN : -ENOSPC);
		goto err_free;
	}
	file = anon_inode_getfile("[etw-consumer]", &consumer_fops, c,
				  O_RDONLY | (flags & O_NONBLOCK));
	if (IS_ERR(file))
		goto err_free;
	if (!s->consumer_count) {
		c->cursor = list_first_entry_or_null(&s->queue, struct etw_buffer,
						     node);
		list_for_each_entry(b, &s->queue, node)
			b->pending = 1;
	}
	WRITE_ONCE(s->dry, false);	/* there is a backlog to drop now */
	s->consumer_count++;
	list_add_tail(&c->node, &s->consumers);
	mutex_unlock(&s->lock);
	return file;

err_free:
	mutex_unlock(&s->lock);
	mutex_destroy(&c->read_lock);
	kfree(c);
	return file;
}

/* Fill info for up to capacity consumers; how many there are. */
u32 etw_consumers_info(struct etw_trace_session *s, struct etw_consumer_info *info,
		       u32 capacity)
{
	struct etw_consumer *c;
	u32 n = 0;

	mutex_lock(&s->lock);
	list_for_each_entry(c, &s->consumers, node) {
		if (n < capacity)
			fill_info(c, &info[n]);
		n++;
	}
	mutex_unlock(&s->lock);
	return n;
}
