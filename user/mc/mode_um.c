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

/* A macro that a program may have defined before. */
static void macro(struct etw_mc *mc, const char *verb, const char *end, const char *params,
		  const char *text)
{
	etw_mc_print(mc, "#ifndef Event%s%s\n#define Event%s%s(%s) %s\n#endif\n", verb, end, verb,
		     end, params, text);
}

static void registration(struct etw_mc *mc, const struct etw_mc_provider *p, const char *end)
{
	const char *s = p->symbol;
	const char *guid = etw_mc_text(mc, "%s%s", s,
				       p->provider->has_control_guid ? "_ControlGuid" : "");
	const char *call = p->traits ? "McGenEventRegisterContext" : "McGenEventRegister";
	const char *last = p->traits ? "" :
			   etw_mc_text(mc, ", &%s_Context.RegistrationHandle", s);

	macro(mc, "Register", end, "",
	      etw_mc_text(mc, "%s(&%s, McGenControlCallbackV2, &%s_Context%s)", call, guid, s, last));
	macro(mc, "RegisterByGuid", end, "Guid",
	      etw_mc_text(mc, "%s(&(Guid), McGenControlCallbackV2, &%s_Context%s)", call, s, last));
	macro(mc, "Unregister", end, "",
	      etw_mc_text(mc, "McGenEventUnregister(&%s_Context.RegistrationHandle)", s));
}

/* Contexts of the program's own: one provider, registered several times. */
static void for_context(struct etw_mc *mc, const struct etw_mc_provider *p, const char *end)
{
	const char *s = p->symbol;
	const char *guid = etw_mc_text(mc, "%s%s", s,
				       p->provider->has_control_guid ? "_ControlGuid" : "");

	macro(mc, "Register", etw_mc_text(mc, "%s_ForContext", end), "pContext",
	      etw_mc_text(mc, "_mcgen_RegisterForContext_%s(&%s, pContext)", s, guid));
	macro(mc, "RegisterByGuid", etw_mc_text(mc, "%s_ForContext", end), "Guid, pContext",
	      etw_mc_text(mc, "_mcgen_RegisterForContext_%s(&(Guid), pContext)", s));
	macro(mc, "Unregister", etw_mc_text(mc, "%s_ForContext", end), "pContext",
	      "McGenEventUnregister(&(pContext)->Context.RegistrationHandle)");
}

static void own_context(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol;

	etw_mc_context_type(mc, p);
	etw_mc_print(mc, "\nETW_INLINE ULONG _mcgen_RegisterForContext_%s(LPCGUID Guid, McGenContext_%s *pContext)\n"
		     "{\n"
		     "\t_mcgen_InitContext(&pContext->Context, &%s_Context, pContext->EnableBits);\n"
		     "\treturn McGenEventRegisterContext(Guid, McGenControlCallbackV2, &pContext->Context);\n"
		     "}\n\n", s, p->suffix, s);
}

static void provider(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	etw_mc_bits(mc, p);
	context(mc, p);
	etw_mc_print(mc, "\n");
	registration(mc, p, p->suffix);
	if (p->traits)
		registration(mc, p, etw_mc_text(mc, "_%s", p->symbol));
	own_context(mc, p);
	for_context(mc, p, p->suffix);
	if (p->traits)
		for_context(mc, p, etw_mc_text(mc, "_%s", p->symbol));
	etw_mc_print(mc, "\n");
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
