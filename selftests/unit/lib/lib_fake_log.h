/* SPDX-License-Identifier: MIT */
/*
 * lib_fake_log.h - the log files of the model of /dev/etw; include lib_fake.h
 */
#ifndef ETW_LIB_FAKE_LOG_H
#define ETW_LIB_FAKE_LOG_H

/* Take over a file; checks only the rules that the library leaves to the kernel. */
static int fake_log(struct fake_session *f, const struct etw_session *s)
{
	const struct etw_session_file *file = (void *)(uintptr_t)s->file;

	if (file->flags == ETW_FILE_END) {
		f->s.mode = (f->s.mode & ~ETW_MODE_FILE) | ETW_MODE_REAL_TIME;
		return 0;
	}
	if (file->flags == ETW_FILE_NEXT) {
		if (!(f->s.mode & ETW_MODE_NEWFILE))
			return -EINVAL;
		f->log.number++;
		return 0;
	}
	if ((file->fd < 0) == (file->dir < 0))
		return -EINVAL;
	f->file = *file;
	f->log = (struct etw_session_log){
		.size = sizeof(f->log), .name_len = file->name_len, .buffers = 1,
		.max_size = file->max_size, .number = 1, .buffers_lost = 6,
	};
	memcpy(f->path, (void *)(uintptr_t)file->name, file->name_len);
	return 0;
}

/* FLUSH into a file, without changing the session's own. */
static int fake_snapshot(struct fake_session *f, const struct etw_session *s)
{
	const struct etw_session_file *file = (void *)(uintptr_t)s->file;

	if (!(f->s.mode & ETW_MODE_BUFFERING) || (file->fd < 0) == (file->dir < 0))
		return -EINVAL;
	f->file = *file;
	return 0;
}

/* Describe the file in a struct etw_session_log, if the caller passed one. */
static void fake_log_out(const struct fake_session *f, uint64_t at)
{
	struct etw_session_log *log = (void *)(uintptr_t)at, was;

	if (!log || !f->log.size)
		return;
	was = *log;
	*log = f->log;
	log->name = was.name;
	log->name_cap = was.name_cap;
	memcpy((void *)(uintptr_t)was.name, f->path,
	       log->name_len < was.name_cap ? log->name_len : was.name_cap);
}

#endif /* ETW_LIB_FAKE_LOG_H */
