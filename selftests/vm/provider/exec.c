// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec - registrations when their process executes another program
 */
#include <sched.h>
#include <sys/prctl.h>

#include "lib/vm.h"

#define ROUNDS	100
#define FILES	100
#define FIRST_FD	200

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

/* Which of the inherited files: every third has a registration of this program. */
static bool is_renewed(int i)
{
	return i % 3 == 0;
}

/* Each file had a registration; some get another, and only those have any then. */
static int many_main(void)
{
	int slots[FILES], i;

	for (i = 0; i < FILES; i++) {
		slots[i] = is_renewed(i) ? vm_register(FIRST_FD + i, vm_guid(1)) : 0;
		if (slots[i] < 0)
			return 1;
	}
	for (i = 0; i < FILES; i++) {
		if (slots[i] || !is_renewed(i))
			if (!vm_until(put(FIRST_FD + i, 0) == -EBADF))
				return 2;
		if (is_renewed(i) && put(FIRST_FD + i, slots[i]) == -EBADF)
			return 3;
	}
	return 0;
}

static void run_many(void)
{
	int i, fd;

	for (i = 0; i < FILES; i++) {
		fd = open(ETW_DEVICE_PATH, O_RDWR);
		if (dup2(fd, FIRST_FD + i) < 0 || close(fd) || vm_register(FIRST_FD + i, vm_guid(1)))
			_exit(4);
	}
	execl("/proc/self/exe", "exec", "many", NULL);
	_exit(5);
}

/* All files of the process are looked at, and each once. */
TEST_F(exec, many_files)
{
	int status;
	pid_t pid;

	kill(self->busy, SIGKILL);
	pid = fork();
	if (!pid)
		run_many();
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Before the harness looks at the arguments. */
__attribute__((__constructor__))
static void as_image(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "image"))
		_exit(image_main(atoi(argv[2])));
	if (argc == 2 && !strcmp(argv[1], "many"))
		_exit(many_main());
}

TEST_HARNESS_MAIN
