/* SPDX-License-Identifier: MIT */
/*
 * kernel.c - the functions of the kernel
 *
 * An address of another boot is translated first, and one that has no counterpart here has no
 * name here. If another kernel runs here, the debug information of the traced one may still be in
 * the package of its symbols; of modules then only their names are known.
 *
 * The names of the kernel that runs are read once, at the first address of the kernel. Without
 * CAP_SYSLOG kallsyms shows zeroes: then there are no names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/machine/translate.h"
#include "symbols_private.h"

#define FUNCTION_MAX	0x100000		/* bytes; beyond that no function is meant */

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

static const char *keep(struct symbols *s, const char *name)
{
	return symbolizer_keep(s->symbolizer, name, strlen(name));
}

/* By the names of the kernel that runs */
static bool find_here(struct symbols *s, uint64_t address, struct symbol_frame *frame)
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
	*frame = (struct symbol_frame){
		.function = keep(s, s->names.data + f->name),
		.image = f->module ? keep(s, s->names.data + f->module) : NULL,
		.offset = address - f->address,
	};
	return true;
}

/* By the debug information of the traced kernel */
static unsigned int find_there(struct symbols *s, uint64_t address, struct symbol_frame *frames)
{
	const struct machine *there = s->there;
	const struct machine_module *module = machine_module_at(there, address);
	unsigned int count, i;

	if (module) {
		*frames = (struct symbol_frame){ .image = keep(s, module->name),
						 .offset = address - module->address };
		return 1;
	}
	if (!there->text || address < there->text || address >= there->text_end)
		return 0;
	count = symbolizer_find_in(s->symbolizer, &s->kernel, address - there->text, frames);
	for (i = 0; i < count; i++)
		frames[i].image = NULL;
	return count;
}

/* Once there is an address of the kernel: it takes reading much of /proc and /sys. */
static void compare_machines(struct symbols *s)
{
	s->compared = true;
	machine_collect(&s->here, symbols_root);
	s->refusal = machine_foreign(s->there, &s->here);
	s->use_kernel = !s->refusal;
}

unsigned int symbols_kernel(void *context, uint64_t address, struct symbol_frame *frames)
{
	struct symbols *s = context;
	unsigned int count;

	if (s->there && !s->compared)
		compare_machines(s);
	if (s->use_kernel && find_here(s, address, frames))
		return 1;
	count = s->there ? find_there(s, address, frames) : 0;
	s->refused += s->refusal && (!count || !frames->function);
	return count;
}
