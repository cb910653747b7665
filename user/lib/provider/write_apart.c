/* SPDX-License-Identifier: MIT */
/*
 * write_apart.c - write an event in a vfork child, or in a signal handler amid a write
 *
 * Nothing that another process or thread may use is changed, except the count of an
 * entry's writers, and that only while memory is copied: the parent waits for it, and a
 * child may be killed at any time.
 */
#include <errno.h>
#include <string.h>

#include "registration.h"
#include "write_apart.h"

/* An entry at one moment. */
struct entry_copy {
	struct etw_register arg;
	unsigned char *traits;		/* NULL: none */
	enum etw_types types;
	uint32_t slot;			/* of the process that owns the memory */
};

/* 0, -EBADF: the registration has ended, or -ENOMEM */
static int entry_read(struct entry_copy *copy, struct etw_reg *reg, uint64_t handle)
{
	const unsigned char *traits;
	int ret = -EBADF;

	memset(copy, 0, sizeof(*copy));
	/* As in try_write(): the entry stays as it is while it has writers. */
	atomic_fetch_add(&reg->writers, 1);
	copy->slot = atomic_load(&reg->slot);
	if (atomic_load(&reg->handle) == handle) {
		ret = 0;
		memcpy(&copy->arg.provider, &reg->guid, sizeof(copy->arg.provider));
		copy->arg.flags = reg->classic ? ETW_REGISTER_CLASSIC : 0;
		copy->arg.cookie = handle;
		copy->types = atomic_load(&reg->types);
		traits = atomic_load(&reg->traits);
		if (traits) {
			copy->traits = etw_traits_copy(traits);
			ret = copy->traits ? 0 : -ENOMEM;
		}
	}
	atomic_fetch_sub(&reg->writers, 1);
	return ret;
}

/* Register a copy with the device; 0 or -errno. */
static int entry_register(int fd, struct entry_copy *copy)
{
	struct etw_provider_set info = { 0 };
	int ret = etw_kdev_register(fd, &copy->arg);

	if (ret || !etw_traits_fill(&info, copy->traits, copy->types))
		return ret;
	info.slot = copy->arg.slot;
	return etw_kdev_provider_set(fd, &info);
}

int etw_write_apart(struct etw_fork_state *proc, struct etw_reg *reg, uint64_t handle,
		    unsigned int command, void *write, uint32_t size)
{
	struct entry_copy copy;
	int fd, ret = entry_read(&copy, reg, handle);

	if (ret == -EBADF)
		return ret;
	fd = ret ? ret : etw_kdev_open();
	if (fd >= 0)
		ret = entry_register(fd, &copy);
	if (fd < 0 || ret) {
		ret = etw_write_lost(proc->fd, &proc->id, copy.slot, command, write);
	} else {
		memcpy((char *)write + ETW_SLOT_AT, &copy.arg.slot, sizeof(copy.arg.slot));
		ret = etw_kdev_command(fd, command, write, size);
	}
	etw_kdev_close(fd);
	etw_traits_free(copy.traits);
	return ret;
}

int etw_write_lost(int fd, const struct etw_kdev_id *id, uint32_t slot, unsigned int command,
		   const void *write)
{
	int ret = -EBADF;

	if (slot == ETW_NO_SLOT || !etw_kdev_is(fd, id))
		return -ENOMEM;
	if (command == ETW_IOC_WRITE) {
		struct etw_event_write event = *(const struct etw_event_write *)write;

		event.slot = slot;
		event.flags |= ETW_WRITE_LOST;
		ret = etw_kdev_command(fd, command, &event, sizeof(event));
	} else if (command == ETW_IOC_CLASSIC) {
		struct etw_classic_write record = {
			.slot = slot, .kind = ETW_CLASSIC_LOST,
			.logger_id = ((const struct etw_classic_write *)write)->logger_id,
		};

		ret = etw_kdev_command(fd, command, &record, sizeof(record));
	}
	return !ret || ret == -ENOENT || ret == -EACCES ? ret : -ENOMEM;
}
