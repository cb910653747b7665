/* SPDX-License-Identifier: MIT */
/*
 * cli_fake.h - run the etw command over the model of the device
 */
#ifndef ETW_UNIT_CLI_FAKE_H
#define ETW_UNIT_CLI_FAKE_H

#include "unit/lib/lib_fake.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cli/cli.h"

static char out[8192], err[2048];

static void take(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n < 0 ? 0 : n] = '\0';
	close(fd);
}

/*
 * Run a subcommand in a process of its own; returns the exit status, and stdout and
 * stderr in out and err.
 */
__attribute__((__unused__))
static int run(int (*command)(int argc, char **argv), char **argv)
{
	int fds[2] = { memfd_create("out", 0), memfd_create("err", 0) }, argc = 0, status;
	pid_t child;

	while (argv[argc])
		argc++;
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(fds[0], 1);
		dup2(fds[1], 2);
		cli_restart(argv[0]);
		_exit(cli_finish(command(argc, argv)));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	take(fds[0], out, sizeof(out));
	take(fds[1], err, sizeof(err));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ------------------------------------------ what the model of the device leaves out */

/* The log file of a session */
struct cli_log {
	struct etw_session_log log;	/* size 0: no file */
	char path[ETW_FILE_NAME_MAX];
};

static struct cli_log *cli_logs;	/* of fake->sessions, shared with children */

static int cli_session_ioctl(int fd, unsigned int command, struct etw_session *s)
{
	const struct etw_session_file *file = (void *)(uintptr_t)s->file;
	struct etw_session_log *to = (void *)(uintptr_t)s->log, was;
	struct cli_log *own = cli_logs;
	int ret;

	s->file = 0;
	ret = fake_ops.ioctl(fd, command, s);
	s->file = (uintptr_t)file;
	s->log = (uintptr_t)to;
	if (ret)
		return ret;
	while (fake->sessions[own - cli_logs].s.logger_id != s->logger_id)
		own++;
	if ((command & 0xff) == 0x01) {
		memset(own, 0, sizeof(*own));
		if (file) {
			own->log = (struct etw_session_log){
				.size = sizeof(own->log), .name_len = file->name_len, .buffers = 1,
				.max_size = file->max_size, .number = 1, .buffers_lost = 6,
			};
			memcpy(own->path, (void *)(uintptr_t)file->name, file->name_len);
		}
	}
	if (to && own->log.size) {
		was = *to;
		*to = own->log;
		to->name = was.name;
		to->name_cap = was.name_cap;
		memcpy((void *)(uintptr_t)was.name, own->path,
		       to->name_len < was.name_cap ? to->name_len : was.name_cap);
	}
	return 0;
}

/* A provider without a name; -ESRCH: nobody has registered it. */
static int cli_query(struct etw_provider_query *q)
{
	uint32_t i, slot;

	q->name_len = q->reg_count = q->enable_count = 0;
	for (i = 0; i < fake->file_count; i++)
		for (slot = 0; fake->files[i].ino && slot < ETW_REGISTRATIONS_MAX; slot++)
			q->reg_count += fake->files[i].regs[slot].used &&
				!memcmp(&fake->files[i].regs[slot].guid, &q->provider, 16);
	memset((void *)(uintptr_t)q->regs, 0, q->reg_cap * sizeof(struct etw_provider_reg));
	return q->reg_count ? 0 : -ESRCH;
}

static int cli_ioctl(int fd, unsigned int command, void *arg)
{
	unsigned int nr = command & 0xff;

	if (nr >= 0x01 && nr <= 0x05)
		return cli_session_ioctl(fd, command, arg);
	if (nr == 0x24)
		return cli_query(arg);
	if (nr != 0x23)
		return fake_ops.ioctl(fd, command, arg);
	((struct etw_provider_enum *)arg)->count = 0;
	return 0;
}

/* Run the commands over the model; hook: NULL, or what calls cli_ioctl(). */
static void cli_fake_init(int (*hook)(int fd, unsigned int command, void *arg))
{
	static struct etw_kdev_ops ops;

	fake_init();
	cli_logs = mmap(NULL, FAKE_SESSIONS * sizeof(*cli_logs), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ops = fake_ops;
	ops.ioctl = hook ? hook : cli_ioctl;
	etw_kdev_ops = &ops;
}

#define RUN(command, ...)	run(command, (char *[]){ __VA_ARGS__, NULL })

#endif /* ETW_UNIT_CLI_FAKE_H */
