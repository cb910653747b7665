// SPDX-License-Identifier: MIT
/*
 * environment.c - a private session that the environment asks for
 *
 * ETW_PRIVATE_SESSION has words with a space between them, of which the file's name is the
 * last and may have spaces itself:
 *
 *	name=etw-record-7 flush=1000 p=GUID,LEVEL,ANY,ALL,PROPERTIES p=... file=/tmp/trace.etl
 *
 * Numbers may be 0x and hexadecimal. Other words: buffer= (KB), min=, max= (buffers), mode=
 * (ETW_MODE_*), clock=, size= (of the file, as the mode says). A program that registers none of
 * the providers is left alone, and so is one whose variable cannot be understood.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/guid.h"
#include "lib/registered.h"
#include "private_session.h"

/* The variable is absent or wrong. */
static _Atomic bool nothing;
/* This thread starts the session. */
static __thread bool starting __attribute__((__tls_model__("initial-exec")));

#define MODES		(ETW_MODE_SEQUENTIAL | ETW_MODE_CIRCULAR | ETW_MODE_KBYTES | \
			 ETW_MODE_NO_PER_PROCESSOR)

struct wish {
	struct etw_session session;
	struct etw_private_config config;
	struct etw_enable enable[ETW_PRIVATE_ENV_PROVIDERS];
	uint32_t count;
	char text[ETW_PRIVATE_ENV_SIZE];	/* the words point into it */
};

/* p=: the GUID, then up to four numbers */
static bool take_provider(struct wish *w, char *value)
{
	struct etw_enable *e = &w->enable[w->count];
	uint64_t number[4] = { 0 };
	char *next = strchr(value, ',');
	int i;

	if (w->count == ETW_PRIVATE_ENV_PROVIDERS)
		return false;
	if (next)
		*next++ = '\0';
	if (etw_guid_parse(value, &e->provider))
		return false;
	for (i = 0; i < 4 && next && *next; i++) {
		number[i] = strtoull(next, &next, 0);
		if (*next && *next++ != ',')
			return false;
	}
	e->control = ETW_CONTROL_ENABLE;
	e->level = number[0];
	e->any = number[1];
	e->all = number[2];
	e->property = number[3];
	w->count++;
	return true;
}

static bool take_number(struct wish *w, const char *word, size_t len, const char *value)
{
	const struct {
		const char *word;
		uint32_t *to;
	} numbers[] = {
		{ "buffer", &w->session.buffer_kb }, { "min", &w->session.min_buffers },
		{ "max", &w->session.max_buffers }, { "flush", &w->session.flush_ms },
		{ "mode", &w->session.mode }, { "clock", &w->session.clock },
		{ "size", &w->config.max_size },
	};
	size_t i;
	char *end;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strlen(numbers[i].word) != len || memcmp(numbers[i].word, word, len))
			continue;
		*numbers[i].to = strtoul(value, &end, 0);
		return *value && !*end;
	}
	return false;
}

static bool take_word(struct wish *w, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return false;
	value++;
	if (!strncmp(word, "p=", 2))
		return take_provider(w, value);
	if (strncmp(word, "name=", 5))
		return take_number(w, word, value - 1 - word, value);
	w->session.name = (uintptr_t)value;
	w->session.name_len = strlen(value);
	return w->session.name_len && w->session.name_len <= ETW_NAME_MAX;
}

static bool parse(struct wish *w, const char *text)
{
	char *word = w->text, *end;

	if (strlen(text) >= sizeof(w->text))
		return false;
	strcpy(w->text, text);
	while (*word && strncmp(word, "file=", 5)) {
		end = strchr(word, ' ');
		if (!end)
			return false;
		*end = '\0';
		if (*word && !take_word(w, word))
			return false;
		word = end + 1;
	}
	if (strncmp(word, "file=/", 6) || !w->session.name_len)
		return false;
	if (w->session.mode & ~MODES)
		return false;
	w->config.path = word + 5;
	w->config.fresh = true;
	w->session.mode |= ETW_MODE_PRIVATE;
	return w->count && w->session.clock <= ETW_CLOCK_CYCLES;
}

static bool is_listed(const struct wish *w, const struct etw_guid *guid)
{
	uint32_t i;

	for (i = 0; i < w->count; i++)
		if (!memcmp(&w->enable[i].provider, guid, sizeof(*guid)))
			return true;
	return false;
}

static bool start(struct wish *w)
{
	uint32_t i;

	if (etw_private_start(&w->session, &w->config))
		return false;
	for (i = 0; i < w->count; i++) {
		w->enable[i].session = w->session.handle;
		etw_private_enable(&w->enable[i]);
	}
	return true;
}

/*
 * Start the session once; after a failure another registration tries again. Threads that register
 * meanwhile wait, so that the session gets their first events. Signals are blocked, because a
 * handler that came here would wait for its own thread.
 */
static void start_once(struct private_state *state, struct wish *w)
{
	sigset_t all, saved;

	/* malloc() may be the program's own, and write events. */
	if (starting)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	starting = true;
	pthread_mutex_lock(&state->wish_lock);
	if (!atomic_load(&state->wish_granted) && start(w))
		atomic_store(&state->wish_granted, true);
	pthread_mutex_unlock(&state->wish_lock);
	starting = false;
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void etw_private_registering(const struct etw_guid *guid)
{
	struct private_state *state;
	const char *text;
	struct wish *w;

	if (atomic_load(&nothing))
		return;
	text = secure_getenv(ETW_PRIVATE_ENV);
	if (!text) {
		atomic_store(&nothing, true);
		return;
	}
	state = etw_private_state_get();
	if (!guid || !state || atomic_load(&state->wish_granted))
		return;
	w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w == MAP_FAILED)
		return;
	if (!parse(w, text))
		atomic_store(&nothing, true);
	else if (is_listed(w, guid))
		start_once(state, w);
	munmap(w, sizeof(*w));
}

bool etw_private_awaited(void)
{
	const struct private_state *state;

	if (atomic_load(&nothing) || starting || !etw_private_is_child())
		return false;
	state = etw_private_state_get();
	return state && !atomic_load(&state->wish_inherited) && secure_getenv(ETW_PRIVATE_ENV);
}

void etw_private_inherit(void)
{
	const struct etw_private_host *host = atomic_load(&etw_private_host);
	etw_registered_fn *list = atomic_load(&etw_registered);
	size_t count, i;
	GUID *guids;

	if (host)
		host->inherit();
	guids = list && etw_private_awaited() ? list(&count) : NULL;
	if (!guids)
		return;
	/* A thread that comes here meanwhile waits in the first of these until there is a session. */
	for (i = 0; i < count; i++)
		etw_private_registering((const struct etw_guid *)&guids[i]);
	free(guids);
	atomic_store(&etw_private_state_get()->wish_inherited, true);
}
