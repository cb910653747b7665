/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_workload.h - what tests of tracing trace: a process that has a shell execute a script, and a
 * connection over the loopback device
 */
#ifndef ETW_SELFTEST_VM_WORKLOAD_H
#define ETW_SELFTEST_VM_WORKLOAD_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool vm_loopback_up(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool good = fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &lo);

	close(fd);
	return good;
}

/* A TCP connection, through which some data go.  The server's end closes first. */
static inline bool vm_loopback_connection(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), peer;
	static char data[10000];
	socklen_t len = sizeof(to);
	ssize_t n, left;
	int i;

	if (bind(server, (struct sockaddr *)&to, len) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&to, &len) ||
	    connect(client, (struct sockaddr *)&to, len))
		return false;
	peer = accept(server, NULL, NULL);
	for (i = 0; i < 20; i++) {
		if (send(client, data, sizeof(data), 0) != sizeof(data))
			return false;
		for (left = sizeof(data); left > 0; left -= n) {
			n = recv(peer, data, left, 0);
			if (n <= 0)
				return false;
		}
	}
	close(peer);
	close(client);
	close(server);
	return true;
}

/*
 * It begins with before(), waits for a byte through *go, and has after() at its end, unless these
 * are NULL.  arg: $0 of the script.  It exits with 0 if all went well.
 */
static inline pid_t vm_workload_start(const char *script, const char *arg, bool (*before)(void),
				      bool (*after)(void), int *go)
{
	int pipes[2], status;
	char byte;
	pid_t pid, child;

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		if ((before && !before()) || read(pipes[0], &byte, 1) != 1)
			_exit(1);
		child = fork();
		if (!child) {
			execl("/bin/sh", "sh", "-ec", script, arg, NULL);
			_exit(1);
		}
		if (!vm_loopback_connection() || (after && !after()) ||
		    waitpid(child, &status, 0) != child)
			_exit(2);
		_exit(status ? 3 : 0);
	}
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

#endif /* ETW_SELFTEST_VM_WORKLOAD_H */
