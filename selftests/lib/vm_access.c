// SPDX-License-Identifier: GPL-2.0-only
/* vm_access.c - access lists, and children that become other users */
#include "lib/vm_access.h"

uint32_t vm_peer_flags;
int (*vm_peer_then)(int fd, int slot);

int vm_access_set(int fd, struct etw_guid guid, const struct etw_access_entry *entries,
		  unsigned int count)
{
	struct etw_access a = { .size = sizeof(a), .guid = guid, .entries = VM_PTR(entries),
				.count = count };

	return vm_ioctl(fd, ETW_IOC_ACCESS_SET, &a);
}

int vm_access_remove(int fd, struct etw_guid guid)
{
	struct etw_access a = { .size = sizeof(a), .guid = guid };

	return vm_ioctl(fd, ETW_IOC_ACCESS_REMOVE, &a);
}

int vm_access_query(int fd, struct etw_guid *guid, uint32_t flags,
		    struct etw_access_entry *entries, unsigned int room, uint32_t *own)
{
	struct etw_access a = { .size = sizeof(a), .flags = flags, .guid = *guid,
				.entries = VM_PTR(entries), .capacity = room };
	int ret = vm_ioctl(fd, ETW_IOC_ACCESS_QUERY, &a);

	if (ret)
		return ret;
	*guid = a.guid;
	if (own)
		*own = a.own;
	return a.count;
}

void vm_access_clear(int fd)
{
	struct etw_guid guid = { 0 };

	while (vm_access_query(fd, &guid, ETW_ACCESS_NEXT, NULL, 0, NULL) >= 0)
		vm_access_remove(fd, guid);
}

int vm_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -errno;
	close(fd);
	return ret;
}

static int vm_keep_capability(int capability)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	caps[CAP_TO_INDEX(capability)].permitted = CAP_TO_MASK(capability);
	caps[CAP_TO_INDEX(capability)].effective = CAP_TO_MASK(capability);
	return syscall(SYS_capset, &head, caps) ? -errno : 0;
}

/* A user namespace in which the caller's user and group are root. */
static int vm_become_root_inside(unsigned int uid, unsigned int gid)
{
	char map[64];

	/* Without it /proc/self belongs to root after a change of user. */
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		return -errno;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (vm_write_file("/proc/self/uid_map", map) ||
	    vm_write_file("/proc/self/setgroups", "deny"))
		return -EIO;
	snprintf(map, sizeof(map), "0 %u 1", gid);
	if (vm_write_file("/proc/self/gid_map", map))
		return -EIO;
	return setresgid(0, 0, 0) || setresuid(0, 0, 0) ? -errno : 0;
}

int vm_become(const struct vm_who *who)
{
	gid_t group = who->groups;

	if (who->capability && prctl(PR_SET_KEEPCAPS, 1))
		return -errno;
	if (setgroups(who->groups ? 1 : 0, &group) ||
	    setresgid(who->gid, who->gid, who->gid) ||
	    setresuid(who->uid, who->uid, who->uid))
		return -errno;
	if (who->capability && vm_keep_capability(who->capability))
		return -errno;
	return who->inside ? vm_become_root_inside(who->uid, who->gid) : 0;
}

int vm_as(const struct vm_who *who, int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(vm_become(who) ? 255 : -fn(arg));
	status = vm_reap(pid);
	return status < 0 || !WIFEXITED(status) ? -255 : -WEXITSTATUS(status);
}

static void vm_peer_main(const struct vm_who *who, const struct vm_who *then, struct etw_guid guid,
			 int in, int out)
{
	const struct etw_enable_entry *area;
	struct vm_peer_report report;
	int fd, slot = -1;
	char order;

	if (vm_become(who))
		_exit(1);
	fd = vm_open();
	area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || area == MAP_FAILED)
		_exit(2);
	slot = vm_register_flags(fd, guid, vm_peer_flags, 0);
	report.result = slot < 0 ? slot : vm_peer_then ? vm_peer_then(fd, slot) : 0;
	if (then && vm_become(then))
		_exit(3);
	do {
		report.enabled = slot >= 0 && area[slot].enabled;
		if (write(out, &report, sizeof(report)) != sizeof(report))
			_exit(4);
		if (read(in, &order, 1) != 1)
			_exit(0);
		report.result = slot < 0 ? slot : vm_write(fd, slot, 1, 1, 1, "peer", 4);
	} while (order == 'w');
	_exit(0);
}

static struct vm_peer_report vm_peer_listen(const struct vm_peer *p)
{
	struct vm_peer_report report = { -EIO, -1 };
	struct pollfd ready = { .fd = p->from, .events = POLLIN };

	if (poll(&ready, 1, VM_LIMIT_MS) == 1 &&
	    read(p->from, &report, sizeof(report)) != sizeof(report))
		report.result = -EPIPE;
	return report;
}

struct vm_peer_report vm_peer_start(struct vm_peer *p, const struct vm_who *who,
				    const struct vm_who *then, struct etw_guid guid)
{
	int to[2], from[2];

	*p = (struct vm_peer){ -1, -1, -1 };
	if (pipe(to) || pipe(from))
		return (struct vm_peer_report){ -EMFILE, -1 };
	p->pid = fork();
	if (!p->pid) {
		close(to[1]);
		close(from[0]);
		vm_peer_main(who, then, guid, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	p->to = to[1];
	p->from = from[0];
	return vm_peer_listen(p);
}

struct vm_peer_report vm_peer_write(const struct vm_peer *p)
{
	if (write(p->to, "w", 1) != 1)
		return (struct vm_peer_report){ -EPIPE, -1 };
	return vm_peer_listen(p);
}

int vm_peer_end(struct vm_peer *p)
{
	signal(SIGPIPE, SIG_IGN);
	if (write(p->to, "e", 1) != 1)
		fprintf(stderr, "# peer %d is gone\n", p->pid);
	close(p->to);
	close(p->from);
	return vm_reap(p->pid);
}
