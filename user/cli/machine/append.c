/* SPDX-License-Identifier: MIT */
/*
 * append.c - describe the machine at the end of a log file that is complete
 *
 * So no event can be lost for it. Circular files have no such end, and files that nobody has
 * closed are still written. While something is appended the file counts as incomplete: all
 * that takes long comes before, and no signal ends the command meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "etl/file.h"
#include "append.h"

#define LOCK_TRIES	1000	/* for another command that appends, 10 ms apart */

/* A buffer of few hundred bytes has no room for some records: the others are worth having. */
static int put(void *writer, const void *record, size_t size)
{
	int err = etw_etl_write(writer, 0, record, size);

	return err == -EMSGSIZE ? 0 : err;
}

int machine_append(struct etw_etl_writer *writer, const struct machine *machine, int64_t time)
{
	return machine_records(machine, time, put, writer);
}

/* ----------------------------------------------------------------- the file */

/* etw record and the etw stop that ends it append to the same file. A signal ends the wait. */
static int lock(int fd)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int tries, err;

	for (tries = 0; (err = etw_etl_lock(fd)) == -EBUSY && tries < LOCK_TRIES &&
	     !cli_ending() && !cli_held_ending(); tries++)
		nanosleep(&pause, NULL);
	return err;
}

static int check(int fd, int64_t started, struct etw_etl_info *info)
{
	struct etw_etl_file *file;
	int own = dup(fd), err = own < 0 ? -errno : etw_etl_open_fd(own, NULL, NULL, &file);

	if (err) {
		if (own >= 0)
			close(own);
		return err;
	}
	*info = *etw_etl_info(file);
	if (started && info->header.StartTime.QuadPart != started)
		err = -ESTALE;
	else if (etw_etl_cut_off(file) ||
		 info->header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR)
		err = -EOPNOTSUPP;
	etw_etl_close(file);
	return err;
}

struct held {
	sigset_t mask;
	struct sigaction file_size;
};

/* SIGXFSZ would end the command afterwards, and writing fails without it. */
static void hold_signals(struct held *before)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t all;

	sigaction(SIGXFSZ, &ignore, &before->file_size);
	sigfillset(&all);
	sigdelset(&all, SIGXFSZ);
	sigprocmask(SIG_SETMASK, &all, &before->mask);
}

static void release_signals(const struct held *before)
{
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	sigaction(SIGXFSZ, &before->file_size, NULL);
}

static int append(int fd, const struct etw_etl_info *info, const struct machine *machine,
		  machine_more_fn *more, void *context)
{
	struct etw_etl_writer *writer;
	int err = etw_etl_append_fd(fd, &writer);

	if (err)
		return err;
	if (more)
		err = more(context, writer, info);
	if (!err && machine)
		err = machine_append(writer, machine, etw_etl_end_clock(info));
	if (err) {
		etw_etl_discard(writer);
		return err;
	}
	return etw_etl_finish(writer, info->header.EndTime.QuadPart, NULL);
}

/* The file that is checked is the one that is appended to, whatever has its name then. */
int machine_append_file(const char *path, int64_t started, const struct machine *machine,
			machine_more_fn *more, void *context)
{
	struct machine shown = { .host = "" };
	static struct etw_etl_info info;
	struct held before;
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	err = lock(fd);
	if (!err)
		err = check(fd, started, &info);
	if (!err && fstat(fd, &st))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	if (machine) {
		shown = *machine;
		machine_hide(&shown, &st);
	}
	hold_signals(&before);
	err = append(fd, &info, machine ? &shown : NULL, more, context);
	release_signals(&before);
	return err;
}

const char *machine_append_reason(int err)
{
	switch (-err) {
	case EINVAL:
	case EOPNOTSUPP:
		return "it is not a log file that is complete";
	case ESTALE:
		return "the file of that name is another one now";
	case EBUSY:
		return "another program appends to it";
	default:
		return strerror(-err);
	}
}

/* --------------------------------------------------------------- what commands do */

void machine_describe(const char *path, int64_t started)
{
	struct machine machine = { .host = "" };
	int err;

	machine_collect(&machine, "");
	err = machine_append_file(path, started, &machine, NULL, NULL);
	machine_free(&machine);
	if (err && err != -ENOENT && err != -ESTALE && err != -EOPNOTSUPP)
		cli_note("%s: the machine is not described in it: %s", cli_quote(path),
			 machine_append_reason(err));
}

void machine_describe_log(const struct session *session)
{
	if (session->log.log.name_len && !session_file_failed(session))
		machine_describe(session->log.name, machine_log_start(session));
}

int64_t machine_log_start(const struct session *session)
{
	return session->s.mode & ETW_MODE_APPEND ? 0 : (int64_t)session->s.start_wall;
}
