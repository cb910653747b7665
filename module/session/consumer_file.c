// SPDX-License-Identifier: GPL-2.0-only
/*
 * consumer_file.c - consumers in user space: open files with their own ioctl commands
 *
 * session->lock is never held across a copy to user space.  read_lock serialises the
 * readers of one file and is taken before session->lock.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "consumer.h"
#include "consumer_file.h"
#include "alloc.h"
#include "ioctl.h"
#include "session.h"

struct etw_consumer_file {
	struct etw_consumer consumer;
	struct etw_buffer *again;	/* a buffer held for the next read, or NULL */
	u64 reported_through;		/* complete_through that TAKE returned last */
	struct mutex read_lock;
};

/* ---------------------------------------------------------------- file ops */

/* A hint, without the lock; consumer_next() looks again under it. */
static bool consumer_readable(struct etw_consumer_file *c)
{
	return etw_consumer_ready(&c->consumer) || READ_ONCE(c->again) ||
	       READ_ONCE(c->consumer.session->state) == ETW_STOPPED;
}

/* The buffer that the next read returns; waits for it if wait is set. */
static int consumer_next(struct etw_consumer_file *c, bool wait, struct etw_buffer **b)
{
	struct etw_trace_session *s = c->consumer.session;
	int err;

	for (;;) {
		mutex_lock(&s->lock);
		*b = c->again;
		err = *b ? 0 : etw_consumer_take(&c->consumer, b);
		if (!err)
			WRITE_ONCE(c->again, *b);
		mutex_unlock(&s->lock);
		if (err != -EAGAIN || !wait)
			return err;
		if (wait_event_interruptible(s->wait, consumer_readable(c)))
			return -ERESTARTSYS;
	}
}

static ssize_t consumer_read(struct file *file, char __user *to, size_t len,
			     loff_t *pos)
{
	struct etw_consumer_file *c = file->private_data;
	struct etw_trace_session *s = c->consumer.session;
	size_t size = s->hot.ring.size, done = 0;
	struct etw_buffer *b;
	int err = 0;

	if (len < size)
		return -EINVAL;
	if (mutex_lock_interruptible(&c->read_lock))
		return -ERESTARTSYS;
	while (len - done >= size) {
		err = consumer_next(c, !done && !(file->f_flags & O_NONBLOCK), &b);
		if (err)
			break;
		if (copy_to_user(to + done, b->buf.data, size)) {
			err = -EFAULT;	/* the buffer stays for the next read */
			break;
		}
		mutex_lock(&s->lock);
		WRITE_ONCE(c->again, NULL);
		etw_consumer_give(&c->consumer, b);
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
	struct etw_consumer_file *c = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &c->consumer.session->wait, pt);
	mutex_lock(&c->consumer.session->lock);
	if (etw_consumer_ready(&c->consumer) || c->again)
		events = EPOLLIN | EPOLLRDNORM;
	else if (c->consumer.session->state == ETW_STOPPED)
		events = EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	if (c->consumer.session->complete_through != c->reported_through)
		events |= EPOLLPRI;
	mutex_unlock(&c->consumer.session->lock);
	return events;
}

/* The memory of the buffer with this index, or NULL; it exists as long as the session. */
static u8 *consumer_buffer(struct etw_trace_session *s, u64 index)
{
	struct etw_buf *buf;
	u8 *data = NULL;

	mutex_lock(&s->lock);
	if (index && index <= s->entries) {
		buf = etw_pool_buf(&s->hot.ring.pool, array_index_nospec(index, s->entries + 1ULL));
		data = buf->data;
		etw_buffer_of(buf)->mapped = !!data;
	}
	mutex_unlock(&s->lock);
	return data;
}

/*
 * The mapping has its own references to the pages, so it may outlive file and session.
 * Buffers that the session adds later need another mapping.
 */
static int consumer_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct etw_consumer_file *c = file->private_data;
	u64 at = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 len = vma->vm_end - vma->vm_start;
	u32 size = c->consumer.session->hot.ring.size, offset;
	unsigned long to = vma->vm_start;
	u8 *data;
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
		data = consumer_buffer(c->consumer.session, at / size);
		if (!data)
			return -ENXIO;
		for (offset = 0; offset < size; offset += PAGE_SIZE, to += PAGE_SIZE) {
			err = vm_insert_page(vma, to,
					     vmalloc_to_page(data + offset));
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
	struct etw_consumer_file *c = file->private_data;

	etw_consumer_detach(&c->consumer);
	etw_session_put(c->consumer.session);
	mutex_destroy(&c->read_lock);
	kfree(c);
	return 0;
}

/* ------------------------------------------------------------------ ioctls */

/* Give back a buffer.  -EINVAL: it is not held, or it is kept for the next read. */
static int consumer_give_index(struct etw_consumer_file *c, u32 index)
{
	struct etw_buffer *b = etw_consumer_held(&c->consumer, index);

	if (!b || b == c->again)
		return -EINVAL;
	etw_consumer_give(&c->consumer, b);
	return 0;
}

static long consumer_take(struct file *file, void *arg)
{
	struct etw_consumer_file *c = file->private_data;
	struct etw_trace_session *s = c->consumer.session;
	struct etw_buffer_take *t = arg;
	struct etw_buffer *b;
	long err = 0;

	/* First, because consumer_untake() reads them even if nothing was taken. */
	t->index = 0;
	t->used = 0;
	t->sequence = 0;
	t->events = 0;
	if (t->flags & ~ETW_TAKE_PEEK)
		return -EINVAL;
	mutex_lock(&s->lock);
	t->complete_through = s->complete_through;
	t->complete_sequence = s->complete_sequence;
	c->reported_through = s->complete_through;
	if (!(t->flags & ETW_TAKE_PEEK))
		err = etw_consumer_take(&c->consumer, &b);
	if (!err && !(t->flags & ETW_TAKE_PEEK)) {
		t->index = b->buf.index;
		t->used = b->buf.used;
		t->sequence = b->sequence;
		t->events = b->events;
	}
	mutex_unlock(&s->lock);
	return err;
}

/* The results could not be copied to the caller. */
static void consumer_untake(struct file *file, void *arg)
{
	struct etw_consumer_file *c = file->private_data;
	struct etw_buffer_take *t = arg;
	struct etw_buffer *b = NULL;

	mutex_lock(&c->consumer.session->lock);
	c->reported_through = ~c->consumer.session->complete_through;	/* a value that differs */
	if (t->index)
		b = etw_consumer_held(&c->consumer, t->index);
	if (b && b != c->again)
		etw_consumer_untake(&c->consumer, b);
	mutex_unlock(&c->consumer.session->lock);
}

static long consumer_give(struct file *file, void *arg)
{
	struct etw_consumer_file *c = file->private_data;
	struct etw_buffer_give *g = arg;
	long err;

	mutex_lock(&c->consumer.session->lock);
	err = consumer_give_index(c, g->index);
	mutex_unlock(&c->consumer.session->lock);
	return err;
}

static long consumer_stat(struct file *file, void *arg)
{
	struct etw_consumer_file *c = file->private_data;
	struct etw_consumer_stat *stat = arg;

	if (stat->flags)
		return -EINVAL;
	mutex_lock(&c->consumer.session->lock);
	etw_consumer_info(&c->consumer, &stat->info);
	mutex_unlock(&c->consumer.session->lock);
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

/*
 * On success the file takes over the caller's reference on the session.  -EINVAL: the
 * session only writes a log file.
 */
struct file *etw_consumer_open(struct etw_trace_session *s, u32 flags)
{
	struct etw_consumer_file *c;
	struct file *file;
	int err;

	if (!(READ_ONCE(s->hot.mode) & (ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING)))
		return ERR_PTR(-EINVAL);
	c = kzalloc(sizeof(*c), ETW_GFP);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->consumer.info.pid = task_tgid_nr(current);
	c->consumer.lost_as = ETW_LOSS_CONSUMER;
	mutex_init(&c->read_lock);
	err = etw_consumer_attach(s, &c->consumer);
	if (err)
		goto err_free;
	mutex_lock(&s->lock);
	etw_consumer_prepare(&c->consumer);
	mutex_unlock(&s->lock);
	file = anon_inode_getfile("[etw-consumer]", &consumer_fops, c,
				  O_RDONLY | (flags & O_NONBLOCK));
	if (!IS_ERR(file))
		return file;
	err = PTR_ERR(file);
	etw_consumer_detach(&c->consumer);

err_free:
	mutex_destroy(&c->read_lock);
	kfree(c);
	return ERR_PTR(err);
}
