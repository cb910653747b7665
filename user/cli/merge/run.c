/* SPDX-License-Identifier: MIT */
/*
 * run.c - what merge and split do alike: read files, choose records, write log files
 */
#include <inttypes.h>
#include "cli/cli.h"
#include "run.h"
#include "cli/cmd/manifest.h"
#include "cli/schema.h"

#define LOOK_RECORDS	4096	/* between two looks at the clock */

bool etlrun_option(struct etlrun *run, int option, const char *value)
{
	switch (option) {
	case ETLRUN_OPT_COMPRESS:
		run->how.compress = true;
		return true;
	case ETLRUN_OPT_REPLACE:
		run->how.replace = true;
		return true;
	case ETLRUN_OPT_MANIFEST:
		schema_load("--manifest", value);
		return true;
	case 'q':
		run->quiet = true;
		return true;
	default:
		return select_option(&run->select, option, value);
	}
}

int etlrun_records(struct etlrun *run,
		   int (*one)(struct etlrun *run, const struct etlmerge_record *record))
{
	struct etlmerge_record record;
	int ret, status = 0;

	progress_begin(&run->progress, run->quiet);
	while ((ret = etlmerge_next(&run->merge, run->select, &record)) == 1) {
		status = one(run, &record);
		if (!status && cli_ending())
			status = 1;
		if (status)
			break;
		if (++run->records % LOOK_RECORDS == 0 && progress_due(&run->progress))
			progress_show(&run->progress, inputs_progress(&run->inputs),
				      run->records);
	}
	progress_end(&run->progress);
	if (ret < 0)
		return inputs_fail(&run->inputs, (unsigned int)(run->merge.current -
								run->merge.sources), ret);
	if (!status)
		etlmerge_losses(&run->merge);
	return status;
}

void etlrun_tell(struct etlrun *run)
{
	inputs_tell(&run->inputs);
	manifest_report_problems();
	select_report(run->select);
	if (run->merge.skipped)
		cli_note("%" PRIu64 " record%s could not be written", run->merge.skipped,
			 cli_s(run->merge.skipped));
	if (run->merge.far)
		cli_note("%" PRIu64 " event%s the latest possible time, because the times of "
			 "a file are wrong and theirs is later", run->merge.far,
			 run->merge.far == 1 ? " has" : "s have");
}

int etlrun(struct etlrun *run, char **files, int (*write)(struct etlrun *run))
{
	int status = inputs_open(&run->inputs, files);

	if (!status) {
		if (select_decodes(run->select))
			inputs_schemas(&run->inputs);
		select_ready(run->select, inputs_start(&run->inputs), NULL);
		etlmerge_begin(&run->merge, &run->inputs);
		cli_catch_ending();
		status = write(run);
		etlmerge_end(&run->merge);
	}
	inputs_close(&run->inputs);
	select_free(run->select);
	schema_unload();
	cli_end();
	return status;
}
