/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec.h - the state of a running program
 *
 * All memory passed to the kernel lies below 4 GB, so that 32-bit calls reach it too.
 * Each thread has an arena of its own for one call at a time: writable pages, each
 * followed by an inaccessible page, a read-only page, and a page that comes and goes
 * while memory changes.
 */
#ifndef ETW_FUZZ_EXEC_H
#define ETW_FUZZ_EXEC_H

#include <setjmp.h>
#include <stdatomic.h>

#include "fuzz.h"

/* GUID of selftests/kmod/etw_stress, whose header has no other use here. */
#define ETW_STRESS_FUZZ_GUID \
	ETW_GUID(0x57e55000, 0x0001, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)

#define FDS		40
#define HANDLES		8
#define OWN_FDS		500	/* descriptors of the fuzzer itself start here */
#define MAPS		4
#define MAP_ROOM	(1u << 20)	/* size of one area for mappings */
#define PAGE		4096u

/* Offsets within a thread's arena. */
#define AT_STRUCT	0u		/* the struct, one page */
#define AT_GUARD	(1 * PAGE)	/* no access */
#define AT_DATA		(2 * PAGE)	/* names, descriptors, payload, results */
#define DATA_ROOM	(18 * PAGE)
#define AT_GUARD2	(AT_DATA + DATA_ROOM)
#define AT_CONST	(AT_GUARD2 + PAGE)	/* read only */
#define AT_FLEETING	(AT_CONST + PAGE)	/* may be unmapped at any moment */
#define ARENA		(AT_FLEETING + PAGE)
#define ARENAS_BASE	0x10000000ul
#define MAPS_BASE	0x20000000ul
#define UNMAPPED	0x30000000ul
/* Distance from a read-only or fleeting page to its writable mapping */
#define ALIAS		0x40000000ul
#define PAYLOAD_BASE	0x18000000ul
#define PAYLOAD_ROOM	(17 * PAGE)	/* more than one event may hold */

enum { FORK_PLAIN, FORK_USER, FORK_USERNS, FORK_PIDNS, FORK_KILLED, FORK_EXEC, FORK_HOLDS,
       FORK_EXEC_HOLDS };

struct fuzz_fd {
	int fd;			/* -1: closed */
	enum fd_kind kind;
	uint32_t buffer_size;	/* of a consumer */
};

struct exec {
	const struct prog *prog;
	unsigned int flags;
	struct fuzz_fd fds[FDS];
	atomic_uint fd_count;
	uint64_t handles[HANDLES];
	atomic_uint handle_count;
	uint32_t slots[HANDLES];
	atomic_uint slot_count;
	uint32_t indices[HANDLES];
	atomic_uint index_count;
	pid_t held[8];		/* children that hold resources */
	atomic_uint held_count;
	int fail_fd[THREADS + 1];	/* fail-nth of each thread, -1: none */
	pid_t tid[THREADS + 1];
	atomic_uint busy[THREADS + 1];	/* number of the call in progress */
	atomic_bool stop;
	unsigned int at[THREADS + 1];	/* index of the call in progress */
	uint8_t *_Atomic arg[THREADS + 1];	/* address of its struct, for the kernel */
};

extern sigjmp_buf fault_jump[THREADS + 1];
extern __thread volatile int fault_slot;	/* > 0: faults jump, index + 1 */

static inline uint8_t *arena(int thread)
{
	return (uint8_t *)(ARENAS_BASE + (uintptr_t)thread * ARENA);
}

static inline uint8_t *map_area(unsigned int i)
{
	return (uint8_t *)(MAPS_BASE + (uintptr_t)(i % MAPS) * MAP_ROOM);
}

/* Convert the result of a library function to the kernel's form. */
static inline long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

/* memory.c */
bool memory_init(void);
uint8_t *memory_own(int thread, uint8_t *arg);
void memory_change(struct exec *x, int thread);
void memory_clear(int thread);
void memory_audit(struct exec *x, int thread, const struct op *op);

/* args.c */
void args_resolve(struct exec *x, int thread, const struct call *c, const struct op *op,
		  uint64_t *v);
#define BLOB_MAX	2048
void blob_make(struct etw_filter *f, uint8_t *to, uint64_t handle, uint64_t seed);
uint8_t *args_struct(int thread, const struct call *c, const struct op *op,
		     const uint64_t *v);

/* entries.c */
#define ENTRIES_MOST	(ETW_ACCESS_ENTRIES_MAX + 1)
unsigned int entries_make(struct etw_access_entry *e, uint64_t seed);

/* results.c */
int fd_add(struct exec *x, int fd, enum fd_kind kind, uint32_t buffer_size);
struct fuzz_fd *fd_find(struct exec *x, int fd);

void done_start(struct exec *x, const void *arg);
void done_register(struct exec *x, const void *arg);
void done_consume(struct exec *x, const void *arg);
void done_take(struct exec *x, const void *arg);
void done_enable(struct exec *x, const void *arg);
void done_stat(struct exec *x, const void *arg);
void done_cstat(struct exec *x, const void *arg);

/* exec.c */
long exec_call(struct exec *x, int thread, unsigned int i);

/* plain.c, tasks.c, trace.c */
#define RUN(name) long run_##name(struct exec *x, int thread, const uint64_t *v)
RUN(open); RUN(close); RUN(dup); RUN(read); RUN(poll); RUN(epoll); RUN(map_area); RUN(map_ring);
RUN(unmap); RUN(remap); RUN(protect); RUN(advise); RUN(touch); RUN(fcntl); RUN(fork); RUN(kill);
RUN(pass_fd); RUN(drop_rights); RUN(burst); RUN(sleep); RUN(audit); RUN(audit_map);
RUN(odd_ioctl); RUN(odd_call); RUN(cpu); RUN(many); RUN(trace); RUN(bpf);
RUN(events);

/* The remaining data pages of a call, and the size of the last pointer's target */
struct room {
	int thread;
	uint32_t used;
	uint64_t len;		/* size of the last pointer's target, in its unit */
	uint8_t *last;
	unsigned int outs;
	uint64_t handle;	/* of the newest session */
};

/* filters.c */
uint64_t filters_arg(struct room *r, const struct arg *arg);

/* args.c */
uint64_t put(struct room *r, unsigned int where, const void *content, uint32_t len);
uint64_t raw_pointer(uint64_t seed);

/* traits.c; bytes_*() return the number of bytes written */
uint64_t traits_arg(struct room *r, const struct arg *arg);
void bytes_typed(struct room *r, struct etw_data_descriptor *d, unsigned int n, uint64_t seed);
uint32_t bytes_traits(uint8_t *to, uint64_t seed);
uint32_t bytes_schema(uint8_t *to, uint64_t seed);
uint32_t bytes_names(uint8_t *to, uint64_t seed);

/* logs.c */
uint64_t logfile_arg(struct room *r, const struct arg *arg);
uint64_t logout_arg(struct room *r, const struct arg *arg);

#endif /* ETW_FUZZ_EXEC_H */
