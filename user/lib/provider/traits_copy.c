/* SPDX-License-Identifier: MIT */
/*
 * traits_copy.c - the copies of traits that registrations own
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/traits.h"
#include "guard.h"
#include "registration.h"

unsigned char *etw_traits_copy(const void *traits)
{
	size_t size = etw_traits_size(traits);
	int saved = errno;
	void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	return memcpy(copy, traits, size);
}

void etw_traits_free(unsigned char *traits)
{
	int saved = errno;

	if (traits && munmap(traits, etw_traits_size(traits)))
		errno = saved;
}

bool etw_traits_fill(struct etw_provider_set *set, const unsigned char *traits,
		     enum etw_types types)
{
	set->flags = (traits ? ETW_SET_TRAITS : 0) | (types ? ETW_SET_TYPES : 0);
	set->types = types == ETW_TYPES_ON;
	set->traits = (uintptr_t)traits;
	set->traits_len = traits ? etw_traits_size(traits) : 0;
	return set->flags;
}

void etw_traits_put(struct etw_reg *reg, unsigned char *traits)
{
	struct etw_traits_view view = { 0 };

	if (traits)
		etw_traits_parse(traits, etw_traits_size(traits), &view);
	atomic_store(&reg->decodes, view.decode != NULL);
	atomic_store(&reg->traits, traits);
}

/* Nobody finds the traits any more. If a writer never ends, it keeps them. */
static void end(unsigned char *traits, struct etw_private_provider *p)
{
	if (traits && (!p || etw_guard_drain(&p->guard)))
		etw_traits_free(traits);
}

void etw_traits_forget(struct etw_reg *reg, struct etw_private_provider *p)
{
	end(atomic_exchange(&reg->traits, NULL), p);
	atomic_store(&reg->types, ETW_TYPES_UNSAID);
}

void etw_traits_prepare(struct etw_reg *reg, const void *traits)
{
	unsigned char *copy = etw_traits_copy(traits);

	atomic_store(&reg->types, copy ? ETW_TYPES_UNSAID : ETW_TYPES_ON);
	etw_traits_put(reg, copy);
}

bool etw_traits_give_up(struct etw_reg *reg)
{
	unsigned char *traits = atomic_exchange(&reg->traits, NULL);

	if (!traits)
		return false;
	end(traits, atomic_load(&reg->private));
	atomic_store(&reg->types, ETW_TYPES_ON);
	return true;
}
