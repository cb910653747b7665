/* SPDX-License-Identifier: MIT */
/*
 * symbols.c - the names of addresses in stacks, for the commands that print them
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/machine/translate.h"
#include "symbols_private.h"

const char *symbols_root = "";

struct symbols *symbols_new(const struct symbols_request *request)
{
	struct symbols *s = cli_calloc(1, sizeof(*s));
	const struct symbolizer_host host = {
		.kernel = symbols_kernel, .mapped = symbols_mapped, .context = s,
		.root = request->root, .debuginfod = request->debuginfod,
	};

	s->symbolizer = symbolizer_new(&host);
	if (!s->symbolizer)
		cli_die("out of memory");
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	symbols_forget_mappings(s);
	free(s->mappings);
	free(s->functions);
	etw_text_free(&s->names);
	machine_free(&s->here);
	symbolizer_free(s->symbolizer);
	free(s);
}

struct symbolizer *symbols_symbolizer(struct symbols *symbols)
{
	return symbols->symbolizer;
}

struct symbolizer *symbols_of_process(struct symbols *symbols, bool runs)
{
	symbols->runs = runs;
	return symbols->symbolizer;
}

struct images *symbols_images(struct symbols *symbols)
{
	return symbols ? symbolizer_images(symbols->symbolizer) : NULL;
}

void symbols_use_kernel(struct symbols *symbols)
{
	symbols->use_kernel = true;
	symbolizer_use_perf_maps(symbols->symbolizer);
}

static void use_machine(struct symbols *s, const struct machine *there)
{
	s->there = there;
	s->kernel.path = "vmlinux";
	if (there->kernel.len > sizeof(s->kernel.build_id))
		return;
	s->kernel.build_id_len = there->kernel.len;
	memcpy(s->kernel.build_id, there->kernel.bytes, there->kernel.len);
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
	if (of_boot)
		symbolizer_use_perf_maps(symbols->symbolizer);
}

/* symbolizer_line */
static void report_line(void *context, const char *line)
{
	struct etw_text text = { .data = NULL };

	(void)context;
	etw_text_safe(&text, line, strlen(line));
	cli_note("%s", text_data(&text));
	etw_text_free(&text);
}

void symbols_report(const struct symbols *symbols)
{
	if (symbols->refused)
		cli_note("%llu address%s of the kernel %s no name: %s",
			 (unsigned long long)symbols->refused, symbols->refused == 1 ? "" : "es",
			 symbols->refused == 1 ? "has" : "have", symbols->refusal);
	symbolizer_report(symbols->symbolizer, report_line, NULL);
}

unsigned int symbols_find(struct symbols *symbols, const struct symbol_place *place, bool runs,
			  struct symbol_frame *frames)
{
	symbols->runs = runs;
	return symbolizer_find(symbols->symbolizer, place, frames);
}

bool symbols_add(struct etw_text *to, const struct symbol_frame *frame)
{
	const char *name = frame->function ? frame->function : frame->image;

	if (!name)
		return false;
	etw_text_safe(to, name, strlen(name));
	if (!frame->inlined)
		etw_text_printf(to, "+0x%llx", (unsigned long long)frame->offset);
	if (frame->function && frame->image) {
		etw_text_puts(to, " [");
		etw_text_safe(to, frame->image, strlen(frame->image));
		etw_text_char(to, ']');
	}
	if (frame->inlined)
		etw_text_puts(to, " (inlined)");
	return true;
}
