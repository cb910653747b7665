/* SPDX-License-Identifier: MIT */
/*
 * files.c - many files to read, of which a few are open at a time
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "files.h"

void ctffiles_init(struct ctffiles *files)
{
	struct rlimit limit;

	*files = (struct ctffiles){ .most = CTFFILES_OPEN_MAX };
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur / 4 < files->most)
		files->most = limit.rlim_cur < 8 ? 1 : (unsigned int)(limit.rlim_cur / 4);
}

static void unlink_file(struct ctffiles *files, struct ctffile *file)
{
	*(file->newer ? &file->newer->older : &files->newest) = file->older;
	*(file->older ? &file->older->newer : &files->oldest) = file->newer;
}

static void link_newest(struct ctffiles *files, struct ctffile *file)
{
	file->newer = NULL;
	file->older = files->newest;
	*(files->newest ? &files->newest->newer : &files->oldest) = file;
	files->newest = file;
}

void ctffiles_close(struct ctffiles *files, struct ctffile *file)
{
	if (!file->open)
		return;
	unlink_file(files, file);
	files->count--;
	file->open = false;
	close(file->fd);
}

static int need_open(struct ctffiles *files, struct ctffile *file)
{
	int err = 0;

	if (file->open) {
		unlink_file(files, file);
		link_newest(files, file);
		return 0;
	}
	while (files->count >= files->most)
		ctffiles_close(files, files->oldest);
	do {
		/* Others may have taken descriptors meanwhile. */
		if (err)
			ctffiles_close(files, files->oldest);
		file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		err = file->fd < 0 ? -errno : 0;
	} while ((err == -EMFILE || err == -ENFILE) && files->count);
	if (err)
		return err;
	file->open = true;
	files->count++;
	link_newest(files, file);
	return 0;
}

int ctffiles_read(struct ctffiles *files, struct ctffile *file, uint64_t offset, void *to,
		  size_t size)
{
	size_t done = 0;
	ssize_t n;
	int err = need_open(files, file);

	while (done < size && !err) {
		n = pread(file->fd, (char *)to + done, size - done, (off_t)(offset + done));
		if (n > 0)
			done += (size_t)n;
		else if (!n)
			err = -EIO;
		else if (errno != EINTR)
			err = -errno;
	}
	return err;
}
