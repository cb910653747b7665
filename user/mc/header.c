// SPDX-License-Identifier: MIT
/*
 * header.c - the header from its begin to its end
 */
#include <errno.h>
#include <string.h>

#include "emit.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Providers of one name would share their objects; so would macros that -P made equal. */
static void check_names(struct etw_mc *mc)
{
	struct etw_mc_set macros = { 0, 0 };
	const struct etw_mc_entry *old;
	unsigned int i, j;

	for (i = 0; i < mc->manifest->provider_count; i++) {
		const struct etw_mc_provider *p = &mc->providers[i];

		etw_mc_symbol(mc, etw_mc_text(mc, "%sEnableBits", p->name), p->symbol,
			      p->provider->line);
		for (j = 0; j < p->event_count; j++) {
			const struct etw_mc_event *e = &p->events[j];

			old = etw_mc_set_add(mc, &macros, e->macro, e->symbol, e->event->line);
			if (!old || !strcmp(old->value, e->symbol))
				continue;
			etw_problem_add(mc->problems, e->event->line, false,
					"without \"%s\" the symbols \"%s\" and \"%s\" (line %u) are the same",
					mc->options->strip, e->symbol, old->value, old->line);
			mc->error = -EINVAL;
		}
	}
}

static void write_header(struct etw_mc *mc)
{
	unsigned int i;

	etw_mc_prepare(mc);
	etw_mc_comment(mc, "Made by etw mc from ", base_name(mc->manifest->file),
		       ": changes are lost");
	etw_mc_print(mc, "#pragma once\n\n");
	mc->mode->begin(mc);
	etw_mc_print(mc, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	for (i = 0; i < mc->manifest->provider_count; i++) {
		etw_mc_constants(mc, &mc->providers[i]);
		if (!mc->code)
			continue;
		etw_mc_print(mc, "\n#ifndef MCGEN_DISABLE_PROVIDER_CODE_GENERATION\n");
		mc->mode->provider(mc, &mc->providers[i]);
		etw_mc_macros(mc, &mc->providers[i]);
		etw_mc_print(mc, "\n#endif /* MCGEN_DISABLE_PROVIDER_CODE_GENERATION */\n");
	}
	if (mc->code) {
		check_names(mc);
		etw_mc_print(mc, "\n#ifndef MCGEN_DISABLE_PROVIDER_CODE_GENERATION\n");
		etw_mc_templates(mc);
		etw_mc_print(mc, "\n#endif /* MCGEN_DISABLE_PROVIDER_CODE_GENERATION */\n");
	}
	etw_mc_messages(mc);
	etw_mc_print(mc, "\n#ifdef __cplusplus\n}\n#endif\n");
}

int etw_mc_write_header(const struct etw_manifest *manifest,
			const struct etw_mc_options *options, FILE *out,
			struct etw_problems *problems)
{
	struct etw_mc mc;
	int ret;

	memset(&mc, 0, sizeof(mc));
	mc.manifest = manifest;
	mc.options = options;
	mc.mode = options->mode ? options->mode : &etw_mc_mode_um;
	mc.code = options->mode != NULL;
	mc.problems = problems;
	mc.out = out;
	if (setjmp(mc.no_memory)) {
		etw_mc_free(&mc);
		return -ENOMEM;
	}
	write_header(&mc);
	ret = mc.error;
	etw_mc_free(&mc);
	if (!ret && fflush(out))
		ret = -errno;
	if (!ret && ferror(out))
		ret = -EIO;
	return ret;
}
