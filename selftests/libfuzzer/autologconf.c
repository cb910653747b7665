// SPDX-License-Identifier: GPL-2.0-only
/*
 * autologconf - files of autologger sessions
 *
 *	input := the file
 */
#include <stdlib.h>
#include <string.h>

#include "cli/autologger/session_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was taken keeps the promises of the header. */
static void check(const struct etw_autolog_conf *conf)
{
	size_t i, j;

	if (conf->start > 1 || conf->clock < 1 || conf->clock > 3 ||
	    conf->file_max > ETW_AUTOLOG_FILES || conf->provider_count > ETW_AUTOLOG_PROVIDERS ||
	    (conf->file_name && (conf->file_name[0] != '/' ||
				 strlen(conf->file_name) > ETW_FILE_NAME_MAX - 5)))
		abort();
	for (i = 0; i < conf->provider_count; i++) {
		const struct etw_autolog_provider *p = &conf->providers[i];

		if (!*p->name || strlen(p->name) > ETW_NAME_MAX || p->enabled > 1 ||
		    p->level > 255 || p->option_count > ETW_AUTOLOG_OPTIONS)
			abort();
		for (j = 0; j < p->option_count; j++)
			if (!*p->options[j].value || p->options[j].line <= p->line)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct etw_autolog_error error;
	struct etw_autolog_conf conf;
	int ret = etw_autolog_parse((const char *)data, size, &conf, &error);

	if (!ret)
		check(&conf);
	else if (!error.what[0])
		abort();
	etw_autolog_free(&conf);
	return 0;
}
