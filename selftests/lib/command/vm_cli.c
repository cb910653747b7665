// SPDX-License-Identifier: GPL-2.0-only
/* vm_cli.c - run the etw command and check its output */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib/command/vm_cli.h"

const char *vc_path(void)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/etw", vm_build());
	return path;
}

/* With one capability, which the command inherits; 0: none */
static int vc_become_nobody(unsigned int capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };
	const unsigned int i = CAP_TO_INDEX(capability), mask = CAP_TO_MASK(capability);

	if ((capability && prctl(PR_SET_KEEPCAPS, 1)) || setgroups(0, NULL) ||
	    setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return -1;
	if (!capability)
		return 0;
	caps[i].permitted = caps[i].effective = caps[i].inheritable = mask;
	return syscall(SYS_capset, &head, caps) ||
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
}

static void vc_child(struct vc_run *r, char **argv)
{
	int null = open("/dev/null", O_RDONLY);
	/* Opened first: user nobody may have no access to the tree that contains it. */
	int etw = open(vc_path(), O_RDONLY | O_CLOEXEC);

	dup2(null, 0);
	dup2(r->to ? r->to : r->out_fd, 1);
	dup2(r->err_fd, 2);
	if (r->nobody && vc_become_nobody(r->capability))
		_exit(126);
	setenv("TZ", "UTC", 1);
	fexecve(etw, argv, environ);
	_exit(127);
}

/* The arguments up to a NULL; false: there are too many. */
static bool vc_take(char *argv[VC_ARGS + 2], va_list ap)
{
	int i;

	argv[0] = (char *)"etw";
	for (i = 1; i <= VC_ARGS + 1; i++)
		if (!(argv[i] = va_arg(ap, char *)))
			return true;
	return false;
}

static bool vc_vstart(struct vc_run *r, va_list ap)
{
	char *argv[VC_ARGS + 2];

	if (!vc_take(argv, ap)) {
		r->out[0] = '\0';
		r->pid = -1;
		snprintf(r->err, sizeof(r->err), "vm_cli: more than %d arguments\n", VC_ARGS);
		fputs(r->err, stderr);
		return false;
	}
	/* Files, not pipes: a command never waits for the test. */
	r->out_fd = memfd_create("out", MFD_CLOEXEC);
	r->err_fd = memfd_create("err", MFD_CLOEXEC);
	r->out[0] = r->err[0] = '\0';
	r->pid = fork();
	if (!r->pid)
		vc_child(r, argv);
	return r->pid > 0;
}

bool vc_start(struct vc_run *r, ...)
{
	va_list ap;
	bool ok;

	va_start(ap, r);
	ok = vc_vstart(r, ap);
	va_end(ap);
	return ok;
}

void vc_look(struct vc_run *r)
{
	ssize_t n = pread(r->out_fd, r->out, VC_TEXT - 1, 0);

	r->out[n < 0 ? 0 : n] = '\0';
	n = pread(r->err_fd, r->err, VC_TEXT - 1, 0);
	r->err[n < 0 ? 0 : n] = '\0';
}

int vc_end(struct vc_run *r)
{
	int status = vm_reap(r->pid);

	if (status == -1) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
		r->status = -1;
	} else {
		r->status = WIFEXITED(status) ? WEXITSTATUS(status) :
			    128 + WTERMSIG(status);
	}
	vc_look(r);
	close(r->out_fd);
	close(r->err_fd);
	return r->status;
}

int vc_lines(const char *text)
{
	int n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

unsigned int vc_lines_with(const char *text, const char *a, const char *b)
{
	const char *end;
	unsigned int n = 0;
	char line[4096];

	for (; (end = strchr(text, '\n')); text = end + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		n += strstr(line, a) && strstr(line, b);
	}
	return n;
}

int vc_run(struct vc_run *r, ...)
{
	va_list ap;
	bool ok;

	va_start(ap, r);
	ok = vc_vstart(r, ap);
	va_end(ap);
	return ok ? vc_end(r) : -1;
}

bool vc_report(const struct vc_run *r, bool good)
{
	if (!good)
		fprintf(stderr, "# exit status %d\n# stdout: %s\n# stderr: %s\n",
			r->status, r->out, r->err);
	return good;
}

bool vc_refused(const struct vc_run *r, int status, const char *text)
{
	return vc_report(r, r->status == status && !r->out[0] &&
			 !strncmp(r->err, "etw: ", 5) && vc_lines(r->err) == 1 &&
			 r->err[strlen(r->err) - 1] == '\n' && strstr(r->err, text));
}

int vc_objects(const char *text)
{
	const char *end;
	int n = 0;

	for (; *text; text = end + 1, n++) {
		end = strchr(text, '\n');
		if (!end || *text != '{' || end[-1] != '}')
			return -1;
	}
	return n;
}
