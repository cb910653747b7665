// SPDX-License-Identifier: MIT
/*
 * mode.c - a provider's state and registration, for programs (-um) and modules (-km)
 *
 * In a kernel module, a provider is an object with a static key, so that a macro that writes
 * costs a patched-out branch while nobody wants its events, and else tests the level and
 * keyword inline.  EnableBits are there for what a module does with them itself.
 */
#include <string.h>

#include "emit.h"

/* <Name>EnableBits, <Name>Keywords, <Name>Levels; C has no arrays of length 0. */
static void enable_bits(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	unsigned int i, count = p->bit_count ? p->bit_count : 1;

	etw_mc_print(mc, "\n/* One bit for each pair of level and keyword, set while enabled */\n");
	etw_mc_print(mc, ETW_MC_SELECTANY "DECLSPEC_CACHEALIGN ULONG %sEnableBits[%u];\n",
		     p->name, (count + 31) / 32);
	etw_mc_print(mc, ETW_MC_SELECTANY "const ULONGLONG %sKeywords[%u] = {", p->name, count);
	for (i = 0; i < count; i++)
		etw_mc_print(mc, "%s0x%llx", i ? ", " : "", p->bits[i].keyword);
	etw_mc_print(mc, "};\n" ETW_MC_SELECTANY "const unsigned char %sLevels[%u] = {", p->name, count);
	for (i = 0; i < count; i++)
		etw_mc_print(mc, "%s%u", i ? ", " : "", p->bits[i].level);
	etw_mc_print(mc, "};\n");
}

/* Does a provider's type, its own included, already end in this name? */
static bool type_is_taken(const struct etw_mc *mc, const char *end)
{
	unsigned int i;

	for (i = 0; i < mc->manifest->provider_count; i++)
		if (!strcmp(mc->providers[i].suffix, end))
			return true;
	return false;
}

/* The type is named by the provider's name, like mc.exe's; a typedef uses its symbol. */
static void context_type(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol, *type = p->suffix;

	etw_mc_print(mc, "\n/* For the macros ..._ForContext; registering initializes it */\n"
		     "typedef struct tagMcGenContext_%s {\n"
		     "\tMCGEN_TRACE_CONTEXT Context;\n"
		     "\tULONG EnableBits[%u];\n"
		     "} McGenContext_%s;\n", type, p->bit_count ? (p->bit_count + 31) / 32 : 1, type);
	if (!type_is_taken(mc, s))
		etw_mc_print(mc, "typedef McGenContext_%s McGenContext_%s;\n", type, s);
	etw_mc_print(mc, "#define %sHandle_ForContext(pContext) ((pContext)->Context.RegistrationHandle)\n"
		     "#define %s_Handle_ForContext(pContext) ((pContext)->Context.RegistrationHandle)\n",
		     p->name, s);
	etw_mc_print(mc, "\nETW_INLINE McGenContext_%s *_mcgen_CheckContextType_%s(McGenContext_%s *pContext)\n"
		     "{\n\treturn pContext;\n}\n", type, s, type);
}

/* The GUID that sessions enable it by */
static const char *guid_symbol(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	return etw_mc_text(mc, "%s%s", p->symbol,
			   p->provider->has_control_guid ? "_ControlGuid" : "");
}

/* A macro that the includer may have defined before */
static void macro(struct etw_mc *mc, const char *verb, const char *end, const char *params,
		  const char *text)
{
	etw_mc_print(mc, "#ifndef Event%s%s\n#define Event%s%s(%s) %s\n#endif\n", verb, end, verb,
		     end, params, text);
}

static void global_context(struct etw_mc *mc, const struct etw_mc_provider *p, const char *end)
{
	const char *s = p->symbol;
	const char *call = p->traits ? "McGenEventRegisterContext" : "McGenEventRegister";
	const char *rest = etw_mc_text(mc, ", McGenControlCallbackV2, &%s_Context%s)", s,
				       p->traits ? "" :
				       etw_mc_text(mc, ", &%s_Context.RegistrationHandle", s));

	macro(mc, "Register", end, "",
	      etw_mc_text(mc, "%s(&%s%s", call, guid_symbol(mc, p), rest));
	macro(mc, "RegisterByGuid", end, "Guid", etw_mc_text(mc, "%s(&(Guid)%s", call, rest));
	macro(mc, "Unregister", end, "",
	      etw_mc_text(mc, "McGenEventUnregister(&%s_Context.RegistrationHandle)", s));
}

/* The caller's own contexts, with which one provider can be registered several times */
static void own_context(struct etw_mc *mc, const struct etw_mc_provider *p, const char *name)
{
	const char *end = etw_mc_text(mc, "%s_ForContext", name);
	const char *s = p->symbol;

	macro(mc, "Register", end, "pContext",
	      etw_mc_text(mc, "_mcgen_RegisterForContext_%s(&%s, pContext)", s, guid_symbol(mc, p)));
	macro(mc, "RegisterByGuid", end, "Guid, pContext",
	      etw_mc_text(mc, "_mcgen_RegisterForContext_%s(&(Guid), pContext)", s));
	macro(mc, "Unregister", end, "pContext",
	      "McGenEventUnregister(&(pContext)->Context.RegistrationHandle)");
}

static void registration(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol, *end = etw_mc_text(mc, "_%s", s);

	global_context(mc, p, p->suffix);
	if (p->traits)
		global_context(mc, p, end);
	context_type(mc, p);
	etw_mc_print(mc, "\nETW_INLINE %s _mcgen_RegisterForContext_%s(LPCGUID Guid, McGenContext_%s *pContext)\n"
		     "{\n"
		     "\t_mcgen_InitContext(&pContext->Context, &%s_Context, pContext->EnableBits);\n"
		     "\treturn McGenEventRegisterContext(Guid, McGenControlCallbackV2, &pContext->Context);\n"
		     "}\n\n", mc->mode->status, s, p->suffix, s);
	own_context(mc, p, p->suffix);
	if (p->traits)
		own_context(mc, p, end);
	etw_mc_print(mc, "\n");
}

void etw_mc_code(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol, *n = p->name;

	enable_bits(mc, p);
	etw_mc_print(mc, "\n");
	mc->mode->context(mc, p);
	etw_mc_print(mc, "#define %sHandle (%s_Context.RegistrationHandle)\n", n, s);
	etw_mc_print(mc, "#define %s_Handle (%s_Context.RegistrationHandle)\n", s, s);
	if (!mc->mode->activity)
		etw_mc_print(mc, "\n/* 1, before this header is included: the macros that write take an activity first */\n"
			     "#ifndef %s_EventWriteActivity\n#define %s_EventWriteActivity 0\n#endif\n",
			     s, s);
	etw_mc_print(mc, "\n");
	registration(mc, p);
}

static void context_um(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol, *n = p->name;

	etw_mc_print(mc, ETW_MC_SELECTANY "MCGEN_TRACE_CONTEXT %s_Context = "
		     "{0, {%s_Traits}, 0, 0, 0, 0, 0, 0, %u, %sEnableBits, %sKeywords, %sLevels, NULL};\n",
		     s, s, p->bit_count, n, n, n);
}

static void enabled_um(struct etw_mc *mc, const struct etw_mc_provider *p,
		    const struct etw_mc_event *event)
{
	etw_mc_print(mc, "#define EventEnabled%s() _mcgen_ENABLED(%sEnableBits, %u, %s_Context, %s)\n",
		     event->macro, p->name, event->bit, p->symbol, event->symbol);
	etw_mc_print(mc, "#define EventEnabled%s_ForContext(pContext) "
		     "_mcgen_ENABLED(_mcgen_CheckContextType_%s(pContext)->EnableBits, %u, (pContext)->Context, %s)\n",
		     event->macro, p->symbol, event->bit, event->symbol);
}

static void context_km(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const struct etw_mf_provider *provider = p->provider;
	const GUID *guid = provider->has_control_guid ? &provider->control_guid : &provider->guid;
	const char *s = p->symbol;

	etw_mc_print(mc, "_mcgen_km_PROVIDER(%s_Provider, %s);\n", s, etw_mc_guid(mc, guid));
	etw_mc_print(mc, ETW_MC_SELECTANY "MCGEN_TRACE_CONTEXT %s_Context = {\n"
		     "\t.Traits = %s_Traits, .EnableBitsCount = %u, .EnableBitMask = %sEnableBits,\n"
		     "\t.EnableKeyWords = %sKeywords, .EnableLevel = %sLevels,\n"
		     "\t.Provider = &%s_Provider, .Name = \"%s\"\n};\n",
		     s, s, p->bit_count, p->name, p->name, p->name, s,
		     etw_mc_literal(mc, provider->name));
}

static void enabled_km(struct etw_mc *mc, const struct etw_mc_provider *p,
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

const struct etw_mc_mode etw_mc_mode_um = {
	.option = "um",
	.letter = 'U',
	.activity = false,
	.write = "MCGEN_EVENTWRITETRANSFER",
	.status = "ULONG",
	.includes = "#include <wmistr.h>\n#include <evntrace.h>\n#include <evntprov.h>\n"
		    "#include <etw/mc/user.h>\n",
	.context = context_um,
	.enabled = enabled_um,
	.function = etw_mc_function_um,
};

const struct etw_mc_mode etw_mc_mode_km = {
	.option = "km",
	.letter = 'K',
	.activity = true,
	.write = "EtwWriteTransfer",
	.status = "NTSTATUS",
	.includes = "#include <etw/mc/kernel.h>\n",
	.context = context_km,
	.enabled = enabled_km,
	.function = etw_mc_function_km,
};
