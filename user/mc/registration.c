// SPDX-License-Identifier: MIT
/*
 * registration.c - the macros that register a provider
 */
#include "emit.h"

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

void etw_mc_registration(struct etw_mc *mc, const struct etw_mc_provider *p, const char *status,
			 const char *init_context)
{
	const char *s = p->symbol, *end = etw_mc_text(mc, "_%s", s);

	global_context(mc, p, p->suffix);
	if (p->traits)
		global_context(mc, p, end);
	etw_mc_context_type(mc, p);
	etw_mc_print(mc, "\nETW_INLINE %s _mcgen_RegisterForContext_%s(LPCGUID Guid, McGenContext_%s *pContext)\n"
		     "{\n"
		     "\t%s(&pContext->Context, &%s_Context, pContext->EnableBits);\n"
		     "\treturn McGenEventRegisterContext(Guid, McGenControlCallbackV2, &pContext->Context);\n"
		     "}\n\n", status, s, p->suffix, init_context, s);
	own_context(mc, p, p->suffix);
	if (p->traits)
		own_context(mc, p, end);
	etw_mc_print(mc, "\n");
}
