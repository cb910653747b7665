// SPDX-License-Identifier: MIT
/*
 * mode_um.c - headers for programs: on include/etw/mc/user.h and libetw
 */
#include "emit.h"

static void begin(struct etw_mc *mc)
{
	etw_mc_print(mc, "#include <wmistr.h>\n#include <evntrace.h>\n#include <evntprov.h>\n");
	etw_mc_print(mc, "#include <etw/mc/user.h>\n");
}

static void context(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol, *n = p->name;

	etw_mc_print(mc, "\n_mcgen_OBJECT(MCGEN_TRACE_CONTEXT, %s_Context) = "
		     "{0, {%s_Traits}, 0, 0, 0, 0, 0, 0, %u, %sEnableBits, %sKeywords, %sLevels, NULL};\n",
		     s, s, p->bit_count, n, n, n);
	etw_mc_print(mc, "#define %sHandle (%s_Context.RegistrationHandle)\n", n, s);
	etw_mc_print(mc, "#define %s_Handle (%s_Context.RegistrationHandle)\n", s, s);
	etw_mc_print(mc, "\n/* 1, before this header is included: the macros that write take an activity first */\n"
		     "#ifndef %s_EventWriteActivity\n#define %s_EventWriteActivity 0\n#endif\n",
		     s, s);
}

static void provider(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	etw_mc_bits(mc, p);
	context(mc, p);
	etw_mc_print(mc, "\n");
	etw_mc_registration(mc, p, "ULONG", "_mcgen_InitContext");
}

static void enabled(struct etw_mc *mc, const struct etw_mc_provider *p,
		    const struct etw_mc_event *event)
{
	etw_mc_print(mc, "#define EventEnabled%s() _mcgen_ENABLED(%sEnableBits, %u, %s_Context, %s)\n",
		     event->macro, p->name, event->bit, p->symbol, event->symbol);
	etw_mc_print(mc, "#define EventEnabled%s_ForContext(pContext) "
		     "_mcgen_ENABLED(_mcgen_CheckContextType_%s(pContext)->EnableBits, %u, (pContext)->Context, %s)\n",
		     event->macro, p->symbol, event->bit, event->symbol);
}

const struct etw_mc_mode etw_mc_mode_um = {
	.option = "um",
	.letter = 'U',
	.activity = false,
	.object = "_mcgen_OBJECT",
	.write = "MCGEN_EVENTWRITETRANSFER",
	.sid_size = "MCGEN_GETLENGTHSID",
	.begin = begin,
	.provider = provider,
	.enabled = enabled,
	.function = etw_mc_function_um,
};
