/* SPDX-License-Identifier: MIT */
/*
 * main.c - etw-ctf-reader: the traces in a folder, merged by time into one log file
 *
 *	etw-ctf-reader FOLDER FILE [--replace] [--quiet]
 *
 * "etw convert --from ctf" starts it, so that etw itself does not need libbabeltrace2.
 * The graph has a source.ctf.fs for each trace, a filter.utils.muxer, and a sink that
 * writes the log file.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "ctf_reader.h"

#define FOLDERS_DEEP	8		/* below the given folder */
#define METADATA_MAX	(64 << 20)	/* bytes */
#define NS		1000000000

struct run {
	const char *folder;
	struct writer writer;
	bool quiet, failed;		/* failed: the reason is printed */
	unsigned int traces;
	bt_graph *graph;
	const bt_plugin *ctf, *utils;
	const bt_component_class_source *fs;
	const bt_component_filter *muxer;
	struct progress progress;
	int64_t begin, end;		/* of the traces, ns since 1970; 0: unknown */
};

static int fail(struct run *run)
{
	run->failed = true;
	return -1;
}

/*
 * Print the first cause of babeltrace's error.  It may quote the trace, and bytes that a
 * terminal obeys.
 */
static int babeltrace_failed(struct run *run, const char *what)
{
	const bt_error *error = bt_current_thread_take_error();
	struct etw_text text = { .data = NULL };
	const char *message = "out of memory";

	if (run->failed)
		goto out;
	if (error && bt_error_get_cause_count(error))
		message = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
	etw_text_escape(&text, message, strlen(message));
	cli_fail("%s: libbabeltrace2: %s", cli_quote(what), text.data ? text.data : "out of memory");
	etw_text_free(&text);
out:
	if (error)
		bt_error_release(error);
	return fail(run);
}

/* ---------------------------------------------------------------------- traces */

/* Refuse what babeltrace would read without a bound, or not understand. */
static int check_metadata(struct run *run, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char first = 0;
	ssize_t n = -1;

	if (fd >= 0 && !fstat(fd, &st)) {
		errno = EINVAL;
		n = S_ISREG(st.st_mode) ? read(fd, &first, 1) : -1;
	}
	if (n < 0)
		cli_fail("%s: %s", cli_quote(path), strerror(errno));
	else if (st.st_size > METADATA_MAX)
		cli_fail("%s: larger than %d MB", cli_quote(path), METADATA_MAX >> 20);
	else if (first == 0x1E)
		cli_fail("%s: CTF 2, which cannot be read; only CTF 1.8 can", cli_quote(path));
	else
		n = 1;
	if (fd >= 0)
		close(fd);
	return n == 1 && first != 0x1E && st.st_size <= METADATA_MAX ? 0 : fail(run);
}

/* Traces whose clocks are not absolute are taken for such, like the others. */
static bt_value *source_params(const char *folder)
{
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	if (params &&
	    !bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) &&
	    !bt_value_array_append_string_element(inputs, folder) &&
	    !bt_value_map_insert_bool_entry(params, "force-clock-class-origin-unix-epoch",
					    BT_TRUE))
		return params;
	bt_value_put_ref(params);
	return NULL;
}

static int connect_ports(struct run *run, const bt_component_source *source)
{
	uint64_t i, count = bt_component_source_get_output_port_count(source);

	for (i = 0; i < count; i++) {
		/* The muxer always has one free port, its last. */
		uint64_t last = bt_component_filter_get_input_port_count(run->muxer) - 1;

		if (bt_graph_connect_ports(run->graph,
				bt_component_source_borrow_output_port_by_index_const(source, i),
				bt_component_filter_borrow_input_port_by_index_const(run->muxer,
										     last),
				NULL))
			return -1;
	}
	return 0;
}

/* The time range of a stream, for the progress bar */
static void take_range(struct run *run, const bt_value *stream)
{
	const bt_value *range = bt_value_map_borrow_entry_value_const(stream, "range-ns");
	int64_t begin, end;

	if (!range)
		return;
	begin = bt_value_integer_signed_get(bt_value_map_borrow_entry_value_const(range, "begin"));
	end = bt_value_integer_signed_get(bt_value_map_borrow_entry_value_const(range, "end"));
	if (!run->end || begin < run->begin)
		run->begin = begin;
	if (end > run->end)
		run->end = end;
}

static void take_ranges(struct run *run, const bt_value *params)
{
	bt_query_executor *query = bt_query_executor_create(
		bt_component_class_source_as_component_class_const(run->fs),
		"babeltrace.trace-infos", params);
	const bt_value *traces = NULL, *streams;
	uint64_t i, j;

	if (!query || bt_query_executor_query(query, &traces)) {
		bt_current_thread_clear_error();
		bt_query_executor_put_ref(query);
		return;
	}
	for (i = 0; i < bt_value_array_get_length(traces); i++) {
		streams = bt_value_map_borrow_entry_value_const(
			bt_value_array_borrow_element_by_index_const(traces, i), "stream-infos");
		for (j = 0; streams && j < bt_value_array_get_length(streams); j++)
			take_range(run, bt_value_array_borrow_element_by_index_const(streams, j));
	}
	bt_value_put_ref(traces);
	bt_query_executor_put_ref(query);
}

static int add_trace(struct run *run, const char *folder)
{
	const bt_component_source *source = NULL;
	bt_value *params;
	char path[PATH_MAX], name[32];
	int err;

	snprintf(path, sizeof(path), "%s/metadata", folder);
	if (check_metadata(run, path))
		return -1;
	params = source_params(folder);
	snprintf(name, sizeof(name), "trace %u", run->traces++);
	err = !params || bt_graph_add_source_component(run->graph, run->fs, name, params,
						       BT_LOGGING_LEVEL_NONE, &source) ||
	      connect_ports(run, source);
	if (!err && run->progress.on)
		take_ranges(run, params);
	bt_value_put_ref(params);
	return err ? babeltrace_failed(run, folder) : 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A folder with metadata is a trace; others are searched. */
static int visit(struct run *run, FTS *fts, FTSENT *entry)
{
	char path[PATH_MAX];

	if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
		cli_fail("%s: %s", cli_quote(entry->fts_path), strerror(entry->fts_errno));
		return fail(run);
	}
	if (entry->fts_info != FTS_D)
		return 0;
	if (entry->fts_level && (entry->fts_name[0] == '.' || entry->fts_level > FOLDERS_DEEP)) {
		fts_set(fts, entry, FTS_SKIP);
		return 0;
	}
	if (snprintf(path, sizeof(path), "%s/metadata", entry->fts_path) >= (int)sizeof(path)) {
		cli_fail("%s: %s", cli_quote(entry->fts_path), strerror(ENAMETOOLONG));
		return fail(run);
	}
	if (access(path, F_OK))
		return 0;
	fts_set(fts, entry, FTS_SKIP);
	return add_trace(run, entry->fts_path);
}

static int find_traces(struct run *run)
{
	char *const paths[] = { (char *)run->folder, NULL };
	FTS *fts = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int err = 0;

	while (fts && !err && (entry = fts_read(fts)))
		err = visit(run, fts, entry);
	if (fts)
		fts_close(fts);
	if (err || run->traces)
		return err;
	cli_fail("%s: no CTF trace: there is no metadata file in it", cli_quote(run->folder));
	return fail(run);
}

/* ----------------------------------------------------------------------- graph */

/* A counter that is not 0 in a stream's first packet does not say since when it counts. */
static void count_discarded(struct writer *w, const bt_message *message)
{
	const bt_stream *stream = bt_message_discarded_events_borrow_stream_const(message);
	uint64_t lost;
	int64_t end;

	/* The file does not end before what it lacks. */
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
			bt_stream_borrow_class_const(stream)) &&
	    bt_clock_snapshot_get_ns_from_origin(
			bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message),
			&end) == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK && end > w->lost)
		w->lost = end;

	if (bt_message_discarded_events_get_count(message, &lost) ==
	    BT_PROPERTY_AVAILABILITY_AVAILABLE) {
		w->discarded += lost;
	} else {
		w->discarded++;
		w->discarded_more = true;
	}
}

static bt_graph_simple_sink_component_consume_func_status
consume(bt_message_iterator *messages, void *context)
{
	struct run *run = context;
	bt_message_array_const list;
	uint64_t i, n = 0;
	int ret = bt_message_iterator_next(messages, &list, &n);

	for (i = 0; i < n; i++) {
		const bt_message *m = list[i];

		if (bt_message_get_type(m) == BT_MESSAGE_TYPE_EVENT && !run->failed &&
		    write_event(&run->writer, m))
			fail(run);
		if (bt_message_get_type(m) == BT_MESSAGE_TYPE_DISCARDED_EVENTS)
			count_discarded(&run->writer, m);
		bt_message_put_ref(m);
	}
	return run->failed ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR :
	       (bt_graph_simple_sink_component_consume_func_status)ret;
}

static const bt_plugin *find_plugin(struct run *run, const char *name)
{
	const bt_plugin *plugin = NULL;

	/* Only where the library was installed: nothing of the user's or the environment's */
	if (!bt_plugin_find(name, BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin))
		return plugin;
	bt_current_thread_clear_error();
	cli_fail("libbabeltrace2's plugin %s is not installed", cli_quote(name));
	fail(run);
	return NULL;
}

static int make_graph(struct run *run)
{
	const bt_component_class_filter *muxer;
	const bt_component_sink *sink = NULL;

	run->ctf = find_plugin(run, "ctf");
	run->utils = run->ctf ? find_plugin(run, "utils") : NULL;
	if (!run->utils)
		return -1;
	run->fs = bt_plugin_borrow_source_component_class_by_name_const(run->ctf, "fs");
	muxer = bt_plugin_borrow_filter_component_class_by_name_const(run->utils, "muxer");
	run->graph = bt_graph_create(0);
	if (!run->graph || !run->fs || !muxer ||
	    bt_graph_add_filter_component(run->graph, muxer, "muxer", NULL, BT_LOGGING_LEVEL_NONE,
					  &run->muxer) ||
	    bt_graph_add_simple_sink_component(run->graph, "sink", NULL, consume, NULL, run,
					       &sink) ||
	    bt_graph_connect_ports(run->graph,
			bt_component_filter_borrow_output_port_by_index_const(run->muxer, 0),
			bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL))
		return babeltrace_failed(run, run->folder);
	return 0;
}

static void show_progress(struct run *run)
{
	double done = (double)(run->writer.last - run->begin);

	if (run->end > run->begin && done >= 0 && progress_due(&run->progress))
		progress_show(&run->progress,
			      (unsigned int)(done * 1000 / (double)(run->end - run->begin)),
			      run->writer.events);
}

static int run_graph(struct run *run)
{
	int status = BT_GRAPH_RUN_ONCE_STATUS_OK;

	while (status == BT_GRAPH_RUN_ONCE_STATUS_OK || status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN) {
		if (cli_ending())
			break;
		status = bt_graph_run_once(run->graph);
		show_progress(run);
	}
	progress_end(&run->progress);
	if (cli_ending())
		return fail(run);
	return status == BT_GRAPH_RUN_ONCE_STATUS_END ? 0 : babeltrace_failed(run, run->folder);
}

/* --------------------------------------------------------------------- program */

/* Each stream is a file that stays open. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void print_summary(const struct run *run)
{
	const struct writer *w = &run->writer;
	const char *folder = cli_quote(run->folder);

	if (w->discarded)
		cli_note("%s: %s%" PRIu64 " event%s lost by the tracer", folder,
			 w->discarded_more ? "at least " : "", w->discarded, cli_s(w->discarded));
	if (w->refused)
		cli_note("%s: %" PRIu64 " event%s left out: too large, or of a type that "
			 "TraceLogging does not have", folder, w->refused, cli_s(w->refused));
	if (!run->quiet)
		cli_note("%s: %" PRIu64 " event%s", cli_quote(w->path), w->events,
			 cli_s(w->events));
}

static int convert(struct run *run)
{
	int err;

	allow_many_files();
	progress_begin(&run->progress, run->quiet);
	err = make_graph(run);
	if (!err)
		err = find_traces(run);
	if (!err)
		err = run_graph(run);
	if (!err)
		err = finish_file(&run->writer);
	free_writer(&run->writer);
	bt_graph_put_ref(run->graph);
	bt_plugin_put_ref(run->ctf);
	bt_plugin_put_ref(run->utils);
	return err;
}

int main(int argc, char **argv)
{
	struct run run = { .folder = argc > 2 ? argv[1] : NULL };
	int i, err;

	if (argc < 3) {
		fputs("Usage: etw-ctf-reader FOLDER FILE [--replace] [--quiet]\n"
		      "\"etw convert --from ctf\" starts this.\n", stderr);
		return CLI_EXIT_USAGE;
	}
	run.writer.path = argv[2];
	for (i = 3; i < argc; i++) {
		run.writer.replace |= !strcmp(argv[i], "--replace");
		run.quiet |= !strcmp(argv[i], "--quiet");
	}
	cli_begin("convert");
	cli_catch_ending();
	err = convert(&run);
	if (!err)
		print_summary(&run);
	cli_end();
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
