/* SPDX-License-Identifier: MIT */
/* decode_threads - decoders of several threads while manifests are loaded and unloaded */
#include <pthread.h>

#include "decode_event.h"

#define THREADS	3

static int stop;

/* Decode an event while its manifest comes and goes: with all names, or without any. */
static void *run(void *unused)
{
	struct etw_decoder *own = etw_decoder_new();
	struct etw_text text = { 0 };
	unsigned char payload[] = { 7 };
	EVENT_RECORD record = { .UserData = payload, .UserDataLength = 1 };
	const struct etw_decoded *event;
	uintptr_t wrong = 0, known = 0;

	(void)unused;
	record.EventHeader.ProviderId = test_guid;
	record.EventHeader.EventDescriptor.Id = 1;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE) || !known) {
		int ret = etw_decode(own, &record, &event);

		etw_text_cut(&text, 0);
		etw_format_fields(&text, own, 0);
		known += !ret;
		wrong += strcmp(text.data, ret ? "data=07" : "a=7") != 0;
		wrong += ret ? event->provider != NULL : strcmp(event->provider, "Test") != 0;
	}
	etw_decoder_free(own);
	etw_text_free(&text);
	return (void *)wrong;
}

int main(void)
{
	struct etw_mf_field field = FIELD("a", UINT8, UNSIGNEDBYTE);
	pthread_t threads[THREADS];
	void *wrong;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			abort();
	for (i = 0; i < 2000; i++) {
		load(&field, 1, 1, NULL);
		if (i % 2)
			unload();
	}
	load(&field, 1, 1, NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &wrong);
		ok(!wrong, "thread %d sees the event with its names or without", i);
	}
	clean_up();
	return done_testing();
}
