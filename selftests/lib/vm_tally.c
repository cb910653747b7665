// SPDX-License-Identifier: GPL-2.0-only
/* vm_tally.c - numbered events of several writers, against their own tally */
#include "lib/vm_tally.h"

/* The stream of the event, and its number there; -1: none. */
static int tally_stream(const struct vm_record *r, uint64_t *number)
{
	static const struct etw_guid stress = ETW_STRESS_GUID, writer = ETW_TEST_GUID;
	const struct etw_stress_event *e = (const void *)r->data;
	uint32_t n, i;

	if (tally_is(r, stress)) {
		if (r->len < sizeof(*e) || r->len != sizeof(*e) + e->fill ||
		    e->source >= ETW_STRESS_SOURCES || e->cpu >= TALLY_CPUS ||
		    e->check != etw_stress_check(e))
			return -1;
		*number = e->number;
		return TALLY_STRESS + e->source * TALLY_CPUS + e->cpu;
	}
	if (r->len < sizeof(n))
		return -1;
	memcpy(&n, r->data, sizeof(n));
	*number = n;
	if (tally_is(r, vm_guid(1)))
		return r->len == sizeof(struct etw_test_trap_event) ? TALLY_TRAP : -1;
	for (i = sizeof(n); i < r->len; i++)
		if (r->data[i] != 0x5a)
			return -1;
	return tally_is(r, writer) ? TALLY_WRITER : tally_is(r, vm_guid(2)) ? TALLY_USER : -1;
}

void tally_look(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct tally_view *v = ctx;
	uint64_t number = 0;
	int stream = tally_stream(r, &number);

	/* Within a CPU's buffers times never decrease. */
	if (b->processor < TALLY_CPUS) {
		v->backwards += r->head->timestamp < v->time[b->processor];
		v->time[b->processor] = r->head->timestamp;
	}
	if (stream < 0 || number >= TALLY_LIMIT || !(v->streams & 1 << stream))
		v->strange++;
	else if (v->seen[stream][number]++)
		v->twice++;
}

int tally_open(struct tally_view *v, int fd, uint64_t session, uint32_t streams)
{
	int i;

	*v = (struct tally_view){ .session = session, .streams = streams };
	for (i = 0; i < TALLY_STREAMS; i++) {
		v->seen[i] = calloc(TALLY_LIMIT, 1);
		if (!v->seen[i])
			return -ENOMEM;
	}
	return vm_reader_open(&v->r, fd, session, O_NONBLOCK);
}

void tally_close(struct tally_view *v)
{
	int i;

	vm_reader_close(&v->r);
	for (i = 0; i < TALLY_STREAMS; i++)
		free(v->seen[i]);
}

const char *tally_check(struct tally_view *v, int fd, const struct tally *t, uint64_t *dropped)
{
	uint64_t should = 0, records = 0, never = 0, n;
	struct etw_consumer_info info;
	struct etw_session_stat st;
	int i;

	if (vm_flush(fd, v->session) || vm_stat(fd, v->session, &st) || vm_stop(fd, v->session) ||
	    vm_drain(&v->r, tally_look, v) || vm_consumer_info(v->r.fd, &info))
		return "the session cannot be stopped and read to its end";
	for (i = 0; i < TALLY_STREAMS; i++) {
		if (v->streams & 1 << i)
			should += t->attempted[i];
		for (n = 0; n < TALLY_LIMIT; n++) {
			records += v->seen[i][n];
			never += n >= t->attempted[i] && v->seen[i][n];
		}
	}
	*dropped = vm_dropped(&st);
	fprintf(stderr, "# %llu for the session: %llu read, %llu dropped, %llu lost by the reader\n",
		(unsigned long long)should, (unsigned long long)records,
		(unsigned long long)*dropped, (unsigned long long)info.events_lost);
	if (v->strange)
		return "an event is damaged or not for this session";
	if (v->twice)
		return "an event is there twice";
	if (v->backwards)
		return "an event is older than the one before it";
	if (never)
		return "an event is there that was never written";
	if (st.written + *dropped != should)
		return "written and dropped are not all that was attempted";
	if (records + info.events_lost != st.written)
		return "an event was written but not read, and is not counted as lost";
	return NULL;
}
