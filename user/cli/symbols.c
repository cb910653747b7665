/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - the names of addresses in stacks
 *
 * Names are those of the kernel that runs here: an address of another boot is translated
 * first, and one that has no counterpart here has no name.
 *
 * The kernel's names are read once, at the first address of the kernel. Without CAP_SYSLOG
 * kallsyms shows zeroes: then there are no names. A process's mappings are read for its
 * first stack, and again for an address that they do not have, at most once for each stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "cli/machine/translate.h"
#include "symbols.h"

#define KERNEL_BEGIN	0x8000000000000000ull	/* addresses of the kernel, on 64 bits */
#define FUNCTION_MAX	0x100000		/* bytes; beyond that no function is meant */

struct function {
	uint64_t address;
	uint32_t name, module;	/* in names; module 0: none */
};

struct mapping {
	uint64_t begin, end, offset;
	char *name;
};

struct symbols {
	bool use_kernel, read_kernel;
	const char *refusal;		/* why the kernel's names are not used; NULL: no matter */
	uint64_t refused;		/* addresses that have no name for it */
	const struct machine *there;	/* whose kernel's addresses they are; NULL: of this boot */
	struct machine here;
	struct function *functions;
	size_t function_count;
	struct etw_text names;
	uint32_t pid;		/* whose mappings they are */
	struct mapping *mappings;
	size_t mapping_count;
	uint64_t missing;	/* an address that they did not have */
};

/* Of /proc and /sys; tests have another one. */
static const char *symbols_root = "";

struct symbols *symbols_new(void)
{
	return cli_calloc(1, sizeof(struct symbols));
}

static void forget_mappings(struct symbols *s)
{
	while (s->mapping_count)
		free(s->mappings[--s->mapping_count].name);
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	forget_mappings(s);
	free(s->mappings);
	free(s->functions);
	etw_text_free(&s->names);
	machine_free(&s->here);
	free(s);
}

void symbols_use_kernel(struct symbols *symbols)
{
	symbols->use_kernel = true;
}

static void use_machine(struct symbols *s, const struct machine *there)
{
	machine_collect(&s->here, symbols_root);
	s->refusal = machine_foreign(there, &s->here);
	s->use_kernel = !s->refusal;
	s->there = there;
}

void symbols_choose(struct symbols *symbols, const struct machines *machines,
		    unsigned int undescribed, bool of_boot)
{
	if (!machines->count && of_boot)
		symbols->use_kernel = true;
	else if (!machines->count)
		symbols->refusal = "the trace is of another boot, and does not describe its kernel";
	else if (machines->count > 1 || (undescribed && !of_boot))
		symbols->refusal = "the trace is of several boots or machines";
	else
		use_machine(symbols, machines->list);
}

void symbols_report(const struct symbols *symbols)
{
	if (symbols->refused)
		cli_note("%llu address%s of the kernel %s no name: %s",
			 (unsigned long long)symbols->refused, symbols->refused == 1 ? "" : "es",
			 symbols->refused == 1 ? "has" : "have", symbols->refusal);
}

/* ----------------------------------------------------------------------- kernel */

static uint32_t keep_name(struct symbols *s, const char *name)
{
	size_t at = s->names.len;

	etw_text_add(&s->names, name, strlen(name) + 1);
	text_check(&s->names);
	return (uint32_t)at;
}

static int compare(const void *a, const void *b)
{
	const struct function *one = a, *two = b;

	return one->address < two->address ? -1 : one->address > two->address;
}

/* ffffffff81000000 T _text; of modules with a tab and [module] */
static void read_kernel(struct symbols *s)
{
	unsigned long long address;
	char name[256], module[64], path[256], type;
	struct function *f;
	size_t room = 0;
	char line[512];
	FILE *file;
	int n;

	s->read_kernel = true;
	keep_name(s, "");
	snprintf(path, sizeof(path), "%s/proc/kallsyms", symbols_root);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		n = sscanf(line, "%llx %c %255s [%63[^]]]", &address, &type, name, module);
		if (n < 3 || !address || !strchr("tTwW", type))
			continue;
		if (s->function_count == room) {
			room = room ? 2 * room : 1 << 14;
			s->functions = cli_grow(s->functions, room - 1, sizeof(*s->functions));
		}
		f = &s->functions[s->function_count++];
		f->address = address;
		f->name = keep_name(s, name);
		f->module = n == 4 ? keep_name(s, module) : 0;
	}
	if (file)
		fclose(file);
	if (s->function_count)
		qsort(s->functions, s->function_count, sizeof(*s->functions), compare);
}

static bool add_kernel(struct symbols *s, struct etw_text *to, uint64_t address)
{
	size_t low = 0, high, middle;
	const struct function *f;

	if (s->there && !machine_translate(s->there, &s->here, address, &address))
		return false;
	if (!s->read_kernel)
		read_kernel(s);
	for (high = s->function_count; low < high; ) {
		middle = low + (high - low) / 2;
		if (s->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	f = low ? &s->functions[low - 1] : NULL;
	if (!f || address - f->address >= FUNCTION_MAX)
		return false;
	etw_text_safe(to, s->names.data + f->name, strlen(s->names.data + f->name));
	etw_text_printf(to, "+0x%llx", (unsigned long long)(address - f->address));
	if (f->module) {
		etw_text_puts(to, " [");
		etw_text_safe(to, s->names.data + f->module, strlen(s->names.data + f->module));
		etw_text_puts(to, "]");
	}
	return true;
}

/* -------------------------------------------------------------------- processes */

static void read_mappings(struct symbols *s, uint32_t pid)
{
	unsigned long long begin, end, offset;
	char path[32], line[4352], flags[8], *name;
	struct mapping *m;
	FILE *file;
	int at;

	forget_mappings(s);
	s->pid = pid;
	s->missing = 0;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		at = 0;
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &begin, &end, flags, &offset,
			   &at) < 4 || !at || flags[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = '\0';
		name = strrchr(line + at, '/');
		name = name ? name + 1 : line + at;
		if (!*name)
			continue;
		s->mappings = cli_grow(s->mappings, s->mapping_count, sizeof(*s->mappings));
		m = &s->mappings[s->mapping_count++];
		*m = (struct mapping){ begin, end, offset, cli_strdup(name) };
	}
	if (file)
		fclose(file);
}

static const struct mapping *find_mapping(const struct symbols *s, uint64_t address)
{
	size_t i;

	for (i = 0; i < s->mapping_count; i++)
		if (address >= s->mappings[i].begin && address < s->mappings[i].end)
			return &s->mappings[i];
	return NULL;
}

static bool add_user(struct symbols *s, struct etw_text *to, uint32_t pid, uint64_t address)
{
	const struct mapping *m;

	if (pid != s->pid)
		read_mappings(s, pid);
	m = find_mapping(s, address);
	if (!m && address != s->missing) {
		read_mappings(s, pid);
		m = find_mapping(s, address);
		s->missing = m ? 0 : address;
	}
	if (!m)
		return false;
	etw_text_safe(to, m->name, strlen(m->name));
	etw_text_printf(to, "+0x%llx", (unsigned long long)(address - m->begin + m->offset));
	return true;
}

bool symbols_add(struct symbols *symbols, struct etw_text *to, uint32_t pid, uint64_t address)
{
	if (address >= KERNEL_BEGIN) {
		symbols->refused += !symbols->use_kernel && symbols->refusal;
		return symbols->use_kernel && add_kernel(symbols, to, address);
	}
	return pid && add_user(symbols, to, pid, address);
}
