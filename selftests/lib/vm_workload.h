/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_loopback.h - connections over the loopback device, for tests that trace them
 */
#ifndef ETW_SELFTEST_VM_LOOPBACK_H
#define ETW_SELFTEST_VM_LOOPBACK_H

#include <arpa/inet.h>
#include <net/if.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
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

#endif /* ETW_SELFTEST_VM_LOOPBACK_H */
