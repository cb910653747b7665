/* SPDX-License-Identifier: MIT */
/*
 * kernel_logger.c - the kernel logger's context switches, and names of processes and threads
 *
 * A context switch begins with the new thread's id in all versions; other fields are found
 * by name.
 *
 * Sources: Microsoft's pages on the classes CSwitch, Process_TypeGroup1 and
 * Thread_TypeGroup1; for Thread's type 72, the layout that tools use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/table.h"
#include "convert/names.h"
#include "kernel_logger.h"
#include "etl/record.h"
#include "base/text.h"

#define HOOK_PROCESS	0x0300	/* groups, see etw_etl_class() */
#define HOOK_THREAD	0x0500

enum { START = 1, END = 2, DC_START = 3, DC_END = 4, CSWITCH = 36, SET_NAME = 72 };

/* A thread's process and name; tid 0: the process itself */
struct kernel_name {
	uint32_t pid, tid;
	char name[SLICES_NAME_MAX + 1];
};

static bool is_of(const struct convert_event *e, uint16_t hook)
{
	struct etw_guid guid;

	etw_etl_class(hook, &guid);
	return !memcmp(&e->record->EventHeader.ProviderId, &guid, sizeof(guid));
}

/* ---------------------------------------------------------------------- names */

static bool has_id(const void *entry, const void *key)
{
	const struct kernel_name *name = entry;
	const uint32_t *id = key;

	return id[1] ? name->tid == id[1] : !name->tid && name->pid == id[0];
}

/* A thread is found by its id alone, a process by pid with tid 0. */
static struct kernel_name *find_name(const struct kernel *k, uint32_t pid, uint32_t tid)
{
	const uint32_t id[2] = { tid ? 0 : pid, tid };

	return etw_table_find(&k->names, etw_hash(0, id, sizeof(id)), has_id, id);
}

/* The length of a name that is kept, in whole characters */
static size_t kept_len(const char *text)
{
	size_t len = strnlen(text, SLICES_NAME_MAX + 1), i;

	if (len <= SLICES_NAME_MAX)
		return len;
	for (i = len = SLICES_NAME_MAX; i > len - 4; i--)
		if ((text[i] & 0xC0) != 0x80)
			return i;
	return len;
}

static int remember(struct slices *s, uint32_t pid, uint32_t tid, const char *text)
{
	const uint32_t id[2] = { tid ? 0 : pid, tid };
	const size_t len = kept_len(text);
	struct kernel *k = &s->kernel;
	struct kernel_name *name = find_name(k, pid, tid);

	if (!name && k->names.count >= SLICES_NAMES_MAX) {
		s->count.forgotten += k->names.count;
		etw_table_clear(&k->names, free);
	}
	if (!name) {
		name = calloc(1, sizeof(*name));
		if (!name || etw_table_add(&k->names, etw_hash(0, id, sizeof(id)), name)) {
			free(name);
			return convert_no_memory(s->c);
		}
	}
	s->count.cut += text[len] != '\0';
	name->pid = pid;
	name->tid = tid;
	memcpy(name->name, text, len);
	name->name[len] = '\0';
	return 0;
}

static bool number(const struct convert_event *e, const char *name, uint32_t *value)
{
	struct etw_field field;

	etw_decode_rewind(e->decoder);
	while (etw_decode_next(e->decoder, &field) == 1) {
		if (field.kind != ETW_FIELD_VALUE || field.depth || strcmp(field.name, name))
			continue;
		*value = (uint32_t)field.value.u;
		return field.value_kind == ETW_VALUE_UNSIGNED ||
		       field.value_kind == ETW_VALUE_HEX;
	}
	return false;
}

/* A field as text in scratch, or NULL */
static const char *text(struct slices *s, const struct convert_event *e, const char *name)
{
	struct etw_text *to = &s->scratch;

	to->len = 0;
	if (!convert_add_field(e->decoder, name, strlen(name), CONVERT_RAW, to) ||
	    to->error || !to->len)
		return NULL;
	return to->data;
}

int kernel_name_process(struct slices *s, uint32_t pid, int64_t time)
{
	const struct kernel_name *known;
	struct etw_process process;
	int err;

	if (!etw_process_find(s->processes, pid, time, NULL, &process))
		return 0;
	known = find_name(&s->kernel, pid, 0);
	if (known && !strcmp(known->name, process.name))
		return 0;
	err = remember(s, pid, 0, process.name);
	return err ? err : s->sink->name(s->c, pid, 0, false, process.name);
}

static int learn_process(struct slices *s, const struct convert_event *e)
{
	uint32_t pid;

	if (!number(e, "ProcessId", &pid) || !pid)
		return 0;
	return kernel_name_process(s, pid, e->event->time);
}

static int learn_thread(struct slices *s, const struct convert_event *e, bool begins)
{
	const struct kernel_name *known;
	uint32_t pid, tid;
	const char *name;
	int err;

	if (!number(e, "ProcessId", &pid) || !number(e, "TThreadId", &tid) || !tid)
		return 0;
	/* Since version 4 of the class, the record has it. */
	name = text(s, e, "ThreadName");
	if (name) {
		err = remember(s, pid, tid, name);
		return err ? err : s->sink->name(s->c, pid, tid, true, name);
	}
	known = find_name(&s->kernel, 0, tid);
	/* Keep a name that came earlier, unless the id is used again. */
	return known && known->pid == pid && !begins ? 0 : remember(s, pid, tid, "");
}

/* u32 process, u32 thread, name in UTF-16 up to a NUL */
static int learn_name(struct slices *s, const struct convert_event *e)
{
	const unsigned char *data = e->record->UserData;
	const size_t len = e->record->UserDataLength, head = 2 * sizeof(uint32_t);
	struct etw_text *to = &s->scratch;
	uint32_t pid, tid;
	size_t end = head;
	int err;

	if (len < head + 2)
		return 0;
	memcpy(&pid, data, sizeof(pid));
	memcpy(&tid, data + sizeof(pid), sizeof(tid));
	while (end + 1 < len && (data[end] || data[end + 1]))
		end += 2;
	to->len = 0;
	etw_text_utf16(to, data + head, end - head);
	if (!tid || to->error || !to->len)
		return 0;
	err = remember(s, pid, tid, to->data);
	return err ? err : s->sink->name(s->c, pid, tid, true, to->data);
}

/* ------------------------------------------------------------------- switches */

static int end_running(struct slices *s, uint16_t cpu, struct running *r, int64_t ns, bool seen)
{
	static const struct slice_body none;
	struct slice slice = {
		.track = { .place = SLICE_CPU, .pid = r->pid, .tid = r->tid, .number = cpu },
		.begin = r->begin,
		.end = ns < r->begin ? r->begin : ns,
		.start = { r->body.data, r->body.len },
		.stop = seen ? &none : NULL,
	};

	if (!r->known)
		return 0;
	r->known = false;
	return s->sink->slice(s->c, &slice);
}

/* Give up all running threads: their bodies take too much memory. */
static int stop_all(struct slices *s, int64_t ns)
{
	struct kernel *k = &s->kernel;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < k->cpu_count; i++) {
		s->count.stopped += k->cpus[i].known;
		err = end_running(s, (uint16_t)i, &k->cpus[i], ns, false);
		etw_text_free(&k->cpus[i].body);
	}
	k->held = 0;
	return err;
}

static struct running *need_cpu(struct slices *s, uint16_t cpu)
{
	struct kernel *k = &s->kernel;
	const size_t count = (cpu | 255u) + 1;
	struct running *cpus;

	if (cpu >= k->cpu_count) {
		cpus = realloc(k->cpus, count * sizeof(*cpus));
		if (!cpus)
			return NULL;
		memset(cpus + k->cpu_count, 0, (count - k->cpu_count) * sizeof(*cpus));
		k->cpus = cpus;
		k->cpu_count = count;
	}
	return &k->cpus[cpu];
}

/* Make "name (12)" or "Thread 12"; thread 0 is the idle thread. */
static void name_running(struct slices *s, struct running *r, char *to, size_t size)
{
	const struct kernel_name *thread, *process = NULL;
	const char *name;

	thread = r->tid ? find_name(&s->kernel, 0, r->tid) : NULL;
	r->pid = thread ? thread->pid : 0;
	if (r->pid)
		process = find_name(&s->kernel, r->pid, 0);
	name = thread && thread->name[0] ? thread->name : process ? process->name : NULL;
	if (!r->tid)
		snprintf(to, size, "Idle");
	else if (name)
		snprintf(to, size, "%s (%u)", name, r->tid);
	else
		snprintf(to, size, "Thread %u", r->tid);
}

static int context_switch(struct slices *s, const struct convert_event *e, int64_t ns)
{
	struct running *r = need_cpu(s, e->event->cpu);
	char name[SLICES_NAME_MAX + sizeof(" (4294967295)")];
	size_t before;
	int err;

	if (!r)
		return convert_no_memory(s->c);
	err = end_running(s, e->event->cpu, r, ns, true);
	if (!err && s->kernel.held > SLICES_RUNNING_MAX)
		err = stop_all(s, ns);
	if (err)
		return err;
	memcpy(&r->tid, e->record->UserData, sizeof(r->tid));
	name_running(s, r, name, sizeof(name));
	r->begin = ns;
	r->body.len = 0;
	before = r->body.cap;
	err = s->sink->describe(s->c, e, SLICE_INSTANT, name, &r->body);
	s->kernel.held += r->body.cap - before;
	if (!err && r->body.error)
		err = convert_no_memory(s->c);
	r->known = !err;
	return err ? err : 1;
}

int kernel_event(struct slices *s, const struct convert_event *e, int64_t ns)
{
	const EVENT_HEADER *header = &e->record->EventHeader;
	const unsigned int type = header->EventDescriptor.Opcode;

	if (!(header->Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER))
		return 0;
	if (is_of(e, HOOK_THREAD)) {
		if (type == CSWITCH && e->record->UserDataLength >= 2 * sizeof(uint32_t))
			return context_switch(s, e, ns);
		if (type == SET_NAME)
			return learn_name(s, e);
		if (e->known && (type == START || type == DC_START || type == DC_END))
			return learn_thread(s, e, type == START);
	} else if (e->known && is_of(e, HOOK_PROCESS) && type >= START && type <= DC_END) {
		return learn_process(s, e);
	}
	return 0;
}

int kernel_end(struct slices *s)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->kernel.cpu_count; i++)
		err = end_running(s, (uint16_t)i, &s->kernel.cpus[i], s->last, false);
	return err;
}

void kernel_free(struct kernel *k)
{
	size_t i;

	for (i = 0; i < k->cpu_count; i++)
		etw_text_free(&k->cpus[i].body);
	free(k->cpus);
	etw_table_clear(&k->names, free);
}
