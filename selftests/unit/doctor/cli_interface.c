// SPDX-License-Identifier: MIT
/* What etw doctor says of a module that knows other commands than the command does */
#include <string.h>
#include <unistd.h>

#include "cli/doctor/checks.h"
#include "cli/doctor/report.h"
#include "device/kdev.h"
#include "lib/tap.h"

/* The model: how much larger the arguments of its commands are, and which one it lacks */
static int larger;
static unsigned int lacks;
static bool is_null;
static unsigned int last, known, executed;
static int pipe_end;

/* By the rules of module/ioctl.c */
static int model_ioctl(int fd, unsigned int command, void *arg)
{
	uint32_t size;

	(void)fd;
	if (is_null || command == lacks)
		return -ENOTTY;
	memcpy(&size, arg, sizeof(size));
	/* The first size asked for is that of this command. */
	if (command != last)
		known = size + larger;
	last = command;
	if (size < known)
		return -EINVAL;
	/* What is behind the size cannot be read: write(2) says so without a signal. */
	if (write(pipe_end, (char *)arg + sizeof(size), 1) != -1 || errno != EFAULT)
		executed++;
	return -EFAULT;
}

static const struct etw_kdev_ops model = { .ioctl = model_ioctl };

/* What the check prints */
static const char *examine(void)
{
	static char text[1024];
	struct doctor doctor = { .fd = 3 };
	FILE *real = stdout;

	last = 0;
	memset(text, 0, sizeof(text));
	stdout = fmemopen(text, sizeof(text) - 1, "w");
	doctor_interface(&doctor);
	fclose(stdout);
	stdout = real;
	return text;
}

static void is_line(const char *begin, const char *what)
{
	const char *text = examine();

	if (!ok(!strncmp(text, begin, strlen(begin)), "%s", what))
		printf("# %s", text);
}

int main(void)
{
	int ends[2];

	if (pipe(ends))
		return 1;
	pipe_end = ends[1];
	etw_kdev_ops = &model;
	is_line("ok       interface  the module and this command have the same", "the same");
	larger = 8;
	is_line("wrong    interface  the loaded module is newer", "a newer module");
	larger = -8;
	is_line("warning  interface  the loaded module is older", "an older module");
	larger = 0;
	lacks = ETW_IOC_BPF_PROVIDER;
	is_line("warning  interface  the loaded module is older", "a module without a command");
	is_null = true;
	is_line("wrong    interface  /dev/etw is not a device of the module", "another device");
	is(executed, 0, "no command was executed");
	is((long)doctor_wrong_count(), 2, "what is wrong was counted");
	return done_testing();
}
