/* SPDX-License-Identifier: MIT */
/*
 * read_all.c - read a whole file
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read_all.h"

#define ROOM_FIRST	(64u * 1024)

int etw_read_all(int fd, size_t most, char **data, size_t *size)
{
	size_t room = ROOM_FIRST, used = 0;
	char *buffer = NULL, *larger;
	struct stat st;
	ssize_t n;

	/* One byte more than the file has shows its end. */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		room = (size_t)st.st_size + 1;
	do {
		if (!buffer || used == room) {
			room = buffer ? 2 * room : room;
			room = room < most ? room : most;
			larger = realloc(buffer, room + 1);
			if (!larger) {
				free(buffer);
				return -ENOMEM;
			}
			buffer = larger;
		}
		n = read(fd, buffer + used, room - used);
		if (n < 0 && errno != EINTR) {
			int err = -errno;

			free(buffer);
			return err;
		}
		used += n > 0 ? (size_t)n : 0;
	} while (n && used < most);
	buffer[used] = '\0';
	*data = buffer;
	*size = used;
	return 0;
}
