// SPDX-License-Identifier: MIT
/*
 * state.c - the arrays by which a provider's events are tested, and contexts of these
 */
#include <string.h>

#include "emit.h"

/* <Name>EnableBits, <Name>Keywords, <Name>Levels; C knows no arrays of 0. */
void etw_mc_bits(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	unsigned int i, count = p->bit_count ? p->bit_count : 1;

	etw_mc_print(mc, "\n/* Bits are set for what is enabled; each is for a level and a keyword */\n");
	etw_mc_print(mc, "%s(ULONG __attribute__((aligned(64))), %sEnableBits[%u]);\n",
		     mc->mode->object, p->name, (count + 31) / 32);
	etw_mc_print(mc, "%s(const ULONGLONG, %sKeywords[%u]) = {", mc->mode->object, p->name,
		     count);
	for (i = 0; i < count; i++)
		etw_mc_print(mc, "%s0x%llx", i ? ", " : "", p->bits[i].keyword);
	etw_mc_print(mc, "};\n%s(const UCHAR, %sLevels[%u]) = {", mc->mode->object, p->name, count);
	for (i = 0; i < count; i++)
		etw_mc_print(mc, "%s%u", i ? ", " : "", p->bits[i].level);
	etw_mc_print(mc, "};\n");
}

/* Is it the end of another provider's type already, or of its own? */
static bool type_is_taken(const struct etw_mc *mc, const char *end)
{
	unsigned int i;

	for (i = 0; i < mc->manifest->provider_count; i++)
		if (!strcmp(mc->providers[i].suffix, end))
			return true;
	return false;
}

/* The type has the provider's name, as mc.exe's has, and by typedef its symbol. */
void etw_mc_context_type(struct etw_mc *mc, const struct etw_mc_provider *p)
{
	const char *s = p->symbol, *type = p->suffix;

	etw_mc_print(mc, "\n/* For the macros ..._ForContext; registering fills it, from any content */\n"
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
