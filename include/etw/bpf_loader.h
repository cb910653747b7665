/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * bpf_loader.h - choose how the events of a BPF object get into sessions; for programs that load it
 *
 * bpf.h includes it after <bpf/libbpf.h>.  The functions of an etw_bpf_use may be called by
 * one thread at a time.
 *
 * The environment variable ETW_BPF_WAY has "functions" or "ring" to insist on one way.
 */
#ifndef ETW_BPF_LOADER_H
#define ETW_BPF_LOADER_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* <pthread.h> has it only for programs that ask for GNU's extensions. */
#ifndef __USE_GNU
extern int pthread_setname_np(pthread_t thread, const char *name);
#endif

/* bytes; bpf_map__set_max_entries() of the map etw_bpf_ring_NAME changes it before the load */
#define ETW_BPF_RING_SIZE	(1 << 20)

#define ETW_BPF_MEMBARRIER_GLOBAL_	(1 << 0)	/* as MEMBARRIER_CMD_GLOBAL */

#define ETW_BPF_REPORT_MS	100	/* between two looks at what the ring has lost */
#define ETW_BPF_REPORT_RECORDS	1024	/* or so many records */

/*
 * The thread that reads the ring rests so long between two looks while events keep coming, as each
 * time that it has caught up the next event wakes it. It does not rest when a look has found a
 * larger part of the ring than this, as that could fill meanwhile.
 */
#define ETW_BPF_REST_MS		2
#define ETW_BPF_ANSWER_MS	1500	/* for a session that waits, at most; it waits 2 s */
#define ETW_BPF_REST_PART	8

/* A provider of an object.  All members are for these functions, but for the first two. */
struct etw_bpf_use {
	__u32 number;		/* of the provider; 0: its events go through the ring */
	__u64 lost;		/* by the ring so far; the sessions have counted them */
	const char *provider;
	struct bpf_object *object;
	int handle;		/* -1: none */
	struct etw_bpf_forwarder *forwarder;
	struct ring_buffer *ring;
	volatile __u64 *wanted;
	size_t wanted_size;
	unsigned int event_count;
	__u64 *counted;		/* lost of each event, as far as it is reported */
	__u64 *of_cpus;
	int cpus;
	int lost_fd, stop_fd;	/* -1: none */
	int ask_fd;		/* the forwarder's */
	const char *positions;	/* of the ring: two pages, the consumer's and the producers' */
	unsigned int records;	/* since the last look at what was lost */
	__u64 looked_ms;
	size_t taken, ring_size;	/* bytes */
	pthread_t thread;
	int runs;
	pid_t pid;		/* whose thread that is, not a child's */
};

/* A variable of an object that was opened and not loaded.  0; -ENOENT: it has none. */
static inline int etw_bpf_set_variable_(struct bpf_object *object, const char *begin,
					const char *provider, __u32 value)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata");
	const struct btf *btf = bpf_object__btf(object);
	const struct btf_var_secinfo *var;
	const struct btf_type *section;
	char *data, name[128];
	size_t size;
	int i, id;

	data = map ? (char *)bpf_map__initial_value(map, &size) : NULL;
	id = btf ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC) : -1;
	if (!data || id < 0)
		return -ENOENT;
	snprintf(name, sizeof(name), "%s%s", begin, provider);
	section = btf__type_by_id(btf, id);
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++, var++) {
		if (!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, var->type)->name_off),
			    name) && var->offset + sizeof(value) <= size) {
			memcpy(data + var->offset, &value, sizeof(value));
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * Give an object that was opened and not loaded the number of a provider, by the provider's name
 * in C.  0; -ENOENT: it has no such provider.  A skeleton's user can set the member
 * rodata->etw_bpf_number_NAME instead.  ETW_BPF_OPEN() does it where it is right.
 */
static inline int etw_bpf_set_number(struct bpf_object *object, const char *provider,
				     __u32 number)
{
	return etw_bpf_set_variable_(object, "etw_bpf_number_", provider, number);
}

/* ------------------------------------------------------- which way is possible */

/* The BTF of etw.ko in the kernel, or -1 */
static inline int etw_bpf_module_btf_(void)
{
	char name[64];
	struct bpf_btf_info info;
	__u32 id = 0, size;
	int fd;

	while (!bpf_btf_get_next_id(id, &id)) {
		fd = bpf_btf_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		memset(name, 0, sizeof(name));
		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		size = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &size) && !strcmp(name, "etw"))
			return fd;
		close(fd);
	}
	return -1;
}

/* The id of the function in that BTF, or a negative errno */
static inline int etw_bpf_function_id_(void)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	struct btf *module = kernel ? btf__load_module_btf("etw", kernel) : NULL;
	int id = module ? btf__find_by_name_kind(module, "bpf_etw_enabled", BTF_KIND_FUNC) : -ENOENT;

	btf__free(module);
	btf__free(kernel);
	return id;
}

/* Does the kernel take a program of this type that calls etw.ko? */
static inline int etw_bpf_type_calls_(enum bpf_prog_type type, enum bpf_attach_type attach,
				      int btf_fd, int function)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 0 },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .off = 1,
		  .imm = function },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const int fds[] = { 0, btf_fd };
	struct bpf_prog_load_opts options;
	int fd;

	memset(&options, 0, sizeof(options));
	options.sz = sizeof(options);
	options.expected_attach_type = attach;
	options.fd_array = fds;
	fd = bpf_prog_load(type, "etw_probe", "GPL", program, sizeof(program) / sizeof(*program),
			   &options);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* May all programs that will be loaded call etw.ko?  It has functions for tracing at least. */
static inline int etw_bpf_may_call_(struct bpf_object *object)
{
	const int btf_fd = etw_bpf_module_btf_();
	const int function = btf_fd < 0 ? -1 : etw_bpf_function_id_();
	__u64 asked = 1ULL << BPF_PROG_TYPE_TRACING | 1ULL << BPF_PROG_TYPE_LSM;
	struct bpf_program *program;
	int may = function > 0;
	unsigned int type;

	bpf_object__for_each_program(program, object) {
		type = bpf_program__type(program);
		if (!may || !bpf_program__autoload(program) ||
		    (type < 64 && asked & 1ULL << type))
			continue;
		may = type < 64 &&
		      etw_bpf_type_calls_((enum bpf_prog_type)type,
					  bpf_program__expected_attach_type(program), btf_fd,
					  function);
		if (may)
			asked |= 1ULL << type;
	}
	if (btf_fd >= 0)
		close(btf_fd);
	return may;
}

/* ------------------------------------------------------------------- opening */

static inline struct bpf_map *etw_bpf_map_(const struct etw_bpf_use *use, const char *begin)
{
	char name[128];

	snprintf(name, sizeof(name), "%s%s", begin, use->provider);
	return bpf_object__find_map_by_name(use->object, name);
}

/* The map must be there even if nothing goes through it. */
static inline int etw_bpf_ring_size_(const struct etw_bpf_use *use, __u32 bytes)
{
	struct bpf_map *map = etw_bpf_map_(use, "etw_bpf_ring_");

	return map ? bpf_map__set_max_entries(map, bytes) : -ENOENT;
}

static inline void etw_bpf_close(struct etw_bpf_use *use);

static inline int etw_bpf_open_functions_(struct etw_bpf_use *use, const char *name,
					  const struct etw_bpf_event_info *infos, unsigned int count)
{
	int err = etw_bpf_register(name, infos, count, &use->handle, &use->number);

	if (!err)
		err = etw_bpf_set_number(use->object, use->provider, use->number);
	if (!err)
		etw_bpf_ring_size_(use, sysconf(_SC_PAGESIZE));
	return err;
}

static inline int etw_bpf_open_ring_(struct etw_bpf_use *use, const char *name,
				     const struct etw_bpf_event_info *infos, unsigned int count)
{
	int err = etw_bpf_set_variable_(use->object, "etw_bpf_by_ring_", use->provider, 1);

	if (!err)
		err = etw_bpf_ring_size_(use, ETW_BPF_RING_SIZE);
	if (!err)
		err = etw_bpf_forward_open(name, infos, count, &use->forwarder);
	return err;
}

static inline int etw_bpf_open_(void *context, const char *name,
				const struct etw_bpf_event_info *infos, unsigned int count)
{
	struct etw_bpf_use *use = (struct etw_bpf_use *)context;
	const char *way = getenv("ETW_BPF_WAY");
	const int insists = way && !strcmp(way, "functions");
	int err = -EOPNOTSUPP;

	use->event_count = count;
	if (way && *way && !insists && strcmp(way, "ring"))
		err = -EINVAL;
	else if ((!way || *way != 'r') && etw_bpf_may_call_(use->object))
		err = etw_bpf_open_functions_(use, name, infos, count);
	/* ENOTTY: a module of before there were such providers */
	if (!insists && (err == -EOPNOTSUPP || err == -ENOTTY))
		err = etw_bpf_open_ring_(use, name, infos, count);
	if (err)
		etw_bpf_close(use);
	return err;
}

static inline struct etw_bpf_use *etw_bpf_prepare_(struct etw_bpf_use *use, const char *provider,
						   struct bpf_object *object)
{
	memset(use, 0, sizeof(*use));
	use->provider = provider;
	use->object = object;
	use->handle = -1;
	use->lost_fd = -1;
	use->stop_fd = -1;
	use->pid = getpid();
	return use;
}

/*
 * Make the provider of an ETW_BPF_PROVIDER() for an object that was opened and not loaded, and
 * set the object's variables for one way: by etw.ko's functions if the kernel lets all of its
 * programs call them that are to be loaded; else through the ring.  0, or a negative errno and
 * nothing to close: of etw_bpf_register(); -ENOENT: also that the object has no such provider;
 * -EINVAL: also that ETW_BPF_WAY has another word; -EOPNOTSUPP: it has "functions".
 */
#define ETW_BPF_OPEN(provider, object, use)						\
	etw_bpf_describe_##provider(etw_bpf_open_,					\
				    etw_bpf_prepare_(use, #provider, object))

/* ---------------------------------------------------------------- forwarding */

/* Report what the ring has lost since the last time. */
static inline void etw_bpf_report_lost_(struct etw_bpf_use *use)
{
	unsigned int event;
	__u64 sum;
	int cpu;

	for (event = 0; event < use->event_count; event++) {
		if (bpf_map_lookup_elem(use->lost_fd, &event, use->of_cpus))
			continue;
		for (sum = 0, cpu = 0; cpu < use->cpus; cpu++)
			sum += use->of_cpus[cpu];
		/* Less: somebody has written to the map. */
		if (sum <= use->counted[event])
			continue;
		etw_bpf_forward_lost(use->forwarder, event, sum - use->counted[event]);
		use->lost += sum - use->counted[event];
		use->counted[event] = sum;
	}
}

/* The same if it is time to; the time, in ms */
static inline __u64 etw_bpf_look_(struct etw_bpf_use *use)
{
	struct timespec now;
	__u64 ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (__u64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (ms - use->looked_ms >= ETW_BPF_REPORT_MS) {
		use->looked_ms = ms;
		etw_bpf_report_lost_(use);
	}
	return ms;
}

static inline int etw_bpf_take_(void *context, void *record, size_t size)
{
	struct etw_bpf_use *use = (struct etw_bpf_use *)context;

	/* A session that has no room for it counts that. */
	(void)etw_bpf_forward_write(use->forwarder, record, size);
	use->taken += size;
	/* Programs that write faster than this reads must not keep it from counting. */
	if (++use->records >= ETW_BPF_REPORT_RECORDS) {
		use->records = 0;
		etw_bpf_look_(use);
	}
	/* All is taken that was there at the beginning: let the thread see who asks. */
	return use->taken < use->ring_size ? 0 : -EAGAIN;
}

/*
 * The thread's id as programs see it, in the initial PID namespace: a program says it that runs
 * here. Who may not load such a program gets the id of their namespace.
 */
static inline __u32 etw_bpf_thread_id_(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "etw_thread", "GPL", program,
			       sizeof(program) / sizeof(*program), NULL);
	struct bpf_test_run_opts run;
	int err = fd < 0;

	memset(&run, 0, sizeof(run));
	run.sz = sizeof(run);
	if (!err)
		err = bpf_prog_test_run_opts(fd, &run);
	if (fd >= 0)
		close(fd);
	return err ? (__u32)syscall(SYS_gettid) : run.retval;
}

/* Write what programs have put into the ring. */
static inline void etw_bpf_consume_(struct etw_bpf_use *use)
{
	use->taken = 0;
	ring_buffer__consume(use->ring);
	(void)etw_bpf_forward_flush(use->forwarder);
}

/* How far programs have reserved room in the ring, and how far it was read */
static inline unsigned long etw_bpf_position_(const struct etw_bpf_use *use, int produced)
{
	const char *page = use->positions + (produced ? sysconf(_SC_PAGESIZE) : 0);

	return __atomic_load_n((const unsigned long *)page, __ATOMIC_ACQUIRE);
}

/*
 * A session waits for what is in the ring: write that, and say so.  A program that was interrupted
 * may not have finished its event yet; if it takes long, the session does not wait for it either.
 */
static inline void etw_bpf_answer_(struct etw_bpf_use *use)
{
	const unsigned int asked = etw_bpf_forward_asked(use->forwarder);
	const unsigned long until = etw_bpf_position_(use, 1);
	unsigned int ms;

	for (ms = 0; ms < ETW_BPF_ANSWER_MS; ms++) {
		etw_bpf_consume_(use);
		if ((long)(etw_bpf_position_(use, 0) - until) >= 0)
			break;
		poll(NULL, 0, 1);
	}
	etw_bpf_report_lost_(use);
	if (ms < ETW_BPF_ANSWER_MS)
		etw_bpf_forward_told(use->forwarder, asked);
}

static inline void *etw_bpf_forward_(void *context)
{
	struct etw_bpf_use *use = (struct etw_bpf_use *)context;
	struct pollfd fds[] = {
		{ .fd = ring_buffer__epoll_fd(use->ring), .events = POLLIN },
		{ .fd = use->stop_fd, .events = POLLIN },
		{ .fd = use->ask_fd, .events = POLLIN },
	};
	__u64 ms = 0, before;

	/* Else each event that is written could be an event of a system call, without end. */
	use->wanted[use->event_count] = etw_bpf_thread_id_();
	while (!(fds[1].revents & POLLIN)) {
		poll(fds, 3, ETW_BPF_REPORT_MS);
		before = ms;
		if (fds[2].revents & POLLIN)
			etw_bpf_answer_(use);
		else
			etw_bpf_consume_(use);
		ms = etw_bpf_look_(use);
		if (ms - before <= 2 * ETW_BPF_REST_MS && use->taken &&
		    use->taken < use->ring_size / ETW_BPF_REST_PART)
			poll(&fds[1], 2, ETW_BPF_REST_MS);
	}
	/* What was put there before the end was asked for */
	etw_bpf_consume_(use);
	etw_bpf_report_lost_(use);
	return NULL;
}

static inline int etw_bpf_map_wanted_(struct etw_bpf_use *use)
{
	struct bpf_map *map = etw_bpf_map_(use, "etw_bpf_wanted_");
	const size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	if (!map)
		return -ENOENT;
	if (bpf_map__max_entries(map) <= use->event_count)
		return -EINVAL;		/* compiled with another bpf.h */
	use->wanted_size = ((use->event_count + 1) * sizeof(__u64) + page - 1) / page * page;
	at = mmap(NULL, use->wanted_size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		return -errno;
	use->wanted = (volatile __u64 *)at;
	return 0;
}

static inline int etw_bpf_map_positions_(struct etw_bpf_use *use, int ring)
{
	void *at = mmap(NULL, 2 * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, ring, 0);

	if (at == MAP_FAILED)
		return -errno;
	use->positions = (const char *)at;
	return 0;
}

static inline int etw_bpf_start_counting_(struct etw_bpf_use *use)
{
	struct bpf_map *map = etw_bpf_map_(use, "etw_bpf_lost_");

	use->cpus = libbpf_num_possible_cpus();
	if (!map || use->cpus <= 0)
		return -ENOENT;
	use->lost_fd = fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 0);
	if (use->lost_fd < 0)
		return -errno;
	use->counted = (__u64 *)calloc(use->event_count, sizeof(__u64));
	use->of_cpus = (__u64 *)calloc(use->cpus, sizeof(__u64));
	return use->counted && use->of_cpus ? 0 : -ENOMEM;
}

static inline int etw_bpf_start_thread_(struct etw_bpf_use *use)
{
	sigset_t all, before;
	int err;

	use->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (use->stop_fd < 0)
		return -errno;
	/* Signals are for the threads of the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&use->thread, NULL, etw_bpf_forward_, use);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return -err;
	use->runs = 1;
	pthread_setname_np(use->thread, etw_bpf_forward_name(use->forwarder));
	return 0;
}

/*
 * The object is loaded: let events through.  That takes a thread if they go through the ring.
 * 0, or a negative errno; etw_bpf_close() is to be called in either case.
 */
static inline int etw_bpf_start(struct etw_bpf_use *use)
{
	struct bpf_map *map = etw_bpf_map_(use, "etw_bpf_ring_");
	int err;

	if (!use->forwarder)
		return 0;
	if (!map)
		return -ENOENT;
	err = etw_bpf_map_wanted_(use);
	if (!err)
		err = etw_bpf_start_counting_(use);
	if (err)
		return err;
	use->ring_size = bpf_map__max_entries(map);
	use->ring = ring_buffer__new(bpf_map__fd(map), etw_bpf_take_, use, NULL);
	if (!use->ring)
		return -errno;
	err = etw_bpf_map_positions_(use, bpf_map__fd(map));
	if (err)
		return err;
	use->ask_fd = etw_bpf_forward_fd(use->forwarder);
	err = etw_bpf_start_thread_(use);
	if (!err)
		etw_bpf_forward_start(use->forwarder, use->wanted);
	return err;
}

/*
 * Let programs write nothing more, and wait for those that had seen before that they should: what
 * the ring has then is all. If the kernel cannot wait, those may lose some events; so may sleepable
 * programs, which run under RCU Tasks Trace: the kernel waits for no reader of that here.
 */
static inline void etw_bpf_quiet_(struct etw_bpf_use *use)
{
	etw_bpf_forward_start(use->forwarder, NULL);
	syscall(SYS_membarrier, ETW_BPF_MEMBARRIER_GLOBAL_, 0, 0);
}

static inline void etw_bpf_stop_thread_(struct etw_bpf_use *use)
{
	const uint64_t one = 1;

	if (use->runs)
		etw_bpf_quiet_(use);
	if (use->runs && write(use->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(use->thread, NULL);
	use->runs = 0;
}

/*
 * End the provider.  What programs have written before is written or counted; they may go on, and
 * write nothing.  A sleepable program (lsm.s, fentry.s, uprobe.s) that runs at this moment is not
 * waited for: its event may be lost, uncounted.  In a child after fork() it only frees what the
 * child has of it.
 */
static inline void etw_bpf_close(struct etw_bpf_use *use)
{
	if (use->pid == getpid())
		etw_bpf_stop_thread_(use);
	etw_bpf_forward_close(use->forwarder);
	ring_buffer__free(use->ring);
	if (use->wanted)
		munmap((void *)use->wanted, use->wanted_size);
	if (use->positions)
		munmap((void *)use->positions, 2 * sysconf(_SC_PAGESIZE));
	free(use->counted);
	free(use->of_cpus);
	if (use->lost_fd >= 0)
		close(use->lost_fd);
	if (use->stop_fd >= 0)
		close(use->stop_fd);
	etw_bpf_unregister(use->handle);
	etw_bpf_prepare_(use, use->provider, NULL);
}

#endif /* ETW_BPF_LOADER_H */
