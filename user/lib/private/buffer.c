// SPDX-License-Identifier: MIT
/*
 * buffer.c - the buffers of a private session, and what the ring of the core calls
 *
 * The ring's functions may run in a signal handler that interrupts any of them. They take no
 * lock and allocate nothing; a full buffer costs a system call only if the thread sleeps.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "private_session.h"

static struct private_session *session_of(struct etw_ring *ring)
{
	return (struct private_session *)((char *)ring - offsetof(struct private_session, ring));
}

void etw_private_wake(struct private_session *s)
{
	int saved = errno;

	if (!atomic_exchange(&s->woken, true))
		sem_post(&s->work);
	errno = saved;
}

static void ring_deliver(struct etw_ring *ring, struct etw_buf *buf)
{
	struct private_session *s = session_of(ring);
	const bool buffering = s->buffering;
	uint16_t cpu = buf->cpu;

	/*
	 * There is a cell for each buffer, which is others' from then on. In this order, see
	 * all_delivered(): once the buffer is counted, the session may end, and its memory be that
	 * of another one, whose thread then looks once for nothing.
	 */
	etw_fifo_push(&s->done, buf->index);
	atomic_fetch_add(&s->cpus[cpu].delivered, 1);
	if (!buffering)
		etw_private_wake(s);
}

static u32 ring_evict(struct etw_ring *ring, const struct etw_ring_asker *asker)
{
	struct private_session *s = session_of(ring);

	(void)asker;
	if (s->buffering)
		return etw_fifo_pop(&s->done);
	etw_private_wake(s);
	return 0;
}

static void ring_prepare(struct etw_ring *ring, struct etw_buf *buf)
{
	struct private_session *s = session_of(ring);

	*(struct etw_buffer_header *)buf->data = (struct etw_buffer_header){
		.buffer_size = ring->size,
		.clock = s->type | s->frequency << ETW_CLOCK_FREQ_SHIFT,
		.processor = buf->cpu,
		.logger_id = ETW_PRIVATE_LOGGER_ID(s->slot),
		.flags = ETW_BUFFER_PROCESSOR_INDEX,
		.ref_time = private_wall(),
		.ref_clock = private_clock_read(s->clock),
	};
}

static void ring_installed(struct etw_ring *ring)
{
	struct private_session *s = session_of(ring);

	/* The thread clears the flag before it looks for buffers: see thread_main(). */
	if (atomic_load(&s->flush_ms) && !s->buffering && !atomic_exchange(&s->armed, true))
		etw_private_wake(s);
}

static u64 ring_now(struct etw_ring *ring)
{
	return private_clock_read(session_of(ring)->clock);
}

static const struct etw_ring_ops ops = {
	.deliver = ring_deliver,
	.evict = ring_evict,
	.prepare = ring_prepare,
	.installed = ring_installed,
	.now = ring_now,
};

/* Make room for count buffers. A smaller table stays, because a writer may look at it. */
static int grow(struct private_session *s, uint32_t count)
{
	uint32_t cells = 2, i;
	struct private_buffer *buffers;
	struct etw_buf **table;
	etw_word *words;

	if (count <= s->capacity)
		return 0;
	while (cells < count)
		cells *= 2;
	table = calloc(cells + 1, sizeof(*table));
	buffers = aligned_alloc(64, cells * sizeof(*buffers));
	words = calloc(cells, sizeof(*words));
	if (!table || !buffers || !words) {
		free(table);
		free(buffers);
		free(words);
		return -ENOMEM;
	}
	memset(buffers, 0, cells * sizeof(*buffers));
	for (i = 1; i <= cells; i++) {
		buffers[i - 1].buf.index = i;
		table[i] = &buffers[i - 1].buf;
	}
	s->buffers = buffers;
	s->capacity = cells;
	etw_fifo_init(&s->done, words, cells);
	__atomic_store_n(&s->ring.pool.table, table, __ATOMIC_RELEASE);
	return 0;
}

/*
 * What writers change goes on where the last session left it: one that has delivered the last
 * buffer may not have counted it yet.
 */
static void reset_cpu(struct private_cpu *cpu)
{
	cpu->next = ETW_CUR_GENERATION(etw_word_read(&cpu->ring.cur)) + 1;
	cpu->abandoned = 0;
	cpu->since = 0;
	cpu->waiting = NULL;
	memset(cpu->lost, 0, sizeof(cpu->lost));
}

static int make_cpus(struct private_session *s)
{
	long count = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t i;

	if (s->cpus)
		return 0;
	s->cpu_room = count < 1 ? 1 : count > UINT16_MAX ? UINT16_MAX : count;
	s->cpus = aligned_alloc(64, s->cpu_room * sizeof(*s->cpus));
	if (!s->cpus)
		return -ENOMEM;
	memset(s->cpus, 0, s->cpu_room * sizeof(*s->cpus));
	for (i = 0; i < s->cpu_room; i++)
		etw_ring_cpu_init(&s->cpus[i].ring, i, 0);
	return 0;
}

/*
 * A child of fork() gets zeroed pages instead of copies: it has no session, but a signal
 * handler that forked may return into a write.
 */
static uint8_t *map_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (madvise(memory, bytes, MADV_WIPEONFORK)) {
		munmap(memory, bytes);
		return NULL;
	}
	return memory;
}

int etw_private_buffers_get(struct private_session *s, uint32_t count, uint32_t size)
{
	int err = make_cpus(s);
	uint32_t i;

	if (!err)
		err = grow(s, count);
	if (err)
		return err;
	s->memory = map_memory((size_t)count * size);
	if (!s->memory)
		return -ENOMEM;
	s->total = count;
	s->cpu_count = s->mode & ETW_MODE_NO_PER_PROCESSOR ? 1 : s->cpu_room;
	WRITE_ONCE(s->ring.size, size);
	s->ring.ops = &ops;
	s->ring.pool.nodes = &s->node;
	s->ring.pool.node_count = 1;
	for (i = 0; i < s->cpu_room; i++)
		reset_cpu(&s->cpus[i]);
	for (i = count; i > 0; i--) {
		s->buffers[i - 1].taken = false;
		s->buffers[i - 1].buf.data = s->memory + (size_t)(i - 1) * size;
		etw_pool_push(&s->ring.pool, i);
	}
	return 0;
}

void etw_private_buffers_put(struct private_session *s, bool kept)
{
	if (!kept && s->memory)
		munmap(s->memory, (size_t)s->total * s->ring.size);
	s->memory = NULL;
	s->total = 0;
}

void etw_private_buffers_close(struct private_session *s, bool all)
{
	uint32_t i;

	for (i = 0; i < s->cpu_room; i++) {
		struct etw_ring_cpu *rc = &s->cpus[i].ring;
		u64 cur;

		do {
			cur = etw_word_read(&rc->cur);
			if (!all && ETW_CUR_OFFSET(cur) == ETW_BUFFER_HEADER_SIZE)
				break;
		} while (ETW_CUR_INDEX(cur) && !etw_ring_close(ETW_SHARED, &s->ring, rc, cur));
	}
}
