// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec - registrations when their process executes another program
 */
#include <sched.h>
#include <sys/prctl.h>

#include "lib/vm.h"

#define ROUNDS	100

FIXTURE(exec) {
	int fd;
	uint64_t session;
	pid_t busy;
};

static bool set_fifo(void)
{
	return !sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 10 });
}

/* Use all CPUs but the first, so that no work runs there. */
static void be_busy(void)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	set_fifo();
	for (cpu = 1; cpu < cpus; cpu++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		vm_pin(cpu);
		for (;;)
			;
	}
	for (;;)
		pause();
}

FIXTURE_SETUP(exec)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "t-exec");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 0, 0, 0));
	self->busy = fork();
	if (!self->busy)
		be_busy();
}

FIXTURE_TEARDOWN(exec)
{
	kill(self->busy, SIGKILL);
	vm_reap(self->busy);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int put(int fd, int slot)
{
	return vm_write(fd, slot, 1, 0, 0, "", 0);
}

/* Registers at once through the inherited file.  0: as it should be. */
static int image_main(int fd)
{
	int slot = vm_register(fd, vm_guid(1));

	if (slot < 0)
		return 1;
	/* Slot 0 was of the program before: it ends now, if it has not ended already. */
	if (slot && !vm_until(put(fd, 0) == -EBADF))
		return 2;
	/* The session may have no buffer, since nothing else runs. */
	return put(fd, slot) == -EBADF ? 3 : 0;
}

/* Register through a file that stays open, and execute this program again. */
static void run_image(void)
{
	int fd = open(ETW_DEVICE_PATH, O_RDWR);
	char number[16];

	vm_pin(0);
	set_fifo();
	snprintf(number, sizeof(number), "%d", fd);
	if (vm_register(fd, vm_guid(1)) == 0)
		execl("/proc/self/exe", "exec", "image", number, NULL);
	_exit(4);
}

/* A new program keeps its registrations while those of the one before end. */
TEST_F(exec, new_registrations_stay)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < ROUNDS; i++) {
		pid = fork();
		if (!pid)
			run_image();
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFEXITED(status));
		ASSERT_EQ(0, WEXITSTATUS(status));
	}
}

/* Before the harness looks at the arguments. */
__attribute__((__constructor__))
static void as_image(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "image"))
		_exit(image_main(atoi(argv[2])));
}

TEST_HARNESS_MAIN
