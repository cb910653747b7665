// SPDX-License-Identifier: MIT
/*
 * mode_km.c - headers for kernel modules: on include/etw/mc/kernel.h and etw.ko
 *
 * A provider is an object with a static key, so that a macro that writes costs a
 * patched-out branch while nobody wants its events, and else tests the level and
 * keyword inline.  EnableBits are there for what a module does with them itself.
 */
#include <ctype.h>
#include <string.h>

#include "km.h"

static void begin(struct etw_mc *mc)
{
	etw_mc_print(mc, "#include <etw/mc/kernel.h>\n");
}

/* A C string; what is not plain is octal, which ends after three digits. */
static const char *literal(struct etw_mc *mc, const char *s)
{
	char *text = etw_mc_alloc(mc, 4 * strlen(s) + 3), *to = text;

	*to++ = '"';
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (isalnum(c) || strchr(" -_./:+", c))
			*to++ = (char)c;
		else
			to += sprintf(to, "\\%03o", c);
	}
	*to = '"';
	return text;
}

static void objects(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;
	const GUID *guid = provider->has_control_guid ? &provider->control_guid : &provider->guid;
	const char *s = p->symbol;

	etw_mc_print(mc, "\n_mcgen_km_PROVIDER(%s_Provider, %s);\n", s, etw_mc_guid(mc, guid));
	etw_mc_print(mc, "_mcgen_OBJECT(MCGEN_TRACE_CONTEXT, %s_Context) = {\n"
		     "\t.Traits = %s_Traits, .EnableBitsCount = %u, .EnableBitMask = %sEnableBits,\n"
		     "\t.EnableKeyWords = %sKeywords, .EnableLevel = %sLevels,\n"
		     "\t.Provider = &%s_Provider, .Name = %s\n};\n",
		     s, s, p->bit_count, p->name, p->name, p->name, s, literal(mc, provider->name));
	etw_mc_print(mc, "#define %sHandle (%s_Context.RegistrationHandle)\n", p->name, s);
	etw_mc_print(mc, "#define %s_Handle (%s_Context.RegistrationHandle)\n\n", s, s);
}

static void provider(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	etw_mc_bits(mc, p);
	objects(mc, p);
	etw_mc_registration(mc, p, "NTSTATUS", "_mcgen_km_init_context");
}

static void enabled(struct etw_mc *mc, const struct etw_mc_provider *p,
		    const struct etw_mc_event *event)
{
	const EVENT_DESCRIPTOR *d = &event->event->desc;

	etw_mc_print(mc, "#define EventEnabled%s() "
		     "_mcgen_km_ENABLED(%sEnableBits, %u, %s_Provider, %u, 0x%llxull)\n",
		     event->macro, p->name, event->bit, p->symbol, d->Level, d->Keyword);
	etw_mc_print(mc, "#define EventEnabled%s_ForContext(pContext) "
		     "_mcgen_km_ENABLED_BY(_mcgen_CheckContextType_%s(pContext), %u, %s)\n",
		     event->macro, p->symbol, event->bit, event->symbol);
}

const struct etw_mc_mode etw_mc_mode_km = {
	.option = "km",
	.letter = 'K',
	.activity = true,
	.object = "_mcgen_OBJECT",
	.write = "EtwWriteTransfer",
	.begin = begin,
	.provider = provider,
	.enabled = enabled,
	.function = etw_mc_km_function,
};
