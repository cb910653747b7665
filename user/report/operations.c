/* SPDX-License-Identifier: MIT */
/*
 * operations.c - how long operations took, by their name
 *
 * The caller pairs them. A start and its stop mostly have one name, apart from their opcodes; if
 * not, the operation has the start's, and the stop is counted by its own name as well. So what
 * remained alone is the difference of what was seen and what was paired, for each name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/guid.h"
#include "convert/names.h"
#include "convert/slices/slices.h"
#include "report_private.h"
#include "tdh/decode/decoder.h"

#define OPCODE_START	1	/* win:Start */
#define OPCODE_STOP	2	/* win:Stop */

static void free_slow(struct report_slow *slow)
{
	while (slow->context_count)
		report_row_free(&slow->context[--slow->context_count]);
	free(slow->context);
	free(slow->process);
	free(slow->fields);
	memset(slow, 0, sizeof(*slow));
}

void report_operation_release(struct report_entry *entry)
{
	struct report_operation *operation = (struct report_operation *)entry;

	while (operation->slow_count)
		free_slow(&operation->slow[--operation->slow_count]);
	report_histogram_free(&operation->times);
	free(operation->provider);
	free(operation->name);
}

int report_operations_name(struct report_kind *kind, const struct convert_event *e)
{
	const unsigned int opcode = slices_opcode(e->event);
	struct etw_text text = { .data = NULL };
	const char *name, *suffix;

	if (opcode != OPCODE_START && opcode != OPCODE_STOP)
		return 0;
	name = etw_decoded_name(e->decoded, &suffix);
	if (name)
		etw_text_add(&text, name, strnlen(name, REPORT_NAME));
	else
		convert_add_name(e->decoded, CONVERT_RAW, &text);
	kind->operation_name = text.data;
	return text.error || !text.data ? -ENOMEM : 0;
}

/* The provider's name as soon as there is one, until then its GUID */
static int name_provider(struct report_operation *operation, const char *provider,
			 const struct etw_guid *guid)
{
	char braced[ETW_GUID_TEXT], *copy;

	if (operation->provider && (operation->provider_named || !provider))
		return 0;
	etw_guid_format(guid, braced);
	braced[ETW_GUID_TEXT - 2] = '\0';
	copy = report_name(provider ? provider : braced + 1);
	if (!copy)
		return -ENOMEM;
	free(operation->provider);
	operation->provider = copy;
	operation->provider_named = provider;
	return 0;
}

/*
 * Find the operation of a name and provider; r->key is used. The name of a provider may become
 * known late, so it does not tell operations apart.
 */
static int find(struct report *r, const char *provider, const struct etw_guid *guid,
		const char *name, struct report_operation **operation)
{
	struct report_entry *entry;
	int ret;

	etw_text_cut(&r->key, 0);
	etw_text_add(&r->key, (const char *)guid, sizeof(*guid));
	etw_text_add(&r->key, name, strnlen(name, REPORT_NAME));
	if (r->key.error)
		return -ENOMEM;
	ret = report_bounded_get(&r->operations, r->key.data, r->key.len, &entry);
	if (ret < 0)
		return ret;
	*operation = (struct report_operation *)entry;
	if (name_provider(*operation, provider, guid))
		return -ENOMEM;
	if (!ret)
		return 0;
	(*operation)->name = report_name(name);
	if (!(*operation)->name ||
	    report_distinct_add(&r->all_operations, r->key.data, r->key.len) < 0)
		return -ENOMEM;
	return 0;
}

int report_operations_count(struct report *r, const struct report_place *place)
{
	struct report_kind *kind = place->kind;
	int err;

	if (kind->operation_generation != r->operations.generation) {
		err = find(r, kind->provider_name, &kind->guid, kind->operation_name,
			   &kind->operation);
		if (err)
			return err;
		kind->operation_generation = r->operations.generation;
	}
	kind->operation->entry.events++;
	kind->operation->entry.bytes += place->bytes;
	if (kind->opcode == OPCODE_START)
		kind->operation->starts++;
	else
		kind->operation->stops++;
	return 0;
}

/* ----------------------------------------------------------------------- pairs */

/*
 * A mark has the slot of the start's operation from 1, the generation that this is of, and how long
 * before the start the events of its thread began that are shown before it, in units that round up.
 */
#define MARK_SLOT	12	/* bits */
#define MARK_BEFORE	20
#define MARK_UNIT	1024	/* ns */
#define MARK_UNKNOWN	((1u << MARK_BEFORE) - 1)	/* or longer than that */

static uint64_t time_before(const struct report_thread *thread)
{
	const uint64_t count = thread->entry.events - 1;
	const int64_t start = thread->times[count % REPORT_TIMES];
	uint64_t units;

	/* Events of the same moment are not before it. */
	if (count < REPORT_BEFORE || thread->times[(count - 1) % REPORT_TIMES] >= start)
		return MARK_UNKNOWN;
	units = (uint64_t)(start - thread->times[(count - REPORT_BEFORE) % REPORT_TIMES]) / MARK_UNIT;
	return units < MARK_UNKNOWN ? units + 1 : MARK_UNKNOWN;
}

uint64_t report_mark(const struct report *r)
{
	const struct report_kind *kind = r->latest;

	_Static_assert(REPORT_OPERATIONS < 1 << MARK_SLOT, "a mark has room for each slot");
	if (!kind || !kind->operation_name)
		return 0;
	return (uint64_t)kind->operation_generation << 32 |
	       time_before(r->latest_thread) << MARK_SLOT | (kind->operation->entry.slot + 1);
}

static struct report_operation *marked(const struct report *r, uint64_t mark)
{
	const uint32_t slot = mark & ((1u << MARK_SLOT) - 1);

	if (!mark || mark >> 32 != r->operations.generation)
		return NULL;
	return (struct report_operation *)r->operations.entries[slot - 1];
}

/* Since when the events that are shown before it came; INT64_MIN: not known */
static int64_t marked_before(uint64_t mark, int64_t start)
{
	const uint32_t units = (uint32_t)mark >> MARK_SLOT;

	return mark && units != MARK_UNKNOWN ? start - (int64_t)units * MARK_UNIT : INT64_MIN;
}

static enum report_pairing pairing_of(const struct report_pair *pair)
{
	const struct etw_event_header *start = pair->start->record.header;
	const struct etw_event_header *stop = pair->stop->record.header;

	if (!etw_guid_is_zero(&start->activity) &&
	    !memcmp(&start->activity, &stop->activity, sizeof(start->activity)))
		return REPORT_BY_ACTIVITY;
	if (start->process_id == stop->process_id && start->thread_id == stop->thread_id)
		return REPORT_BY_THREAD;
	return REPORT_BY_PAYLOAD;
}

/* The operation of an event that was decoded */
static int find_of(struct report *r, const struct etw_decoded *decoded,
		   const struct etw_event *event, struct report_operation **operation)
{
	const struct etw_guid *guid = &event->record.header->provider;
	const char *provider = decoded->provider, *name, *opcode;

	if (!provider || !*provider)
		provider = r->host.provider ? r->host.provider(r->host.context, guid) : NULL;
	name = etw_decoded_name(decoded, &opcode);
	if (!name) {
		etw_text_cut(&r->scratch, 0);
		convert_add_name(decoded, CONVERT_RAW, &r->scratch);
		name = r->scratch.data;
	}
	return name ? find(r, provider, guid, name, operation) : -ENOMEM;
}

/* What a field's number means; by its name and type */
enum status { NO_STATUS, FAILED_NONZERO, FAILED_NEGATIVE, FAILED_TOP_BIT };

static enum status status_of(const struct etw_field *field)
{
	static const struct {
		const char *name;
		enum status status;
	} names[] = {
		{ "error", FAILED_NONZERO }, { "errno", FAILED_NONZERO }, { "status", FAILED_NEGATIVE },
		{ "hresult", FAILED_TOP_BIT }, { "ntstatus", FAILED_TOP_BIT },
	};
	const char first = (char)(*field->name | 0x20);
	size_t i;

	/* Most are none, and this is asked of every field of every stop. */
	if (first != 'e' && first != 's' && first != 'h' && first != 'n')
		return NO_STATUS;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(field->name, names[i].name))
			break;
	if (i == sizeof(names) / sizeof(*names))
		return NO_STATUS;
	if (field->value_kind == ETW_VALUE_ERROR)
		return field->out_type == TDH_OUTTYPE_HRESULT ||
		       field->out_type == TDH_OUTTYPE_NTSTATUS ? FAILED_TOP_BIT : FAILED_NONZERO;
	/* A status of 200 is no failure, and one without a sign may be anything. */
	if (names[i].status == FAILED_NEGATIVE && field->value_kind != ETW_VALUE_SIGNED)
		return NO_STATUS;
	return names[i].status;
}

static bool may_be_status(const struct etw_field *field)
{
	if (field->depth || field->kind != ETW_FIELD_VALUE)
		return false;
	return field->value_kind == ETW_VALUE_UNSIGNED || field->value_kind == ETW_VALUE_SIGNED ||
	       field->value_kind == ETW_VALUE_HEX || field->value_kind == ETW_VALUE_ERROR;
}

static bool is_failure(enum status status, const struct etw_field *field)
{
	switch (status) {
	case FAILED_NONZERO:
		return field->value.u != 0;
	case FAILED_NEGATIVE:
		return field->value.i < 0;
	case FAILED_TOP_BIT:
		return field->value.u >> 31 & 1;
	default:
		return false;
	}
}

/* Note where the events of this plan say whether they failed, if that is among their first fields. */
static void note_status(struct report_kind *kind, const struct etw_decoder *decoder,
			const struct etw_field *field, enum status status)
{
	kind->status_plan = field->position < REPORT_PLAIN ? decoder->plan : NULL;
	kind->status_at = (uint8_t)field->position;
	kind->status = (uint8_t)status;
}

/* Read the status where it was found before. false: it is not known where. */
static bool read_status(const struct report_kind *kind, const struct etw_decoder *decoder,
			struct etw_field *field)
{
	uint64_t numbers[REPORT_PLAIN];

	/* As in fields.c */
	if (!decoder->identity || kind->status_plan != decoder->plan ||
	    etw_decode_numbers(decoder, numbers, kind->status_at + 1u) <= kind->status_at)
		return false;
	field->value.u = numbers[kind->status_at];
	return true;
}

/*
 * 1: the stop says that the operation failed; 0: that it did not; -1: it does not say. Whole events of
 * all schemas of the kind (kinds.c) without such a field say that others have none, either.
 */
static int has_failed(struct report_kind *kind, const struct report_pair *pair)
{
	struct etw_field field;
	enum status status;
	int ret;

	if (!pair->known || (kind->status_known && !kind->has_status))
		return -1;
	if (read_status(kind, pair->decoder, &field))
		return is_failure(kind->status, &field);
	etw_decode_rewind(pair->decoder);
	while ((ret = etw_decode_next(pair->decoder, &field)) == 1) {
		status = may_be_status(&field) ? status_of(&field) : NO_STATUS;
		if (status == NO_STATUS)
			continue;
		kind->status_known = kind->has_status = true;
		note_status(kind, pair->decoder, &field, status);
		return is_failure(status, &field);
	}
	kind->status_known |= !ret;
	return -1;
}

static int fill_slow(struct report *r, struct report_slow *slow, const struct report_pair *pair)
{
	const struct etw_event_header *header = pair->start->record.header;
	struct etw_process process;

	*slow = (struct report_slow){
		.ns = pair->ns, .start = slices_time(pair->start), .pid = header->process_id,
		.tid = header->thread_id, .cpu = pair->start->cpu,
		.stop_pid = pair->stop->record.header->process_id,
		.stop_tid = pair->stop->record.header->thread_id,
	};
	slow->before = marked_before(pair->mark, slow->start);
	slow->fields = report_row_text(r, r->decoder);
	if (!slow->fields)
		return -ENOMEM;
	if (!r->host.process || !r->host.process(r->host.context, slow->pid, pair->start->time, NULL,
						 &process))
		return 0;
	slow->process = report_name(process.name);
	return slow->process ? 0 : -ENOMEM;
}

static bool is_slow(const struct report_operation *operation, uint64_t ns)
{
	return operation->slow_count < REPORT_SLOWEST ||
	       operation->slow[REPORT_SLOWEST - 1].ns < ns;
}

/* The start was decoded by r->decoder. */
static int keep_slow(struct report *r, struct report_operation *operation,
		     const struct report_pair *pair)
{
	unsigned int at = operation->slow_count;

	while (at && operation->slow[at - 1].ns < pair->ns)
		at--;
	if (operation->slow_count == REPORT_SLOWEST)
		free_slow(&operation->slow[--operation->slow_count]);
	memmove(&operation->slow[at + 1], &operation->slow[at],
		(operation->slow_count - at) * sizeof(*operation->slow));
	operation->slow_count++;
	return fill_slow(r, &operation->slow[at], pair);
}

static int longer_first(const void *x, const void *y)
{
	const struct report_operation *a = *(struct report_operation *const *)x;
	const struct report_operation *b = *(struct report_operation *const *)y;

	if (a->times.sum != b->times.sum)
		return a->times.sum > b->times.sum ? -1 : 1;
	/* The table was sorted by events. */
	return (a->entry.slot > b->entry.slot) - (a->entry.slot < b->entry.slot);
}

/*
 * A stop whose start has another name has an entry, so that it can be counted if it remains alone;
 * otherwise nothing is to be said of that name.
 */
static bool is_empty(const struct report_operation *operation)
{
	return !operation->times.count && !operation->starts &&
	       operation->stops <= operation->stopped;
}

unsigned int report_operations_list(struct report *r, struct report_operation **list)
{
	unsigned int i, count = 0;

	report_bounded_sort(&r->operations);
	for (i = 0; i < r->operations.count; i++) {
		list[count] = (struct report_operation *)r->operations.entries[i];
		count += !is_empty(list[count]);
	}
	if (count)
		qsort(list, count, sizeof(*list), longer_first);
	return count;
}

unsigned int report_operations_empty(const struct report *r)
{
	unsigned int i, count = 0;

	for (i = 0; i < r->operations.count; i++)
		count += is_empty((const struct report_operation *)r->operations.entries[i]);
	return count;
}

int report_schema(struct report *r, const EVENT_RECORD *piece)
{
	const struct etw_decoded *decoded;

	return etw_decode(r->decoder, piece, &decoded) == -ENOMEM ? -ENOMEM : 0;
}

/* The start, for what the mark did not say */
static int decode_start(struct report *r, const struct report_pair *pair, EVENT_RECORD *record,
			const struct etw_decoded **decoded)
{
	etw_event_record(record, pair->start, &r->items, false);
	return etw_decode(r->decoder, record, decoded) == -ENOMEM ? -ENOMEM : 0;
}

int report_pair(struct report *r, const struct report_pair *pair)
{
	struct report_operation *operation = marked(r, pair->mark);
	struct report_kind *kind = r->latest;
	const struct etw_decoded *decoded;
	EVENT_RECORD record;
	int err = 0, failed;

	kind->operation->stopped++;
	if (!operation)
		err = decode_start(r, pair, &record, &decoded);
	if (!err && !operation)
		err = find_of(r, decoded, pair->start, &operation);
	if (err)
		return err;
	operation->paired[pairing_of(pair)]++;
	failed = has_failed(kind, pair);
	operation->has_status |= failed >= 0;
	operation->failed += failed > 0;
	err = report_histogram_add(&operation->times, pair->ns);
	if (err || !is_slow(operation, pair->ns))
		return err;
	err = decode_start(r, pair, &record, &decoded);
	return err ? err : keep_slow(r, operation, pair);
}
