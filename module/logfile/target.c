// SPDX-License-Identifier: GPL-2.0-only
/*
 * target.c - the file, or directory and name, that a session is written to
 *
 * No path is resolved: a file is made in a directory that the caller has open, by a name
 * without a slash.
 *
 * Only one session writes to a file: open_files lists the files being written.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "logfile.h"
#include "session/ledger.h"

#define NUMBER_MAX	10	/* digits of a file's number */

static DEFINE_MUTEX(open_lock);
static LIST_HEAD(open_files);		/* under open_lock */

/* ------------------------------------------------------------------- request */

/* Return the last component of the name. */
static const char *base_name(const struct etw_logtarget *t, u32 *len)
{
	u32 at = t->name_len;

	while (at && t->name[at - 1] != '/')
		at--;
	*len = t->name_len - at;
	return t->name + at;
}

/* Find the %d in a name; NULL: it has none, or several. */
static const char *number_in(const char *name, u32 len)
{
	const char *place = strnstr(name, "%d", len);

	if (!place || strnstr(place + 2, "%d", name + len - place - 2))
		return NULL;
	return place;
}

static int check_name(const struct etw_logtarget *t)
{
	u32 len;
	const char *base = base_name(t, &len);

	if (!t->name_len || memchr(t->name, 0, t->name_len))
		return -EINVAL;
	if (t->mode & ETW_MODE_NEWFILE &&
	    (!number_in(base, len) || t->name_len > ETW_FILE_NAME_MAX - NUMBER_MAX))
		return -EINVAL;
	if (t->dir && (!len || len > NAME_MAX || (len <= 2 && !strncmp(base, "..", len))))
		return -EINVAL;
	return 0;
}

static int check_modes(const struct etw_logtarget *t)
{
	u32 kind = t->mode & (ETW_MODE_SEQUENTIAL | ETW_MODE_CIRCULAR | ETW_MODE_NEWFILE);
	u32 sized = ETW_MODE_CIRCULAR | ETW_MODE_NEWFILE | ETW_MODE_PREALLOCATE;

	if (kind & (kind - 1))
		return -EINVAL;
	if (t->mode & ETW_MODE_APPEND &&
	    (kind & ~ETW_MODE_SEQUENTIAL || t->mode & ETW_MODE_PREALLOCATE))
		return -EINVAL;
	if (t->mode & sized && !t->max_size)
		return -EINVAL;
	/* A file that is made later, or repeatedly, needs a directory. */
	if (t->mode & (ETW_MODE_NEWFILE | ETW_MODE_DELAY_OPEN) && !t->dir)
		return -EINVAL;
	if (t->mode & ETW_MODE_APPEND && !t->file)
		return -EINVAL;
	return 0;
}

/* Return 0 if the file is suitable for a log, else an error. */
int etw_logtarget_check(const struct etw_logtarget *t)
{
	struct inode *inode = file_inode(t->file);

	if (S_ISDIR(inode->i_mode))
		return -EISDIR;
	if (!S_ISREG(inode->i_mode))
		return -ESPIPE;
	if (!(t->file->f_mode & FMODE_WRITE) || !(t->file->f_mode & FMODE_CAN_WRITE))
		return -EBADF;
	if (t->mode & ETW_MODE_APPEND && !(t->file->f_mode & FMODE_READ))
		return -EBADF;
	if (t->file->f_flags & (O_APPEND | O_DIRECT))
		return -EINVAL;
	return 0;
}

static int take_files(struct etw_logtarget *t, const struct etw_session_file *f)
{
	if ((f->fd < 0) == (f->dir < 0))
		return -EINVAL;
	if (f->fd >= 0) {
		t->file = fget(f->fd);
		return t->file ? etw_logtarget_check(t) : -EBADF;
	}
	t->dir = fget(f->dir);
	if (!t->dir)
		return -EBADF;
	return S_ISDIR(file_inode(t->dir)->i_mode) ? 0 : -ENOTDIR;
}

static int take_texts(struct etw_logtarget *t, const struct etw_session_file *f)
{
	if (f->name_len > ETW_FILE_NAME_MAX)
		return -ENAMETOOLONG;
	if (copy_from_user(t->name, u64_to_user_ptr(f->name), f->name_len))
		return -EFAULT;
	t->name_len = f->name_len;
	if (f->zone && copy_from_user(&t->zone, u64_to_user_ptr(f->zone), sizeof(t->zone)))
		return -EFAULT;
	return 0;
}

/* Memory for records of losses, which must not fail when something is lost. */
static u8 *make_block(void)
{
	u8 *block = kmalloc(2 * ETW_STAND_IN_ROOM, ETW_GFP);

	if (block)
		memset(block, ETW_TAIL_BYTE, 2 * ETW_STAND_IN_ROOM);
	return block;
}

/*
 * Make the target that a command describes and check it, without changing any file.
 * mode: of the session.
 */
struct etw_logtarget *etw_logtarget_get(const struct etw_session_file *f, u32 mode)
{
	struct etw_logtarget *t;
	int err;

	if (f->flags || f->file_mode & ~0777 || (f->sync_ms && f->sync_ms < ETW_SYNC_MS_MIN))
		return ERR_PTR(-EINVAL);
	t = kzalloc(sizeof(*t), ETW_GFP);
	if (!t)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&t->node);
	t->cred = etw_access_cred(current_cred());
	t->block = make_block();
	t->mode = mode & ETW_MODE_FILE;
	t->file_mode = f->file_mode;
	t->max_size = f->max_size;
	/* The size of a snapshot is not limited. */
	if (!(mode & ETW_MODE_BUFFERING))
		t->limit = (u64)f->max_size << (mode & ETW_MODE_KBYTES ? 10 : 20);
	t->number = f->first ?: 1;
	t->max_number = f->max_number;
	t->sync_ms = f->sync_ms;
	err = t->block ? take_files(t, f) : -ENOMEM;
	if (!err)
		err = check_modes(t);
	if (!err)
		err = take_texts(t, f);
	if (!err)
		err = check_name(t);
	if (!err)
		return t;
	etw_logtarget_put(t);
	return ERR_PTR(err);
}

/* Copy old, which has a directory and no open file; NULL: no memory. */
struct etw_logtarget *etw_logtarget_copy(const struct etw_logtarget *old)
{
	struct etw_logtarget *t = kmemdup(old, sizeof(*old), ETW_GFP);

	if (!t)
		return NULL;
	t->block = make_block();
	if (!t->block) {
		kfree(t);
		return NULL;
	}
	t->missed = NULL;
	t->slots = NULL;
	INIT_LIST_HEAD(&t->node);
	get_file(t->dir);
	etw_access_cred(t->cred);
	return t;
}

/* A target for etw_logtarget_hand_over(); NULL: no memory. */
struct etw_logtarget *etw_logtarget_empty(void)
{
	struct etw_logtarget *t = kzalloc(sizeof(*t), ETW_GFP);

	if (!t)
		return NULL;
	INIT_LIST_HEAD(&t->node);
	t->block = make_block();
	if (t->block)
		return t;
	kfree(t);
	return NULL;
}

/*
 * t's file is complete: close it, and remember in former, which has none open, what it takes to
 * change its first buffer later.  former gets the reference to file, which is the same one, and
 * stays the only one to write a circular file, which gets its end later.
 */
void etw_logtarget_hand_over(struct etw_logtarget *former, struct etw_logtarget *t,
			     struct file *file)
{
	u8 *block = former->block;

	put_cred(former->cred);
	*former = *t;
	INIT_LIST_HEAD(&former->node);
	former->file = file;
	former->dir = NULL;
	former->cred = etw_access_cred(t->cred);
	former->slots = NULL;
	former->missed = NULL;
	former->block = block;
	mutex_lock(&open_lock);
	if (t->mode & ETW_MODE_CIRCULAR && !list_empty(&t->node))
		list_replace_init(&t->node, &former->node);
	mutex_unlock(&open_lock);
	etw_logtarget_close(t);
}

/*
 * Once no caller waits for the thread, the file system may be unmounted, so a kernel
 * thread closes synchronously.  System calls finish fput() before they return.
 */
void etw_logtarget_close_file(struct file *file)
{
	if (current->flags & PF_KTHREAD)
		__fput_sync(file);
	else
		fput(file);
}

/* Afterwards another session may write to the file. */
void etw_logtarget_close(struct etw_logtarget *t)
{
	struct file *file = t->file;

	mutex_lock(&open_lock);
	list_del_init(&t->node);
	mutex_unlock(&open_lock);
	t->file = NULL;
	if (file)
		etw_logtarget_close_file(file);
}

/* Takes NULL. */
void etw_logtarget_put(struct etw_logtarget *t)
{
	if (!t)
		return;
	etw_logtarget_close(t);
	if (t->dir)
		etw_logtarget_close_file(t->dir);
	put_cred(t->cred);
	kfree(t->block);
	kvfree(t->slots);
	kfree(t);
}

/* -------------------------------------------------------------- the next file */

/* Make the name of the next file, and return its last component. */
const char *etw_logtarget_name(struct etw_logtarget *t)
{
	const char *number = NULL;
	u32 len, tail;
	const char *base = base_name(t, &len);

	if (t->mode & ETW_MODE_NEWFILE)
		number = number_in(base, len);
	if (number) {
		tail = t->name + t->name_len - (number + 2);
		memcpy(t->made, t->name, number - t->name);
		t->made_len = number - t->name;
		t->made_len += scnprintf(t->made + t->made_len, NUMBER_MAX + 1, "%u", t->number);
		memcpy(t->made + t->made_len, number + 2, tail);
		t->made_len += tail;
	} else {
		memcpy(t->made, t->name, t->name_len);
		t->made_len = t->name_len;
	}
	return t->made + (base - t->name);
}

/* Advance to the next file number. */
void etw_logtarget_advance(struct etw_logtarget *t)
{
	t->number = t->number == U32_MAX || t->number == t->max_number ? 1 : t->number + 1;
}

/* Add the file to open_files.  -ETXTBSY: another session writes to it. */
int etw_logtarget_claim(struct etw_logtarget *t)
{
	struct etw_logtarget *other;
	int err = 0;

	mutex_lock(&open_lock);
	list_for_each_entry(other, &open_files, node)
		if (file_inode(other->file) == file_inode(t->file))
			err = -ETXTBSY;
	if (!err)
		list_add(&t->node, &open_files);
	mutex_unlock(&open_lock);
	return err;
}
