/* SPDX-License-Identifier: MIT */
/*
 * verify.c - read all of a log file and list what is damaged or reported as lost
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "etl/block.h"
#include "etl/file_private.h"
#include "etl/record.h"
#include "verify_private.h"

#define NEAR		(1LL << 50)	/* ticks: days of any clock */

const struct etw_gap_text etw_gap_texts[ETW_GAP_CAUSES] = {
	[ETW_GAP_NOT_WRITTEN] = { "not_written", "lost when written" },
	[ETW_GAP_FLAGGED] = { "flagged_events", "events were lost before this buffer" },
	[ETW_GAP_NOT_STORED] = { "not_stored", "missing at an unknown place" },
	[ETW_GAP_FLAGGED_BUFFER] = { "flagged_buffers", "buffers were lost before this one" },
	[ETW_GAP_READER] = { "reader", "lost by the reader that recorded them" },
	[ETW_GAP_LOST] = { "lost_buffers", "lost after they were filled" },
	[ETW_GAP_UNRECORDED] = { "unrecorded",
		"a file that this one was made of was not whole, and did not record how" },
	[ETW_GAP_NUMBERS] = { "numbers", "missing between two buffers" },
	[ETW_GAP_DUPLICATE] = { "duplicate", "there twice" },
	[ETW_GAP_DISORDER] = { "disorder", "not in the order in which it was written" },
	[ETW_GAP_STRANGE] = { "strange", "of another session, or from another place" },
	[ETW_GAP_SURPLUS] = { "surplus", "more than the header counts" },
	[ETW_GAP_BUFFER] = { "damaged_buffer", "cannot be read" },
	[ETW_GAP_RECORD] = { "damaged_record", "cannot be read to the end" },
	[ETW_GAP_NOT_CLOSED] = { "not_closed",
		"the file was not closed: its session runs, or did not end well" },
	[ETW_GAP_FILES] = { "between_files", "missing between two files" },
};

int64_t etw_verify_time(const struct etw_verify *verify, int64_t raw)
{
	uint8_t nanos;
	int64_t time = etw_etl_time(verify->time, raw, &nanos);

	/* Buffers of relogged files have times of another clock. */
	if (time < verify->start || (verify->end && time > verify->end))
		return raw < 0 || time < verify->start ? verify->start : verify->end;
	return time;
}

/* ------------------------------------------------------------------- damage */

static int add_damage(struct etw_verify *verify, enum etw_gap_cause cause, uint64_t at,
		      uint64_t buffers, int32_t cpu, const char *what)
{
	struct etw_gap gap = etw_gap_anywhere(verify->v, cause);

	gap.buffers = buffers;
	gap.cpu = cpu;
	gap.offset = at;
	gap.detail = what;
	return etw_verdict_add(verify->v, &gap);
}

/* The first place from begin on where a record may begin by its mark, which few bytes are; or end */
static uint32_t find_mark(const uint8_t *data, uint32_t begin, uint32_t end)
{
	const uint8_t *mark;
	uint32_t at = begin + 3;

	while (at < end && (mark = memchr(data + at, 0xC0, end - at))) {
		at = (uint32_t)(mark - data);
		if (at % ETW_RECORD_ALIGN == 3 && at - 3 + ETW_RECORD_ALIGN <= end)
			return at - 3;
		at++;
	}
	return end;
}

/*
 * Do the bytes of a record look like records up to its end? A size that has become larger
 * swallows the records behind its own. time: of the outer record.
 */
static bool holds_records(const uint8_t *data, uint32_t begin, uint32_t end, int64_t time)
{
	struct etw_classic_view classic = { .time = time };
	struct etw_record_view view;
	int64_t first;
	uint32_t at;

	for (; (begin = find_mark(data, begin, end)) < end; begin += ETW_RECORD_ALIGN) {
		at = begin;
		if (etw_etl_record(data, end, &at, &view, &classic) != 1)
			continue;
		first = view.header->timestamp;
		while (etw_etl_record(data, end, &at, &view, &classic) == 1)
			;
		/* A payload may look like records by chance, but not with such a time. */
		if (at >= end && first > time - NEAR && first < time + NEAR)
			return true;
		classic.time = time;
	}
	return false;
}

/*
 * Does this record report a loss, rather than pretend to?  In a session of ours a process may
 * write what it likes, but not as the kernel; a program's file has what a reader recorded.
 */
static bool is_lost_event(const struct etw_verify *verify, const struct etw_seen_buffer *in,
			  const struct etw_event_header *h)
{
	if (!etw_kind_is_lost_event(h))
		return false;
	if (verify->v->info.header.ProviderVersion)
		return true;
	return in->library ? !(h->flags & ETW_EVENT_USER_MODE) :
			     h->flags & ETW_EVENT_KERNEL_MODE;
}

static int take_lost_event(struct etw_verify *verify, const struct etw_event_header *h)
{
	struct etw_gap gap = etw_gap_anywhere(verify->v, ETW_GAP_READER);

	gap.buffers = h->desc.opcode == 33 ? ETW_GAP_UNKNOWN : 0;
	gap.last = etw_verify_time(verify, h->timestamp);
	/* Where a driver's payload could not be read, a session leaves a record, too. */
	gap.basis = h->flags & ETW_EVENT_KERNEL_MODE ? ETW_GAP_BY_HINT : ETW_GAP_BY_STRUCTURE;
	return etw_verdict_add(verify->v, &gap);
}

static int take_recorded_loss(struct etw_verify *verify, const struct etw_loss_payload *loss,
			  int64_t timestamp)
{
	struct etw_recorded_loss *recorded = etw_grow(verify->recorded, verify->recorded_count,
						      sizeof(*recorded));

	if (!recorded)
		return -ENOMEM;
	verify->recorded = recorded;
	verify->recorded[verify->recorded_count++] =
		(struct etw_recorded_loss){ *loss, timestamp, -1 };
	return 0;
}

/* The bytes behind the used ones are 0xFF: otherwise the used size is wrong. */
static const char *check_tail(struct etw_etl_file *f, const struct etw_buffer_header *header,
			      uint64_t at, int *err)
{
	uint32_t len = header->buffer_size - header->offset, i, n;
	uint8_t bytes[4096];

	for (at += header->offset; len; len -= n, at += n) {
		n = len < sizeof(bytes) ? len : sizeof(bytes);
		*err = etw_etl_read(f->space.fd, at, bytes, n);
		if (*err == -ENODATA) {
			*err = 0;
			return "the file has become shorter";
		}
		if (*err)
			return NULL;
		for (i = 0; i < n; i++)
			if (bytes[i] != ETW_TAIL_BYTE)
				return "there is data behind the buffer's used size";
	}
	return NULL;
}

static const char *check_used(struct etw_etl_file *f, const struct etw_buffer_header *header,
			      uint64_t at, int *err)
{
	if (header->saved_offset > header->offset)
		return "the buffer's used size is smaller than the end of its records";
	return header->flags & ETW_BUFFER_COMPRESSED ? NULL : check_tail(f, header, at, err);
}

/* ------------------------------------------------------------------- buffers */

/* Read the records of a buffer. NULL: all of them; otherwise what is wrong. */
static const char *read_records(struct etw_verify *verify, struct etw_block *block,
				struct etw_seen_buffer *seen, int *err)
{
	struct etw_classic_view classic = { .time = block->header.ref_clock };
	const char *what = NULL;
	struct etw_loss_payload loss;
	struct etw_record_view view;
	enum etw_kind kind;
	uint32_t at;
	int ret;

	seen->newest = INT64_MIN;
	while (!*err) {
		at = block->offset;
		ret = etw_etl_record(block->data, block->header.offset, &block->offset, &view,
				     &classic);
		if (ret < 0)
			return "a record makes no sense";
		if (!ret)
			break;
		if (holds_records(block->data, at + ETW_RECORD_ALIGN, at + view.header->size,
				  view.header->timestamp))
			what = "a record seems to contain others";
		if (view.header->timestamp > seen->newest)
			seen->newest = view.header->timestamp;
		if (etw_kind_is_common(view.header)) {
			verify->v->events++;
			verify->records++;
			continue;
		}
		if (etw_loss_parse(&view, &loss)) {
			*err = take_recorded_loss(verify, &loss, view.header->timestamp);
			continue;
		}
		kind = etw_kind_of(&view);
		verify->v->events += kind == ETW_KIND_EVENT;
		verify->v->names += kind == ETW_KIND_PROCESS;
		verify->records += !etw_etl_is_system(view.header);
		if (is_lost_event(verify, seen, view.header))
			*err = take_lost_event(verify, view.header);
	}
	return what;
}

/*
 * Does this buffer stand for missing ones, up to its own number? Then it has nothing but records
 * of losses: those from first on.
 */
static void take_stand_in(struct etw_verify *verify, struct etw_seen_buffer *seen, size_t first,
			  uint64_t records)
{
	size_t i;

	if (!(seen->flags & ETW_BUFFER_BUFFER_LOST) || seen->library || verify->records != records)
		return;
	for (i = first; i < verify->recorded_count; i++) {
		const struct etw_loss_payload *loss = &verify->recorded[i].loss;

		if (!etw_loss_of_stream(loss->code) || loss->buffers <= 0 ||
		    loss->buffers > INT32_MAX)
			continue;
		verify->recorded[i].number = seen->sequence;
		seen->stands_for += (uint64_t)loss->buffers;
	}
}

static const char *check_buffer(struct etw_verify *verify, struct etw_etl_file *f, uint64_t at,
				const struct etw_buffer_header *header,
				struct etw_seen_buffer *seen, int *err)
{
	struct etw_block *block = etw_etl_load(f, at, header, err);
	size_t recorded = verify->recorded_count;
	uint64_t records = verify->records;
	const char *what;

	if (!block)
		return "its data cannot be read";
	what = read_records(verify, block, seen, err);
	take_stand_in(verify, seen, recorded, records);
	free(block);
	return what;
}

/* Only a record may tell for which missing buffers this one stands, or how old a memory is. */
static bool needs_records(const struct etw_verify *verify, const struct etw_buffer_header *header)
{
	return !verify->skims || header->flags & (ETW_BUFFER_BUFFER_LOST | ETW_BUFFER_BACKUP_LOST) ||
	       verify->v->info.header.LogFileMode & EVENT_TRACE_BUFFERING_MODE;
}

static int take_buffer(struct etw_verify *verify, struct etw_etl_file *f, uint64_t at,
		       const struct etw_buffer_header *header)
{
	struct etw_seen_buffer *seen;
	const char *what = NULL, *wrong;
	int err = 0;

	if (verify->count == verify->room) {
		size_t room = verify->room ? 2 * verify->room : 256;

		seen = realloc(verify->list, room * sizeof(*seen));
		if (!seen)
			return -ENOMEM;
		verify->list = seen;
		verify->room = room;
	}
	seen = &verify->list[verify->count++];
	*seen = (struct etw_seen_buffer){
		.sequence = header->sequence,
		.timestamp = header->timestamp,
		.newest = header->timestamp,
		.at = at,
		.cpu = header->processor,
		.flags = header->flags,
		.session = header->logger_id,
		.library = !header->logger_id,
	};
	if (needs_records(verify, header))
		what = check_buffer(verify, f, at, header, seen, &err);
	wrong = err ? NULL : check_used(f, header, at, &err);
	if (!err && (what || wrong))
		err = add_damage(verify, ETW_GAP_RECORD, at, 1, header->processor,
				 what ? what : wrong);
	return err;
}

/* The first buffer holds the log file header, and perhaps more about the trace. */
static int take_head(struct etw_verify *verify, struct etw_etl_file *f)
{
	struct etw_seen_buffer seen = { .cpu = 0 };
	const char *what;
	int err = 0;

	if (!f->head)
		return 0;
	verify->session = f->head->header.logger_id;
	what = read_records(verify, f->head, &seen, &err);
	if (!err && what)
		err = add_damage(verify, ETW_GAP_RECORD, 0, 1, -1, what);
	return err;
}

static int walk(struct etw_verify *verify, struct etw_etl_file *f)
{
	struct etw_buffer_header header;
	struct etw_etl_walk walk;
	uint64_t at;
	int ret, err = take_head(verify, f);

	etw_etl_walk_begin(&f->space, &walk);
	while (!err) {
		ret = etw_etl_walk_next(&f->space, &walk, &header, &at);
		if (ret == 1)
			err = take_buffer(verify, f, at, &header);
		else if (ret == -EBADMSG)
			err = add_damage(verify, ETW_GAP_BUFFER, at, walk.bad, -1, walk.what);
		else
			return ret;
	}
	return err;
}

/*
 * When was the file closed, on the clock of its events?  A session writes the header's end by
 * the wall clock, which may have been set back; one of ours stores its own clock beside it.  So the
 * end is not before the last buffer, nor that clock.  Our tools write the end by the events' clock,
 * without the other one: a record of a loss may be later than its part.
 */
static void find_end(struct etw_verify *verify, const struct etw_etl_file *f)
{
	const TRACE_LOGFILE_HEADER *h = &f->info.header;
	const struct etw_buffer_header *head = f->head ? &f->head->header : NULL;
	int64_t raw[2], time;
	uint8_t nanos;
	int i;

	verify->end = h->EndTime.QuadPart;
	if (head && !h->ProviderVersion && head->ref_time > 0 && head->ref_clock > 0)
		verify->closed = head->ref_clock;
	else if (!h->ProviderVersion)
		return;
	raw[0] = f->newest;
	raw[1] = verify->closed;
	for (i = 0; verify->end && i < 2; i++) {
		time = raw[i] > 0 ? etw_etl_time(verify->time, raw[i], &nanos) : 0;
		if (time > verify->end)
			verify->end = time;
	}
}

static int judge(struct etw_verify *verify, struct etw_etl_file *f)
{
	const TRACE_LOGFILE_HEADER *h = &f->info.header;
	struct etw_verdict *v = verify->v;
	int err;

	v->info = f->info;
	v->closed = !etw_etl_cut_off(f);
	v->continued = f->info.continued || h->LogFileMode & EVENT_TRACE_BUFFERING_MODE;
	verify->time = etw_etl_times_of(f);
	verify->frequency = etw_etl_frequency(&f->info);
	verify->start = h->StartTime.QuadPart;
	find_end(verify, f);
	v->end = verify->end;
	err = walk(verify, f);
	v->buffers = verify->count;
	etw_verify_author(verify);
	if (!err)
		err = etw_verify_recorded(verify);
	return err ? err : etw_verify_numbers(verify);
}

static int verify_file(const char *path, bool skims, struct etw_verdict *verdict)
{
	struct etw_verify verify = { .v = verdict, .skims = skims };
	struct etw_etl_file *file;
	int err;

	memset(verdict, 0, sizeof(*verdict));
	err = etw_etl_open(path, NULL, NULL, &file);
	if (err)
		return err;
	err = judge(&verify, file);
	etw_etl_close(file);
	free(verify.list);
	free(verify.recorded);
	if (err)
		etw_verdict_free(verdict);
	return err;
}

int etw_etl_verify(const char *path, struct etw_verdict *verdict)
{
	return verify_file(path, false, verdict);
}

int etw_etl_verify_buffers(const char *path, struct etw_verdict *verdict)
{
	return verify_file(path, true, verdict);
}
