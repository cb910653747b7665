/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core_ledger - records of losses: what is built is read back, and every cause has its words
 */
#include <string.h>

#include <etw/abi.h>
#include "core/ledger.h"
#include "lib/tap.h"

#define CODES	0x400	/* more than there are */

static bool is_named(uint32_t code)
{
	return strcmp(etw_loss_cause(code), "other") &&
	       strcmp(etw_loss_text(code), "for another reason");
}

static void test_causes(void)
{
	bool named = is_named(ETW_LOSS_ABANDONED), unique = true;
	uint32_t code, other;

	for (code = 0; code < ETW_DROP_CAUSES; code++)
		named &= is_named(code);
	for (code = 0; code < CODES; code++)
		for (other = 0; is_named(code) && other < code; other++)
			unique &= strcmp(etw_loss_cause(code), etw_loss_cause(other)) &&
				  strcmp(etw_loss_text(code), etw_loss_text(other));
	ok(named, "every cause has a word and a text");
	ok(unique, "no two causes have the same ones");
	ok(!is_named(UINT32_MAX), "an unknown code is another reason");
}

static void test_round_trip(void)
{
	const struct etw_loss_payload loss = {
		.code = ETW_LOSS_ABANDONED, .cpu = -1, .events = 7, .buffers = 1,
		.first = 100, .last = 200, .noted = 300, .provider = ETW_LEDGER_GUID,
	};
	uint8_t slot[ETW_LOSS_SLOT_MAX] __attribute__((aligned(8)));
	struct etw_loss_payload read;
	struct etw_record_view view;
	char name[200];
	uint32_t size, at = 0;

	memset(name, 'n', sizeof(name));
	size = etw_loss_build(slot, &loss, name, sizeof(name), 5, ETW_EVENT_KERNEL_MODE);
	ok(size && size <= sizeof(slot) && !(size % ETW_RECORD_ALIGN), "a record fits its slot");
	ok(etw_record_next(slot, size, &at, &view) == 1 && etw_loss_parse(&view, &read) &&
	   !memcmp(&read, &loss, sizeof(loss)),
	   "it is read as it was built");
	ok(!strcmp((const char *)view.data + sizeof(loss), "abandoned"), "its cause is a word");
	ok(strlen((const char *)view.data + sizeof(loss) + sizeof("abandoned")) ==
	   ETW_LOSS_SESSION_MAX - 1, "a long name of a session is cut");
	((struct etw_event_header *)slot)->flags = ETW_EVENT_USER_MODE | ETW_EVENT_EXTENDED_INFO;
	ok(!etw_loss_parse(&view, &read), "a process's record tells nothing");
}

int main(void)
{
	test_causes();
	test_round_trip();
	return done_testing();
}
