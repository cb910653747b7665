/* SPDX-License-Identifier: MIT */
/*
 * dump_file.c - etw dump of log files
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "dump_file.h"
#include "cli/inputs.h"
#include "cli/session.h"
#include "device/kdev.h"

static bool is_file_name(const char *operand)
{
	size_t len = strlen(operand);

	return strchr(operand, '/') || (len > 4 && !strcasecmp(operand + len - 4, ".etl"));
}

bool dump_may_be_file(const char *operand)
{
	struct stat st;

	return is_file_name(operand) || (!stat(operand, &st) && S_ISREG(st.st_mode));
}

bool dump_is_file(const char *operand)
{
	static struct session session;
	int fd, err;

	if (is_file_name(operand) || !dump_may_be_file(operand))
		return is_file_name(operand);
	fd = etw_kdev_open();
	if (fd < 0)
		return true;
	err = session_do(fd, etw_kdev_session_query, operand, &session);
	etw_kdev_close(fd);
	return err == -ENOENT;
}

/* Print the events of files that are open.  Returns the exit status. */
static int print_all(struct inputs *inputs, struct event_printer *printer,
		     dump_print_fn *print, struct select *select, uint32_t count, bool *filled)
{
	const struct etw_event *event;
	unsigned int source;
	uint32_t printed = 0;
	int ret;

	select_bound(select, inputs);
	while ((ret = inputs_next(inputs, &event, &source)) == 1) {
		if (event_is_schema(printer, event) || !select_event(select, event))
			continue;
		print(printer, event);
		*filled = count && ++printed == count;
		/* cli_finish() reports errors of stdout. */
		if (ferror(stdout) || *filled)
			return 0;
	}
	return ret ? 1 : 0;
}

int dump_files(char **paths, struct event_printer *printer, dump_print_fn *print,
	       struct select *select, uint32_t count, bool *filled)
{
	struct inputs inputs = { .count = 0 };
	int status = inputs_open(&inputs, paths);

	if (!status) {
		inputs_schemas(&inputs);
		select_ready(select, inputs_start(&inputs), NULL);
		status = print_all(&inputs, printer, print, select, count, filled);
	}
	event_flush(printer);
	if (!status)
		inputs_tell(&inputs);
	inputs_close(&inputs);
	return status;
}
