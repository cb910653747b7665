/* SPDX-License-Identifier: MIT */
/*
 * loss.c - a session's record of a loss, for people and for programs
 *
 *	12 events lost on CPU 3: no free buffer; 10:00:00.1 to 10:00:00.2; provider Sample; session s;
 *	more --min-buffers or a larger --buffer-size would have kept them
 */
#include <string.h>
#include <etw/abi.h>
#include "cli/cli.h"
#include "cli/schema.h"
#include "clock.h"
#include "event.h"
#include "base/guid.h"
#include "base/json_writer.h"

static const char *provider_name(struct event_printer *printer, const struct etw_guid *guid)
{
	const char *name = schema_provider_name(guid);

	return name || !printer->names ? name : names_get(printer->names, guid);
}

static void add_time(struct event_printer *printer, struct etw_text *to, int64_t time)
{
	switch (printer->time) {
	case EVENT_TIME_UTC:
		etw_text_time(to, (uint64_t)time);
		break;
	case EVENT_TIME_RELATIVE:
		clock_seconds(to, (int64_t)((uint64_t)time - (uint64_t)printer->first));
		break;
	default:
		clock_local(to, time);
	}
}

static void add_number(struct etw_text *to, int64_t number, const char *what)
{
	etw_text_unsigned(to, (uint64_t)number, 1);
	etw_text_puts(to, what);
	if (number != 1)
		etw_text_char(to, 's');
}

static void add_amount(struct etw_text *to, const struct etw_loss_payload *loss)
{
	if (loss->events > 0)
		add_number(to, loss->events, " event");
	else if (loss->events < 0)
		etw_text_puts(to, "events");
	if (loss->events && loss->buffers > 0)
		etw_text_puts(to, " in ");
	if (loss->buffers > 0)
		add_number(to, loss->buffers, " buffer");
	else if (!loss->events)
		etw_text_puts(to, loss->buffers ? "buffers" : "nothing");
	etw_text_puts(to, " lost");
	if (loss->cpu < 0)
		return;
	etw_text_puts(to, " on CPU ");
	etw_text_unsigned(to, (uint64_t)loss->cpu, 1);
}

/* What would have prevented a loss, and the options of etw start and others that give it */
static const struct remedy {
	uint32_t code;
	const char *text;
	const char *options[3];
} remedies[] = {
	/* A burst ends before the session has grown to its maximum. */
	{ ETW_DROP_NO_BUFFER, "more --min-buffers or a larger --buffer-size",
	  { "--min-buffers", "--buffer-size" } },
	{ ETW_DROP_BUFFER_SIZE, "a larger --buffer-size", { "--buffer-size" } },
	/* Likewise; if the flood goes on, it is the maximum that is shared. */
	{ ETW_DROP_FAIR_SHARE, "more --min-buffers or --max-buffers",
	  { "--min-buffers", "--max-buffers" } },
	{ ETW_DROP_BUDGET, "a larger --user-budget", { "--user-budget" } },
	{ ETW_LOSS_CONSUMER, "more --max-buffers, or a --file that is read later,",
	  { "--max-buffers", "--file" } },
	{ ETW_LOSS_UNREAD, "a reader from the start, or a --file,", { "--file" } },
	{ ETW_LOSS_FILE_SLOW, "more --max-buffers", { "--max-buffers" } },
	{ ETW_LOSS_FILE_FULL, "a larger --max-size or --new-files", { "--max-size", "--new-files" } },
	{ ETW_LOSS_DISK_FULL, "--circular with a --max-size that fits", { "--circular", "--max-size" } },
};

static const struct remedy *remedy_of(uint32_t code)
{
	static const struct remedy none = { 0, NULL, { NULL } };
	size_t i;

	for (i = 0; i < sizeof(remedies) / sizeof(*remedies); i++)
		if (remedies[i].code == code)
			return &remedies[i];
	return &none;
}

void event_add_loss(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_loss *loss = &printer->loss;
	const struct etw_guid *guid = &loss->payload.provider;
	const char *remedy = remedy_of(loss->payload.code)->text;
	const char *name;

	add_amount(to, &loss->payload);
	etw_text_puts(to, ": ");
	etw_text_puts(to, etw_loss_text(loss->payload.code));
	etw_text_puts(to, "; ");
	add_time(printer, to, loss->first);
	if (loss->last != loss->first) {
		etw_text_puts(to, " to ");
		add_time(printer, to, loss->last);
	}
	if (!etw_guid_is_zero(guid)) {
		etw_text_puts(to, "; provider ");
		name = provider_name(printer, guid);
		if (name)
			etw_text_escape(to, name, strlen(name));
		else
			etw_text_guid(to, guid);
	}
	if (*loss->session) {
		etw_text_puts(to, "; session ");
		etw_text_escape(to, loss->session, strlen(loss->session));
	}
	if (remedy) {
		etw_text_puts(to, "; ");
		etw_text_puts(to, remedy);
		etw_text_puts(to, loss->payload.events == 1 ? " would have kept it" :
							      " would have kept them");
	}
}

/* null: not known */
static void put_number(struct etw_text *to, const char *key, int64_t number)
{
	json_writer_key(to, key);
	if (number < 0)
		etw_text_puts(to, "null");
	else
		etw_text_unsigned(to, (uint64_t)number, 1);
}

void event_put_loss(struct event_printer *printer, struct etw_text *to)
{
	const struct etw_loss *loss = &printer->loss;
	const struct etw_guid *guid = &loss->payload.provider;
	const char *const *remedy;

	json_writer_open(to, "loss", '{');
	json_writer_word(to, "cause", etw_loss_cause(loss->payload.code));
	json_writer_word(to, "cause_text", etw_loss_text(loss->payload.code));
	put_number(to, "events", loss->payload.events);
	put_number(to, "buffers", loss->payload.buffers);
	put_number(to, "cpu", loss->payload.cpu);
	json_writer_time(to, "first", (uint64_t)loss->first);
	json_writer_time(to, "last", (uint64_t)loss->last);
	if (etw_guid_is_zero(guid)) {
		json_writer_word(to, "provider", NULL);
	} else {
		json_writer_guid(to, "provider", guid);
		json_writer_word(to, "provider_name", provider_name(printer, guid));
	}
	json_writer_word(to, "session", *loss->session ? loss->session : NULL);
	json_writer_open(to, "remedies", '[');
	for (remedy = remedy_of(loss->payload.code)->options; *remedy; remedy++)
		json_writer_word(to, NULL, *remedy);
	json_writer_close(to, ']');
	json_writer_close(to, '}');
}
