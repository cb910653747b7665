/* SPDX-License-Identifier: MIT */
/*
 * probe.c - make probes trace events, and remove them
 *
 * The definition of one says all that the kernel is told, but the name of the event, which is
 * made of it.  So an event of that name is the wanted one, whoever made it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sha256.h"
#include <etw/tracelogging/base.h>
#include "base/text.h"
#include "elf_file.h"
#include "probe.h"
#include "probe_args.h"
#include "probe_btf.h"
#include "probe_dwarf.h"
#include "probe_functions.h"
#include "usdt.h"

#define RETURNS_AT_ONCE	1024	/* calls of a function that have not returned and are not missed */
#define PLACES_MAX	64	/* of a static probe */
#define SEVERAL		"the kernel has several functions of this name"
#define OPCODE_START	1
#define OPCODE_STOP	2

struct making {
	struct probe_spec spec;
	struct probe_args args;
	struct etw_text lines[PLACES_MAX];	/* what follows the name, of each place */
	unsigned int line_count;
	struct etw_text hashed;
	char *note, *why;
};

static const char *text_of(const struct etw_text *text)
{
	return text->data ? text->data : "";
}

__attribute__((format(printf, 3, 4)))
static int fail(struct making *m, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(m->why, PROBE_TEXT, fmt, args);
	va_end(args);
	return err;
}

static void add_args(struct etw_text *line, const struct probe_args *args)
{
	unsigned int i;

	for (i = 0; i < args->count; i++)
		etw_text_printf(line, " %s=%s", args->list[i].name, args->list[i].fetch);
}

static void note_missing(struct making *m)
{
	const unsigned int n = m->args.missing;

	if (n)
		snprintf(m->note, PROBE_TEXT, "%u of its arguments %s left out: no probe can fetch %s",
			 n, n == 1 ? "is" : "are", n == 1 ? "it" : "them");
}

/* ------------------------------------------------------------------- the kernel */

static int kernel_fields(struct making *m, const char *module)
{
	const struct btf *btf = probe_btf_load(module);
	int err = btf ? probe_btf_fields(btf, m->spec.symbol, probe_spec_returns(&m->spec),
					 m->spec.fields, &m->args, m->why, PROBE_TEXT) : -ENOENT;

	if (err == -ENOENT)
		return fail(m, -EINVAL, "what its arguments lead to is not known: %s",
			    btf ? "BTF does not have the function" : "there is no BTF");
	return err;
}

static int kernel_args(struct making *m, const char *module)
{
	const struct btf *btf;

	if (m->spec.has_fields)
		return kernel_fields(m, module);
	if (m->spec.offset)
		return 0;
	btf = probe_btf_load(module);
	if (!btf)
		snprintf(m->note, PROBE_TEXT,
			 "its events are without arguments: no BTF of the %s%s",
			 *module ? "module " : "kernel", module);
	else if (probe_btf_args(btf, m->spec.symbol, probe_spec_returns(&m->spec), &m->args))
		snprintf(m->note, PROBE_TEXT,
			 "its events are without arguments: BTF does not have the function");
	else
		note_missing(m);
	return 0;
}

static int define_function(struct making *m)
{
	const struct probe_function *f = probe_function_find(m->spec.symbol);
	struct etw_text *line = &m->lines[0];
	const char *module = f ? f->module : "";
	int err;

	/* The kernel would take that of the module it is told, or the first one, if it is older. */
	if (f && f->several)
		return fail(m, -EADDRNOTAVAIL, SEVERAL);
	err = kernel_args(m, module);
	if (err)
		return err;
	m->line_count = 1;
	if (*module)
		etw_text_printf(line, "%s:", module);
	etw_text_puts(line, m->spec.symbol);
	if (m->spec.offset)
		etw_text_printf(line, "+%llu", (unsigned long long)m->spec.offset);
	add_args(line, &m->args);
	return 0;
}

/* ----------------------------------------------------------------------- programs */

struct place {
	struct making *m;
	const struct elf_file *file;
	uint64_t address;
	bool found;
};

static bool take_symbol(void *context, const char *name, uint64_t address)
{
	struct place *p = context;

	p->found = !strcmp(name, p->m->spec.symbol);
	p->address = address;
	return !p->found;
}

static int program_fields(struct making *m, const char *path, uint64_t address)
{
	int err = probe_dwarf_fields(path, address, probe_spec_returns(&m->spec), m->spec.fields,
				     &m->args, m->why, PROBE_TEXT);

	if (err == -ENOENT)
		return fail(m, -EINVAL, "what its arguments lead to is not known: no debug information of the function is installed");
	return err;
}

/* Without debug information the value of a function is one register. */
static int program_args(struct making *m, const char *path, uint64_t address)
{
	static const struct probe_arg ret = { .name = "ret", .fetch = "$retval:x64", .out = TlgOutHEX };
	const bool returns = probe_spec_returns(&m->spec);

	if (m->spec.has_fields)
		return program_fields(m, path, address);
	if (m->spec.offset)
		return 0;
	if (!probe_dwarf_args(path, address, returns, &m->args)) {
		note_missing(m);
		return 0;
	}
	snprintf(m->note, PROBE_TEXT, "its events are without %s: no debug information of the function is installed",
		 returns ? "the type of the value" : "arguments");
	if (returns) {
		m->args.list[0] = ret;
		m->args.count = 1;
	}
	return 0;
}

static int define_symbol(struct making *m, const struct elf_file *file)
{
	struct place p = { .m = m, .file = file };
	uint64_t offset;
	int err;

	elf_file_symbols(file, take_symbol, &p);
	if (!p.found)
		return fail(m, -ENOENT, "the file has no such function");
	if (!elf_file_offset(file, p.address + m->spec.offset, &offset))
		return fail(m, -EINVAL, "this lies outside of the program's code");
	err = program_args(m, file->path, p.address);
	if (err)
		return err;
	m->line_count = 1;
	etw_text_printf(&m->lines[0], "%s:0x%llx", file->path, (unsigned long long)offset);
	add_args(&m->lines[0], &m->args);
	return 0;
}

static bool same_types(const struct probe_args *a, const struct probe_args *b)
{
	unsigned int i = 0;

	while (i < a->count && i < b->count && !strcmp(a->list[i].name, b->list[i].name) &&
	       !strcmp(strrchr(a->list[i].fetch, ':'), strrchr(b->list[i].fetch, ':')))
		i++;
	return i == a->count && i == b->count;
}

/* The first place says which fields an event has. */
static bool take_note(void *context, const struct usdt_note *note)
{
	struct place *p = context;
	struct making *m = p->m;
	struct probe_args args;
	struct etw_text *line;

	if (strcmp(note->provider, m->spec.provider) || strcmp(note->name, m->spec.symbol))
		return true;
	usdt_args(note->args, &args);
	if (!m->line_count) {
		m->args = args;
		note_missing(m);
	}
	if (m->line_count == PLACES_MAX || !same_types(&args, &m->args)) {
		snprintf(m->note, PROBE_TEXT, "some of its places are left out: %s",
			 m->line_count == PLACES_MAX ? "there are too many" :
			 "their arguments have other types");
		return true;
	}
	line = &m->lines[m->line_count++];
	etw_text_printf(line, "%s:0x%llx", p->file->path, (unsigned long long)note->offset);
	if (note->semaphore)
		etw_text_printf(line, "(0x%llx)", (unsigned long long)note->semaphore);
	add_args(line, &args);
	return true;
}

static int define_static(struct making *m, const struct elf_file *file)
{
	struct place p = { .m = m, .file = file };

	usdt_notes(file, take_note, &p);
	return m->line_count ? 0 : fail(m, -ENOENT, "the file has no such probe");
}

static int define_in_file(struct making *m)
{
	struct elf_file file;
	int err = elf_file_open(m->spec.path, &file);

	if (err)
		return err;
	/* Another file of the same path is another probe. */
	etw_text_printf(&m->hashed, "%llu:%llu ", (unsigned long long)file.dev,
			(unsigned long long)file.ino);
	err = m->spec.kind == PROBE_USDT ? define_static(m, &file) : define_symbol(m, &file);
	elf_file_close(&file);
	return err;
}

/* -------------------------------------------------------------------------- event */

/* What the kernel says is not always what was wrong. */
static int explain(struct making *m, int err)
{
	char said[PROBE_TEXT];
	const bool kernel = !*m->spec.path;

	snprintf(said, sizeof(said), "%s", m->why);
	if (err == -EOPNOTSUPP)
		return fail(m, err, "this kernel is made without such probes");
	if (err == -EADDRNOTAVAIL)
		return fail(m, err, SEVERAL);
	if (err == -ENOENT && kernel)
		return fail(m, err, "the kernel has no such function");
	if ((err == -EINVAL || err == -EILSEQ) && kernel)
		return fail(m, err, "the kernel does not let this be probed (%s%s%s)", m->spec.offset ?
			    "no instruction begins there, or the function is notrace or blacklisted" :
			    "it is notrace or blacklisted", *said ? "; it says: " : "", said);
	if (*said)
		return fail(m, err, "the kernel refuses the probe: %s", said);
	*m->why = '\0';
	return err;
}

static int define_lines(struct making *m, const char *event)
{
	struct etw_text line = { 0 };
	unsigned int i;
	int err = 0;

	for (i = 0; i < m->line_count && !err; i++) {
		etw_text_cut(&line, 0);
		if (m->spec.kind == PROBE_KRETPROBE)
			etw_text_printf(&line, "r%u:", RETURNS_AT_ONCE);
		else
			etw_text_puts(&line, probe_spec_returns(&m->spec) ? "r:" : "p:");
		etw_text_printf(&line, PROBE_GROUP "/%s %s", event, text_of(&m->lines[i]));
		err = line.error ? line.error :
		      probe_event_define(!*m->spec.path, text_of(&line), m->why);
	}
	if (err) {
		err = explain(m, err);
		probe_event_remove(event);
	}
	etw_text_free(&line);
	return err;
}

/* One that nobody uses may be half made, by a process that was killed. */
static int make_event(struct making *m, struct probe_hold *hold)
{
	int err, lock = probe_lock();

	if (lock == -ETIMEDOUT)
		return fail(m, lock, "another etw keeps /sys/kernel/tracing locked");
	if (lock < 0)
		return lock == -ENOENT ? fail(m, lock, PROBE_NO_TRACEFS) : lock;
	err = probe_event_remove(hold->event);
	if (err == -ENOENT)
		err = 0;
	if (!err)
		err = define_lines(m, hold->event);
	else if (err == -EBUSY)
		err = 0;
	else
		err = explain(m, err);
	if (!err) {
		hold->fd = probe_event_hold(hold->event);
		err = hold->fd < 0 ? hold->fd : 0;
		if (err)
			probe_event_remove(hold->event);
	}
	probe_unlock(lock);
	return err == -EINVAL && !*m->why ?
	       fail(m, err, "the kernel does not put a probe there: no instruction begins there, or none that can be probed") :
	       err;
}

/*
 * Begin and end of a call have the same task, which is made of the function, as each of the two
 * may be there without the other.  The tasks of tracepoints, their ids, are below.
 */
static void set_task(const struct probe_spec *spec, struct trace_schema *schema)
{
	unsigned char hash[32];
	char key[2 * PROBE_TEXT];

	if (spec->kind == PROBE_USDT || spec->offset)
		return;
	snprintf(key, sizeof(key), "%s:%s", spec->path, spec->symbol);
	etw_sha256(key, strlen(key), hash);
	schema->opcode = probe_spec_returns(spec) ? OPCODE_STOP : OPCODE_START;
	schema->task = 0x8000 | hash[0] << 8 | hash[1];
}

static void making_free(struct making *m)
{
	unsigned int i;

	for (i = 0; i < m->line_count; i++)
		etw_text_free(&m->lines[i]);
	etw_text_free(&m->hashed);
}

static int make(struct making *m, const struct etw_guid *provider, struct trace_schema *schema,
		struct probe_hold *hold)
{
	char event[sizeof(PROBE_GROUP) + PROBE_EVENT_SIZE];
	unsigned int i;
	int err;

	err = *m->spec.path ? define_in_file(m) : define_function(m);
	if (err)
		return err;
	etw_text_printf(&m->hashed, "%d %d", m->spec.kind, RETURNS_AT_ONCE);
	for (i = 0; i < m->line_count; i++) {
		etw_text_printf(&m->hashed, "\n%s", text_of(&m->lines[i]));
		if (m->lines[i].error)
			return -ENOMEM;
	}
	if (m->hashed.error)
		return -ENOMEM;
	probe_event_name(provider, m->spec.symbol, text_of(&m->hashed), hold->event);
	err = make_event(m, hold);
	if (err)
		return err;
	hold->provider = *provider;
	hold->missed = hold->kernel ? probe_event_missed(hold->event) : 0;
	snprintf(event, sizeof(event), PROBE_GROUP ":%s", hold->event);
	err = trace_schema_read_probe(event, m->spec.symbol, &m->args, schema);
	if (!err)
		set_task(&m->spec, schema);
	else
		probe_let_go(hold);
	return err;
}

int probe_make(const char *name, const struct etw_guid *provider, struct trace_schema *schema,
	       struct probe_hold *hold, char note[PROBE_TEXT], char why[PROBE_TEXT])
{
	static struct making m;
	int err;

	memset(&m, 0, sizeof(m));
	m.note = note;
	m.why = why;
	*note = *why = '\0';
	hold->fd = -1;
	if (!probe_spec_parse(name, &m.spec, why))
		return -EINVAL;
	hold->kernel = !*m.spec.path;
	err = make(&m, provider, schema, hold);
	making_free(&m);
	return err;
}

unsigned long long probe_missed(struct probe_hold *hold)
{
	unsigned long long before = hold->missed;

	if (hold->fd < 0 || !hold->kernel)
		return 0;
	hold->missed = probe_event_missed(hold->event);
	return hold->missed > before ? hold->missed - before : 0;
}

unsigned long long probe_let_go(struct probe_hold *hold)
{
	unsigned long long missed = probe_missed(hold);

	if (hold->fd >= 0)
		close(hold->fd);
	hold->fd = -1;
	return missed;
}

/* ---------------------------------------------------------------------- left-overs */

#define COLLECTED_MAX	4096

struct collection {
	char (*names)[PROBE_EVENT_SIZE];
	struct etw_guid *providers;
	unsigned int count;
};

static bool collect(void *context, const char *name, const struct etw_guid *provider)
{
	struct collection *c = context;

	snprintf(c->names[c->count], sizeof(c->names[0]), "%s", name);
	c->providers[c->count++] = *provider;
	return c->count < COLLECTED_MAX;
}

static bool is_any(void *context, const char *name, const struct etw_guid *provider)
{
	(void)name;
	(void)provider;
	*(bool *)context = true;
	return false;
}

unsigned int probe_collect(enum probe_use (*use_of)(void *context, const struct etw_guid *provider),
			   void *context)
{
	struct collection c = { .count = 0 };
	unsigned int i, ending = 0;
	enum probe_use use;
	bool any = false;
	int lock;

	probe_events_each(is_any, &any);
	if (!any)
		return 0;
	c.names = calloc(COLLECTED_MAX, sizeof(*c.names));
	c.providers = calloc(COLLECTED_MAX, sizeof(*c.providers));
	lock = c.names && c.providers ? probe_lock() : -ENOMEM;
	if (lock >= 0) {
		probe_events_each(collect, &c);
		for (i = 0; i < c.count; i++) {
			use = use_of(context, &c.providers[i]);
			if (use != PROBE_USED && probe_event_remove(c.names[i]) == -EBUSY &&
			    use == PROBE_ENDING)
				ending++;
		}
		probe_unlock(lock);
	}
	free(c.names);
	free(c.providers);
	return ending;
}
