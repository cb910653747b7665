// SPDX-License-Identifier: MIT
/*
 * decode.c - print every value of a session's events with <etw/decode.h>
 *
 *	decode SESSION
 *
 * Prints each event's provider and name, then a line for each value: its path through
 * structures and arrays, its types (TDH_INTYPE_, TDH_OUTTYPE_), and the value.  Runs
 * until the session stops.
 */
#include <stdio.h>
#include <etw/decode.h>
#include <evntrace.h>

struct state {
	struct etw_decoder *decoder;
	struct etw_text text;	/* reused, so that it rarely allocates */
};

/*
 * Names are untrusted input, so print only ASCII to the terminal.  etw_decode_path() and
 * etw_format_value() escape paths and values themselves.
 */
static void print_name(const char *name)
{
	for (; *name; name++)
		putchar(*name >= ' ' && *name <= '~' ? *name : '?');
}

static void print_fields(struct state *state)
{
	struct etw_field field;
	int ret;

	while ((ret = etw_decode_next(state->decoder, &field)) == 1) {
		if (field.kind != ETW_FIELD_VALUE)
			continue;
		state->text.len = 0;
		etw_decode_path(&state->text, state->decoder, &field, 0);
		printf("    %s (%u, %u) = ", state->text.len ? state->text.data : "", field.in_type,
		       field.out_type);
		state->text.len = 0;
		etw_format_value(&state->text, &field, 0);
		puts(state->text.len ? state->text.data : "");
	}
	if (ret < 0)
		puts("    the event ends before its fields do");
}

static VOID WINAPI on_event(PEVENT_RECORD record)
{
	struct state *state = record->UserContext;
	const struct etw_decoded *event;
	int err = etw_decode(state->decoder, record, &event);

	print_name(event->provider ? event->provider : "?");
	putchar(' ');
	print_name(event->event ? event->event : event->task ? event->task : "?");
	putchar('\n');
	if (err)
		printf("    %u bytes that nobody knows\n", record->UserDataLength);
	else
		print_fields(state);
}

int main(int argc, char **argv)
{
	struct state state = { .decoder = etw_decoder_new() };
	EVENT_TRACE_LOGFILEA trace = {
		.LoggerName = argv[1],
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD,
		.EventRecordCallback = on_event,
		.Context = &state,
	};
	PROCESSTRACE_HANDLE handle;
	ULONG err;

	if (argc != 2 || !state.decoder) {
		fputs("usage: decode SESSION\n", stderr);
		return 2;
	}
	handle = OpenTraceA(&trace);
	if (handle == INVALID_PROCESSTRACE_HANDLE) {
		fprintf(stderr, "decode: OpenTrace: error %u\n", GetLastError());
		return 1;
	}
	err = ProcessTrace(&handle, 1, NULL, NULL);
	CloseTrace(handle);
	etw_decoder_free(state.decoder);
	etw_text_free(&state.text);
	if (err != ERROR_SUCCESS)
		fprintf(stderr, "decode: ProcessTrace: error %u\n", err);
	return err != ERROR_SUCCESS;
}
